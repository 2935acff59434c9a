"""The quick study through a Slurm of one node on this machine: make test-slurm."""
