"""Plain tables with named columns: CSV, TSV and flat JSON rows."""
