"""A small hostile file ends in a message, not in gigabytes."""

from __future__ import annotations

import gzip
import time
import tracemalloc
from pathlib import Path

import pytest

from helpers import collect, messages
from karat.formats import load, open_inputs, open_reading
from karat.formats.inputs.query_matching import nearest
from karat.formats.io import byte_source, json_path, xml
from karat.model import InputError, KaratError

NUG = '{"kind":"nug","v":1,"query_id":"q","nug_id":"n","descriptions":["a"]}\n'


def peak(path: Path, *, format: str | None = None) -> tuple[str, int]:
    """What reading a file says, and how many MiB it took."""
    tracemalloc.start()
    try:
        with pytest.raises(KaratError) as error:
            list(open_reading(path, format=format))
        return str(error.value), tracemalloc.get_traced_memory()[1] >> 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("line", [b"[],", b" ", NUG.encode()], ids=["lists", "blanks", "records"])
def test_a_file_that_expands_beyond_reason_is_refused(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b"[" * (line == b"[],") + line * ((40 << 20) // len(line)), 9))
    assert path.stat().st_size < 400_000
    said, used = peak(path, format="karat" if line != b"[]," else "nuggetizer-bank")
    assert "it expands to more than 200 times its size" in said
    assert "gunzip" in said
    assert used < 200


def test_a_compressed_text_is_read_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl.gz"
    path.write_bytes(gzip.compress(NUG.encode()))
    assert len(load(path).nugs) == 1
    assert byte_source.FREE < 1 << 25


def test_the_text_beside_a_brat_file_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "q.ann").write_text("T1\tLOC 0 1\tx\n")
    (tmp_path / "q.txt").write_bytes(gzip.compress(b"x" * (40 << 20), 9))
    said, used = peak(tmp_path / "q.ann")
    assert "q.txt cannot be read: it expands to more than" in said
    assert used < 200


def test_a_document_of_very_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_path, "MAX_OBJECTS", 10)
    assert "has more than 10 objects and lists" in messages("[" + "[]," * 20 + "[]]", "nuggetizer-bank")[0]
    monkeypatch.setattr(json_path, "MAX_VALUES", 10)
    assert "has more than 10 values" in messages("[" + "1," * 20 + "1]", "nuggetizer-bank")[0]


def test_xml_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = '<!DOCTYPE pyramid [<!ATTLIST scu a CDATA "long">]><pyramid><scu/></pyramid>'
    with pytest.raises(InputError, match="a default for the attribute 'a' is not accepted"):
        collect(declared, "pyramid")
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 10)
    with pytest.raises(InputError, match="has more than 10 elements; split it"):
        collect("<pyramid>" + "<scu/>" * 20 + "</pyramid>", "pyramid")


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ('{"qid": "q", "query": "a", "query": "b", "nuggets": []}', "query"),
        ('{"qid": "q", "query": "a", "nuggets": [{"text": "x", "a": 1, "a": 2}]}', "a"),
        ('{"qid" : "q", "query" : "a", "nuggets" : [], "qid" : "r"}', "qid"),
    ],
)  # fmt: skip
def test_a_key_that_appears_twice_is_reported(row: str, key: str) -> None:
    assert messages(row, "nuggetizer-bank")[0] == f"1: the key {key!r} appears twice in one object; keep one of them"


def test_a_colon_in_a_text_is_no_key() -> None:
    row = r'{"qid": "q", "query": "he said \"a\": \"b\": c", "nuggets": []}'
    assert messages(row, "nuggetizer-bank") == []


def test_a_folder_at_the_top_of_a_disk_is_not_searched() -> None:
    with pytest.raises(KaratError, match="no data set that Karat reads as a folder"):
        list(open_reading("/"))


MANY = 100_000


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{" + ",".join(f'"k{at}":1' for at in range(MANY)) + "}", "the format is not recognised"),
        (f"query_id,{','.join(f'k{at}' for at in range(MANY))}\nq\n", "give no record"),
    ],
    ids=["fields", "columns"],
)
def test_very_many_names_are_not_all_compared_with_known_ones(data: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "names.csv" if said == "give no record" else tmp_path / "names.json"
    path.write_text(data)
    began = time.process_time()
    with pytest.raises(KaratError, match=said) as error:
        list(open_reading(path))
    # Comparing all of them took minutes.
    assert time.process_time() - began < 10
    assert len(str(error.value)) < 2000


def test_very_many_unknown_fields_of_a_record_and_very_many_ids_are_not_all_compared() -> None:
    began = time.process_time()
    fields = "".join(f',"k{at}":1' for at in range(MANY))
    assert len(collect(NUG.strip()[:-1] + fields + "}", "karat").nugs[0].extra) == MANY
    letters = [f"{chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)}" * 5 for at in range(17_000)]
    assert nearest(letters, [f"?{each[::-1]}!" * 2 for each in letters[:100]]) is None
    assert time.process_time() - began < 15


def test_a_line_repeated_very_often_costs_little_more_than_its_place() -> None:
    inputs = open_inputs((NUG * 1000).encode(), on_error="skip")
    assert len(list(inputs)) == 1
    assert {problem.message for problem in inputs.problems} == {
        "the nug with query_id 'q', nug_id 'n' is already on line 1"
    }
    assert len(inputs.problems) == 999
    # One text for all of them, not one each.
    assert len(set(map(id, inputs.definitions.conflicts.values()))) == 1
