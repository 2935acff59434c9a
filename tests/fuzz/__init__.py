"""Random rankings against exact arithmetic, in the tests and for as long as one likes: `python -m fuzz.areas`."""
