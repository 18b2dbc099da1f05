"""The analysis of English text behind one small interface: tokens, entities, a parse, predicates and their roles.

analyzer = load_analyzer()
for sentence in analyzer.analyze(text).sentences: ...
"""

from karat.language.analysis import Analysis, Analyzer, Argument, Entity, ParsedSentence, Predicate, Token
from karat.language.analyzers import analyzer_names, load_analyzer

__all__ = [
    "Analysis",
    "Analyzer",
    "Argument",
    "Entity",
    "ParsedSentence",
    "Predicate",
    "Token",
    "analyzer_names",
    "load_analyzer",
]
