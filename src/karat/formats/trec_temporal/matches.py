"""TREC Temporal Summarization matches: which update contains which nugget, and where in its text.

`query_id update_id nugget_id match_start match_end auto_p`; auto_p is 1 if the match was copied from a duplicate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import BadUnit, Source
from karat.formats.trec_qa.columns import are_words
from karat.formats.trec_temporal.tables import extra_cells, kept_extra, tempsumm_rows, write_tempsumm_table
from karat.model import AnyRecord, Evidence, Judgement, SpanSet
from karat.model.default_names import GIVEN, POOL

TITLE = "TREC Temporal Summarization matches"
CARRIES = carries(
    judgement="query_id run_id snippet_id nug_id degree judge evidence evidence.spans status extra",
)
COLUMNS = ("query_id", "update_id", "nugget_id", "match_start", "match_end", "auto_p")
NUMBERS = ("auto_p",)


@dataclass(slots=True)
class _UpdateMatch:
    """All rows of one update and nugget."""

    line: int
    extra: dict[str, Any]
    spans: set[tuple[int, int]] = field(default_factory=set)


def sniff_tempsumm_matches(head: Head) -> bool:
    names = {"query_id", "update_id", "nugget_id", "match_start", "match_end"}
    return bool(head.lines) and names <= set(head.lines[0].split())


def read_tempsumm_matches(source: Source) -> Iterator[AnyRecord]:
    """One Judgement of degree 1 per update and nugget, with all spans of their rows as evidence.

    A row with an impossible span is still a match: the span is reported and left out. Whether the update and the
    nugget exist, and whether the span is inside the text, can be checked only with the other files.
    """
    matches: dict[tuple[str, str, str], _UpdateMatch] = {}
    for row in tempsumm_rows(source, required=COLUMNS[:5]):
        with row.unit():
            pair = (row.id("query_id"), row.id("update_id"), row.id("nugget_id"))
            span = _span(row)
            extra = kept_extra(row, NUMBERS)
            match = matches.setdefault(pair, _UpdateMatch(source.line, extra))
            if match.extra != extra:
                source.warn("", "the other columns differ from this match's first row", code="conflicting-definition")
            if span in match.spans:
                source.warn("match_start", "the same span of this match is on an earlier line", code="repeated-row")
            if span is not None:
                match.spans.add(span)
    for (query_id, update_id, nug_id), match in matches.items():
        source.query_id, source.line = query_id, match.line
        yield Judgement(
            query_id=query_id,
            run_id=POOL,
            snippet_id=update_id,
            nug_id=nug_id,
            degree=1.0,
            judge=GIVEN,
            evidence=Evidence(spans=SpanSet(match.spans)) if match.spans else None,
            extra=match.extra,
        )


def _span(row: Fields) -> tuple[int, int] | None:
    """The row's span; None if it has none, or an impossible one."""
    given = (row.get("match_start"), row.get("match_end"))
    if not any(given):
        return None
    with suppress(BadUnit):
        return row.spans("match_start", [(row.integer("match_start"), row.integer("match_end"))])[0]
    return None


def write_tempsumm_matches(records: Iterable[AnyRecord], sink: Sink) -> None:
    """One row per span, or one row without a span if the judgement has no evidence."""
    rows = []
    for judgement in records:
        assert isinstance(judgement, Judgement)
        if judgement.degree != 1.0 or judgement.status != "ok":
            sink.lose("judgement", "only matches (degree 1) can be written")
            continue
        update_id = judgement.snippet_id or ""
        if not are_words(judgement.query_id, update_id, judgement.nug_id):
            sink.lose("judgement", "a match needs an update, and its ids must not have blanks")
            continue
        if judgement.run_id != POOL:
            sink.lose("judgement.run_id", f"updates are read as the run {POOL}")
        if judgement.judge != GIVEN:
            sink.lose("judgement.judge")
        row = {"query_id": judgement.query_id, "update_id": update_id, "nugget_id": judgement.nug_id}
        row |= extra_cells(judgement.extra, COLUMNS, NUMBERS, sink, "judgement.extra")
        spans = (judgement.evidence.spans if judgement.evidence is not None else None) or ()
        rows += [row | {"match_start": str(start), "match_end": str(end)} for start, end in spans] or [row]
    write_tempsumm_table(rows, sink, columns=COLUMNS, what="judgement.extra")
