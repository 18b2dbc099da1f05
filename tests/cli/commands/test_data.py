from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import karat_here
from karat.formats.datasets.catalog import public_collections


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KARAT_DATA", raising=False)


def test_every_collection_is_listed_with_its_home_and_licence() -> None:
    shown = karat_here("data")
    assert shown.code == 0
    for one in public_collections():
        assert f"{one.folder} (not here): {one.name}" in shown.text
        assert one.published in shown.text
    assert shown.err.strip() == "KARAT_DATA is not set, so no files were searched for."


def test_what_is_there_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "summhay").mkdir()
    (tmp_path / "summhay" / "eval_benchmark_data.json").write_text("[]")
    monkeypatch.setenv("KARAT_DATA", str(tmp_path))
    assert "summhay (1 here): SummHay" in karat_here("data").text
    told = karat_here("data", "summhay")
    assert f"here: {tmp_path / 'summhay' / 'eval_benchmark_data.json'} (summhay)" in told.text
    assert "to get it:" in told.text
    rows = [json.loads(line) for line in karat_here("data", "--format", "jsonl").lines]
    assert [row["folder"] for row in rows if row["found"]] == ["summhay"]


def test_mistakes_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unknown = karat_here("data", "nonsense")
    assert (unknown.code, unknown.err) == (
        2,
        "Error: no collection is called 'nonsense'; `karat data` lists all collections\n",
    )
    monkeypatch.setenv("KARAT_DATA", str(tmp_path / "nope"))
    assert karat_here("data").code == 2
