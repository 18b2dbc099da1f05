"""karat judge with --job, or into a folder, reads as carefully as without: the same errors, notes and judgements."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from cli.running import karat_here

Rows = list[dict[str, object]]


def query(query_id: str, text: str) -> dict[str, object]:
    return {"kind": "query", "query_id": query_id, "text": text}


def nug(text: str, query_id: str = "q1", nug_id: str = "n1", **more: object) -> dict[str, object]:
    return {"kind": "nug", "query_id": query_id, "nug_id": nug_id, "descriptions": [text], **more}


def response(run_id: str, *texts: str, query_id: str = "q1", ids: str = "abc") -> dict[str, object]:
    snippets = [{"snippet_id": each, "text": text} for each, text in zip(ids, texts, strict=False)]
    return {"kind": "response", "query_id": query_id, "run_id": run_id, "snippets": snippets}


KEY: Rows = [query("q1", "Why do bees dance?"), nug("Bees dance to tell where food is.")]
RUNS: Rows = [response("a", "Bees dance to tell where food is."), response("b", "Cats sleep.")]
CASES: dict[str, list[Rows]] = {
    "well": [KEY, RUNS],
    "another text of the nug in another file": [KEY, [nug("Cats sleep all day.")], RUNS],
    "the nug twice in a file": [[*KEY, nug("Bees dance to tell where food is.")], RUNS],
    "another text of the nug in the same file": [[*KEY, nug("Cats sleep all day.")], RUNS],
    "another question": [KEY, [query("q1", "What else?")], RUNS],
    "a parent that is not there": [[*KEY, nug("More.", nug_id="n2", parent="zz")], RUNS],
    "a snippet id twice": [KEY, [response("a", "Bees dance.", "Cats sleep.", ids="aa")]],
    "the runs twice": [KEY, RUNS, RUNS],
    "two answers of a run": [KEY, [*RUNS, response("a", "Bees dance.")]],
    "another answer in another file": [KEY, RUNS, [response("a", "Bees dance.")]],
    "a query that asks the same": [
        [*KEY, query("q2", "Why is the sky blue?"), nug("Light is scattered.", "q2")],
        [*RUNS, query("x2", "why is the sky blue"), response("a", "Light is scattered.", query_id="x2")],
    ],
    "only queries that ask the same": [KEY, [query("x", "Why do bees dance"), response("a", "Bees.", query_id="x")]],
    "a query that the key lacks": [KEY, [*RUNS, query("x", "Who?"), response("a", "Bees.", query_id="x")]],
}


def written(rows: Rows, file: Path) -> str:
    file.write_text("".join(json.dumps({"v": 1, **row}) + "\n" for row in rows))
    return str(file)


@pytest.mark.parametrize("on_error", ["stop", "skip"])
@pytest.mark.parametrize("case", CASES)
def test_judging_in_blocks_reads_as_carefully(case: str, on_error: str, tmp_path: Path) -> None:
    files = [written(rows, tmp_path / f"{at}.jsonl") for at, rows in enumerate(CASES[case])]
    call = ("judge", *files, "--judge", "lexical", "--no-cache", "--on-error", on_error)
    whole = karat_here(*call, "-o", tmp_path / "whole.jsonl")
    blocks = karat_here(*call, "--job", tmp_path / "job", "-o", tmp_path / "blocks.jsonl")
    assert (blocks.code, sorted(blocks.err.splitlines())) == (whole.code, sorted(whole.err.splitlines()))
    if whole.code == 0:
        assert (tmp_path / "blocks.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


GOOD = {"well", "the runs twice", "a query that asks the same", "only queries that ask the same"}


def test_the_cases_are_good_and_bad(tmp_path: Path) -> None:
    for case, parts in CASES.items():
        files = [written(rows, tmp_path / f"{case}{at}.jsonl") for at, rows in enumerate(parts)]
        done = karat_here("judge", *files, "--judge", "lexical", "--no-cache", "-o", tmp_path / "o.jsonl")
        assert done.code == (0 if case in GOOD else 3), case


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_file_that_was_cut_off_is_read_as_far_in_blocks(on_error: str, tmp_path: Path) -> None:
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdefgh", k=8)) for _ in range(500)]
    runs = [response(f"r{at}", " ".join(draw.choices(words, k=30))) for at in range(3000)]
    key, packed = written(KEY, tmp_path / "key.jsonl"), tmp_path / "runs.jsonl.gz"
    packed.write_bytes(gzip.compress("".join(json.dumps({"v": 1, **row}) + "\n" for row in runs).encode())[:-50_000])
    call = ("judge", key, packed, "--judge", "rouge", "--no-cache", "--on-error", on_error)
    whole = karat_here(*call, "-o", tmp_path / "whole.jsonl")
    blocks = karat_here(*call, "--job", tmp_path / "job", "-o", tmp_path / "blocks.jsonl")
    assert (blocks.code, sorted(blocks.err.splitlines())) == (whole.code, sorted(whole.err.splitlines()))
    if on_error == "skip":
        made = (tmp_path / "whole.jsonl").read_bytes()
        assert (tmp_path / "blocks.jsonl").read_bytes() == made
        assert 1500 < made.count(b"\n") < 3000


def test_labels_from_standard_input_are_read_although_they_are_found_late(tmp_path: Path) -> None:
    key, runs = written(KEY, tmp_path / "key.jsonl"), written(RUNS, tmp_path / "runs.jsonl")
    label = {
        "kind": "judgement",
        "v": 1,
        "query_id": "q1",
        "run_id": "b",
        "nug_id": "n1",
        "degree": 0,
        "judge": "person",
    }
    call = ("judge", key, runs, "-", "--judge", "lexical", "--no-cache")
    given = (json.dumps(label) + "\n").encode()
    for output in ("whole.jsonl", "folder/"):
        done = karat_here(*call, "-o", f"{tmp_path}/{output}", stdin=given)
        assert done.code == 0, done.err


def test_nugs_that_a_review_added_are_named_in_blocks_too(tmp_path: Path) -> None:
    key, runs = written(KEY, tmp_path / "key.jsonl"), written(RUNS, tmp_path / "runs.jsonl")
    written([nug("More.", nug_id="n2")], tmp_path / "runs.nugs.jsonl")
    done = karat_here("judge", key, runs, "--judge", "lexical", "--no-cache", "-o", f"{tmp_path}/folder/")
    assert "runs.nugs.jsonl was not read" in done.err


def test_the_folder_in_which_one_is_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [written(rows, tmp_path / f"{at}.jsonl") for at, rows in enumerate((KEY, RUNS))]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for target in ("./", "../here/"):
        done = karat_here("judge", *files, "--judge", "lexical", "--no-cache", "-o", target)
        assert done.code == 2
        assert "is the folder in which you are" in done.err
