"""From arrays to conclusions: intervals, tests, correlations, agreement, reliability. Knows only numbers."""
