"""Writing the <pyramid> element, which pyramids (.pyr) and peer annotations (.pan) share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from karat.formats.annotation.annotated_text import JoinedText, lose_joined, moved, pieces_of
from karat.formats.io.sink import Sink
from karat.formats.io.xml import escape
from karat.formats.pyramids.xml_parsing import GAP
from karat.model import Collection, Nugget, Response, SpanSet

_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


class WholeText:
    """The text of one or several responses as it is in <text>, and where each response begins."""

    def __init__(self, responses: Sequence[Response], sink: Sink, *, headed: bool) -> None:
        self._joined: dict[str, JoinedText] = {}
        self._places: dict[str, tuple[int, SpanSet]] = {}
        self._rule = _rule(responses)
        self.text = ""
        for response in responses:
            lose_joined(response.snippets, sink)
            joined = self._joined[response.run_id] = JoinedText(response.snippets)
            body = joined.text.lstrip("\n")
            cut = len(joined.text) - len(body)
            body = body.rstrip("\n")
            if body != joined.text:
                sink.lose("response.snippets.text", "newlines around a summary are not kept")
            if headed:
                self.text += f"{self._rule}\n {response.run_id}\n{self._rule}\n"
                if " ".join(response.run_id.split("\n")).strip() != response.run_id or not re.search(
                    r"\w", response.run_id
                ):
                    sink.lose("run.run_id", "the name in a heading must be on one line")
            kept = SpanSet([(cut, cut + len(body))]) if body else SpanSet()
            self._places[response.run_id] = (len(self.text) - cut, kept)
            self.text += body + ("\n" if headed else "")

    def lines(self, sink: Sink) -> Iterator[str]:
        yield " <text>\n"
        for line in self.text.removesuffix("\n").split("\n") if self.text else ():
            yield f"  <line>{xml(line, 'response.snippets.text', sink)}</line>\n"
        yield " </text>\n"

    @property
    def expression(self) -> str:
        return rf"{self._rule}\n [^\n]*\n{self._rule}\n"

    def spans_of(self, nugget: Nugget) -> SpanSet | None:
        """The spans of a nugget in the whole text."""
        joined = self._joined.get(nugget.run_id)
        spans = joined.spans_of(nugget) if joined is not None else None
        if not spans:
            return None
        offset, kept = self._places[nugget.run_id]
        return moved(spans.intersection(kept), offset) or None

    def contributor(self, spans: SpanSet, extra: Mapping[str, Any], sink: Sink) -> Iterator[str]:
        label = extra.get("label", GAP.join(" ".join(piece.split("\n")) for piece in pieces_of(spans, self.text)))
        rest = {name: value for name, value in extra.items() if name != "label"}
        yield f"  <contributor{attributes({'label': label}, rest, 'nugget', sink)}>\n"
        for piece, (start, end) in zip(pieces_of(spans, self.text), spans.to_utf16(self.text), strict=True):
            text = xml(" ".join(piece.split("\n")), "", sink)
            yield f'   <part label="{text}" start="{start}" end="{end}"/>\n'
        yield "  </contributor>\n"


def _rule(responses: Sequence[Response]) -> str:
    """A line of dashes that occurs in none of the texts."""
    rule = "-" * 17
    while any(rule in snippet.text for response in responses for snippet in response.snippets):
        rule += "-"
    return rule


def xml(text: str, what: str, sink: Sink) -> str:
    """Escape text for XML; a character that XML cannot hold is a loss."""
    escaped = escape(text)
    if what and escaped.count("\ufffd") > text.count("\ufffd"):
        sink.lose(what, "characters that XML cannot hold become U+FFFD")
    return escaped


def attributes(known: Mapping[str, str], extra: Mapping[str, Any], kind: str, sink: Sink) -> str:
    """The attributes of an element, unknown ones last."""
    written = "".join(f' {name}="{xml(value, f"{kind}.extra", sink)}"' for name, value in known.items())
    for name, value in extra.items():
        if name not in known and isinstance(value, str) and _NAME.fullmatch(name):
            written += f' {name}="{xml(value, f"{kind}.extra", sink)}"'
        else:
            sink.lose(f"{kind}.extra", "an attribute must be text with a plain name")
    return written


def write_pyramid_element(collection: Collection, query_id: str, responses: Sequence[Response], sink: Sink) -> set[str]:
    """Write the element; returns the ids of the nuggets that are in it."""
    whole = WholeText(responses, sink, headed=True)
    nuggets = {nugget.nugget_id: nugget for nugget in collection.nuggets}
    written: set[str] = set()
    sink.write("<pyramid>\n")
    if responses:
        sink.write(f"<startDocumentRegEx><![CDATA[{whole.expression}]]></startDocumentRegEx>\n")
    for line in whole.lines(sink):
        sink.write(line)
    for nug in collection.key.of(query_id):
        if len(nug.descriptions) != 1:
            sink.lose("nug.descriptions", "only the first description of a nug can be written")
        label = next(iter(nug.descriptions), "")
        sink.write(f" <scu{attributes({'uid': nug.nug_id, 'label': label}, nug.extra, 'nug', sink)}>\n")
        runs: set[str] = set()
        number = 0
        for member in nug.members:
            nugget = nuggets.get(member.nugget_id)
            spans = whole.spans_of(nugget) if nugget is not None else None
            if nugget is None or spans is None:
                sink.lose("nug.members", "its nugget or the summary of the nugget is missing")
                continue
            number += 1
            runs.add(nugget.run_id)
            written.add(nugget.nugget_id)
            lose_of_nugget(nugget, f"{nug.nug_id}.{number}", sink)
            for line in whole.contributor(spans, nugget.extra, sink):
                sink.write(line)
        if nug.weight is not None and nug.weight != len(runs):
            sink.lose("nug.weight", "when the file is read, the weight is the number of contributing summaries")
        sink.write(" </scu>\n")
    sink.write("</pyramid>\n")
    return written


def lose_of_nugget(nugget: Nugget, nugget_id: str, sink: Sink) -> None:
    """Report what of a nugget is lost because the reader makes it anew."""
    if nugget.nugget_id != nugget_id:
        sink.lose("nugget.nugget_id", "nuggets are numbered within their SCU when the file is read")
    if nugget.source != "person":
        sink.lose("nugget.source", "contributors count as marked by people")
