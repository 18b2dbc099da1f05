"""TREC Temporal Summarization: topics, nuggets, updates, matches, runs, official scores."""
