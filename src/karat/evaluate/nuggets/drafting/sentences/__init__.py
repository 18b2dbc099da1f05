"""Sentences of one answer become candidates: true, clear and about something by themselves."""
