"""`karat nuggetize`, `draft-key` and `nuggets-compare`: nuggets found, made into a key, and compared."""
