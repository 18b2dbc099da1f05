from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import karat_here


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_paper_is_reproduced_by_one_command_and_by_karat_score() -> None:
    listed = karat_here("reproduce")
    assert {"white2008", "dang2007", "babko2012"} <= {line.split()[0] for line in listed.lines if line.strip()}
    done = karat_here("reproduce", "white2008", "--copy", ".")
    assert done.code == 0
    assert "92 of 100 figures are the same, 8 differ for a known reason." in done.err
    parts = "precision,recall,rightness,proficiency"
    score = ("score", "white2008.jsonl", "--average", "pool", "--format", "tsv", "--measures")
    rows = [line.split("\t") for line in karat_here(*score, parts).lines[1:]]
    values = {(row[0], row[2]): row[3] for row in rows}
    assert [f"{float(values['A', part]):.3f}" for part in parts.split(",")] == ["0.417", "0.500", "0.294", "0.400"]
    assert [f"{float(values['B', part]):.3f}" for part in parts.split(",")] == ["0.625", "1.000", "0.625", "0.909"]
    assert [values["D", part] for part in parts.split(",")] == ["", "0.0", "0.0", "0.0"]


def test_an_example_is_not_written_over_another_file() -> None:
    Path("white2008.jsonl").write_text("mine\n")
    done = karat_here("reproduce", "white2008", "--copy", ".")
    assert done.code == 2
    assert Path("white2008.jsonl").read_text() == "mine\n"
