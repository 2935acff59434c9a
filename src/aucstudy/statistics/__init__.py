"""Statistics of models and tasks: ranks and ties, the best models, intervals over source groups, seeds."""
