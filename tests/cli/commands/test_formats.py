from __future__ import annotations

import json

from cli.running import karat_here
from karat.formats import FORMAT_NAMES, all_formats


def test_formats_lists_every_format_once() -> None:
    listed = karat_here("formats", "--format", "jsonl")
    assert (listed.code, listed.err) == (0, "")
    rows = [json.loads(line) for line in listed.lines]
    assert [row["format"] for row in rows] == list(FORMAT_NAMES)
    assert {row["format"]: row["writes"] for row in rows} == {
        format.name: format.write is not None for format in all_formats()
    }
    shown = karat_here("formats")
    assert [line.split()[0] for line in shown.lines if line].count("nuggetizer-bank") == 1
    assert any(line.split(maxsplit=1)[0] == "summhay" for line in shown.lines if line)
