"""Results -> tables."""
