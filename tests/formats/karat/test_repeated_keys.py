"""A key that appears twice in a line of Karat's own JSONL is reported, however the lines are proven to have none."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from helpers import messages
from karat.formats import read
from karat.formats.io.json_path import repeated_key
from karat.formats.karat.repeated_keys import repeated_keys
from karat.model import InputError
from karat.model.codec import fast_decoder

LINE = '{"kind":"judgement","v":1,"query_id":"q","run_id":"r","nug_id":"%s","degree":1.0,"judge":"p","status":"ok"}'
REPEATED = LINE.replace('"degree":1.0', '"degree":1.0,"degree":0.0')


def found(*lines: str) -> list[tuple[int, str]]:
    data = [line.encode() for line in lines]
    return list(repeated_keys(data, list(map(fast_decoder(), data))))


def test_it_is_reported_with_its_line_and_stops_the_work() -> None:
    lines = [LINE % "n1", REPEATED % "n2", LINE % "n3"]
    said = "the key 'degree' appears twice in one object; keep one of them"
    assert messages("\n".join(lines), "karat") == [f"2: {said}"]
    with pytest.raises(InputError, match=said):
        list(read("\n".join(lines).encode()))


def test_it_is_reported_in_a_block_with_broken_and_unknown_lines() -> None:
    nug = '{"kind":"nug","query_id":"q","nug_id":"n1","descriptions":["a"],"x":1,"x":2}'
    assert messages("\n".join([nug, "", "oops", REPEATED % "n1"]), "karat") == [
        "1: the key 'x' appears twice in one object; keep one of them",
        "3: is not JSON: invalid character (byte 0)",
        "4: the key 'degree' appears twice in one object; keep one of them",
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([LINE % "a", LINE % "b"], []),
        ([LINE % "a:b", LINE % "b"], []),
        # Another line has a key less, so that the number of colons is that of lines without a fault.
        ([LINE % "a", REPEATED % "b", (LINE % "c").replace('"degree":1.0,', "")], [(1, "degree")]),
        ([(LINE % "a").replace('"v":1,', ""), (REPEATED % "b").replace('"v":1,', "")], [(1, "degree")]),
        ([LINE % "a", (REPEATED % "b").replace('"v":1,', "")], [(1, "degree")]),
        ([LINE % "a", (REPEATED % "b").replace(',"status":"ok"', "")], [(1, "degree")]),
        ([(LINE % "a").replace('"degree":', '"degree" :'), REPEATED % "b"], [(1, "degree")]),
        ([(LINE % "a").replace("ok", "failed"), (LINE % "b").replace('"v":1', '"status":"unknown"')], [(1, "status")]),
        ([LINE % "a", (LINE % "b").replace('"degree":1.0', '"probabilities":{"1":0.5,"1":0.25}')], [(1, "1")]),
        (
            [LINE % "a", (LINE % "b").replace('"degree":1.0', '"evidence":{"words":["x"],"words":["y"]}')],
            [(1, "words")],
        ),
    ],
)
def test_no_other_line_hides_it(lines: list[str], expected: list[tuple[int, str]]) -> None:
    assert found(*lines) == expected


def test_many_blocks_agree_with_a_decoder_that_looks_at_every_pair() -> None:
    rng = random.Random(0)
    values: dict[str, list[Any]] = {
        "v": [1], "query_id": ["q", "a:b", 'say ": x'], "run_id": ["r"], "nug_id": ["n", "status"],
        "snippet_id": ["1", None], "degree": [0, 0.5, None], "judge": ["p"], "assessor": ["a", None],
        "probabilities": [{}, {"0": 0.5, "1": 0.5}], "evidence": [None, {}, {"words": ["a"]}, {"spans": [[0, 1]]}],
        "status": ["ok", "ok", "failed"],
    }  # fmt: skip
    needed = {"query_id", "run_id", "nug_id", "judge"}
    checked = 0
    for _ in range(3000):
        lines = []
        for _ in range(rng.randint(1, 4)):
            names = [name for name in values if name in needed or rng.random() < 0.7]
            if rng.random() < 0.2:
                names.insert(rng.randrange(len(names)), rng.choice(names))
            mark = rng.choice([":", ":", ": ", " : "])
            pairs = [f"{json.dumps(name)}{mark}{json.dumps(rng.choice(values[name]))}" for name in names]
            lines.append('{"kind":"judgement",' + ",".join(pairs) + "}")
        # A repeated version or status that says the same changes nothing, and may go unnoticed.
        true = [(at, key) for at, line in enumerate(lines) if (key := repeated_key(line.encode())) is not None]
        must = {(at, key) for at, key in true if key not in ("v", "status") or "failed" in lines[at]}
        assert must <= set(found(*lines)) <= set(true)
        checked += bool(true)
    assert checked > 1000


@pytest.mark.parametrize("key", ['"v":1', '"status":"ok"'])
@pytest.mark.parametrize("blank", ["", " "])
def test_a_key_that_says_the_same_twice_is_reported_beside_any_other_line(key: str, blank: str) -> None:
    twice = (LINE % "b").replace('"degree":1.0', f'"degree":1.0,{key}')
    without = (LINE % "c").replace(f"{key},", "").replace(f",{key}", "")
    name = key.split('"')[1]
    said = f"the key {name!r} appears twice in one object; keep one of them"
    for others in ([], [LINE % "a"], [without], [LINE % "a", without]):
        lines = [line.replace(":", f":{blank}") for line in (*others, twice)]
        assert messages("\n".join(lines), "karat") == [f"{len(lines)}: {said}"]
    assert messages(f"{twice}\noops", "karat")[0] == f"1: {said}"
