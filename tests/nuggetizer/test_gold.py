"""The quality of the nuggetizer on our own gold sentences; the rules were written with only gold_dev in view."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from karat.evaluate.nuggets.compare import compare_nuggets
from karat.formats import load
from karat.nuggetizer.nuggetizer import Nuggetizer
from karat.reports.nuggets import nugget_row

GOLD = Path(__file__).parent


@pytest.mark.parametrize(("name", "least"), [("gold_dev", 0.85), ("gold_held_out", 0.75), ("gold_second_author", 0.75)])
def test_f1_and_counts(name, least, tmp_path, analyzer):
    rows = [msgspec.json.decode(line) for line in (GOLD / f"{name}.jsonl").read_bytes().splitlines()]
    results = Nuggetizer(analyzer).nuggetize_many([row["text"] for row in rows])
    auto = tmp_path / "auto.jsonl"
    auto.write_bytes(
        b"\n".join(
            msgspec.json.encode(row | {"nuggets": [nugget_row(nugget) for nugget in result.nuggets], "source": "auto"})
            for row, result in zip(rows, results, strict=True)
        )
    )
    overall = compare_nuggets(load(auto), load(GOLD / f"{name}.jsonl")).parts[0]
    assert overall.f1.value >= least
    assert abs(overall.difference.value) <= 0.10
