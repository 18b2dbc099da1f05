from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders.rows import judgement, nug, response
from cli.running import karat_here

ROWS = [
    nug("q", "a", descriptions=["a red fox swims"]),
    nug("q", "b", "okay", descriptions=["the blue sea"]),
    nug("p", "a"),
    response("q", "x", "Nothing here. Red foxes like swimming."),
    response("q", "y", "The blue sea."),
    judgement("q", "x", 0.5, "a"),
]
JUDGE = "nuggeteer(n=1,stem=english,stop=drop,unit=sentence)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("all.jsonl").write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in ROWS))


def test_a_table_a_run_with_the_deciding_words_marked() -> None:
    done = karat_here("explain", "all.jsonl", "--query", "q", "--judge", JUDGE)
    assert done.code == 0, done.err
    assert done.lines[0].split() == ["x:", "nug", "description", "probability", "people", "text"]
    assert done.lines[2].endswith("0.5  [[Red foxes]] like [[swimming]].")
    assert any(line.startswith("y: nug") for line in done.lines)
    assert "The [[blue sea]]." in done.text


def test_jsonl_has_one_row_per_nug() -> None:
    done = karat_here("explain", "all.jsonl", "--query", "q", "--run", "x", "--judge", JUDGE, "--format", "jsonl")
    first, second = map(json.loads, done.lines)
    assert (first["nug_id"], first["run_id"], first["known"]) == ("a", "x", 0.5)
    assert [first["text"][start:end] for start, end in first["marks"]] == ["Red", "foxes", "swimming"]
    assert first["probability"] > second["probability"]
    assert second["known"] is None


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--query", "z"], 2, "the key has no query 'z'; choose from q, p"),
        (["--query", "q", "--run", "z"], 2, "run 'z' has no response to query q; choose from x, y"),
        (["--query", "p"], 3, "no run has a response to query p; give the files"),
        ([], 2, "--query"),
    ],
)
def test_a_mistake_is_reported_without_a_traceback(more: list[str], code: int, message: str) -> None:
    done = karat_here("explain", "all.jsonl", *more)
    assert done.code == code
    assert message in done.err


def test_notes_and_signature_go_to_stderr() -> None:
    done = karat_here("explain", "all.jsonl", "--query", "q", "--judge", JUDGE)
    assert "labels: judge 'j' counts as people's" in done.err
    assert "only 1 label of responses with text" in done.err
    assert "judge: nuggeteer|" in done.err


def test_known_files_and_labels_are_taken() -> None:
    Path("known.jsonl").write_text(
        "".join(
            json.dumps({"v": 1} | row) + "\n"
            for row in (response("q", "z", "the blue SEA."), judgement("q", "z", 1.0, "b", judge="gpt"))
        )
    )
    asked = ("explain", "all.jsonl", "--known", "known.jsonl", "--query", "q", "--judge", JUDGE, "--format", "jsonl")
    assert karat_here(*asked).code == 2
    done = karat_here(*asked, "--labels", "gpt")
    known = {(row["run_id"], row["nug_id"]): row["known"] for row in map(json.loads, done.lines)}
    assert known == {("x", "a"): None, ("x", "b"): None, ("y", "a"): None, ("y", "b"): 1.0}


def test_nugs_of_a_review_that_were_not_named_are_reported() -> None:
    Path("all.nugs.jsonl").write_text(json.dumps({"v": 1} | nug("q", "d")) + "\n")
    assert "all.nugs.jsonl was not read" in karat_here("explain", "all.jsonl", "--query", "q").err


def test_without_a_key_and_with_a_wrong_query_it_says_what_to_give() -> None:
    runs = [row for row in ROWS if row["kind"] == "response"]
    Path("runs.jsonl").write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in runs))
    done = karat_here("explain", "runs.jsonl", "--query", "q")
    assert (done.code, "there is no key: give the file with the nugs, too" in done.err) == (3, True), done.err
    many = [{"v": 1, "kind": "nug", "query_id": f"q{at}", "nug_id": "n", "descriptions": ["a"]} for at in range(30)]
    Path("many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in many))
    done = karat_here("explain", "many.jsonl", "--query", "q299")
    assert "did you mean q29? choose from q0, q1, " in done.err
    assert done.err.rstrip().endswith("q19, and 10 more")
