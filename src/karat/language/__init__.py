"""English analysis behind one small interface: tokens, entities, a parse, predicates and their roles.

analyzer = load_analyzer()
for sentence in analyzer.analyze(text).sentences: ...
"""

from karat.language.analysis import Analysis, Analyzer, Argument, Entity, Predicate, Sentence, Token
from karat.language.analyzers import analyzer_names, load_analyzer, register_analyzer

__all__ = [
    "Analysis",
    "Analyzer",
    "Argument",
    "Entity",
    "Predicate",
    "Sentence",
    "Token",
    "analyzer_names",
    "load_analyzer",
    "register_analyzer",
]
