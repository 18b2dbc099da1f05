"""Scores of updates that are sent over time."""
