"""What the report shows, gathered once from the other commands' results; no HTML."""
