"""TREC RAG 2024 and 2025: answers, citation judgements, topics, participants' relevance labels."""
