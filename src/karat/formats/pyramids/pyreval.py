"""PyrEval's pyramids: SCUs whose contributors are sentences, without offsets. The query is the name of the file.

<Pyramid><scu uid="0"><contributor label="…"/><contributor label="…"/></scu></Pyramid>
or, in the readable form, one contributor per line: SCU<TAB>uid<TAB>weight<TAB>text
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.formats.annotation.annotated_text import stem_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.source import Source
from karat.formats.io.xml import read_xml
from karat.formats.pyramids.xml_parsing import root_tag
from karat.model import AnyRecord, Nug

TITLE = "PyrEval pyramid"
_LINE = re.compile(r"SCU\t\d+\t\d+\t")


def sniff_pyreval(head: Head) -> bool:
    return root_tag(head) == "Pyramid" or bool(head.lines and all(_LINE.match(line) for line in head.lines[:5]))


def read_pyreval(source: Source) -> Iterator[AnyRecord]:
    """One Nug per SCU: its contributors are its descriptions, and their number is its weight."""
    query_id = source.query_id = stem_of(source)
    is_xml = Head(source).text.lstrip().startswith("<")
    yield from _read_xml(source, query_id) if is_xml else _read_lines(source, query_id)


def _read_xml(source: Source, query_id: str) -> Iterator[AnyRecord]:
    seen: set[str] = set()
    for index, scu in enumerate(read_xml(source).all("scu")):
        source.line = scu.line
        fields = Fields(source, dict(scu.attributes), f"scu[{index}]")
        with fields.unit():
            uid = fields.id("uid")
            if uid in seen:
                fields.bad("uid", f"an earlier SCU has the uid {uid!r}, too", code="duplicate-id")
            seen.add(uid)
            descriptions: list[str] = []
            for number, contributor in enumerate(scu.all("contributor")):
                source.line = contributor.line
                place = Fields(source, dict(contributor.attributes), f"{fields.path}.contributor[{number}]")
                with place.unit():
                    descriptions.append(place.text("label"))
            yield Nug(
                query_id=query_id,
                nug_id=uid,
                descriptions=tuple(descriptions),
                weight=float(len(descriptions)),
                extra=fields.rest(),
            )


def _read_lines(source: Source, query_id: str) -> Iterator[AnyRecord]:
    descriptions: dict[str, list[str]] = {}
    weights: dict[str, float] = {}
    lines: dict[str, int] = {}
    for row in table_rows(source, delimiter="\t", columns=("kind", "uid", "weight", "text")):
        with row.unit():
            if row.text("kind") != "SCU":
                row.bad("kind", repr(row.text("kind")), choices=("SCU",))
            uid, weight = row.id("uid"), row.number("weight")
            if weights.setdefault(uid, weight) != weight:
                row.complain(
                    "weight",
                    f"SCU {uid!r} has the weight {weight:g} here, but {weights[uid]:g} before",
                    code="conflict",
                )
            lines.setdefault(uid, source.line)
            descriptions.setdefault(uid, []).append(row.text("text"))
    for uid, texts in descriptions.items():
        source.line = lines[uid]
        if weights[uid] != len(texts):
            source.warn("weight", f"SCU {uid!r} has {len(texts)} contributors, not {weights[uid]:g}", code="weight")
        yield Nug(query_id=query_id, nug_id=uid, descriptions=tuple(texts), weight=weights[uid])
