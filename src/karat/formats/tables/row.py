"""One row of a table with named columns, read by the meaning of its columns (see tables/columns.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal

from karat.formats.eval_tools.answer_rows import run_of_file
from karat.formats.eval_tools.inline_citations import snippet_of
from karat.formats.eval_tools.ragas import parse_cell
from karat.formats.io.fields import Fields, normal_label
from karat.formats.tables.columns import PASSAGES, SCORE_COUNTS, SCORE_NUMBERS, SOURCES, answers_of_one_run, plain
from karat.formats.trec_eval.score_tables import is_number
from karat.model import Citation, Judgement, Nug, Score, Snippet, Vote, content_id
from karat.model.default_names import GIVEN
from karat.model.records import Importance

Use = Judgement | Vote | Score
"""The records of a row that refer to its other records."""
Degree = tuple[float | None, Literal["ok", "failed", "unknown"]]
LABELS = {
    "support": 1.0, "partial_support": 0.5, "not_support": 0.0,
    "supported": 1.0, "partially_supported": 0.5, "not_supported": 0.0,
    "full": 1.0, "partial": 0.5, "none": 0.0,
    "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0,
}  # fmt: skip
_IMPORTANCES: dict[str, Importance] = {"vital": "vital", "okay": "okay", "ok": "okay"}


class NamedRow:
    """One row, read by the meaning of its columns."""

    def __init__(self, row: Fields, columns: dict[str, str]) -> None:
        self.columns = columns
        self._row = row
        self._present = Fields(row.source, {k: v for k, v in row.data.items() if not _is_blank(v)}, row.path)

    @property
    def path(self) -> str:
        """Where the row is in its document."""
        return self._row.path

    def has(self, meaning: str) -> bool:
        return meaning in self.columns and self.columns[meaning] in self._present.data

    def id(self, meaning: str) -> str | None:
        return self._present.optional_id(self.columns[meaning]) if meaning in self.columns else None

    def text(self, meaning: str) -> str | None:
        if not self.has(meaning):
            return None
        value = self._present.get(self.columns[meaning])
        return str(value) if isinstance(value, int | float) else self._present.text(self.columns[meaning])

    def rest(self) -> dict[str, Any]:
        return self._present.rest()

    def unused(self, **values: str | None) -> dict[str, str]:
        """Ids in the row that no record uses, by the names of their columns."""
        return {self.columns[meaning]: value for meaning, value in values.items() if value and self.has(meaning)}

    def query_id(self) -> str:
        query_id, query = self.id("query_id"), self.text("query")
        if query_id is None and query is not None:
            return content_id(query)
        if query_id is None:
            self._row.bad(self.columns.get("query_id", "query_id"), "is missing", code="missing-field")
        return query_id

    def run_id(self) -> str | None:
        """The run; for answers and labels in a table without runs, it is named after the file."""
        labels = "run_id" not in self.columns and "label" in self.columns and {"nug", "nug_id"} & self.columns.keys()
        if labels or answers_of_one_run(self.columns):
            return run_of_file(self._row.source)
        return self.id("run_id")

    def nug(self, query_id: str) -> Nug | None:
        text = self.text("nug")
        if text is None:
            return None
        nug_id = self.id("nug_id") or content_id(text)
        importance: Importance | None = None
        weight: float | None = None
        with self._row.unit():
            weight = self._number("weight")
        if self.has("importance"):
            name = self.columns["importance"]
            if is_number(str(self._present.get(name))):
                weight = self._present.number(name) if weight is None else weight
            else:
                importance = self._present.label(name, _IMPORTANCES)
        return Nug(query_id=query_id, nug_id=nug_id, descriptions=(text,), importance=importance, weight=weight)

    def uses(self, query_id: str, run_id: str | None, nug_id: str | None) -> Iterator[Use]:
        """The judgement, vote and score of the row."""
        if run_id is not None and nug_id is not None and "label" in self.columns:
            degree, status = self.degree()
            yield Judgement(
                query_id=query_id,
                run_id=run_id,
                snippet_id=self.id("snippet_id"),
                nug_id=nug_id,
                degree=degree,
                judge=self.id("judge") or GIVEN,
                assessor=self.id("assessor"),
                status=status,
            )
        if nug_id is not None and self.has("assessor") and self.has("vote"):
            with self._row.unit():
                yield Vote(query_id=query_id, nug_id=nug_id, assessor=self.id("assessor") or "", value=self._vote())
        if run_id is not None and self.has("measure") and "value" in self.columns:
            with self._row.unit():
                yield self._score(query_id, run_id)

    def degree(self) -> Degree:
        """The degree and the status that the label gives."""
        name = self.columns["label"]
        if not self.has("label"):
            self._row.source.warn(name, "is blank, so the judgement has the status unknown", code="missing-label")
            return None, "unknown"
        value = self._present.get(name)
        if (isinstance(value, bool) or is_number(str(value))) and 0 <= float(value) <= 1:
            return float(value), "ok"
        label = normal_label(str(value))
        if label in ("failed", "unknown"):
            return None, "failed" if label == "failed" else "unknown"
        if label in LABELS:
            return LABELS[label], "ok"
        choices = ("support", "partial_support", "not_support", "yes", "no", "full", "partial", "none", "0 to 1")
        self._present.complain(name, repr(value), code="impossible-label", choices=choices)
        return None, "failed"

    def _vote(self) -> Importance | float:
        name = self.columns["vote"]
        value = self._present.get(name)
        if is_number(str(value)) and 0 <= float(value) <= 1:
            return float(value)
        importance = _IMPORTANCES.get(normal_label(str(value)))
        if importance is None:
            choices = ("vital", "okay", "a number from 0 to 1")
            self._present.bad(name, repr(value), code="impossible-label", choices=choices)
        return importance

    def _number(self, meaning: str) -> float | None:
        return self._present.optional_number(self.columns[meaning]) if meaning in self.columns else None

    def _score(self, query_id: str, run_id: str) -> Score:
        measure = self.id("measure")
        assert measure is not None
        numbers: dict[str, Any] = {name: self._number(name) for name in SCORE_NUMBERS}
        numbers |= {name: self._present.optional_integer(self.columns[name]) for name in SCORE_COUNTS if self.has(name)}
        numbers |= {"value": self._number("value"), "signature": self.text("signature")}
        return Score(run_id=run_id, query_id=query_id, measure=measure, **numbers)

    def cited_text(self, text: str) -> Snippet:
        """The answer without the marks of its citations, and the citations."""
        lists: dict[frozenset[str], Any] = {SOURCES: None, PASSAGES: None}
        for name, value in self._row.data.items():
            for names in lists:
                if plain(name) in names and not _is_blank(value):
                    lists[names] = _as_list(value)
        question = self.text("query") or ""
        return snippet_of(self._row, text, sources=lists[SOURCES], passages=lists[PASSAGES], question=question)

    def citations(self) -> tuple[Citation, ...]:
        doc_ids = [doc_id] if (doc_id := self.id("doc_id")) is not None else []
        if self.has("citations"):
            doc_ids.extend(doc_ids_of(self._present.get(self.columns["citations"])))
        return tuple(Citation(doc_id=doc_id) for doc_id in dict.fromkeys(doc_ids))


def _as_list(value: object) -> Any:
    """A list, also where a cell of a table has it as text."""
    if isinstance(value, str):
        with suppress(ValueError):
            return parse_cell(value)
        return [part.strip() for part in re.split(r"[;\n]", value) if part.strip()]
    return value


def doc_ids_of(value: object) -> list[str]:
    """The document ids in a cell: separated by blanks, commas or semicolons, or a JSON list."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, list):
        return [str(doc_id) for doc_id in value if doc_id is not None]
    return [doc_id for word in str(value).split() if (doc_id := word.rstrip(",;"))]


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
