"""Karat's own JSONL: every noun, nothing lost; its repair and its JSON Schema."""
