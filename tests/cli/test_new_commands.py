"""pyramid, measures and reproduce on the command line; -o of commands that print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import karat_here
from karat.measures.entries import ENTRIES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    karat_here("demo", "--copy", ".")


def test_a_pyramid_is_a_key_that_score_takes() -> None:
    done = karat_here("pyramid", "key.jsonl", "-o", "pyramid.jsonl")
    assert (done.code, done.out) == (0, b"")
    nugs = [json.loads(line) for line in Path("pyramid.jsonl").read_text().splitlines()]
    assert len(nugs) == 77
    assert max(nug["weight"] for nug in nugs) == 1.0
    judged = ("judgements.jsonl", "runs.jsonl", "--on-error", "skip", "--measures", "pyramid_F3", "--format", "jsonl")
    by_weight = [json.loads(line) for line in karat_here("score", "pyramid.jsonl", *judged).lines]
    by_votes = [json.loads(line) for line in karat_here("score", "key.jsonl", *judged).lines]
    assert [row["value"] for row in by_weight] == pytest.approx([row["value"] for row in by_votes])


def test_a_pyramid_as_a_table_tsv_and_jsonl() -> None:
    table = karat_here("pyramid", "key.jsonl")
    assert table.lines[0].split() == ["query", "nug", "votes", "of", "weight", "description"]
    rows = [line.split("\t") for line in karat_here("pyramid", "key.jsonl", "--format", "tsv").lines]
    assert rows[0][:2] == ["query_id", "nug_id"]
    assert len(rows) == 78
    assert all(
        json.loads(line)["kind"] == "nug" for line in karat_here("pyramid", "key.jsonl", "--format", "jsonl").lines
    )


def test_a_pyramid_needs_votes() -> None:
    done = karat_here("pyramid", "runs.jsonl")
    assert (done.code, done.out) == (2, b"")
    assert "there are no votes" in done.err


def test_measures_are_listed_and_explained() -> None:
    done = karat_here("measures")
    assert done.code == 0
    assert {line.split()[0] for line in done.lines[2:] if line.strip()} == set(ENTRIES)
    for name in ENTRIES:
        one = karat_here("measures", name)
        assert one.code == 0
        assert "Undefined where" in one.out.decode()
    assert "prior=none" in karat_here("measures", "proficiency(prior=bayes)").out.decode()
    wrong = karat_here("measures", "profficiency")
    assert wrong.code == 2
    assert "did you mean proficiency?" in wrong.err


def test_a_paper_is_reproduced_by_one_command_and_by_hand() -> None:
    listed = karat_here("reproduce")
    assert {"white2008", "dang2007", "babko2012"} <= {line.split()[0] for line in listed.lines if line.strip()}
    done = karat_here("reproduce", "white2008", "--copy", ".")
    assert done.code == 0
    assert "92 of 100 figures are the same, 8 differ for a known reason." in done.err
    parts = "precision,recall,rightness,proficiency"
    score = ("score", "white2008.jsonl", "--average", "pool", "--format", "tsv", "--measures")
    rows = [line.split("\t") for line in karat_here(*score, parts).lines[1:]]
    found = {(row[0], row[2]): row[3] for row in rows}
    assert [f"{float(found['A', part]):.3f}" for part in parts.split(",")] == ["0.417", "0.500", "0.294", "0.400"]
    assert [f"{float(found['B', part]):.3f}" for part in parts.split(",")] == ["0.625", "1.000", "0.625", "0.909"]
    assert [found["D", part] for part in parts.split(",")] == ["", "0.0", "0.0", "0.0"]


def test_an_example_is_not_written_over_another_file() -> None:
    Path("white2008.jsonl").write_text("mine\n")
    done = karat_here("reproduce", "white2008", "--copy", ".")
    assert done.code == 2
    assert Path("white2008.jsonl").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("score", "key.jsonl", "judgements.jsonl"), 0),
        (("compare", "key.jsonl", "judgements.jsonl", "--baseline", "librarian", "--fail-if-worse"), 1),
        (("correlate", "judgements.jsonl", "judgements.jsonl", "--with", "key.jsonl", "--level", "run"), 0),
        (("agree", "key.jsonl"), 0),
        (("plan", "key.jsonl", "judgements.jsonl", "--runs", "atlas,birch"), 0),
    ],
)
def test_results_go_to_a_file_on_request(arguments: tuple[str, ...], code: int) -> None:
    printed = karat_here(*arguments, "--on-error", "skip")
    written = karat_here(*arguments, "--on-error", "skip", "-o", "result.txt")
    assert (printed.code, written.code, written.out) == (code, code, b"")
    assert Path("result.txt").read_bytes() == printed.out
    assert printed.out


def test_an_error_leaves_the_file_alone() -> None:
    Path("result.txt").write_text("before\n")
    done = karat_here("score", "key.jsonl", "judgements.jsonl", "-o", "result.txt")
    assert done.code == 1
    assert Path("result.txt").read_text() == "before\n"


def test_a_data_frame_scores_like_its_rows() -> None:
    pandas = pytest.importorskip("pandas")
    import karat

    rows = [
        {"query_id": f"q{number}", "run_id": run, "nugget": "a fox", "importance": "vital", "label": number % 2}
        for number in range(4)
        for run in "ab"
    ]
    assert karat.score(pandas.DataFrame(rows)).scores == karat.score(rows).scores


LABELS = "query_id,run_id,nugget,importance,label\nq1,mine,bees dance,vital,1\nq1,mine,food is far,vital,{}\n"


def test_files_of_one_run_are_told_apart_by_names_of_their_own() -> None:
    Path("monday.csv").write_text(LABELS.format(0))
    Path("tuesday.csv").write_text(LABELS.format(1))
    done = karat_here("compare", "old=monday.csv", "new=tuesday.csv", "--baseline", "old", "--format", "jsonl")
    assert done.code == 0
    (row,) = map(json.loads, done.lines)
    assert (row["run_id"], row["versus"], row["value"]) == ("new", "old", 0.5)
    Path("a=b.csv").write_text(LABELS.format(1))
    assert "mine" in karat_here("score", "a=b.csv").out.decode()


def test_what_was_found_and_missed_nug_by_nug() -> None:
    Path("monday.csv").write_text(LABELS.format(0))
    table = [line.split() for line in karat_here("score", "monday.csv", "--by", "nug").lines if line.strip()]
    assert table[0] == ["query", "mine", "nug"]
    assert table[2:] == [["q1", "vital", "0", "food", "is", "far"], ["q1", "vital", "1", "bees", "dance"]]
    rows = [json.loads(line) for line in karat_here("score", "monday.csv", "--by", "nug", "--format", "jsonl").lines]
    assert [(row["description"], row["degrees"]) for row in rows] == [
        ("food is far", {"mine": 0.0}),
        ("bees dance", {"mine": 1.0}),
    ]
    tsv = karat_here("score", "monday.csv", "--by", "nug", "--format", "tsv").lines
    assert len(tsv) == 3
    assert karat_here("score", "monday.csv", "--by", "nug", "--format", "latex").code == 2
