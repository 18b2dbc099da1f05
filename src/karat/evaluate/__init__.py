"""The use cases: where judges, measures and statistics meet."""
