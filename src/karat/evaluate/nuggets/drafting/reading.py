"""Texts -> candidates: sentences are found, parsed and read, in one process or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

import msgspec

from karat.engines import map_chunks
from karat.engines.cache import code_name, name_of
from karat.engines.job.kept_records import KeepRecords
from karat.evaluate.nuggets.drafting.sentences.blocks import answer_sentences
from karat.evaluate.nuggets.drafting.sentences.candidates import AnswerReader, Candidate, core_of
from karat.evaluate.nuggets.drafting.sources import SourceText
from karat.language import load_analyzer
from karat.language.analysis import Analyzer

CHUNK = 8
"""How many texts a process takes at a time."""
CODE = ("evaluate/nuggets/drafting", "language", "text", "model")
LIBRARIES = ("spacy", "numpy")
"""What the candidates depend on: places in Karat, and libraries; the models are in the signature of the analyzer."""


class ReadText(msgspec.Struct, frozen=True):
    """The candidates of a text, how many sentences it has, and how many were left out for each reason."""

    candidates: tuple[Candidate, ...]
    sentences: int
    left_out: dict[str, int]


def read_texts(
    texts: Sequence[SourceText],
    *,
    model: str | None = None,
    jobs: int = 1,
    track: Callable[[Iterable[ReadText]], Iterable[ReadText]] | None = None,
) -> list[ReadText]:
    """The candidates of all texts, in their order."""
    waiting = iter(texts)
    chunks = iter(lambda: list(islice(waiting, CHUNK)), [])

    def results() -> Iterator[ReadText]:
        for chunk in map_chunks(_Read(model), chunks, jobs=jobs, keep=_kept(model)):
            yield from chunk

    return list(track(results()) if track is not None else results())


def _kept(model: str | None) -> KeepRecords[list[SourceText], list[ReadText]]:
    """How a job keeps the candidates of some texts."""

    def maker() -> bytes:
        return name_of(code_name(CODE, LIBRARIES), *map(str, analyzer(model).signature().items()))

    def content(chunk: list[SourceText]) -> list[str]:
        # With the number of snippets: where one text ends must not depend on what the texts are.
        return [
            part
            for text in chunk
            for part in (str(len(text.snippets)), text.question, *(words for _, words in text.snippets))
        ]

    return KeepRecords(list[ReadText], maker=maker, content=content)


class _Read(msgspec.Struct, frozen=True):
    """Reads a chunk of texts. It can be sent to another process, which loads the models once."""

    model: str | None

    def __call__(self, chunk: list[SourceText]) -> list[ReadText]:
        cores = [
            [core_of(sentence) for sentence in answer_sentences([snippet for _, snippet in text.snippets])]
            for text in chunk
        ]
        parsed = analyzer(self.model).analyze_many(core.text for some in cores for core in some)
        read = []
        for text, some in zip(chunk, cores, strict=True):
            left_out: Counter[str] = Counter()
            analyses = list(islice(parsed, len(some)))
            candidates = AnswerReader(text.question, left_out).candidates(some, analyses)
            read.append(ReadText(tuple(candidates), len(some), dict(left_out)))
        return read


@cache
def analyzer(model: str | None) -> Analyzer:
    """The English analysis, loaded once per process."""
    return load_analyzer(model)
