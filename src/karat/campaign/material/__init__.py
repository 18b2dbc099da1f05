"""What people work on: queries, passages, documents, suggestions, and how they are imported."""
