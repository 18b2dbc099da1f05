"""Nugget banks, rubrics and key points: keys that other tools make."""
