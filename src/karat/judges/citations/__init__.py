"""Citations -> verdicts: does the cited document say what the sentence says, and where?"""
