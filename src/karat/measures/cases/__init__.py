"""What a measure sees: one run's response to one query, with everything people and judges said about it."""
