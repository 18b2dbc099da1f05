"""Blocks of plain judgements that are read without decoding: the same columns as by decoding, or None."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.formats.karat import plain
from karat.formats.karat.plain import Codes, PlainBatch
from karat.model import Judgement, encode_record

ids = st.one_of(st.sampled_from(["q1", "q2", "ü", ""]), st.text(max_size=90))
judgements = st.builds(
    Judgement,
    query_id=ids,
    run_id=ids.filter(bool),
    nug_id=ids,
    degree=st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)),
    judge=st.just("person"),
)


def both(block: bytes) -> tuple[PlainBatch | None, PlainBatch | None]:
    """Read by its layout, and decoded."""
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    return (
        plain._laid_out_block(block, lines, 1, Codes(), b"person"),
        plain._decoded_block(block, lines, 1, Codes(), b"person"),
    )


def block_of(records: list[Judgement]) -> bytes:
    return b"".join(encode_record(record) + b"\n" for record in records)


@given(st.lists(judgements, min_size=1, max_size=30))
def test_what_is_read_is_what_decoding_gives(records: list[Judgement]) -> None:
    by_layout, _ = both(block_of(records))
    if by_layout is not None:
        assert by_layout.records == records


def test_usual_lines_are_read_by_their_layout() -> None:
    records = [
        Judgement(query_id=f"q{query}", run_id=f"a-rather-long-name-of-run-{run}", nug_id=f"n{nug}",
                  degree=(nug % 3) / 2, judge="person")
        for query in range(3) for run in range(4) for nug in range(5)
    ]  # fmt: skip
    by_layout, decoded = both(block_of(records))
    assert by_layout is not None
    assert decoded is not None
    assert by_layout.records == decoded.records == records
    # Numbers are given in the order in which texts come.
    assert by_layout.codes.nugs.names == decoded.codes.nugs.names == ["n0", "n1", "n2", "n3", "n4"]


LINE = (
    b'{"kind":"judgement","v":1,"query_id":"q","run_id":"r","nug_id":"n","degree":1.0,"judge":"person","status":"ok"}\n'
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"q"', b'"q\\u0041"'),
        (b'"q"', b'"q\t"'),
        (b'"q"', b'"q\xff"'),
        (b'"r"', b'""'),
        (b"1.0", b"1.5"),
        (b"1.0", b"NaN"),
        (b"1.0", b""),
        (b"1.0", b"1.0,2"),
        (b"1.0", b"null"),
        (b"1.0", b"1e400"),
        (b'"judge":"person"', b'"judge":"other"'),
        (b'"v":1', b'"v":2'),
        (b'"n"', b'"' + b"n" * 65 + b'"'),
        (b"\n", b"\r\n"),
        (b"\n", b" \n"),
        (b"\n", b""),
        (b"{", b" {"),
        (b'"query_id":"q","run_id":"r"', b'"run_id":"r","query_id":"q"'),
        (b'"nug_id":"n"', b'"nug_id":"n","nug_id":"m"'),
        (b'"status":"ok"', b'"status":"failed"'),
    ],
)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_anything_else_is_left_to_decoding(old: bytes, new: bytes, at: int) -> None:
    lines = [LINE] * 3
    lines[at] = LINE.replace(old, new)
    if new == b"":
        lines = lines[at:] if old != b"\n" else [*lines[:2], LINE[:-1]]
    assert both(b"".join(lines))[0] is None


@given(st.binary(max_size=4), st.integers(0, len(LINE) * 3), st.integers(0, 4))
def test_a_changed_block_is_read_as_decoding_reads_it(put: bytes, at: int, cut: int) -> None:
    block = LINE * 3
    block = block[:at] + put + block[at + cut :]
    if not block:
        return
    by_layout, decoded = both(block)
    if by_layout is not None:
        assert decoded is not None
        assert by_layout.records == decoded.records


def test_a_degree_may_have_any_form_of_a_number() -> None:
    block = LINE.replace(b"1.0", b"1") + LINE.replace(b"1.0", b"5e-1") + LINE.replace(b"1.0", b"-0.0")
    by_layout, decoded = both(block)
    assert by_layout is not None
    assert decoded is not None
    assert msgspec.json.encode(by_layout.records) == msgspec.json.encode(decoded.records)


def test_a_line_without_its_kind_is_no_judgement() -> None:
    """Even where another key is there twice, so that it has as many keys as a judgement."""
    from karat.formats.karat.plain import Codes, plain_block

    line = b'{"v": 1,"v": 1,"query_id":"q","run_id":"r","nug_id":"n","degree":1.0,"judge":"x","status":"ok"}\n'
    assert plain_block(line, 1, 1, Codes()) is None
    whole = line.replace(b'"v": 1,', b'"kind": "judgement",', 1)
    assert plain_block(whole, 1, 1, Codes()) is not None


@pytest.mark.parametrize(
    "block",
    [
        LINE[:-1] + LINE + b"\n",
        LINE + LINE[:-1] + LINE + b"\n",
        LINE.replace(b',"nug_id"', b',\n"nug_id"') + LINE[:-1] + LINE,
        b"\n" + LINE[:-1] + LINE,
    ],
)
def test_judgements_that_do_not_keep_to_lines_are_not_read_as_if_they_did(block: bytes) -> None:
    """A line with two of them and a blank line have as many keys as two lines."""
    assert both(block) == (None, None)
