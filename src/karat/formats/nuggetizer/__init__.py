"""Files of the nuggetizer: nugget banks, assignments, metrics, and its input."""
