"""What the study says to every published claim: rules, verdicts, the ledger."""
