"""What every format builds on: sources and sinks, rows and fields, definitions and references. Knows no format."""
