from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats import Source, load
from karat.formats.datasets.crisisfacts import sniff_crisisfacts
from karat.formats.io.head import Head
from karat.model import Nug, Query, Response, Run, Snippet

FACT = {"eventID": "C-1", "event": "Bee storm", "dateString": "2020-01-01", "fact": "Bees swarm.", "source": "17"}
LATE = FACT | {"dateString": "0020-01-01", "fact": "Bees left."}
EVENT: dict[str, Any] = {
    "event": "Bee storm",
    "eventID": "C-1",
    "summaryRequests": [{"requestID": "C-1-r1"}],
    "factsByRequest": {"C-1-r1": [FACT, FACT | {"fact": "Honey flows."}]},
    "allFacts": [FACT, LATE],
}
TOPIC = {"eventID": "C-1", "trecisID": "T-1", "title": "Bee storm 2020", "type": "Storm"}


def test_reads_the_facts_of_each_day() -> None:
    collection = collect(json.dumps([EVENT]), "crisisfacts")
    assert collection.queries == [
        Query(
            query_id="C-1",
            text="Bee storm",
            extra={"summaryRequests": [{"requestID": "C-1-r1"}], "factsWithoutRequest": [LATE]},
        )
    ]
    about = {"requestID": "C-1-r1", "dateString": "2020-01-01", "source": "17"}
    assert collection.nugs == [
        Nug(query_id="C-1", nug_id="C-1-r1-1", descriptions=("Bees swarm.",), extra=about),
        Nug(query_id="C-1", nug_id="C-1-r1-2", descriptions=("Honey flows.",), extra=about),
    ]


def test_reads_topics_and_gold_summaries() -> None:
    collection = collect(
        "\ufeff" + json.dumps([TOPIC | {"nist.summary": "Bees.", "wiki.summary": None}]), "crisisfacts"
    )
    assert collection.queries == [
        Query(query_id="C-1", text="Bee storm 2020", extra={"trecisID": "T-1", "type": "Storm"}),
    ]
    assert collection.runs == [Run(run_id="nist", human=True)]
    assert collection.responses == [
        Response(query_id="C-1", run_id="nist", snippets=(Snippet(snippet_id="1", text="Bees."),)),
    ]


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    bad = EVENT | {"eventID": "C-2", "factsByRequest": {"r": [FACT, 7, {"source": "x"}]}}
    data = json.dumps([EVENT, EVENT, bad, {"event": "x"}])
    assert messages(data, "crisisfacts") == [
        "1: [1].eventID: the query with query_id 'C-1' appears twice",
        "1: [2].factsByRequest.r[1]: must be an object, not a number",
        "1: [2].factsByRequest.r[2].fact: is missing",
        "1: [3].eventID: is missing",
    ]
    assert len(collect_with_problems(data, "crisisfacts")[0].nugs) == 3


def test_is_recognised() -> None:
    for row in (EVENT, TOPIC):
        assert sniff_crisisfacts(Head(Source("<bytes>", json.dumps([row]).encode())))
    for other in ({"eventID": "x"}, [FACT], [1]):
        assert not sniff_crisisfacts(Head(Source("<bytes>", json.dumps(other).encode())))


@pytest.mark.real_data
def test_crisisfacts(real_data: Path) -> None:
    folder = real_data / "crisisfacts-2022" / "01-AutoEvaluation"
    path = folder / "CrisisFACTs-2022.facts.json"
    events = json.loads(path.read_text(encoding="utf-8"))
    collection = load(path, format="crisisfacts")
    facts = [fact for event in events for day in event["factsByRequest"].values() for fact in day]
    assert len(collection.nugs) == len(facts) == 1482
    assert len(collection.queries) == len(events) == 8
    outside = sum(len(event["allFacts"]) for event in events) - len(facts)
    assert sum(len(query.extra.get("factsWithoutRequest", [])) for query in collection.queries) == outside == 296
    assert collection.nugs[0].descriptions == (facts[0]["fact"],)
    assert collection.nugs[-1].descriptions == (facts[-1]["fact"],)
    topics = load(folder / "CrisisFACTs-2022.topics.json", format="crisisfacts").queries
    assert [query.query_id for query in topics] == [event["eventID"] for event in events]
