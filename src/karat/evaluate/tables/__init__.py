"""Tables of scores (runs x queries), and what all commands that score share: ties, slices, notes."""
