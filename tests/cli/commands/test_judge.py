from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from builders.rows import Row, judgement, nug, query, response
from builders.simulated import simulated
from cli.running import Outcome, karat_here
from karat.cli.progress import tracked
from karat.formats import load, write

KEY = [
    query("q"),
    nug("q", "a", descriptions=["a red fox"]),
    nug("q", "b", descriptions=["the blue sea"]),
    nug("q", "c", descriptions=["green tea"]),
]
RUNS = [response("q", "old", "The red sea."), response("q", "new", "the RED  sea."), response("q", "own", "Green fox.")]
KNOWN = [judgement("q", "old", 1.0, "a", judge="person"), judgement("q", "old", 0.0, "b", judge="person")]
JUDGE = "nuggeteer(n=1,stem=none,stop=keep,unit=snippet)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save("key.jsonl", KEY)
    save("runs.jsonl", RUNS)
    save("known.jsonl", KNOWN)


def save(name: str, rows: list[Row]) -> None:
    Path(name).write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in rows))


def rows_of(done: Outcome) -> list[dict[str, Any]]:
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.lines]


def values(done: Outcome, measure: str = "strict_all") -> dict[str, float]:
    return {row["run_id"]: row["value"] for row in rows_of(done) if row["measure"] == measure}


def judge(*more: str) -> Outcome:
    return karat_here("judge", "key.jsonl", "runs.jsonl", "--judge", JUDGE, *more, "-o", "-")


def test_judgements_are_records_and_the_notes_go_to_stderr() -> None:
    done = judge()
    rows = rows_of(done)
    assert [(row["run_id"], row["nug_id"]) for row in rows] == [
        (run_id, name) for run_id in ("new", "old", "own") for name in "abc"
    ]
    first = rows[0]
    assert first["kind"] == "judgement"
    assert first["judge"] == "nuggeteer"
    assert sum(first["probabilities"].values()) == pytest.approx(1)
    assert first["evidence"] == {"words": ["red"], "snippet_id": "1", "span": [0, 13]}
    assert "no labels here: scores use a calibration from other collections" in done.err
    assert "9 judgements, " in done.err
    assert "signature: nuggeteer|" in done.err


def test_known_judgements_come_from_a_file_and_are_reused_for_the_same_text() -> None:
    done = judge("--known", "known.jsonl")
    known = {(row["run_id"], row["nug_id"]): row["degree"] for row in rows_of(done) if row.get("known")}
    assert known == {("old", "a"): 1.0, ("old", "b"): 0.0, ("new", "a"): 1.0, ("new", "b"): 0.0}
    assert "4 known judgements reused" in done.err
    among = karat_here("judge", "key.jsonl", "runs.jsonl", "known.jsonl", "--judge", JUDGE, "-o", "-")
    assert among.out == done.out


def test_a_known_file_is_only_about_its_own_texts() -> None:
    """A new version of a run, under the old name, gets nothing of what was said of the old text."""
    save("judged.jsonl", [*KEY, response("q", "own", "Blue tea."), judgement("q", "own", 1.0, "b", judge="person")])
    done = judge("--known", "judged.jsonl")
    assert [row for row in rows_of(done) if row.get("known")] == []
    assert "another text" not in done.err
    save("judged.jsonl", [*KEY, response("q", "own", "green  FOX."), judgement("q", "own", 1.0, "b", judge="person")])
    known = [(row["run_id"], row["nug_id"]) for row in rows_of(judge("--known", "judged.jsonl")) if row.get("known")]
    assert known == [("own", "b")]


def test_known_judgements_without_their_responses_are_reported() -> None:
    done = judge("--known", "known.jsonl")
    assert "2 known judgements without a response in the known files: used for the same run and query" in done.err
    assert "labels: judge 'person' counts as people's" in done.err


def test_whose_labels_count_can_be_chosen() -> None:
    save("llm.jsonl", [judgement("q", "own", 1.0, "c", judge="gpt")])
    both = ["--known", "known.jsonl", "--known", "llm.jsonl"]
    refused = judge(*both)
    assert refused.code == 2
    assert "(person, gpt); choose one with --labels NAME" in refused.err
    runs = {row["run_id"] for row in rows_of(judge(*both, "--labels", "gpt")) if row.get("known")}
    assert runs == {"own"}
    files = ["key.jsonl", "runs.jsonl", "known.jsonl", "llm.jsonl"]
    for command in (["score"], ["compare", "--measures", "strict_all"]):
        assert karat_here(*command, *files, "--judge", JUDGE).code == 2
        done = karat_here(*command, *files, "--judge", JUDGE, "--labels", "all")
        assert done.code == 0, done.err
        assert "labels: judges 'gpt', 'person' count as people's" in done.err
    idle = karat_here("score", *files, "--judge", "gpt", "--labels", "gpt")
    assert idle.code == 2
    assert "labels are only used when a program judges" in idle.err


@pytest.mark.parametrize("floor", ["0.2", "0.9"])
def test_with_a_floor_there_are_fewer_lines_and_the_same_scores(floor: str) -> None:
    files = ["key.jsonl", "runs.jsonl"]
    whole, fewer = judge("--known", "known.jsonl"), judge("--known", "known.jsonl", "--floor", floor)
    assert len(fewer.lines) < len(whole.lines)
    known = [line for line in fewer.lines if json.loads(line).get("known")]
    assert len(known) == 4
    assert f"below {floor} and have no line of their own" in fewer.err
    for name, done in (("whole.jsonl", whole), ("fewer.jsonl", fewer)):
        Path(name).write_bytes(done.out)
    expected = values(karat_here("score", *files, "whole.jsonl", "--format", "jsonl"))
    for more in ([], ["--unjudged", "error"]):
        found = karat_here("score", *files, "fewer.jsonl", *more, "--format", "jsonl")
        assert values(found) == pytest.approx(expected, abs=1e-12)


def test_a_floor_is_for_files_that_can_say_what_is_below_it() -> None:
    done = judge("--floor", "0.1", "--to", "nuggetizer-assignments")
    assert done.code == 2
    assert "nuggetizer-assignments cannot hold the judgements below the floor" in done.err


def test_saved_judgements_say_how_far_errors_go_together() -> None:
    rows = rows_of(judge())
    carried = [row["run_id"] for row in rows if "error_sigma" in row]
    assert carried == ["new", "old", "own"]
    assert f"sigma:{rows[0]['error_sigma'][0]:.2f}|" in judge().err.replace(",", "|")


def test_nugs_of_a_review_that_were_not_named_are_reported() -> None:
    save("known.nugs.jsonl", [nug("q", "d", descriptions=["a new one"])])
    assert "known.nugs.jsonl was not read" in judge("--known", "known.jsonl").err
    named = karat_here("judge", "key.jsonl", "runs.jsonl", "known.jsonl", "known.nugs.jsonl", "-o", "-")
    assert "was not read" not in named.err
    assert "d" in {row["nug_id"] for row in rows_of(named)}


def test_a_file_of_known_judgements_teaches_the_judge() -> None:
    truth = simulated(queries=6, runs=8, noise=0.2, seed=1)
    write([record for record in truth if getattr(record, "run_id", "") != "r3"], "judged.jsonl", format="karat")
    write(
        [*truth.nugs, *(response for response in truth.responses if response.run_id == "r3")],
        "new.jsonl",
        format="karat",
    )
    done = karat_here("judge", "new.jsonl", "--known", "judged.jsonl", "--judge", JUDGE, "-o", "out.jsonl")
    assert done.code == 0, done.err
    assert "cal:logistic" in done.err
    assert "too few" not in done.err
    assert {judgement.run_id for judgement in load("out.jsonl").judgements} == {"r3"}


def test_a_threshold_decides() -> None:
    rows = rows_of(judge("--threshold", "0.9"))
    assert {row["probabilities"]["1"] for row in rows} <= {0.0, 1.0}
    assert "thr:0.9" in judge("--threshold", "0.9").err


def test_nuggetizer_assignments_are_written_and_read_back() -> None:
    done = judge("--known", "known.jsonl", "--to", "nuggetizer-assignments")
    assert done.code == 0, done.err
    Path("assigned.jsonl").write_bytes(done.out)
    back = load("assigned.jsonl")
    text = {nug.nug_id: nug.descriptions[0] for nug in back.nugs}
    found = {(judgement.run_id, text[judgement.nug_id]): judgement.degree for judgement in back.judgements}
    words = {row["nug_id"]: row["descriptions"][0] for row in KEY if row["kind"] == "nug"}
    rows = rows_of(judge("--known", "known.jsonl"))
    assert found == {(row["run_id"], words[row["nug_id"]]): row["degree"] for row in rows}
    assert {response.run_id: response.snippets[0].text for response in back.responses}["own"] == "Green fox."
    assert [query.text for query in back.queries] == ["What of q?"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["key.jsonl"], 3, "there are no answers to judge: the files have only query, nug records"),
        (["runs.jsonl"], 3, "there is no key: no file has nugs"),
        (["key.jsonl", "runs.jsonl", "--judge", "rogue"], 2, "no judge is called 'rogue' (did you mean rouge?)"),
        (["key.jsonl", "runs.jsonl", "--judge", "rouge(x=1)"], 2, "there is no setting 'x'"),
        (["key.jsonl", "runs.jsonl", "--threshold", "nan"], 2, "threshold=nan is not a number"),
        (["key.jsonl", "runs.jsonl", "--known", "none.jsonl"], 3, "none.jsonl"),
    ],
)
def test_a_mistake_is_reported_without_a_traceback(arguments: list[str], code: int, message: str) -> None:
    done = karat_here("judge", *arguments, "-o", "out.jsonl")
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err
    assert not Path("out.jsonl").exists()


def test_scores_by_a_program_are_the_expected_ones_with_both_intervals() -> None:
    rows = rows_of(judge())
    done = karat_here("score", "key.jsonl", "runs.jsonl", "--judge", JUDGE, "--format", "jsonl")
    for run_id, value in values(done).items():
        chances = [row["probabilities"]["1"] for row in rows if row["run_id"] == run_id]
        assert value == pytest.approx(sum(chances) / 3, abs=1e-9)
    for row in rows_of(done):
        assert row["judge_low"] <= row["value"] <= row["judge_high"]
    assert "judge: nuggeteer|" in done.err


def test_the_table_shows_the_judges_interval_in_braces() -> None:
    done = karat_here("score", "key.jsonl", "runs.jsonl", "--judge", JUDGE)
    assert done.text.count("{") >= 3
    assert "in braces: the 95 % interval for the judge's error only; in brackets: for other queries, too" in done.err


def test_one_known_judgement_changes_the_score_by_its_part() -> None:
    save("one.jsonl", [judgement("q", "own", 1.0, "b", judge="person")])
    before = karat_here("score", "key.jsonl", "runs.jsonl", "--judge", JUDGE, "--format", "jsonl")
    after = karat_here("score", "key.jsonl", "runs.jsonl", "one.jsonl", "--judge", JUDGE, "--format", "jsonl")
    chance = next(r["probabilities"]["1"] for r in rows_of(judge()) if (r["run_id"], r["nug_id"]) == ("own", "b"))
    old, new = values(before), values(after)
    assert new["own"] == pytest.approx(old["own"] + (1 - chance) / 3, abs=1e-9)
    assert (new["new"], new["old"]) == pytest.approx((old["new"], old["old"]), abs=1e-12)


@pytest.mark.parametrize("named", [[], ["--judge", "nuggeteer"], ["--judge", "all"]])
def test_saved_judgements_are_scored_as_they_were_at_once(named: list[str]) -> None:
    done = judge("--known", "known.jsonl")
    Path("saved.jsonl").write_bytes(done.out)
    files = ["key.jsonl", "runs.jsonl"]
    at_once = karat_here("score", *files, "known.jsonl", "--judge", JUDGE, "--format", "jsonl")
    later = karat_here("score", *files, "saved.jsonl", *named, "--format", "jsonl")
    assert values(later) == pytest.approx(values(at_once), abs=1e-12)


def test_judgements_that_somebody_named_like_that_made_are_taken_as_they_are() -> None:
    save(
        "made.jsonl", [judgement("q", run, 1.0, name, judge="rouge") for run in ("old", "new", "own") for name in "abc"]
    )
    files = ["key.jsonl", "runs.jsonl", "made.jsonl"]
    done = karat_here("score", *files, "--judge", "rouge", "--format", "jsonl")
    assert values(done) == {"old": 1.0, "new": 1.0, "own": 1.0}
    # Another program does not take them for what people said.
    anew = karat_here("score", *files, "--judge", JUDGE, "--format", "jsonl")
    assert values(anew) == values(karat_here("score", *files[:2], "--judge", JUDGE, "--format", "jsonl"))


def test_scores_by_nug_can_come_from_a_program() -> None:
    done = karat_here("score", "key.jsonl", "runs.jsonl", "--judge", JUDGE, "--by", "nug", "--format", "jsonl")
    assert len(rows_of(done)) >= 3


def test_scores_are_the_same_for_the_same_seed() -> None:
    files = ["key.jsonl", "runs.jsonl", "--judge", JUDGE, "--format", "jsonl"]
    first, again = (karat_here("score", *files, "--seed", "3") for _ in range(2))
    assert first.out == again.out


def test_progress_shows_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    assert list(tracked("judging")(["a", "b"])) == ["a", "b"]
    assert quiet.getvalue() == ""
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(tracked("judging")(["a", "b"])) == ["a", "b"]
    assert "judging" in terminal.getvalue()


def test_an_empty_response_scores_zero() -> None:
    save("empty.jsonl", [*KEY, response("q", "x", "A red fox."), response("q", "y") | {"snippets": []}])
    done = karat_here("score", "empty.jsonl", "--judge", JUDGE, "--format", "jsonl")
    assert values(done)["y"] == 0


def test_the_threshold_model_is_in_the_signature_of_judge_score_and_validate() -> None:
    write(simulated(noise=0.2), "truth.jsonl")
    for command, *more in (("judge", "-o", "-"), ("score",), ("validate",)):
        done = karat_here(command, "truth.jsonl", "--judge", JUDGE, "--threshold-model", "auto", *more)
        assert done.code == 0, done.err
        assert "model:auto" in done.err
    refused = karat_here("score", "truth.jsonl", "--threshold-model", "nug")
    assert (refused.code, "no program judges" in refused.err) == (2, True)
