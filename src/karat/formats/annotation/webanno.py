r"""WebAnno TSV 3.x (WebAnno, INCEpTION): one token per line, one column per feature of a layer.

#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Claim|kind
(blank)
#Text=Bees dance.
1-1<TAB>0-4<TAB>Bees<TAB>who[1]
1-2<TAB>5-10<TAB>dance<TAB>who[1]
`[1]` joins tokens, `|` separates stacked annotations, `_` is no annotation, `*` one without a value, `\` an escape.
Offsets count UTF-16 units, as Java does. Custom layers and named entities are read; other layers are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from karat.formats.annotation.annotated_text import is_marked, label_of, short_name, spans_in, stem_of, utf16_length
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import AnyRecord, Nugget, Response, Run, Snippet

TITLE = "WebAnno TSV 3"
RUN = "webanno"
_FORMAT, _TEXT = "#FORMAT=WebAnno TSV 3", "#Text="
_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|]+)\|?(.*)")
_TOKEN = re.compile(r"(\d+-\d+(?:\.\d+)?)\t(\d+)-(\d+)\t([^\t]*)(?:\t(.*))?")
_NUMBER = re.compile(r"(.*)(?<!\\)\[(\d+)\]", re.DOTALL)
MAX_GAP = 1 << 20
"""The most blanks that are put between two sentences, because the file does not have that text."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "b": "\b"}


def sniff_webanno(head: Head) -> bool:
    return bool(head.lines) and head.lines[0].startswith(_FORMAT)


@dataclass
class _Mark:
    """One annotation: the tokens it covers and its features."""

    layer: str
    name: str
    line: int
    start: int
    end: int
    forms: list[str] = field(default_factory=list)
    features: dict[str, str] = field(default_factory=dict)


@dataclass
class _Layer:
    name: str
    columns: list[str]
    read: bool


def read_webanno(source: Source) -> Iterator[AnyRecord]:
    """One Response, whose sentences are joined as their offsets say, and one Nugget per annotation."""
    query_id = source.query_id = stem_of(source)
    layers: list[_Layer] = []
    marks: dict[str, _Mark] = {}
    text = _Text()
    for line in source.text_lines():
        if line.startswith(_TEXT):
            text.sentence(_unescape(line.removeprefix(_TEXT)))
        elif match := _LAYER.fullmatch(line):
            layers.append(_layer(source, *match.groups()))
        elif match := _TOKEN.fullmatch(line):
            start, end, form = int(match[2]), int(match[3]), _unescape(match[4])
            if "." not in match[1] and not text.token(start, form):
                source.report("", f"the sentence begins at {start}, too far after the one before", code="span-outside")
            cells = (match[5] or "").split("\t")
            _add_marks(source, layers, cells, marks, _Mark("", match[1], source.line, start, end, [form]))
        elif line.strip() and not line.startswith("#"):
            source.report("", "must be a header line or `1-1<TAB>0-4<TAB>token<TAB>…`", code="bad-line")
    yield Run(run_id=RUN)
    snippets = (Snippet(snippet_id="1", text=text.whole),) if text.whole else ()
    yield Response(query_id=query_id, run_id=RUN, snippets=snippets)
    for mark in marks.values():
        source.line = mark.line
        item = Fields(source, {}, mark.name)
        with item.unit():
            spans = spans_in(item, "", [[mark.start, mark.end]], text.whole, stated="".join(mark.forms), utf16=True)
            yield Nugget(
                nugget_id=mark.name,
                query_id=query_id,
                run_id=RUN,
                snippet_id="1",
                spans=spans,
                type=label_of(mark.features) or short_name(mark.layer),
                category=mark.layer,
                source="person",
                extra={name: value for name, value in mark.features.items() if value},
            )


def _layer(source: Source, kind: str, name: str, features: str) -> _Layer:
    columns = features.split("|")
    if kind != "SP":
        source.warn("", f"{name}: relations and chains are not read", code="not-read")
    return _Layer(name, columns, kind == "SP" and is_marked(name))


def _add_marks(source: Source, layers: list[_Layer], cells: list[str], marks: dict[str, _Mark], token: _Mark) -> None:
    """Collect the annotations in the cells of a token."""
    while cells and not cells[-1]:
        cells.pop()
    wanted = sum(len(layer.columns) for layer in layers)
    if len(cells) != wanted:
        source.report("", f"the row has {len(cells)} features for {wanted} columns", code="bad-table")
        return
    first = 0
    for layer in layers:
        values = cells[first : first + len(layer.columns)]
        first += len(layer.columns)
        if not layer.read:
            continue
        stacks = [_split(value) for value in values]
        for index in range(max(len(stack) for stack in stacks)):
            features, number = {}, None
            for column, stack in zip(layer.columns, stacks, strict=True):
                value, joined = _value(stack[index]) if index < len(stack) else (None, None)
                number = number or joined
                if value is not None:
                    features[column] = value
            if not features:
                continue
            name = f"{short_name(layer.name)}-{number or token.name}"
            known = marks.get(name)
            if known is None:
                known = marks[name] = _Mark(layer.name, name, token.line, token.start, token.end, [], features)
            known.end = max(known.end, token.end)
            known.forms += token.forms


def _split(cell: str) -> list[str]:
    """The stacked annotations of a cell."""
    pieces, piece, index = [], "", 0
    while index < len(cell):
        if cell[index] == "\\":
            piece += cell[index : index + 2]
            index += 2
            continue
        if cell[index] == "|":
            pieces.append(piece)
            piece = ""
        else:
            piece += cell[index]
        index += 1
    return [*pieces, piece]


def _value(cell: str) -> tuple[str | None, str | None]:
    """A feature's value and the number that joins tokens; None for no annotation, "" for one without a value."""
    if cell == "_":
        return None, None
    number = None
    if match := _NUMBER.fullmatch(cell):
        cell, number = match[1], match[2]
    return ("" if cell == "*" else _unescape(cell)), number


def _unescape(text: str) -> str:
    return re.sub(r"\\(->|.)", lambda match: _ESCAPES.get(match[1], match[1]), text)


class _Text:
    """The text of the document, joined from its sentences."""

    def __init__(self) -> None:
        self.whole = ""
        self._length = 0
        self._waiting: str | None = None

    def sentence(self, text: str) -> None:
        """Add a sentence, or the next line of it."""
        self._waiting = text if self._waiting is None else f"{self._waiting}\n{text}"

    def token(self, start: int, form: str) -> bool:
        """The first token of a sentence says where the sentence begins; the text between sentences is not in the file.

        False if the sentence begins too far away to be placed.
        """
        if self._waiting is None:
            return True
        begin = max(start - utf16_length(self._waiting[: max(self._waiting.find(form), 0)]), self._length)
        gap = begin - self._length
        if gap > MAX_GAP:
            return False
        if gap:
            self.whole += " " * (gap - 1) + ("\n" if self.whole else " ")
        self.whole += self._waiting
        self._length = begin + utf16_length(self._waiting)
        self._waiting = None
        return True
