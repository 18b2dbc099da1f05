"""--runs and --queries: the result is that of files which hold only these runs and queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.running import commands_with, karat_here
from karat import demo_files

KEY, JUDGED, RUNS = "key.jsonl", "judged.jsonl", "runs.jsonl"
SKIP = ("--on-error", "skip")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo as Karat's own records."""
    monkeypatch.chdir(tmp_path)
    for source, target in zip(demo_files(), (KEY, JUDGED, RUNS), strict=True):
        assert karat_here("convert", source, "--to", "karat", "-o", target, *SKIP).code == 0


def rows(*arguments: str) -> list[dict[str, Any]]:
    done = karat_here(*arguments, *SKIP, "--format", "jsonl")
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.lines]


def only(source: str, target: str, **wanted: tuple[str, ...]) -> str:
    """The lines of a file about some runs and queries, and those about none."""
    lines = Path(source).read_text("utf-8").splitlines()
    for field, names in wanted.items():
        lines = [line for line in lines if json.loads(line).get(field) in (None, *names)]
    Path(target).write_text("".join(f"{line}\n" for line in lines))
    return target


@pytest.mark.parametrize("judge", [(), ("--judge", "lexical")])
def test_scores_are_those_of_files_with_only_these_runs(judge: tuple[str, ...]) -> None:
    source = JUDGED if not judge else RUNS
    key = only(KEY, "few.jsonl", run_id=("atlas", "birch"))
    part = only(source, "part.jsonl", run_id=("atlas", "birch"))
    assert rows("score", KEY, source, *judge, "--runs", "atlas,birch") == rows("score", key, part, *judge)


def test_scores_are_those_of_files_with_only_these_queries() -> None:
    ids = sorted({row["query_id"] for row in rows("score", KEY, JUDGED, "--by", "query")} - {"all"})
    key = only(KEY, "few.jsonl", query_id=tuple(ids[:5]))
    part = only(JUDGED, "part.jsonl", query_id=tuple(ids[:5]))
    chosen = rows("score", KEY, JUDGED, "--queries", ",".join(ids[:5]), "--by", "query")
    assert chosen == rows("score", key, part, "--by", "query")
    assert {row["query_id"] for row in chosen} - {"all"} == set(ids[:5])


def test_patterns_choose_several() -> None:
    found = {row["run_id"] for row in rows("score", KEY, JUDGED, "--runs", "[ab]*,librarian")}
    assert found == {"atlas", "birch", "librarian"}


@pytest.mark.parametrize("option", ["--runs", "--queries"])
@pytest.mark.parametrize("name", ["score", "judge", "validate", "compare", "stability"])
def test_a_name_that_is_not_there_is_answered_with_the_nearest(name: str, option: str) -> None:
    asked = "atls" if option == "--runs" else "no such"
    files = (KEY, RUNS) if name == "judge" else (KEY, JUDGED, RUNS)
    done = karat_here(name, *files, *SKIP, option, f"{asked}")
    assert (done.code, done.out) == (2, b"")
    assert f"{option}: there is no {'run' if option == '--runs' else 'query'} '{asked}'" in done.err
    assert "choose from " in done.err
    assert option == "--queries" or "(did you mean atlas?)" in done.err


def test_explain_shows_some_runs_and_knows_the_old_spelling() -> None:
    records = map(json.loads, Path(RUNS).read_text("utf-8").splitlines())
    query = next(record["query_id"] for record in records if "query_id" in record)
    calls = [("--runs", "atl*,birch"), ("--run", "atlas", "--run", "birch")]
    new, old = (rows("explain", KEY, RUNS, "--judge", "lexical", "--query", query, *call) for call in calls)
    assert new == old
    assert {row["run_id"] for row in new} == {"atlas", "birch"}


def test_commands_that_take_runs_have_the_options() -> None:
    wanted = {"score", "judge", "validate", "cite", "compare", "correlate", "stability", "density", "draft-key"}
    wanted |= {"nuggetize", "agree", "convert", "show", "lint"}
    assert wanted | {"nuggets-compare", "review", "plan"} <= set(commands_with("--queries"))
    assert wanted | {"nuggets-compare", "review", "explain", "plan"} <= set(commands_with("--runs"))


FEW = ("--runs", "atlas,b*", "--queries", "q1,q2")


def few() -> tuple[str, str, str]:
    """The three files with only what FEW asks for."""
    names = {"run_id": ("atlas", "birch"), "query_id": ("q1", "q2")}
    return only(KEY, "key2.jsonl", **names), only(JUDGED, "judged2.jsonl", **names), only(RUNS, "runs2.jsonl", **names)


def test_convert_writes_only_these() -> None:
    assert karat_here("convert", KEY, JUDGED, RUNS, *FEW, "-o", "part.jsonl").code == 0
    assert karat_here("convert", *few(), "-o", "same.jsonl").code == 0
    assert Path("part.jsonl").read_text() == Path("same.jsonl").read_text()
    records = map(json.loads, Path("part.jsonl").read_text().splitlines())
    assert {record["query_id"] for record in records if "query_id" in record} == {"q1", "q2"}


def test_show_counts_only_these() -> None:
    shown = json.loads(karat_here("show", RUNS, *FEW, "--format", "json").text)
    same = json.loads(karat_here("show", few()[2], "--format", "json").text)
    assert json.dumps(shown).replace(RUNS, "runs2.jsonl") == json.dumps(same)
    assert (
        karat_here("show", RUNS, *FEW, "--format", "jsonl").out == karat_here("show", few()[2], "--format", "jsonl").out
    )


def test_lint_finds_only_what_is_about_these() -> None:
    nug = {"kind": "nug", "query_id": "q2", "nug_id": "empty", "descriptions": [""]}
    for query_id in ("q2", "q7"):
        with Path(KEY).open("a") as stream:
            stream.write(json.dumps({**nug, "query_id": query_id}) + "\n")
    call = ("lint", KEY, JUDGED, RUNS, "--fail-on", "never", "--format", "jsonl")
    found = [json.loads(line) for line in karat_here(*call, *FEW).lines]
    assert found
    assert {row["query_id"] for row in found} == {"q2"}
    assert len(karat_here(*call).lines) > len(found)
    same = [json.loads(line) for line in karat_here("lint", *few(), *call[4:]).lines]
    assert sorted(row["code"] for row in found) == sorted(row["code"] for row in same)


def test_agree_compares_only_these() -> None:
    assert rows("agree", KEY, "--queries", "q1,q2") == rows("agree", few()[0])
    assert rows("agree", KEY) != rows("agree", KEY, "--queries", "q1,q2")


def test_key_diff_scores_only_these() -> None:
    key, judged, runs = few()
    call = ("--by", "words", *SKIP, "--format", "json")
    chosen = karat_here("key", "diff", KEY, KEY, JUDGED, RUNS, *FEW, *call)
    assert (chosen.code, chosen.out) == (0, karat_here("key", "diff", key, key, judged, runs, *call).out)


def test_nuggetize_reads_only_these() -> None:
    pytest.importorskip("spacy")
    chosen = karat_here("nuggetize", RUNS, *FEW, "--format", "jsonl")
    assert (chosen.code, chosen.out) == (0, karat_here("nuggetize", few()[2], "--format", "jsonl").out)
    assert chosen.out


@pytest.mark.parametrize("command", ["convert", "show", "lint", "agree", "nuggetize", "key diff"])
def test_names_that_are_not_there_are_refused_everywhere(command: str) -> None:
    files = (KEY, KEY, RUNS) if command == "key diff" else (RUNS,)
    done = karat_here(*command.split(), *files, "--runs", "atlsa", *(("-o", "x.jsonl") * (command == "convert")))
    assert (done.code, "--runs: there is no run 'atlsa' (did you mean atlas?)" in done.err) == (2, True), done.err
    assert not Path("x.jsonl").exists()
