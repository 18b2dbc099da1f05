"""The demo's questions, answers and documents: invented news in several languages."""

from __future__ import annotations

from collections.abc import Iterator

from karat.model import AnyRecord, Citation, Document, Nugget, Query, Response, Run, Snippet, SpanSet

STORM = "The storm Ines struck Porto Azul on Monday night and closed the harbour for two days."
FERRY = "Two ferries 🚢🚢 broke loose and sank, but nobody was on board."
ROOFS = "The wind tore the roofs off 40 houses in the old town."
ROOFS_AGAIN = "In the old town 40 houses lost their roofs."
NAMES = "Storms get their names from a list that is agreed on every autumn."
MAYOR = "Mayor Rui Costa said that the harbour would be repaired by May."

BRIDGE = "The Harbin bridge was opened on 3 March by Governor Li Wen."
COST = "It cost 90 million euros, twice as much as planned."
TOLL = "Drivers pay a toll of 2 euros; buses pay nothing."
OLD_FERRY = "Before, people had to take the ferry, which ran every hour."
CRITICS = "Critics say that the bridge was not needed."

VISIT = "Foreign Minister Amal Nasser (أمل ناصر) visited Tunis on Friday and met President Karim Ben Ali."
TALKS = "They talked about fishing rights and agreed to meet again in June."
QUOTE = "“The sea belongs to both of us,” Nasser said."

CHAT = "OMG the concert was 🔥🔥 — 12,000 people came and it only ended at 2am"
CANCELLED = "The second evening was cancelled because of rain."

STRIKE = "Bus drivers in Lindau went on strike for 24 hours."
DEMAND = "They ask for 8 percent more pay."

HUMAN, FIRST, SECOND = "librarian", "heron", "lynx"
EVENT = "list_facts_event"


def demo_records() -> Iterator[AnyRecord]:
    """Everything that the demo imports."""
    yield Run(run_id=HUMAN, group="library", human=True)
    yield Run(run_id=FIRST, group="uplands")
    yield Run(run_id=SECOND, group="lakeside")
    yield from _queries()
    yield from _documents()
    yield from _responses()
    yield from _automatic_nuggets()


def _queries() -> Iterator[Query]:
    texts = {
        "storm": ("List facts about the storm that struck Porto Azul.", EVENT, "the storm in Porto Azul", "en", "text"),
        "bridge": (
            "List facts about the opening of the Harbin bridge.",
            EVENT,
            "the opening of the bridge",
            "zh",
            "text",
        ),
        "visit": ("List facts about Amal Nasser's visit to Tunis.", EVENT, "the visit to Tunis", "ar", "audio"),
        "concert": ("List facts about the concert on the beach.", EVENT, "the concert on the beach", "en", "text"),
        "strike": ("List facts about the strike in Lindau.", EVENT, "the strike in Lindau", "de", "audio"),
    }
    for query_id, (text, template, event, language, medium) in texts.items():
        conditions = {"source": language, "medium": medium, "structure": "structured"}
        if language == "ar":
            conditions["language"] = "ar"
        yield Query(query_id=query_id, text=text, template=template, slots={"event": event}, conditions=conditions)


def _documents() -> Iterator[Document]:
    yield Document(
        doc_id="AZUL-0412", language="pt", medium="text", title="Jornal de Porto Azul", time="2031-02-04",
        text="A tempestade Ines atingiu Porto Azul na noite de segunda-feira. O porto ficou fechado durante dois dias.",
    )  # fmt: skip
    yield Document(
        doc_id="AZUL-0413", language="pt", medium="text", title="Jornal de Porto Azul", time="2031-02-05",
        text="O vento arrancou os telhados de 40 casas na cidade velha. O presidente da câmara, Rui Costa, falou "
        "em maio.",
    )  # fmt: skip
    yield Document(
        doc_id="HARBIN-9", language="zh", medium="text", title="晚报",
        text="三月三日，哈滨大桥由省长李文宣布通车。大桥耗资九千万欧元，是原计划的两倍。",
    )  # fmt: skip
    yield Document(
        doc_id="TUNIS-21", language="ar", medium="audio", title="نشرة الأخبار",
        text="زارت وزيرة الخارجية أمل ناصر تونس يوم الجمعة والتقت بالرئيس كريم بن علي. "
        "واتفق الطرفان على لقاء في يونيو.",
    )  # fmt: skip
    yield Document(doc_id="LINDAU-3", language="de", medium="audio", title="Seefunk, 7 Uhr", text=None)


def _snippet(number: int, text: str, *citations: Citation, origin: str = "translation") -> Snippet:
    return Snippet(snippet_id=str(number), text=text, origin=origin, citations=citations)  # type: ignore[arg-type]


def _storm(excerpt: str = "A tempestade Ines atingiu Porto Azul na noite de segunda-feira.") -> Citation:
    return Citation(
        doc_id="AZUL-0412", chunk=SpanSet([(0, STORM.index(" and closed"))]), excerpt=excerpt, language="pt"
    )


def _responses() -> Iterator[Response]:
    closed = Citation(
        doc_id="AZUL-0412", citation_id="closed", chunk=SpanSet([(STORM.index("closed"), len(STORM))]),
        excerpt="O porto ficou fechado durante dois dias.", language="pt",
    )  # fmt: skip
    roofs = Citation(doc_id="AZUL-0413", excerpt="O vento arrancou os telhados de 40 casas", language="pt")
    bridge = Citation(doc_id="HARBIN-9", excerpt="三月三日，哈滨大桥由省长李文宣布通车。", language="zh")
    cost = Citation(doc_id="HARBIN-9", excerpt="大桥耗资九千万欧元", language="zh")
    visit = Citation(doc_id="TUNIS-21", excerpt="زارت وزيرة الخارجية أمل ناصر تونس يوم الجمعة", time="00:01:12")
    radio = Citation(doc_id="LINDAU-3", time="00:03:40", language="de")
    answers = {
        "storm": {
            HUMAN: [_snippet(1, STORM, _storm(), closed), _snippet(2, ROOFS, roofs), _snippet(3, FERRY)],
            FIRST: [_snippet(1, STORM, _storm()), _snippet(2, NAMES), _snippet(3, ROOFS, roofs),
                    _snippet(4, ROOFS_AGAIN)],
            SECOND: [_snippet(1, FERRY), _snippet(2, MAYOR, roofs), _snippet(3, NAMES)],
        },
        "bridge": {
            HUMAN: [_snippet(1, BRIDGE, bridge), _snippet(2, COST, cost)],
            FIRST: [_snippet(1, BRIDGE, bridge), _snippet(2, OLD_FERRY), _snippet(3, TOLL)],
            SECOND: [_snippet(1, COST, cost), _snippet(2, CRITICS)],
        },
        "visit": {
            HUMAN: [_snippet(1, VISIT, visit), _snippet(2, TALKS, visit)],
            FIRST: [_snippet(1, VISIT, visit), _snippet(2, QUOTE)],
            SECOND: [_snippet(1, TALKS)],
        },
        "concert": {
            HUMAN: [_snippet(1, CHAT, origin="extract"), _snippet(2, CANCELLED, origin="summary")],
            FIRST: [_snippet(1, CHAT, origin="extract")],
            SECOND: [_snippet(1, CANCELLED, origin="summary")],
        },
        "strike": {
            HUMAN: [_snippet(1, STRIKE, radio), _snippet(2, DEMAND, radio)],
            FIRST: [_snippet(1, STRIKE, radio)],
            SECOND: [_snippet(1, DEMAND, radio)],
        },
    }  # fmt: skip
    for query_id, runs in answers.items():
        for run_id, snippets in runs.items():
            yield Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets))


def _automatic_nuggets() -> Iterator[Nugget]:
    """What a program found, to be accepted, corrected or rejected."""
    found = [
        ("auto1", "storm", "1", STORM, ("The storm Ines struck Porto Azul",), "EVT"),
        ("auto2", "storm", "1", STORM, ("on Monday",), "TMP"),
        ("auto3", "storm", "3", FERRY, ("Two ferries", "broke loose"), "EVT"),
        ("auto4", "concert", "1", CHAT, ("12,000 people came",), "NUM"),
        ("auto5", "visit", "1", VISIT, ("on Friday",), "TMP"),
    ]
    for nugget_id, query_id, snippet_id, text, pieces, kind in found:
        yield Nugget(
            nugget_id=nugget_id, query_id=query_id, run_id=HUMAN, snippet_id=snippet_id, spans=pieces_of(text, *pieces),
            type=kind, source="auto", rule="event" if kind == "EVT" else "modifier",
        )  # fmt: skip


def pieces_of(text: str, *pieces: str) -> SpanSet:
    """The places of pieces of a text; each begins behind the one before."""
    spans, start = [], 0
    for piece in pieces:
        start = text.index(piece, start)
        spans.append((start, start + len(piece)))
        start += len(piece)
    return SpanSet(spans)
