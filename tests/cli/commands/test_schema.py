from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from cli.running import karat_here

QUERY = '{"kind":"query","v":1,"query_id":"q1","text":"why"}\n'


def test_the_schema_accepts_a_record_and_refuses_what_is_none(tmp_path: Path) -> None:
    target = tmp_path / "schema.json"
    written = karat_here("schema", "-o", target)
    assert (written.code, written.out, written.err) == (0, b"", "")
    schema = json.loads(target.read_text())
    assert json.loads(karat_here("schema").out) == schema
    jsonschema.validate(json.loads(QUERY), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"kind": "query", "v": 1, "query_id": 7}, schema)
