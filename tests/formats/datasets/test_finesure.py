from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders.records import judgement
from helpers import collect, collect_with_problems, messages
from karat.formats import Source, load, open_reading
from karat.formats.datasets.finesure import sniff_finesure
from karat.formats.io.head import Head
from karat.model import (
    Citation,
    CitationJudgement,
    Collection,
    Judgement,
    Nug,
    Query,
    Relevance,
    Response,
    Run,
    Snippet,
)

DOCUMENT = {"doc_id": "d1", "transcript": "Bees dance.", "reference": "<t> They dance . </t> <t> Bees do . </t>"}
SUMMARY: dict[str, Any] = DOCUMENT | {
    "split": "test",
    "model": "m",
    "sentences": ["Bees dance.", "Wasps sing."],
    "raw_annotations": {
        "0": {"key_fact_labels": [1, 0], "sentence_labels": [1, 0], "note": "sure"},
        "1": {"key_fact_labels": [1, 1]},
    },
}
FACTS = DOCUMENT | {"key_facts": ["There are bees.", "They dance."]}
MACHINE = SUMMARY | {"key_facts": ["Bees dance."], "llm_output": "..."}
IDS = {"query_id": "d1", "run_id": "m"}


def lines(*rows: object) -> str:
    return "\n".join(map(json.dumps, rows))


def labelled(nug_id: str, degree: float, assessor: str) -> Judgement:
    return judgement(nug_id, degree, **IDS, judge="person", assessor=assessor)


LABELS = [labelled("1", 1.0, "0"), labelled("2", 0.0, "0"), labelled("1", 1.0, "1"), labelled("2", 1.0, "1")]


def annotated(**annotations: object) -> str:
    return lines(SUMMARY | {"raw_annotations": annotations})


def test_reads_a_summary_with_its_labels() -> None:
    collection = collect("\ufeff" + lines(SUMMARY) + "\r\n", "finesure")
    assert collection.queries == [Query(query_id="d1", text="", extra={"transcript": "Bees dance."})]
    assert collection.runs == [Run(run_id="reference", human=True), Run(run_id="m")]
    assert collection.responses == [
        Response(
            query_id="d1",
            run_id="reference",
            snippets=(Snippet(snippet_id="1", text="They dance ."), Snippet(snippet_id="2", text="Bees do .")),
        ),
        Response(
            **IDS,
            snippets=(Snippet(snippet_id="1", text="Bees dance."), Snippet(snippet_id="2", text="Wasps sing.")),
            extra={"split": "test", "raw_annotations": {"0": {"note": "sure"}}},
        ),
    ]
    assert collection.judgements == LABELS
    assert collection.relevances == [
        Relevance(**IDS, snippet_id="1", assessor="0", label="relevant"),
        Relevance(**IDS, snippet_id="2", assessor="0", label="irrelevant"),
    ]


def test_factuality_is_whether_the_document_bears_a_sentence_out() -> None:
    collection = collect(annotated(ann={"factuality_labels": [0, 1], "factuality_types": ["NoE", "EntE"]}), "finesure")
    about = {**IDS, "doc_id": "d1", "assessor": "ann"}
    assert collection.citation_judgements == [
        CitationJudgement(**about, snippet_id="1", support="full", extra={"factuality_type": "NoE"}),
        CitationJudgement(**about, snippet_id="2", support="none", extra={"factuality_type": "EntE"}),
    ]
    assert collection.responses[1].snippets[0].citations == (Citation(doc_id="d1"),)


def test_types_that_fit_no_sentence_are_kept_with_the_response() -> None:
    data = annotated(ann={"factuality_labels": [1, 1], "factuality_types": ["OutE", "EntE", "GramE"]})
    reading = open_reading(data.encode(), format="finesure")
    collection = Collection(reading)
    assert collection.responses[1].extra["factuality_types"] == {"ann": ["OutE", "EntE", "GramE"]}
    assert [citation_judgement.extra for citation_judgement in collection.citation_judgements] == [{}, {}]
    assert [warning.code for warning in reading.source.warnings] == ["unaligned-types"]


def test_human_and_machine_key_facts_have_other_ids() -> None:
    assert collect(lines(FACTS), "finesure").nugs == [
        Nug(query_id="d1", nug_id="1", descriptions=("There are bees.",)),
        Nug(query_id="d1", nug_id="2", descriptions=("They dance.",)),
    ]
    collection = collect(lines(MACHINE), "finesure")
    assert collection.nugs == [Nug(query_id="d1", nug_id="machine-1", descriptions=("Bees dance.",))]
    assert collection.judgements == []
    assert collection.responses[1].extra["raw_annotations"] == SUMMARY["raw_annotations"]


def test_a_folder_joins_labels_and_the_human_key(tmp_path: Path) -> None:
    (tmp_path / "machine-keyfact-list-x.json").write_text(lines(MACHINE, MACHINE | {"model": "n"}))
    (tmp_path / "human-keyfact-list.json").write_text(lines(FACTS))
    (tmp_path / "x-data-sample.json").write_text(lines(SUMMARY))
    assert sniff_finesure(Head(Source(tmp_path)))
    collection = load(tmp_path, format="finesure")
    assert [nug.nug_id for nug in collection.nugs] == ["1", "2"]
    assert [run.run_id for run in collection.runs] == ["reference", "m", "n"]
    assert [judgement for judgement in collection.judgements if judgement.run_id == "m"] == LABELS
    assert collection.responses[-1].extra["key_facts"] == ["Bees dance."]


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = lines(
        FACTS | {"key_facts": ["a", 2, "c"]},
        SUMMARY | {"raw_annotations": {"0": {"key_fact_labels": [1, "?", 0, 1], "sentence_labels": [1, 0, 1]}}},
        SUMMARY,
        FACTS,
        SUMMARY | {"doc_id": None},
    )
    assert messages(data, "finesure") == [
        "1: key_facts[1]: must be a string, not a number",
        "2: raw_annotations.0.key_fact_labels: there are 4 labels for 3 key facts",
        "2: raw_annotations.0.key_fact_labels[1]: '?' is not one of 0, 1",
        "2: raw_annotations.0.sentence_labels: there are 3 labels for 2 sentences",
        "3: model: run 'm' has already answered query 'd1'",
        "4: doc_id: 'd1' already has a list of key facts",
        "5: doc_id: is missing",
    ]
    collection = collect_with_problems(data, "finesure")[0]
    assert [nug.nug_id for nug in collection.nugs] == ["1", "3"]
    assert [(judgement.nug_id, judgement.status) for judgement in collection.judgements] == [
        ("1", "ok"),
        ("2", "failed"),
        ("3", "ok"),
    ]


@pytest.mark.parametrize("row", [SUMMARY, FACTS, MACHINE])
def test_is_recognised(row: object) -> None:
    assert sniff_finesure(Head(Source("<bytes>", json.dumps(row).encode())))


@pytest.mark.parametrize("row", [{"doc_id": 1, "text": "x"}, [DOCUMENT["doc_id"]], DOCUMENT])
def test_other_files_are_not(row: object) -> None:
    assert not sniff_finesure(Head(Source("<bytes>", json.dumps(row).encode())))


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def count(rows: list[dict[str, Any]], field: str) -> int:
    return sum(len(annotation.get(field, [])) for row in rows for annotation in row["raw_annotations"].values())


@pytest.mark.real_data
def test_frank(real_data: Path) -> None:
    path = real_data / "finesure" / "frank" / "frank-data-sample-10.json"
    rows = rows_of(path)
    reading = open_reading(path, format="finesure")
    collection = Collection(reading)
    assert len(collection.citation_judgements) == count(rows, "factuality_labels") == 90
    assert len(collection.queries) == len({row["doc_id"] for row in rows}) == 4
    assert len(collection.responses) == len(rows) + 4 == 14
    assert collection.responses[-1].run_id == rows[-1]["model"]
    assert len(reading.source.warnings) == 2


@pytest.mark.real_data
def test_realsumm_files(real_data: Path) -> None:
    folder = real_data / "finesure" / "realsumm"
    sample, human = rows_of(folder / "realsumm-data-sample-10.json"), rows_of(folder / "human-keyfact-list.json")
    machine = rows_of(folder / "machine-keyfact-list-from-gpt4.json")
    collection = collect((folder / "human-keyfact-list.json").read_bytes(), "finesure")
    assert len(collection.nugs) == sum(len(row["key_facts"]) for row in human) == 1043
    assert collection.nugs[0].query_id == human[0]["doc_id"]
    assert collection.nugs[-1].descriptions == (human[-1]["key_facts"][-1],)
    collection = collect((folder / "realsumm-data-sample-10.json").read_bytes(), "finesure")
    assert len(collection.judgements) == count(sample, "key_fact_labels") == 321
    assert len(collection.relevances) == count(sample, "sentence_labels") == 111
    collection = collect((folder / "machine-keyfact-list-from-gpt4.json").read_bytes(), "finesure")
    assert len(collection.nugs) == sum(len(row["key_facts"]) for row in machine) == 610


@pytest.mark.real_data
def test_realsumm_folder(real_data: Path) -> None:
    folder = real_data / "finesure" / "realsumm"
    sample = rows_of(folder / "realsumm-data-sample-10.json")
    sampled = {(row["doc_id"], row["model"]) for row in sample}
    machine = rows_of(folder / "machine-keyfact-list-from-gpt4.json")
    more = [row for row in machine if (row["doc_id"], row["model"]) not in sampled]
    collection = load(folder, format="finesure")
    assert len(collection.judgements) == count([*sample, *more], "key_fact_labels") == 3316
    assert len(collection.responses) == 100 + len(sample) + len(more) == 205
    assert len(collection.nugs) == 1043
