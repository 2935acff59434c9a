"""The experiments: pure functions of frames or arrays and a seed that return data frames."""
