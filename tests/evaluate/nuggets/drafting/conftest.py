"""What the tests of drafting share: answers read by the English analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from karat.evaluate.nuggets.drafting.sentences.blocks import answer_sentences
from karat.evaluate.nuggets.drafting.sentences.candidates import AnswerReader, Candidate, core_of
from karat.language import load_analyzer

Read = Callable[..., list[Candidate]]


@pytest.fixture(scope="session")
def drafting_analyzer():
    pytest.importorskip("spacy")
    return load_analyzer()


@pytest.fixture(scope="session")
def read(drafting_analyzer) -> Read:
    """The candidates of an answer, given as snippets; `left_out` counts what is left out."""

    def candidates(*snippets: str, question: str = "", left_out: Counter[str] | None = None) -> list[Candidate]:
        cores = [core_of(sentence) for sentence in answer_sentences(list(snippets))]
        analyses = list(drafting_analyzer.analyze_many(core.text for core in cores))
        reasons = Counter() if left_out is None else left_out
        return AnswerReader(question, reasons).candidates(cores, analyses)

    return candidates


@pytest.fixture(scope="session")
def drafted(read: Read):
    """The texts of the candidates of an answer."""
    return lambda *snippets, question="": [candidate.text for candidate in read(*snippets, question=question)]
