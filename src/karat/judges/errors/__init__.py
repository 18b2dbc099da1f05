"""Errors of a judge that many judgements share: those of one response, and those of one run."""
