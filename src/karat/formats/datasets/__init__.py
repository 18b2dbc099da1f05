"""Public collections with people's labels: one read-only format per collection."""
