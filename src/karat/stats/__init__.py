"""Arrays -> conclusions: intervals and tests. Knows numbers and nothing else."""
