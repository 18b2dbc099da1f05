"""Checks that need no model: does a text that looks like a nug disagree with it?

find_conflicts(read_text(nug), read_text(sentence)) -> (Conflict("number", "at least 40 people", "at least 4 people"),)
"""

from karat.judges.semantic.checks.conflict import Conflict, ConflictKind
from karat.judges.semantic.checks.reading import Reading, find_conflicts, read_text

__all__ = ["Conflict", "ConflictKind", "Reading", "find_conflicts", "read_text"]
