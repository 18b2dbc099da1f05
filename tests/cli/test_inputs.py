from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.running import karat_here
from karat.cli.outputs import output_format as output_choices
from karat.cli.outputs import prints_result

LABELS = "query_id,run_id,nugget,importance,label\nq1,mine,bees dance,vital,1\nq1,mine,food is far,vital,{}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_runs_of_two_files_get_the_names_that_the_user_gives() -> None:
    Path("monday.csv").write_text(LABELS.format(0))
    Path("tuesday.csv").write_text(LABELS.format(1))
    done = karat_here("compare", "old=monday.csv", "new=tuesday.csv", "--baseline", "old", "--format", "jsonl")
    assert done.code == 0
    (row,) = map(json.loads, done.lines)
    assert (row["run_id"], row["versus"], row["value"]) == ("new", "old", 0.5)
    Path("a=b.csv").write_text(LABELS.format(1))
    assert "mine" in karat_here("score", "a=b.csv").out.decode()


def test_judgements_with_other_query_ids_than_the_key_are_named() -> None:
    key = {"kind": "nug", "query_id": "1", "nug_id": "a", "descriptions": ["x"], "importance": "vital"}
    Path("key.jsonl").write_text(json.dumps(key))
    Path("labels.jsonl").write_text(json.dumps({"query_id": "q01", "run_id": "r", "nug_id": "a", "label": 1}))
    done = karat_here("score", "key.jsonl", "labels.jsonl")
    assert done.code == 3
    assert "the key has '1', the judgements and runs have 'q01'. Perhaps 'q01' is '1'." in done.err


@pytest.mark.parametrize(
    ("arguments", "begin"),
    [
        (("-o", "x.tsv"), "run_id\tquery_id"),
        (("-o", "x.jsonl"), '{"kind":"score"'),
        (("-o", "x.tex"), "\\begin"),
        (("-o", "x.txt"), "run"),
        (("-o", "x.jsonl", "--format", "tsv"), "run_id\tquery_id"),
    ],
)
def test_the_name_of_the_output_says_its_format_unless_an_option_does(arguments: tuple[str, ...], begin: str) -> None:
    Path("labels.csv").write_text(LABELS.format(0))
    assert karat_here("score", "labels.csv", *arguments).code == 0
    assert Path(arguments[1]).read_text().lstrip("%").startswith(begin)


def test_an_output_that_the_command_cannot_write_is_refused() -> None:
    @click.command("small")
    @output_choices("table", "tsv")
    @prints_result
    def small(output_format: str) -> None:
        click.echo(output_format)

    done = CliRunner().invoke(small, ["-o", "x.csv"])
    assert done.exit_code == 2
    assert "-o x.csv: small does not write csv; choose one of table, tsv with --format" in done.output
    assert not Path("x.csv").exists()
    assert CliRunner().invoke(small, ["-o", "x.tsv"]).exit_code == 0
    assert Path("x.tsv").read_text() == "tsv\n"


def test_judgements_are_written_as_the_name_of_the_output_says() -> None:
    key = {"kind": "nug", "query_id": "1", "nug_id": "a", "descriptions": ["red fox"], "importance": "vital"}
    Path("key.jsonl").write_text(json.dumps(key))
    Path("mine.jsonl").write_text(json.dumps({"query_id": "1", "query": "What?", "answer": "A red fox [1]."}))
    assert karat_here("judge", "key.jsonl", "mine.jsonl", "--judge", "lexical", "-o", "x.csv").code == 0
    assert Path("x.csv").read_text().startswith("query_id,")
