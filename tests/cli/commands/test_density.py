from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from builders.cases import run_nugget
from builders.records import response
from karat.cli.commands.density import command
from karat.model import Record, encode_record
from measures.distillation.test_density import RECORDS


def density(records: list[Record], folder: Path, *options: str) -> Result:
    file = folder / "annotated.jsonl"
    file.write_bytes(b"".join(encode_record(record) + b"\n" for record in records))
    return CliRunner().invoke(command, [str(file), *options])


def test_the_command_prints_a_table(tmp_path: Path) -> None:
    done = density(RECORDS, tmp_path, "--by", "run")
    assert done.exit_code == 0, done.output
    assert [line.split() for line in done.stdout.splitlines() if line][2:] == [
        ["A", "10", "2", "5.00"],
        ["B", "20", "1", "20.00"],
        ["all", "30", "3", "10.00"],
    ]


def test_the_command_prints_jsonl(tmp_path: Path) -> None:
    done = density(RECORDS, tmp_path, "--text", "all", "--format", "jsonl")
    assert json.loads(done.stdout) == {"run_id": "all", "chars": 35, "nuggets": 4, "density": 8.75, "reason": None}


def test_the_command_says_why_it_cannot_estimate(tmp_path: Path) -> None:
    done = density([response("A", "abc"), run_nugget("A1")], tmp_path)
    assert done.exit_code == 3
    assert done.stderr == (
        "The density cannot be estimated: no snippet with nuggets is labelled irrelevant; "
        "use all nuggetized text with --text all.\n"
    )


def test_a_run_without_density_is_reported(tmp_path: Path) -> None:
    done = density([*RECORDS, response("C", "xyz"), run_nugget("C1")], tmp_path, "--by", "run")
    assert (done.exit_code, done.stderr) == (0, "run C: no snippet with nuggets is labelled irrelevant\n")
    assert ["C", "0", "0", "-"] in [line.split() for line in done.stdout.splitlines()]
