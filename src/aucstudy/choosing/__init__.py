"""Which area should choose a model: the judged cells, the rule, and the rule in words, for docs/choosing.md."""
