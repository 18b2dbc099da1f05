from __future__ import annotations

import io
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import round_trip, sniffed
from karat.formats import Source, load, open_reading, read, write, write_bytes
from karat.formats.inputs.reading import Reading
from karat.formats.io.source import MAX_DOCUMENT
from karat.formats.karat.parquet_layout import columns
from karat.model import AnyRecord, InputError, Judgement, MissingExtra, Nug, Vote
from strategies import moderately
from strategies import records as any_records

JUDGED = Judgement(query_id="q", run_id="r", nug_id="n", degree=0.5, judge="person")


@moderately
@given(st.lists(any_records, min_size=1, max_size=6))
def test_every_record_comes_back(records: list[AnyRecord]) -> None:
    round_trip(records, "parquet")


def test_the_order_of_probabilities_comes_back() -> None:
    odd = Judgement(query_id="q", run_id="r", nug_id="n", probabilities={"1": 0.25, "0": 0.75}, judge="llm")
    (found,) = read(write_bytes([odd], format="parquet"))
    assert isinstance(found, Judgement)
    assert list(found.probabilities.items()) == [("1", 0.25), ("0", 0.75)]


def test_other_tools_see_plain_columns(tmp_path: Path) -> None:
    sure = Judgement(
        query_id="q", run_id="r", nug_id="m", degree=1.0, probabilities={"0": 0.1, "0.5": 0.2, "1": 0.7}, judge="llm",
        extra={"minutes": 2},
    )  # fmt: skip
    write([JUDGED, sure, Vote(query_id="q", nug_id="n", assessor="ann", value="vital")], tmp_path / "all.parquet")
    frame = pd.read_parquet(tmp_path / "all.parquet")
    assert list(frame.columns) == list(columns())
    assert list(frame["degree"][:2]) == [0.5, 1.0]
    assert frame["probability_full"][1] == 0.7
    assert frame["extra"][1] == '{"minutes":2}'
    assert frame["value_text"][2] == "vital"


def made(table: dict[str, list[Any]]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(table), buffer)
    return buffer.getvalue()


def test_columns_that_karat_does_not_know_are_unknown_fields() -> None:
    row = {"kind": ["judgement"], "query_id": ["q"], "run_id": ["r"], "nug_id": ["n"], "judge": ["person"]}
    (found,) = read(made(row | {"degree": [1], "colour": ["red"], "parts": [[1, 2]]}))
    assert found == Judgement(
        query_id="q", run_id="r", nug_id="n", degree=1.0, judge="person", extra={"colour": "red", "parts": [1, 2]}
    )


def test_bad_values_are_repaired_and_reported_like_those_of_jsonl() -> None:
    row = {"kind": ["judgement"] * 2, "query_id": ["q"] * 2, "run_id": ["r"] * 2, "nug_id": ["n", "m"]}
    data = made(row | {"judge": ["person"] * 2, "degree": [0.5, 2.0], "status": ["ok"] * 2})
    reading = open_reading(data, on_error="skip")
    first, second = reading
    assert isinstance(first, Judgement)
    assert isinstance(second, Judgement)
    assert (first.status, second.status) == ("ok", "failed")
    assert [(problem.line, problem.path) for problem in reading.source.problems] == [(2, "degree")]
    with pytest.raises(InputError):
        load(data)


def test_a_file_without_kinds_says_which_columns_it_has() -> None:
    with pytest.raises(InputError, match="has no column 'kind', so these are not Karat's records; its columns: a, b"):
        list(read(made({"a": [1], "b": [2]})))


def test_json_that_is_none_is_reported() -> None:
    row = {"kind": ["nug"], "query_id": ["q"], "nug_id": ["n"], "descriptions": ["[oh"]}
    with pytest.raises(InputError, match="1: descriptions: is not JSON"):
        list(read(made(row)))


@pytest.mark.parametrize("cut", [5, 200, -8, -1])
def test_a_damaged_file_is_refused_with_a_message(cut: int) -> None:
    data = write_bytes([JUDGED] * 300, format="parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(read(data[:cut]))


@settings(moderately, derandomize=True)
@given(st.data())
def test_no_byte_that_changes_ends_in_another_error(data: st.DataObject) -> None:
    whole = bytearray(write_bytes([JUDGED, Nug(query_id="q", nug_id="n", descriptions=("a bee",))], format="parquet"))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(4, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(InputError):
        list(Reading(Source("<bytes>", bytes(whole)), format="parquet"))


def test_a_small_file_cannot_become_a_huge_one() -> None:
    count = 4_000
    long = "x" * (2 * MAX_DOCUMENT // count)
    same = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([long]))
    rows = {"kind": ["document"] * count, "doc_id": [str(at) for at in range(count)], "text": same}
    with pytest.raises(InputError, match="4,000 rows hold more than 256 MiB"):
        list(read(made(rows)))


def test_it_is_recognised_by_its_first_bytes() -> None:
    assert sniffed(write_bytes([JUDGED], format="parquet"), "judgements.bin") == "parquet"


def test_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_bytes([JUDGED], format="parquet")
    import karat.model.errors as errors

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name, name=name)

    monkeypatch.setattr(errors, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"Reading Parquet needs .* pip install '.\[parquet\]'"):
        list(read(data))


def test_a_bit_that_flips_is_never_another_record() -> None:
    """Anywhere before the footer, which has no checksum: the names of columns are there."""
    records = [
        Judgement(query_id=f"q{at}", run_id="r", nug_id="n", degree=0.5, judge="llm", extra={"common_error": at})
        for at in range(50)
    ]
    data, chance = write_bytes(records, format="parquet"), random.Random(5)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    wrong = 0
    for _ in range(150):
        flipped = bytearray(data)
        flipped[chance.randrange(4, footer)] ^= 1 << chance.randrange(8)
        try:
            found = list(read(bytes(flipped)))
        except InputError:
            wrong += 1
            continue
        assert found == records
    assert wrong > 100


@pytest.mark.parametrize("v", [[1.0, 1.0], [True, True]])
def test_a_version_is_a_whole_number_however_rows_are_read(v: list[object]) -> None:
    row = {"kind": ["judgement"] * 2, "query_id": ["q"] * 2, "run_id": ["r"] * 2, "nug_id": ["n", "m"]}
    plain = row | {"judge": ["person"] * 2, "degree": [0.5, 0.5], "status": ["ok"] * 2, "v": v}
    for columns_of_it in (plain, plain | {"assessor": ["ann", "ann"]}):
        with pytest.raises(InputError, match="v: must be a whole number"):
            load(made(columns_of_it))
