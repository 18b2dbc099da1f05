from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders.records import response
from helpers import collect, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.datasets.rose import sniff_rose
from karat.formats.io.head import Head
from karat.model import Collection, InputError, Nug, Query, Response, Run, Score, content_id

UNITS = {"id": 4, "reference": "Bees dance.   Bees hum.", "acu": ["Bees dance.", "Bees hum.", "Bees hum."]}
PROTOCOLS = {
    "count_id": 4,
    "example_id": "ab",
    "source": "A long text about bees.",
    "reference": "Bees dance.   Bees hum.",
    "system_outputs": {"bart": "They dance.", "gold": ""},
    "annotations": {"bart": {"prior": 4.0, "acu": 0.5}, "gold": {"acu": 0}},
}


def summary(run_id: str, *texts: str) -> Response:
    return response(run_id, *texts, query_id="4", prefix="")


def test_reads_references_and_their_units() -> None:
    collection = collect(json.dumps([UNITS]), "rose")
    assert collection.queries == [Query(query_id="4", text="")]
    assert collection.runs == [Run(run_id="reference", human=True)]
    assert collection.responses == [summary("reference", "Bees dance.   Bees hum.")]
    hum = content_id("Bees hum.")
    assert collection.nugs == [
        Nug(query_id="4", nug_id=content_id("Bees dance."), descriptions=("Bees dance.",)),
        Nug(query_id="4", nug_id=hum, descriptions=("Bees hum.",)),
        Nug(query_id="4", nug_id=f"{hum}-2", descriptions=("Bees hum.",)),
    ]
    round_trip(collection, "karat")


def test_reads_answers_and_peoples_scores() -> None:
    collection = collect(json.dumps([PROTOCOLS]), "rose")
    assert collection.queries == [
        Query(query_id="4", text="", extra={"example_id": "ab", "source": "A long text about bees."})
    ]
    # `gold` is the name of a system, not of the reference.
    assert collection.runs == [Run(run_id="reference", human=True), Run(run_id="bart"), Run(run_id="gold")]
    assert collection.responses == [
        summary("reference", "Bees dance.   Bees hum."),
        summary("bart", "They dance."),
        summary("gold"),
    ]
    assert collection.scores == [
        Score(run_id="bart", query_id="4", measure="prior", value=4.0),
        Score(run_id="bart", query_id="4", measure="acu", value=0.5),
        Score(run_id="gold", query_id="4", measure="acu", value=0.0),
    ]
    round_trip(collection, "karat")


def test_a_folder_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "acu-x-test.json").write_text(json.dumps([UNITS, {**UNITS, "id": 5, "acu": []}]))
    other = {**PROTOCOLS, "reference": "Bees dance."}
    (tmp_path / "protocol-comparison.json").write_text(json.dumps([other]))
    reading = open_reading(tmp_path, format="rose")
    collection = Collection(reading)
    assert [query.query_id for query in collection.queries] == ["4", "5"]
    assert collection.queries[0].extra == {"example_id": "ab", "source": "A long text about bees."}
    assert [response.run_id for response in collection.responses] == ["reference", "bart", "gold", "reference"]
    assert len(collection.nugs) == 3
    assert [warning.message for warning in reading.source.warnings] == [
        "the reference of '4' differs from its first occurrence, which is kept"
    ]
    assert sniff_rose(Head(Source(tmp_path)))


def test_a_repeated_row_is_a_warning_if_it_says_the_same() -> None:
    reading = open_reading(json.dumps([UNITS, UNITS]).encode(), format="rose")
    assert len(Collection(reading).nugs) == 3
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:1: [1]: id '4' appears twice, with the same content"
    ]
    assert messages(json.dumps([UNITS, {**UNITS, "acu": ["x"]}]), "rose") == [
        "1: [1].id: '4' appears twice, with different content"
    ]


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    row: dict[str, Any] = {**PROTOCOLS, "annotations": {"bart": {"acu": "high", "prior": "4"}, "t5": {"acu": 1}}}
    data = "\n".join(map(json.dumps, ({"id": 3, "acu": []}, row, {**UNITS, "id": 5, "acu": ["a", 7]})))
    assert messages(data, "rose") == [
        "1: reference: is missing",
        "2: annotations.bart.acu: must be a number, not 'high'",
        "2: annotations.t5: has scores but no output",
        "3: acu[1]: must be a string, not a number",
    ]


def test_is_recognised(tmp_path: Path) -> None:
    assert sniff_rose(Head(Source("<bytes>", json.dumps([UNITS]).encode())))
    assert sniff_rose(Head(Source("<bytes>", json.dumps([PROTOCOLS]).encode())))
    assert not sniff_rose(Head(Source("<bytes>", b'{"reference": "a", "answer": "b"}')))
    assert not sniff_rose(Head(Source(tmp_path)))
    with pytest.raises(InputError, match="no acu-"):
        list(open_reading(tmp_path, format="rose"))


@pytest.mark.real_data
def test_content_units(real_data: Path) -> None:
    path = real_data / "rose-acu" / "acu-cnndm-test.json"
    rows = json.loads(path.read_text())
    collection = collect(path.read_bytes(), "rose")
    assert (len(rows), sum(len(row["acu"]) for row in rows)) == (502, 5638)
    # One row of 14 units stands twice in the file, word for word.
    distinct = {row["id"]: row for row in rows}
    assert len(collection.responses) == len(distinct) == 501
    assert len(collection.nugs) == sum(len(row["acu"]) for row in distinct.values()) == 5638 - 14
    assert collection.nugs[0].descriptions == (rows[0]["acu"][0],)
    assert (collection.nugs[-1].query_id, collection.nugs[-1].descriptions) == (
        str(rows[-1]["id"]),
        (rows[-1]["acu"][-1],),
    )


@pytest.mark.real_data
def test_protocols(real_data: Path) -> None:
    path = real_data / "rose-acu" / "protocol-comparison.json"
    rows = json.loads(path.read_text())
    collection = collect(path.read_bytes(), "rose")
    assert sum(len(row["system_outputs"]) for row in rows) == 1200
    assert len(collection.responses) == 1200 + len(rows) == 1300
    assert len(collection.runs) == 13
    assert (
        len(collection.scores)
        == sum(len(annotation) for row in rows for annotation in row["annotations"].values())
        == 6000
    )
    assert (collection.scores[0].run_id, collection.scores[0].measure, collection.scores[0].value) == (
        "glob",
        "prior",
        4.0,
    )
    assert (collection.scores[-1].run_id, collection.scores[-1].measure) == (
        [*rows[-1]["annotations"]][-1],
        "normalized_acu",
    )


@pytest.mark.real_data
def test_the_recall_that_people_gave_is_a_share_of_the_units(real_data: Path) -> None:
    """Both files together: people's `acu` times the number of units is a whole number of units."""
    reading = open_reading(real_data / "rose-acu", format="rose", on_error="skip")
    collection = Collection(reading)
    assert reading.source.problems == []
    assert sorted(warning.code for warning in reading.source.warnings) == ["conflicting-definition", "duplicate-id"]
    units = {query_id: len(collection.key.of(query_id)) for query_id in collection.key.query_ids}
    shares = [score.value * units[score.query_id] for score in collection.scores if score.measure == "acu"]
    assert len(shares) == 1200
    assert all(abs(share - round(share)) < 1e-6 for share in shares)
