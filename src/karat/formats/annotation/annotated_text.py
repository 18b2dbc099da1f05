"""What the formats of annotated text share: file names as ids, offsets checked against the text, joined snippets,
and the layers of INCEpTION and WebAnno."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.sink import Sink
from karat.formats.io.source import Source
from karat.model import AnyRecord, Collection, Nugget, Response, Run, Score, Snippet, SpanSet, kind_of

JOINT = "\n"
"""The text between snippets in formats that hold them as one text."""


def stem_of(source: Source) -> str:
    """The file's name without folder and ending: the id where the file does not contain one."""
    if source.name == "-":
        return "stdin"
    return PurePath(source.name.removesuffix(".gz")).stem.strip("<>") or "text"


def spans_in(
    item: Fields, name: str, pairs: list[list[int]], text: str, *, stated: str | None = None, utf16: bool = False
) -> SpanSet:
    """Pairs of offsets into a text as a SpanSet of code points.

    utf16: the tool counts UTF-16 code units, as JavaScript and Java do.
    stated: the text that the spans cover, according to the file. If they cover it only when the offsets are counted in
    the other unit, that unit is used; if they do not cover it at all, that is a lint finding. Blanks are not compared.
    """
    counted = item.spans(name, pairs)
    units = _from_utf16(pairs, text)
    points = counted if counted.fits(text) else None
    first, second = (units, points) if utf16 else (points, units)
    path = join(item.path, name) if name else item.path
    if stated is not None and not _covers(first, text, stated):
        if _covers(second, text, stated):
            assert second is not None
            unit = "code points" if utf16 else "UTF-16 units"
            item.source.warn(
                path, f"offsets are read as {unit}, because only then they cover the stated text", code="offset-unit"
            )
            return second
        if first is not None:
            covered = first.text(text)
            item.source.warn(path, f"covers {covered!r}, but the file says {stated!r}", code="text-mismatch")
    if first is None:
        length, unit = (utf16_length(text), "UTF-16 units") if utf16 else (len(text), "characters")
        end = counted[-1][1]
        if end <= length:
            item.bad(name, f"{pairs} begin or end inside a character", code="span-outside")
        item.bad(name, f"ends at {end}, but the text has {length} {unit}", code="span-outside")
    return first


def _covers(spans: SpanSet | None, text: str, stated: str) -> bool:
    if spans is None:
        return False
    covered = "".join(text[start:end] for start, end in spans)
    return "".join(covered.split()) == "".join(stated.split())


def _from_utf16(pairs: list[list[int]], text: str) -> SpanSet | None:
    if utf16_length(text) == len(text):
        spans = SpanSet(pairs)
        return spans if spans.fits(text) else None
    try:
        return SpanSet.from_utf16(pairs, text)
    except ValueError:
        return None


def utf16_length(text: str) -> int:
    """The length of the text in UTF-16 code units, as JavaScript and Java count it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def moved(spans: SpanSet, by: int) -> SpanSet:
    """The spans moved by some characters to the right (or, if negative, to the left)."""
    return SpanSet([(start + by, end + by) for start, end in spans])


class JoinedText:
    """The snippets of a response as one text, and where each begins in it."""

    def __init__(self, snippets: Sequence[Snippet]) -> None:
        self.text = JOINT.join(snippet.text for snippet in snippets)
        self._starts: dict[str, int] = {}
        self._lengths: dict[str, int] = {}
        start = 0
        for snippet in snippets:
            self._starts[snippet.snippet_id] = start
            self._lengths[snippet.snippet_id] = len(snippet.text)
            start += len(snippet.text) + len(JOINT)

    def spans_of(self, nugget: Nugget) -> SpanSet | None:
        """Where the nugget is in the joined text; None if it is not inside it."""
        start = self._starts.get(nugget.snippet_id)
        if start is None or (nugget.spans and nugget.spans[-1][1] > self._lengths[nugget.snippet_id]):
            return None
        return moved(nugget.spans, start)


def one_query(collection: Collection, sink: Sink) -> tuple[str, Collection]:
    """The first query and its records, for a format that holds one query; the records of other queries are lost."""
    first: str | None = None
    kept = []
    for record in collection:
        query_id = None if isinstance(record, Score) else getattr(record, "query_id", None)
        first = query_id if first is None else first
        if query_id is None or query_id == first:
            kept.append(record)
        else:
            sink.lose(kind_of(record), "a file holds only one query")
    return first or "", Collection(kept)


def lose_joined(snippets: Sequence[Snippet], sink: Sink) -> None:
    """Report the losses when snippets are written as one text."""
    if len(snippets) > 1:
        sink.lose("response.snippets", "joined into one text")
    elif any(snippet.snippet_id != "1" for snippet in snippets):
        sink.lose("response.snippets.snippet_id", "the only snippet gets the id 1 when the file is read")


def pieces_of(spans: SpanSet, text: str) -> Iterable[str]:
    return (text[start:end] for start, end in spans)


class Documents:
    """The texts of an annotation file, each given out once as the response to a query with the text's id.

    A text has one row per annotator. If a later row differs from the first one, that is a problem (a different text)
    or a lint finding (other fields).
    """

    def __init__(self, source: Source, run_id: str) -> None:
        self.run_id = run_id
        self._source = source
        self._texts: dict[str, str] = {}
        self._extras: dict[str, dict[str, Any]] = {}
        self._numbers: Counter[str] = Counter()

    def response(self, row: Fields, query_id: str, text: str, extra: dict[str, Any]) -> Iterator[AnyRecord]:
        """The Run before the first text, and the text if it is new."""
        if not self._texts:
            yield Run(run_id=self.run_id)
        if self._texts.setdefault(query_id, text) != text:
            row.bad("text", f"{query_id!r} has a different text in an earlier row", code="duplicate-id")
        if query_id not in self._extras:
            self._extras[query_id] = extra
            snippets = (Snippet(snippet_id="1", text=text),) if text else ()
            yield Response(query_id=query_id, run_id=self.run_id, snippets=snippets, extra=extra)
        elif others := [name for name, value in extra.items() if self._extras[query_id].get(name) != value]:
            message = f"{', '.join(others)} differs from the first row about {query_id!r} and is not kept"
            self._source.warn(row.path, message, code="not-kept")

    def nugget(
        self, query_id: str, spans: SpanSet, label: str | None, *, nugget_id: str | None = None, **more: Any
    ) -> Nugget:
        """A nugget of the text; if it has no id, or one that is already used, it gets a number."""
        self._numbers[query_id] += 1
        known = f"{query_id}\t{nugget_id}"
        if nugget_id is None or self._numbers[known]:
            nugget_id = f"{nugget_id}-{self._numbers[query_id]}" if nugget_id else str(self._numbers[query_id])
        self._numbers[known] += 1
        return Nugget(
            nugget_id=nugget_id,
            query_id=query_id,
            run_id=self.run_id,
            snippet_id="1",
            spans=spans,
            type=label,
            **({"source": "person"} | more),
        )


def first_rows(head: Head, most: int = 20) -> list[dict[str, Any]]:
    """The first objects of a file (JSON lines or an array), to recognise the format."""
    if head.shape != "lines":
        return [head.row] if head.row else []
    rows: list[dict[str, Any]] = []
    for line in head.lines[:most]:
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            rows.append(value)
    return rows


# -- layers of INCEpTION and WebAnno ---------------------------------------------------------------

_MACHINERY = ("uima.", "de.tudarmstadt.ukp.", "org.dkpro.")
_NAMED_ENTITY = "NamedEntity"


def is_marked(layer: str) -> bool:
    """Whether people mark things in this layer: custom layers and named entities, not tokens and the like."""
    return short_name(layer) == _NAMED_ENTITY or not layer.startswith(_MACHINERY)


def short_name(layer: str) -> str:
    """`webanno.custom.Claim` -> `Claim`."""
    return layer.rpartition(".")[2]


def label_of(features: dict[str, str]) -> str | None:
    """The label of an annotation: its feature `value` or `label`, or the only feature that is not empty."""
    for name in ("value", "label"):
        if features.get(name):
            return features[name]
    filled = [value for value in features.values() if value]
    return filled[0] if len(filled) == 1 else None
