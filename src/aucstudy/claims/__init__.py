"""The verdicts of a study on every published claim, and the rules by which they are chosen."""
