"""brat standoff annotation (.ann), with the text in the .txt file beside it.

T1<TAB>Protein 0 6;16 21<TAB>Alpha actin
A1<TAB>Negation T1
#1<TAB>AnnotatorNotes T1<TAB>a note
The query is the name of the file. Offsets count code points.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from karat.formats.annotation.annotated_text import JoinedText, one_query, pieces_of, spans_in, stem_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import MAX_DOCUMENT, Source
from karat.model import AnyRecord, Collection, Nugget, Response, Run, Snippet

TITLE = "brat standoff (.ann)"
CARRIES = carries(
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text extra",
    nugget="nugget_id query_id run_id snippet_id spans type paraphrase source extra",
)
BRAT = "brat"
"""The run whose text is annotated, and the field of a response's `extra` that keeps all other lines."""
_SPAN = re.compile(r"(?P<id>T\S+)\t(?P<type>\S+) (?P<offsets>-?\d+ -?\d+(?:;-?\d+ -?\d+)*)(?:\t(?P<text>.*))?")
_DETAIL = re.compile(r"[AMN#]\S*\t(?P<name>\S+) (?P<target>T\S*)(?:[ \t](?P<value>.*))?")
_OTHER = re.compile(r"(?:[REAMN#]\S*|\*)\t\S.*")
_ID = re.compile(r"T\d+")
PARAPHRASE = "Paraphrase"
_NEW_TYPE = "Nugget"


def sniff_brat(head: Head) -> bool:
    lines = head.lines[:20]
    return any(_SPAN.fullmatch(line) for line in lines) and all(
        _SPAN.fullmatch(line) or _OTHER.fullmatch(line) for line in lines
    )


def read_brat(source: Source) -> Iterator[AnyRecord]:
    """One Nugget per T line; a Response if the text is there. Attributes and notes are kept with their nugget."""
    query_id = source.query_id = stem_of(source)
    text = _text_beside(source)
    spans: dict[str, tuple[int, Fields]] = {}
    details: dict[str, dict[str, Any]] = {}
    others: list[tuple[int, str]] = []
    lines = [(source.line, line) for line in source.text_lines()]
    for source.line, line in lines:
        if not line.strip():
            continue
        if match := _SPAN.fullmatch(line):
            item = Fields(source, match.groupdict(), match["id"])
            if match["id"] in spans:
                item.complain("", "this id appears twice", code="duplicate-id")
            else:
                spans[match["id"]] = (source.line, item)
        elif not _OTHER.fullmatch(line):
            source.report(
                "", "is not an annotation (`T1<TAB>Type 0 5<TAB>text`, R, E, A, M, N, # or *)", code="bad-line"
            )
        else:
            others.append((source.line, line))
    kept = [(number, line) for number, line in others if not _add_detail(line, spans, details)]
    if text is not None:
        extra = {BRAT: [line for _, line in kept]} if kept else {}
        yield Run(run_id=BRAT)
        snippets = (Snippet(snippet_id="1", text=text),) if text else ()
        yield Response(query_id=query_id, run_id=BRAT, snippets=snippets, extra=extra)
    else:
        for number, _ in kept:
            source.warn("", "is not kept: that needs the .txt beside the file", code="not-kept", line=number)
    for source.line, item in spans.values():
        with item.unit():
            yield _nugget(item, query_id, text, details.get(item.path, {}))


def _text_beside(source: Source) -> str | None:
    path = source.path.parent / f"{stem_of(source)}.txt"
    if path == source.path:
        # Annotations in a file that ends in .txt are not their own text.
        return None
    if not source.path.is_file() or not path.is_file():
        return None
    # Read without changes: brat counts a byte-order mark and both characters of a CRLF.
    try:
        with Source(path).open() as file:
            data = file.read(MAX_DOCUMENT + 1)
    except (OSError, EOFError, zlib.error) as error:
        source.report("", f"{path.name} cannot be read: {error}", code="unreadable")
        return None
    if len(data) > MAX_DOCUMENT:
        source.report("", f"{path.name} is larger than {MAX_DOCUMENT >> 20} MiB", code="too-long")
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        source.report("", f"{path.name}: byte {error.start + 1} is not UTF-8; save the file as UTF-8", code="encoding")
        return None


def _add_detail(line: str, spans: dict[str, Any], details: dict[str, dict[str, Any]]) -> bool:
    """Add an attribute, a note or a reference to its T annotation; False for a line about something else."""
    match = _DETAIL.fullmatch(line)
    if match is None or match["target"] not in spans:
        return False
    detail = details.setdefault(match["target"], {})
    name, value = match["name"], match["value"]
    if line[0] in "AM":
        attributes = detail.setdefault("attributes", {})
        if name in attributes:
            return False
        attributes[name] = value if value is not None else True
    elif line[0] == "#":
        detail.setdefault("notes", []).append({"type": name, "text": value or ""})
    else:
        reference, _, text = (value or "").partition("\t")
        detail.setdefault("normalizations", []).append({"type": name, "reference": reference, "text": text})
    return True


def _nugget(item: Fields, query_id: str, text: str | None, extra: dict[str, Any]) -> Nugget:
    pairs = [[int(offset) for offset in pair.split()] for pair in item.text("offsets").split(";")]
    if text is None:
        spans = item.spans("", pairs)
    else:
        spans = spans_in(item, "", pairs, text, stated=item.optional_text("text") or None)
    notes = extra.pop("notes", [])
    paraphrases = [note["text"] for note in notes if note["type"] == PARAPHRASE]
    if rest := [note for note in notes if note["type"] != PARAPHRASE or note["text"] != paraphrases[0]]:
        extra["notes"] = rest
    return Nugget(
        nugget_id=item.text("id"),
        query_id=query_id,
        run_id=BRAT,
        snippet_id="1",
        spans=spans,
        type=item.text("type"),
        paraphrase=paraphrases[0] if paraphrases else None,
        source="person",
        extra=extra,
    )


def write_brat(records: Iterable[AnyRecord], sink: Sink) -> None:
    """The annotations of one text; the text itself belongs in a .txt file, which is not written."""
    _, collection = one_query(Collection(records), sink)
    run_ids = [other.run_id for other in collection.responses] + [nugget.run_id for nugget in collection.nuggets]
    run_id = next(iter(run_ids), BRAT)
    response = next((other for other in collection.responses if other.run_id == run_id), None)
    for run in collection.runs:
        if run.run_id != run_id:
            sink.lose("run", "a file holds the annotations of only one text")
    for other in collection.responses:
        if other is not response:
            sink.lose("response", "a file holds the annotations of only one text")
    joined = None
    if response is not None:
        joined = JoinedText(response.snippets)
        if response.snippets:
            sink.lose("response.snippets", "the text belongs in a .txt file beside this one; its snippets are joined")
        if set(response.extra) - {BRAT}:
            sink.lose("response.extra", "only lines in brat's format can be written")
    if run_id != BRAT:
        sink.lose("run.run_id", f"brat has no runs; the run is called {BRAT} when the file is read")
    lines = _Lines(collection.nuggets, sink)
    for nugget in collection.nuggets:
        if nugget.run_id != run_id:
            sink.lose("nugget", "a file holds the annotations of only one text")
        else:
            lines.add(nugget, joined)
    for line in response.extra.get(BRAT, []) if response is not None else []:
        sink.write(f"{line}\n")


class _Lines:
    """Writes the lines of nuggets; what has no id of brat's form gets one."""

    def __init__(self, nuggets: Iterable[Nugget], sink: Sink) -> None:
        self._sink = sink
        self._numbers = {"T": 0, "A": 0, "N": 0, "#": 0}
        self._taken = {nugget.nugget_id for nugget in nuggets}

    def add(self, nugget: Nugget, joined: JoinedText | None) -> None:
        sink = self._sink
        spans = nugget.spans if joined is None else joined.spans_of(nugget)
        if spans is None:
            sink.lose("nugget", "its span is outside the text")
            return
        nugget_id = nugget.nugget_id
        if not _ID.fullmatch(nugget_id):
            sink.lose("nugget.nugget_id", "brat's ids are T1, T2, ...")
            nugget_id = self._next("T")
        if nugget.source != "person":
            sink.lose("nugget.source")
        label = re.sub(r"\s+", "_", nugget.type or _NEW_TYPE)
        if label != (nugget.type or _NEW_TYPE):
            sink.lose("nugget.type", "blanks become underscores")
        offsets = ";".join(f"{start} {end}" for start, end in spans)
        covered = " ".join(pieces_of(spans, joined.text)) if joined is not None else ""
        sink.write(f"{nugget_id}\t{label} {offsets}\t{_flat(covered)}\n")
        if nugget.paraphrase is not None:
            self._detail("#", PARAPHRASE, nugget_id, "\t" + self._one_line(nugget.paraphrase, "nugget.paraphrase"))
        extra = dict(nugget.extra)
        for name, value in _dict(extra.pop("attributes", {})).items():
            self._detail(
                "A", name, nugget_id, "" if value is True else f" {self._one_line(str(value), 'nugget.extra')}"
            )
        for note in _dicts(extra.pop("notes", [])):
            text = self._one_line(str(note.get("text", "")), "nugget.extra")
            self._detail("#", str(note.get("type", "AnnotatorNotes")), nugget_id, f"\t{text}")
        for link in _dicts(extra.pop("normalizations", [])):
            self._detail("N", str(link.get("type")), nugget_id, f" {link.get('reference')}\t{link.get('text')}")
        if extra:
            sink.lose("nugget.extra", "only attributes, notes and normalizations can be written")

    def _detail(self, kind: str, name: str, nugget_id: str, value: str) -> None:
        self._sink.write(f"{self._next(kind)}\t{name} {nugget_id}{value}\n")

    def _next(self, kind: str) -> str:
        self._numbers[kind] += 1
        while f"{kind}{self._numbers[kind]}" in self._taken:
            self._numbers[kind] += 1
        return f"{kind}{self._numbers[kind]}"

    def _one_line(self, text: str, what: str) -> str:
        if _flat(text) != text:
            self._sink.lose(what, "line breaks and tabs become blanks")
        return _flat(text)


def _flat(text: str) -> str:
    return re.sub(r"[\n\r\t]", " ", text)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [member for member in value if isinstance(member, dict)] if isinstance(value, list) else []
