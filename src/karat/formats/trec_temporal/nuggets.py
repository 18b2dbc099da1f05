"""TREC Temporal Summarization nuggets: `query_id nugget_id timestamp importance nugget_len nugget_text`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_qa.columns import are_words, number_text
from karat.formats.trec_temporal.tables import extra_cells, kept_extra, kept_number, tempsumm_rows, write_tempsumm_table
from karat.model import AnyRecord, Nug

TITLE = "TREC Temporal Summarization nuggets"
CARRIES = carries(nug="query_id nug_id descriptions weight extra")
COLUMNS = ("query_id", "nugget_id", "timestamp", "importance", "nugget_len", "nugget_text")
NUMBERS = ("timestamp", "nugget_len")


def sniff_tempsumm_nuggets(head: Head) -> bool:
    return bool(head.lines) and {"query_id", "nugget_id", "nugget_text"} <= set(head.lines[0].split())


def read_tempsumm_nuggets(source: Source) -> Iterator[AnyRecord]:
    """One Nug per row: its weight is the importance (0..3); the time when it became known is `timestamp` in `extra`."""
    seen: set[tuple[str, str]] = set()
    for row in tempsumm_rows(source, required=("query_id", "nugget_id", "nugget_text")):
        with row.unit():
            query_id, nug_id, text = row.id("query_id"), row.id("nugget_id"), row.text("nugget_text")
            if (query_id, nug_id) in seen:
                row.bad("nugget_id", f"{query_id} already has a nugget {nug_id!r}", code="duplicate-id")
            seen.add((query_id, nug_id))
            importance = kept_number(row, "importance")
            if importance is not None and importance < 0:
                source.warn("importance", f"{importance} is negative", code="negative-importance")
            yield Nug(
                query_id=query_id,
                nug_id=nug_id,
                descriptions=(text,),
                weight=None if importance is None else float(importance),
                extra=kept_extra(row, NUMBERS),
            )


def write_tempsumm_nuggets(records: Iterable[AnyRecord], sink: Sink) -> None:
    rows = []
    for nug in records:
        assert isinstance(nug, Nug)
        if not are_words(nug.query_id, nug.nug_id):
            sink.lose("nug", "an id with blanks cannot be written")
            continue
        if len(nug.descriptions) != 1:
            sink.lose("nug.descriptions", "only the first description of a nug can be written")
        row = {"query_id": nug.query_id, "nugget_id": nug.nug_id, "nugget_text": next(iter(nug.descriptions), "")}
        if nug.weight is not None:
            row["importance"] = number_text(nug.weight)
        rows.append(row | extra_cells(nug.extra, COLUMNS, NUMBERS, sink, "nug.extra"))
    write_tempsumm_table(rows, sink, columns=COLUMNS, what="nug.descriptions")
