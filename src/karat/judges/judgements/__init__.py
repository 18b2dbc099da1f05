"""Judgements as records: made from probabilities, and in the form in which they are saved."""
