"""A DUC/TAC peer annotation (.pan, DUCView): a pyramid, a peer's summary, and the SCUs found in it.

<peerAnnotation><pyramid>…</pyramid><annotation><text><line>…</line></text>
<peerscu uid="1" label="(3) …"><contributor label="…"><part label="…" start="0" end="9"/></contributor></peerscu>
<peerscu uid="0" label="All non-matching SCUs go here"/></annotation></peerAnnotation>
The name of a file is query.….peer.pan, as in NIST's data: D0601.M.250.A.17.pan is peer 17 on D0601.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from karat.formats.annotation.annotated_text import one_query, stem_of
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.io.xml import Element, read_xml
from karat.formats.pyramids.pyramid import summaries_of
from karat.formats.pyramids.xml_parsing import SummaryText, read_contributor, read_pyramid_element, root_tag, text_of
from karat.formats.pyramids.xml_writing import WholeText, attributes, lose_of_nugget, write_pyramid_element
from karat.model import AnyRecord, Collection, Evidence, Judgement, Nug, Nugget, Run, SpanSet
from karat.model.default_names import GIVEN

TITLE = "DUC/TAC peer annotation (.pan)"
CARRIES = carries(
    run="run_id human",
    response="query_id run_id snippets snippets.snippet_id snippets.text",
    nugget="nugget_id query_id run_id snippet_id spans source extra",
    nug="query_id nug_id descriptions weight members members.nugget_id extra",
    judgement="query_id run_id nug_id degree judge evidence evidence.spans extra",
)
UNMATCHED = "0"
"""The uid that DUCView uses for what matches no SCU."""
_UNMATCHED_LABEL = "All non-matching SCUs go here"
_WEIGHT = re.compile(r"\(\d+\)\s*")


def sniff_pyramid_peer(head: Head) -> bool:
    return root_tag(head) == "peerAnnotation" or (
        root_tag(head) != "pyramid" and "<pyramid" in head.text and "<peerscu" in head.text
    )


def read_pyramid_peer(source: Source) -> Iterator[AnyRecord]:
    """The pyramid's records, then the peer's Run, Response, Nuggets and one Judgement per <peerscu>."""
    root = read_xml(source)
    pyramid, annotation = next(root.descendants("pyramid"), None), next(root.descendants("annotation"), None)
    if pyramid is None or annotation is None:
        source.fail("a peer annotation needs a <pyramid> and an <annotation>", code="missing-field", line=root.line)
    names = stem_of(source).split(".")
    query_id = source.query_id = names[0]
    run_id = names[-1] if len(names) > 1 else "peer"
    labels: dict[str, str] = {}
    for record in read_pyramid_element(source, pyramid, query_id):
        if isinstance(record, Nug):
            labels[record.nug_id] = record.descriptions[0]
        elif isinstance(record, Run) and record.run_id == run_id:
            run_id = f"{run_id}-peer"
        yield record
    whole = text_of(annotation)
    peer = SummaryText.cut(run_id, whole, 0, len(whole))
    yield Run(run_id=run_id)
    yield peer.response(query_id)
    seen: set[str] = set()
    for index, peer_scu in enumerate(annotation.all("peerscu")):
        source.line = peer_scu.line
        fields = Fields(source, dict(peer_scu.attributes), f"peerscu[{index}]")
        with fields.unit():
            uid = fields.id("uid")
            if uid in seen:
                fields.bad("uid", f"an earlier peerscu has the uid {uid!r}, too", code="duplicate-id")
            seen.add(uid)
            nuggets = list(_read_nuggets(source, peer_scu, fields.path, uid, query_id, whole, peer))
            yield from nuggets
            if uid == UNMATCHED and uid not in labels:
                continue
            if uid not in labels:
                fields.bad("uid", f"the pyramid has no SCU {uid!r}", code="dangling-reference")
            label = fields.optional_text("label")
            extra = fields.rest()
            if label is not None and labels[uid] not in (label, _WEIGHT.sub("", label, count=1)):
                extra["label"] = label
            spans = SpanSet([pair for nugget in nuggets for pair in nugget.spans])
            yield Judgement(
                query_id=query_id,
                run_id=run_id,
                nug_id=uid,
                degree=1.0 if peer_scu.first("contributor") is not None else 0.0,
                judge=GIVEN,
                evidence=Evidence(spans=spans) if spans else None,
                extra=extra,
            )


def _read_nuggets(
    source: Source, peer_scu: Element, path: str, uid: str, query_id: str, whole: str, peer: SummaryText
) -> Iterator[Nugget]:
    for number, contributor in enumerate(peer_scu.all("contributor"), start=1):
        place = f"{path}.contributor[{number - 1}]"
        if contributor.first("part") is None and "start" not in contributor.attributes:
            source.warn(place, "has no start and end in the text", code="missing-span", line=contributor.line)
            continue
        with Fields(source, {}, path).unit():
            _, spans, extra = read_contributor(source, contributor, place, whole, [peer])
            yield Nugget(
                nugget_id=_nugget_id(peer.run_id, uid, number),
                query_id=query_id,
                run_id=peer.run_id,
                snippet_id="1",
                spans=spans,
                source="person",
                extra=extra,
            )


def _nugget_id(run_id: str, uid: str, number: int) -> str:
    """The id of a peer's nugget: different from those of the pyramid, and different for every peer of a query."""
    return f"{run_id}.{uid}.{number}"


def write_pyramid_peer(records: Iterable[AnyRecord], sink: Sink) -> None:
    query_id, collection = one_query(Collection(records), sink)
    summaries = summaries_of(collection, sink)
    models = {summary.run_id for summary in summaries}
    peers = [response for response in collection.responses if response.run_id not in models]
    for _ in peers[1:]:
        sink.lose("response", "a file holds only one peer")
    run_id = peers[0].run_id if peers else ""
    for run in collection.runs:
        if run.run_id not in models and run.run_id != run_id:
            sink.lose("run", "a file holds only one peer")
    sink.write('<?xml version="1.0" encoding="UTF-8"?>\n<peerAnnotation>\n')
    written = write_pyramid_element(collection, query_id, summaries, sink)
    whole = WholeText(peers[:1], sink, headed=False)
    sink.write("<annotation>\n")
    for line in whole.lines(sink):
        sink.write(line)
    contributors = _contributors(collection, run_id, written, sink)
    nugs = {nug.nug_id: nug for nug in collection.nugs}
    for judgement in collection.judgements:
        if judgement.run_id != run_id or judgement.nug_id not in nugs:
            sink.lose("judgement", "its run is not the peer, or its nug is not in the pyramid")
        elif judgement.status != "ok" or judgement.degree is None:
            sink.lose("judgement", "a judgement that failed cannot be written")
        else:
            nuggets = contributors.pop(judgement.nug_id, [])
            _write_peerscu(judgement, nugs[judgement.nug_id], nuggets, whole, sink)
    for uid, nuggets in list(contributors.items()):
        if uid != UNMATCHED:
            contributors.setdefault(UNMATCHED, []).extend(nuggets)
    sink.write(f' <peerscu uid="{UNMATCHED}" label="{_UNMATCHED_LABEL}">\n')
    _write_contributors(contributors.get(UNMATCHED, []), run_id, UNMATCHED, whole, sink)
    sink.write(" </peerscu>\n</annotation>\n</peerAnnotation>\n")


def _contributors(collection: Collection, run_id: str, written: set[str], sink: Sink) -> dict[str, list[Nugget]]:
    """The peer's nuggets by the nug they express: known from their ids, or from the nug that has them as members."""
    members = {member.nugget_id: nug.nug_id for nug in collection.nugs for member in nug.members}
    by_nug: dict[str, list[Nugget]] = {}
    for nugget in collection.nuggets:
        if nugget.run_id != run_id:
            if nugget.nugget_id not in written:
                sink.lose("nugget", "it is neither in a nug nor the peer's")
            continue
        uid = members.get(nugget.nugget_id)
        if uid is None and nugget.nugget_id.startswith(f"{run_id}."):
            uid = nugget.nugget_id.removeprefix(f"{run_id}.").rpartition(".")[0]
        by_nug.setdefault(uid or UNMATCHED, []).append(nugget)
    return by_nug


def _write_peerscu(judgement: Judgement, nug: Nug, nuggets: list[Nugget], whole: WholeText, sink: Sink) -> None:
    assert judgement.degree is not None
    if judgement.judge != GIVEN:
        sink.lose("judgement.judge")
    if judgement.degree not in (0.0, 1.0):
        sink.lose("judgement.degree", "only 0 and 1 can be written: the nearest of them is used")
    label = nug.descriptions[0] if nug.descriptions else ""
    label = judgement.extra.get("label", f"({nug.weight or 0:.0f}) {label}")
    rest = {name: value for name, value in judgement.extra.items() if name != "label"}
    sink.write(f" <peerscu{attributes({'uid': nug.nug_id, 'label': label}, rest, 'judgement', sink)}>\n")
    spans = judgement.evidence.spans if judgement.evidence is not None else None
    if judgement.degree < 0.5:
        for _ in nuggets:
            sink.lose("nugget", "its nug is judged absent")
    elif nuggets:
        _write_contributors(nuggets, judgement.run_id, nug.nug_id, whole, sink)
        if spans != SpanSet([pair for nugget in nuggets for pair in nugget.spans]):
            sink.lose("judgement.evidence.spans", "the evidence becomes what the contributors cover")
    elif spans:
        evidence = Nugget(
            nugget_id=_nugget_id(judgement.run_id, nug.nug_id, 1),
            query_id=judgement.query_id,
            run_id=judgement.run_id,
            snippet_id=judgement.snippet_id or "1",
            spans=spans,
            source="person",
        )
        _write_contributors([evidence], judgement.run_id, nug.nug_id, whole, sink)
    else:
        sink.write('  <contributor label="">\n  </contributor>\n')
    sink.write(" </peerscu>\n")


def _write_contributors(nuggets: list[Nugget], run_id: str, uid: str, whole: WholeText, sink: Sink) -> None:
    number = 0
    for nugget in nuggets:
        spans = whole.spans_of(nugget)
        if spans is None:
            sink.lose("nugget", "its span is outside the peer's text")
            continue
        number += 1
        lose_of_nugget(nugget, _nugget_id(run_id, uid, number), sink)
        for line in whole.contributor(spans, nugget.extra, sink):
            sink.write(line)
