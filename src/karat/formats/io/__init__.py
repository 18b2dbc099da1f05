"""The plumbing under every format: sources and sinks, rows and fields, definitions and references. Knows no format."""
