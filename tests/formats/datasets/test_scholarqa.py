from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import collect, collect_with_problems, messages
from karat.formats import Source, load
from karat.formats.datasets.scholarqa import sniff_scholarqa
from karat.formats.io.head import Head
from karat.model import Nug, Query, Response, Run, Snippet

ITEM = {"name": "most_important_item_0", "criterion": "Says why.", "weight": 0.3, "evidence": ["x"]}
CASE: dict[str, Any] = {
    "initial_prompt": "why do bees dance",
    "metric_config": {
        "name": "rubric",
        "config": {
            "question": "why do bees dance",
            "low_length": 300,
            "other_properties": [ITEM, {"name": "nice_to_have_item_0", "criterion": "Cites."}],
        },
    },
    "case_id": "c1",
    "annotator": "A",
}
ANSWER = {"case_id": "c1", "answer_text": "They tell the way."}


def test_reads_a_rubric() -> None:
    collection = collect("\ufeff" + json.dumps([CASE]), "scholarqa")
    extra = {"annotator": "A", "metric_config": {"low_length": 300}}
    assert collection.queries == [Query(query_id="c1", text="why do bees dance", extra=extra)]
    assert collection.nugs == [
        Nug(
            query_id="c1",
            nug_id="most_important_item_0",
            descriptions=("Says why.",),
            importance="vital",
            weight=0.3,
            extra={"evidence": ["x"]},
        ),
        Nug(query_id="c1", nug_id="nice_to_have_item_0", descriptions=("Cites.",), importance="okay"),
    ]


def test_a_folder_has_the_rubrics_and_one_run_per_file(tmp_path: Path) -> None:
    assert not sniff_scholarqa(Head(Source(tmp_path)))
    (tmp_path / "test_configs_snippets.json").write_text(json.dumps([CASE]))
    (tmp_path / "src_answers").mkdir()
    (tmp_path / "src_answers" / "bee.jsonl").write_text(json.dumps(ANSWER))
    assert sniff_scholarqa(Head(Source(tmp_path)))
    collection = load(tmp_path, format="scholarqa")
    assert collection.runs == [Run(run_id="bee")]
    assert collection.responses == [
        Response(query_id="c1", run_id="bee", snippets=(Snippet(snippet_id="1", text="They tell the way."),)),
    ]


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    config = {"config": {"other_properties": [ITEM, ITEM, {"name": "x"}, ITEM | {"name": "y", "weight": "big"}]}}
    rows = [CASE | {"metric_config": config}, CASE, ANSWER, ANSWER, ANSWER | {"case_id": "c9"}, {"case_id": "c2"}]
    data = "\n".join(map(json.dumps, rows))
    assert messages(data, "scholarqa") == [
        "1: metric_config.config.other_properties[1].name: the nug with query_id 'c1', nug_id 'most_important_item_0' "
        "appears twice",
        "1: metric_config.config.other_properties[2].criterion: is missing",
        "1: metric_config.config.other_properties[3].weight: must be a number, not 'big'",
        "2: case_id: the query with query_id 'c1' appears twice",
        "4: the response with query_id 'c1', run_id 'run' appears twice",
        "5: case_id: 'c9' is not among the cases",
        "6: initial_prompt: is missing",
    ]
    collection = collect_with_problems(data, "scholarqa")[0]
    assert (len(collection.nugs), len(collection.responses)) == (1, 1)


def test_is_recognised() -> None:
    for row in (CASE, ANSWER):
        assert sniff_scholarqa(Head(Source("<bytes>", json.dumps(row).encode())))
    for other in (ANSWER | {"x": 1}, {"case_id": 1}, [1]):
        assert not sniff_scholarqa(Head(Source("<bytes>", json.dumps(other).encode())))


@pytest.mark.real_data
def test_scholarqa(real_data: Path) -> None:
    folder = real_data / "scholarqa-cs"
    cases = json.loads((folder / "test_configs_snippets.json").read_text(encoding="utf-8"))
    items = [item for case in cases for item in case["metric_config"]["config"]["other_properties"]]
    answers = (folder / "src_answers" / "gpt.jsonl").read_text(encoding="utf-8").splitlines()
    collection = load(folder, format="scholarqa")
    assert len(collection.queries) == len(cases) == 110
    assert len(collection.nugs) == len(items) == 484
    assert sum(nug.importance == "vital" for nug in collection.nugs) == 409
    assert [run.run_id for run in collection.runs] == ["claude", "gpt"]
    assert len(collection.responses) == 2 * len(answers) == 220
    assert collection.nugs[0].weight == items[0]["weight"]
    assert collection.responses[-1].snippets[0].text == json.loads(answers[-1])["answer_text"]
