"""Tokens, parse and entities by spaCy. The only place that imports it."""
