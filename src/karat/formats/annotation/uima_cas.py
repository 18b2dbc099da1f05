"""INCEpTION's UIMA CAS JSON (0.4): a text (the sofa) and the annotations on it.

{"%TYPES": {}, "%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView",
"sofaString": "…"}, {"%ID": 2, "%TYPE": "webanno.custom.Claim", "@sofa": 1, "begin": 0, "end": 4, "label": "x"}],
"%VIEWS": {}}
Offsets count UTF-16 units, as Java does. Custom layers and named entities are read; other layers (tokens) are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.annotation.annotated_text import is_marked, label_of, short_name, spans_in, stem_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Nugget, Response, Run, Snippet

TITLE = "UIMA CAS JSON (INCEpTION)"
RUN = "uima-cas"
_STRUCTURES, _SOFA = "%FEATURE_STRUCTURES", "uima.cas.Sofa"
_ENDS = ("@Governor", "@Dependent", "@source", "@target")


def sniff_uima_cas(head: Head) -> bool:
    return head.has(_STRUCTURES) and (head.has("%TYPES") or head.has("%VIEWS"))


def read_uima_cas(source: Source) -> Iterator[AnyRecord]:
    """One Response with one Snippet per sofa, and one Nugget per annotation."""
    cases = json_rows(source)
    case = next(cases, None)
    if case is None:
        return
    with case.unit():
        structures = case.items(_STRUCTURES)
        query_id = source.query_id = _document_name(structures) or stem_of(source)
        sofas = [item for item in structures if item.data.get("%TYPE") == _SOFA and item.has("sofaString")]
        snippets: dict[str, Snippet] = {}
        for sofa in sofas:
            with sofa.unit():
                name = "1" if len(sofas) == 1 else sofa.id("sofaID")
                snippets[sofa.id("%ID")] = Snippet(snippet_id=name, text=sofa.text("sofaString"))
        marked = [item for item in structures if isinstance(kind := item.data.get("%TYPE"), str) and is_marked(kind)]
        relations = [item.data for item in marked if any(name in item.data for name in _ENDS)]
        yield Run(run_id=RUN)
        yield Response(
            query_id=query_id,
            run_id=RUN,
            snippets=tuple(snippet for snippet in snippets.values() if snippet.text),
            extra=case.rest("%TYPES", "%VIEWS") | ({"relations": relations} if relations else {}),
        )
        seen: set[str] = set()
        for item in marked:
            if any(name in item.data for name in _ENDS) or not item.has("begin", "^begin"):
                continue
            with item.unit():
                nugget = _nugget(item, query_id, snippets)
                if nugget.nugget_id in seen:
                    item.bad("%ID", f"{nugget.nugget_id!r} appears twice", code="duplicate-id")
                seen.add(nugget.nugget_id)
                yield nugget


def _document_name(structures: list[Fields]) -> str | None:
    for structure in structures:
        if str(structure.data.get("%TYPE")).endswith(".DocumentMetaData"):
            for name in ("documentTitle", "documentId"):
                if isinstance(structure.data.get(name), str) and structure.data[name]:
                    return str(structure.data[name])
    return None


def _nugget(item: Fields, query_id: str, snippets: dict[str, Snippet]) -> Nugget:
    nugget_id, layer, sofa = item.id("%ID"), item.text("%TYPE"), item.id("@sofa")
    if sofa not in snippets:
        item.bad("@sofa", f"there is no sofa {sofa!r} with a text", code="dangling-reference")
    snippet = snippets[sofa]
    pair = [item.integer("begin", "^begin"), item.integer("end", "^end")]
    spans = spans_in(item, "", [pair], snippet.text, utf16=True)
    features: dict[str, Any] = item.rest()
    strings = {name: value for name, value in features.items() if isinstance(value, str)}
    return Nugget(
        nugget_id=nugget_id,
        query_id=query_id,
        run_id=RUN,
        snippet_id=snippet.snippet_id,
        spans=spans,
        type=label_of(strings) or short_name(layer),
        category=layer,
        source="person",
        extra=features,
    )
