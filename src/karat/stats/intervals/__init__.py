"""Bootstrap intervals: over queries, and over units of any kind."""
