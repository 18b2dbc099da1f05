"""Judgements -> scores."""
