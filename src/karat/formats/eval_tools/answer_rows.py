"""What the files of evaluation tools share: rows of question, answer and reference answer, one run per file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Query, Response, Run, Score, Snippet
from karat.model.default_names import REFERENCE

UNNAMED_RUN = "run"
"""The run of a file that has no name (standard input, bytes in memory)."""
QUERY_IDS = ("query_id", "id", "qid", "question_id")
"""The fields that may have the id of a query."""
_ENDINGS = frozenset({".json", ".jsonl", ".jl", ".ndjson", ".csv", ".tsv", ".txt", ".xlsx"})


def file_stem(source: Source) -> str | None:
    """The file's name without its endings; None if the input has no name."""
    if source.name == "-" or source.name.startswith("<"):
        return None
    path = PurePath(source.name.removesuffix(".gz"))
    return path.stem if path.suffix.lower() in _ENDINGS else path.name


def run_of_file(source: Source, *, avoid: str = "") -> str:
    """The run of a file that does not name one: the file's stem, unless that is the name to `avoid`."""
    stem = file_stem(source)
    return UNNAMED_RUN if stem is None or stem == avoid else stem


class Answers:
    """Gives out each query, run and response once; a second answer of the same run to a query is reported."""

    def __init__(self, source: Source) -> None:
        self.once = Once(source)
        self._ids: defaultdict[str, ContentIds] = defaultdict(ContentIds)
        self._runs: set[str] = set()
        self._texts: dict[tuple[str, str], str] = {}

    def query_id(self, text: str, run_id: str) -> str:
        """An id made from the question, so that files of several systems fit together; a repeated one gets a number."""
        return self._ids[run_id].next(text)

    def query(self, query_id: str, text: str, **more: Any) -> Iterator[AnyRecord]:
        yield from self.once(Query(query_id=query_id, text=text, **more))

    def run(self, run_id: str, **more: Any) -> Iterator[AnyRecord]:
        """The run, the first time it is named."""
        if run_id not in self._runs:
            self._runs.add(run_id)
            yield Run(run_id=run_id, human=run_id == REFERENCE, **more)

    def response(
        self, row: Fields, name: str, query_id: str, run_id: str, text: str, extra: dict[str, Any] | None = None,
        *, snippet: Snippet | None = None,
    ) -> Iterator[AnyRecord]:  # fmt: skip
        """The run and its answer as one snippet; a second answer is reported (for field `name`), the row left out.

        snippet: the same text without its marks of citations (see `snippet_of`).
        """
        snippets = (snippet or Snippet(snippet_id="1", text=text),) if text else ()
        if (query_id, run_id) in self._texts:
            # Rows of several systems repeat the reference.
            if run_id == REFERENCE and self._texts[query_id, run_id] == text:
                return
            row.bad(name, f"run {run_id!r} has already answered query {query_id!r}", code="duplicate-id")
        self._texts[query_id, run_id] = text
        yield from self.run(run_id)
        yield Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=extra or {})


def read_scores(values: Fields, run_id: str, query_id: str, *, divisor: float = 1.0) -> Iterator[AnyRecord]:
    """One Score for each `measure: number` of an object; null is an undefined score."""
    for measure in values.data:
        with values.unit():
            number = values.optional_number(measure)
            yield score_of(run_id, query_id, measure, None if number is None else number / divisor)


def score_of(run_id: str, query_id: str, measure: str, value: float | None, **extra: Any) -> Score:
    """A score of another tool; a score without a value is undefined, not zero."""
    undefined = 1 if value is None else None
    return Score(run_id=run_id, query_id=query_id, measure=measure, value=value, undefined=undefined, extra=extra)
