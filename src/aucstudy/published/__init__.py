"""What the papers state in numbers, as data, and how our results compare."""
