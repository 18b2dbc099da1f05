"""Judges by weighted overlap of n-grams: nuggeteer, pourpre, qaviar, rouge."""
