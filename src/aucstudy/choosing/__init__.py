"""Which area should choose a model: the cells that were judged, the rule for a cell, and the rule in words.

README, docs/choosing.md, the report, the audit and the claims all read it here.
"""
