"""From raw scores to probabilities: curves, thresholds, and what they are learned from."""
