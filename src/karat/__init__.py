"""Karat measures how much of what matters is in an answer."""

__version__ = "0.1.0"
