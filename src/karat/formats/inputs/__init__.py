"""Files are read: one, several that fit together, folders, or more than fits into memory."""
