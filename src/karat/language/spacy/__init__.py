"""Tokens, parse and entities by spaCy. No other package imports spaCy."""
