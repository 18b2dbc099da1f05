"""The small collection behind the pictures of docs/gallery.md that the demo cannot fill: nuggets and checked citations.

Four systems answer ten questions about a town. A person marked the nuggets of each answer and checked its citations.
Everything is drawn with a fixed seed: the pictures are the same every time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

SYSTEMS = {"delta": 0.85, "harbour": 0.7, "mill": 0.5, "summit": 0.3}
"""Each with the chance that it has a fact, and finds a document that says it."""
PLACES = (
    "harbour", "old bridge", "museum", "ferry", "dam", "market", "library", "tunnel", "school", "stadium",
)  # fmt: skip
FACTS = (
    "The {place} opened in {year}.", "The {place} cost {cost} million dollars.", "It took {count} workers to build it.",
    "In winter it closes at four.",
)  # fmt: skip
ASIDES = ("It is worth a visit.", "Many people like the {place}.", "Opinions differ.")
Record = dict[str, Any]


def records() -> Iterator[Record]:
    """Queries, answers with citations, nuggets, their relevance, and the support of each citation."""
    draw = random.Random(2024)
    for q, place in enumerate(PLACES):
        query_id = f"q{q + 1}"
        yield _record("query", query_id=query_id, text=f"What is known about the {place}?")
        words = {"place": place, "year": 1900 + 7 * q, "cost": 3 + 2 * q, "count": 40 * (q + 1)}
        members: dict[int | None, list[Record]] = {}
        for run_id, chance in SYSTEMS.items():
            had = [at for at in range(len(FACTS)) if draw.random() < chance]
            repeated = had[:1] if had and draw.random() < 0.4 else []
            aside = [] if draw.random() < chance else [draw.choice(ASIDES)]
            said = [(at, FACTS[at]) for at in (*had, *repeated)] + [(None, text) for text in aside]
            snippets = [
                {
                    "snippet_id": f"{run_id}-{query_id}-{at}",
                    "text": text.format(**words),
                    "citations": [{"doc_id": "d"}],
                }
                for at, (_, text) in enumerate(said)
            ]
            yield _record("response", query_id=query_id, run_id=run_id, snippets=snippets)
            for (fact, _), snippet in zip(said, snippets, strict=True):
                here = {"query_id": query_id, "run_id": run_id, "snippet_id": snippet["snippet_id"], "assessor": "ann"}
                nugget_id = f"g-{snippet['snippet_id']}"
                yield _record("relevance", **here, label="irrelevant" if fact is None else "relevant")
                spans = [[0, len(snippet["text"])]]
                yield _record("nugget", **here, nugget_id=nugget_id, spans=spans, source="person")
                support = "full" if draw.random() < chance else draw.choice(("partial", "none", "missing"))
                yield _record("citation_judgement", **here, doc_id="d", support=support)
                members.setdefault(fact, []).append({"nugget_id": nugget_id, "degree": 1.0})
        for at, text in enumerate(FACTS):
            importance = "vital" if at < 2 else "okay"
            yield _record(
                "nug", query_id=query_id, nug_id=f"n{at + 1}", descriptions=[text.format(**words)],
                importance=importance, members=members.get(at, []),
            )  # fmt: skip
        if None in members:
            # What nobody asked for: a nug without relevance, so that what says it is wrong.
            yield _record(
                "nug", query_id=query_id, nug_id="n0", descriptions=["An aside."], relevance=0.0, members=members[None],
            )  # fmt: skip


def _record(kind: str, **fields: Any) -> Record:
    return {"kind": kind, "v": 1, **fields}
