"""Random input against an independent answer, in the tests and for as long as one likes: `python -m fuzz.areas`."""
