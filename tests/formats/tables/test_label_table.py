from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import karat.formats.tables.csv as csv_module
import karat.formats.tables.tsv as tsv_module
from karat.formats import Source
from karat.formats.inputs.inputs import Inputs
from karat.formats.inputs.reading import Reading
from karat.formats.tables.label_table import csv_rows, read_label_table, tsv_rows
from karat.model import InputError, Judgement

IDS = ["1", "2", " 2", "a b"]
CELLS = {
    "qid": IDS, "question": ["Why?", "Why not?"], "system": ["r1", "r2", "'-r3"], "nugget_id": IDS,
    "nugget": ["a fox", "a, \"b\"", "'=x", "two\nlines", "naïve"], "importance": ["vital", "okay", "2"],
    "label": ["support", "Partial Support", "0.5", "1", "no"], "assessor": ["ann", "", "given"],
    "judge": ["", "llm"], "sentence_id": ["", "1"],
}  # fmt: skip
BAD = {"label": ["", "seven", "1.5", "failed", "unknown", "'0.5"], "importance": ["", "huge"], "qid": ["", "'"]}


def as_csv(rows: list[list[str]], end: str = "\r\n") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows(rows)
    return text.getvalue().encode()


def as_tsv(rows: list[list[str]]) -> bytes:
    return "\n".join("\t".join(cell.replace("\n", " ") for cell in row) for row in rows).encode()


def what_is_read(name: str, data: bytes) -> list[Any]:
    """Everything that a user can see: records with lines, problems, warnings."""
    reading = Reading(Source(name, data), on_error="skip", format=name.rpartition(".")[2])
    records = [(record, reading.line) for record in reading]
    return [records, reading.source.problems, reading.source.warnings, reading.source.unlisted]


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """Tables of labels, of which about every second has something wrong in it."""
    optional = draw(st.sets(st.sampled_from([*CELLS, "remark"])))
    names = [name for name in (*CELLS, "remark") if name in optional | {"qid", "nugget_id", "label"}]
    cells = {"remark": ["", "good"]} | CELLS
    if draw(st.booleans()):
        cells = {name: [*known, *BAD.get(name, ["", " "])] for name, known in cells.items()}
    row = st.tuples(*(st.sampled_from(cells[name]) for name in names)).map(list)
    rows = draw(st.lists(row, max_size=6))
    if draw(st.integers(0, 4)) == 0:
        rows.append(draw(st.lists(st.sampled_from(["", "1", "x"]), max_size=9)))
    return [names, *rows]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.sampled_from(["t.csv", "t.tsv"]))
def test_nothing_differs_from_reading_row_by_row(table: list[list[str]], name: str) -> None:
    data = as_csv(table) if name == "t.csv" else as_tsv(table)
    fast = what_is_read(name, data)
    with pytest.MonkeyPatch.context() as patch:
        for module in (csv_module, tsv_module):
            patch.setattr(module, "read_label_table", lambda *_, **__: None)
        assert fast == what_is_read(name, data)


HEADER = ["qid", "system", "nugget_id", "label"]
GOOD = [HEADER, ["1", "r1", "a", "support"], [], ["1", "r2", "a", "0.5"]]


@pytest.mark.parametrize("columns", [[], ["judge", "assessor"], ["sentence_id"], ["question", "nugget", "importance"]])
def test_tables_of_labels_are_read_this_way(columns: list[str]) -> None:
    header = [*HEADER, *columns]
    rows = [header, *([f"{n % 3}", f"r{n % 2}", f"n{n}", "1", *(CELLS[name][0] for name in columns)] for n in range(6))]
    for data, split in ((as_csv(rows), csv_rows), (as_tsv(rows), tsv_rows)):
        source = Source("t", data)
        table = read_label_table(source, header, split(source))
        assert table is not None
        assert (len(table.judgements), list(table.lines)) == (6, [2, 3, 4, 5, 6, 7])
        # Equal ids are one text in memory.
        assert table.judgements[0].query_id is table.judgements[3].query_id


def test_lines_are_counted_through_cells_and_blank_lines() -> None:
    source = Source("t.csv", b'qid,nug,system,label\n\n1,"two\nlines",r,1\n\n2,x,r,0\n')
    table = read_label_table(source, ["qid", "nug", "system", "label"], csv_rows(source))
    assert table is not None
    assert list(table.lines) == [3, 6]


@pytest.mark.parametrize(
    "rows",
    [
        [HEADER, ["1", "r", "a", "support"], ["1", "r", "a", "support"]],
        [HEADER, ["1", "r", "a", "seven"]],
        [HEADER, ["1", "r", "a", ""]],
        [HEADER, ["1", "", "a", "0"]],
        [HEADER, ["1", "r", "a"]],
        [[*HEADER, "remark"], ["1", "r", "a", "0", "x"]],
        [["qid", "system", "answer"], ["1", "r", "A fox."]],
    ],
)
def test_what_is_unusual_is_left_to_the_careful_reader(rows: list[list[str]]) -> None:
    source = Source("t.csv", as_csv(rows))
    assert read_label_table(source, rows[0], csv_rows(source)) is None
    assert not source.problems


def test_a_broken_file_is_reported_once() -> None:
    with pytest.raises(InputError, match="UTF-8") as error:
        list(Reading(Source("t.csv", as_csv(GOOD) + b"1,r3,\xff,1\n")))
    assert len(error.value.problems) == 1


def test_judgements_of_a_table_are_checked_together() -> None:
    inputs = Inputs([Reading(Source("t.csv", as_csv(GOOD)))])
    kinds = [{type(record) for record in batch.records} for batch in inputs.batches()]
    assert {Judgement} in kinds
    assert inputs.problems == []
