"""What the rules know of English: grammar, places, word lists, and texts that are not English."""
