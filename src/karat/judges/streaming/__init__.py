"""Judge more responses than fit into memory, where there are no labels to learn from."""
