"""Keys as a whole: their pyramids, their hashes, and what changed from one version to the next."""
