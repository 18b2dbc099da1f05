from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import collect, messages
from karat.formats import Source, load
from karat.formats.datasets.researcherbench import sniff_researcherbench
from karat.formats.io.head import Head
from karat.model import Query, Response, Run, Snippet

ROWS = [
    {"id": 1, "question": "why do bees dance", "response": "# Bees\n\nThey tell the way. [1]"},
    {"id": "2", "question": "and wasps", "response": ""},
]


def test_reads_answers_of_one_system() -> None:
    collection = collect("\ufeff" + json.dumps(ROWS, indent=1).replace("\n", "\r\n"), "researcherbench")
    assert collection.queries == [Query(query_id="1", text="why do bees dance"), Query(query_id="2", text="and wasps")]
    assert collection.runs == [Run(run_id="run")]
    snippet = Snippet(snippet_id="1", text="# Bees\n\nThey tell the way. [1]")
    assert collection.responses == [
        Response(query_id="1", run_id="run", snippets=(snippet,)),
        Response(query_id="2", run_id="run", snippets=()),
    ]


def test_a_folder_has_one_run_per_file(tmp_path: Path) -> None:
    assert not sniff_researcherbench(Head(Source(tmp_path)))
    (tmp_path / "user_data").mkdir()
    for name in ("Bee", "Wasp"):
        (tmp_path / "user_data" / f"{name}.json").write_text(json.dumps(ROWS))
    assert sniff_researcherbench(Head(Source(tmp_path)))
    collection = load(tmp_path, format="researcherbench")
    assert collection.runs == [Run(run_id="Bee"), Run(run_id="Wasp")]
    assert (len(collection.queries), len(collection.responses)) == (2, 4)


def test_what_is_wrong_is_reported() -> None:
    data = json.dumps([ROWS[0], ROWS[0], {"id": 3, "question": "x"}], indent=1)
    assert messages(data, "researcherbench") == [
        "7: [1]: the response with query_id '1', run_id 'run' appears twice",
        "12: [2].response: is missing",
    ]


def test_is_recognised() -> None:
    assert sniff_researcherbench(Head(Source("<bytes>", json.dumps(ROWS).encode())))
    for other in ([ROWS[0] | {"x": 1}], ROWS[0], [1], []):
        assert not sniff_researcherbench(Head(Source("<bytes>", json.dumps(other).encode())))


@pytest.mark.real_data
def test_researcherbench(real_data: Path) -> None:
    path = real_data / "researcherbench" / "user_data" / "Perplexity.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    collection = load(path, format="researcherbench")
    assert len(collection.responses) == len(collection.queries) == len(rows) == 65
    assert collection.runs == [Run(run_id="Perplexity")]
    assert collection.queries[0].text == rows[0]["question"]
    assert collection.responses[-1].snippets[0].text == rows[-1]["response"]
