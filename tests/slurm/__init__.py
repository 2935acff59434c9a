"""The quick study, run through a Slurm of one node on this machine by `make test-slurm`."""
