"""Records are written: in any format, as shards, and read again before they count as written."""
