from __future__ import annotations

import datetime
import io
import json
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat as package
from cli.running import karat
from helpers import lost, round_trip
from karat.formats import Source, load, open_reading, write
from karat.formats.io.head import Head
from karat.formats.outputs.writing import write_bytes
from karat.formats.tables import xlsx
from karat.formats.tables.xlsx import sniff_xlsx
from karat.model import Collection, InputError, Judgement, Nug, Query, Response, Run, Snippet, UsageError
from karat.model.errors import MissingExtra

KEY, _, RUNS = package.demo_files()
HEADER = ["qid", "question", "system", "answer", "nugget", "importance", "label", "note"]
ROWS = [
    [7, "why do bees dance", "a", "They tell the way.", "it tells the way", "vital", "support", "sure"],
    [7, "why do bees dance", "a", "They tell the way.", "it tells how far", "okay", "not_support", None],
    [7, "why do bees dance", "b", None, "it tells the way", "vital", "partial_support", None],
]


def workbook(**sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return saved(book)


def saved(book: Any) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def with_part(content: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """The workbook with a part changed by hand."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as after:
        for entry in before.infolist():
            part = before.read(entry)
            if entry.filename == name:
                assert old in part
                part = part.replace(old, new, 1)
            after.writestr(entry.filename, part)
    return buffer.getvalue()


def problems(content: bytes, name: str = "key.xlsx") -> list[str]:
    with pytest.raises(InputError) as error:
        list(open_reading(Source(name, content)))
    return [str(problem) for problem in error.value.problems]


def test_a_sheet_reads_as_csv_does() -> None:
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in [HEADER, *ROWS]]
    from_csv = Collection(open_reading("\n".join(lines).encode(), format="csv"))
    collection = Collection(open_reading(workbook(labels=[HEADER, *ROWS])))
    assert collection == from_csv
    assert len(collection.judgements) == 3
    round_trip(collection, "xlsx")


def test_recognised_by_content() -> None:
    content = workbook(a=[HEADER])
    assert sniff_xlsx(Head(Source("table", content)))
    assert not sniff_xlsx(Head(Source("x.xlsx", b"qid,question\n")))
    assert not sniff_xlsx(Head(Source("archive.zip", b"PK\x03\x04 anything else")))


def test_numbers_and_dates_stay_what_they_look_like() -> None:
    rows = [
        ["query_id", "nug_id", "nug", "weight", "seen", "good"],
        [7.0, 12, "a", 0.5, datetime.datetime(2024, 5, 1), True],
        [datetime.date(2024, 1, 2), 1e20, "b", 2, datetime.datetime(2024, 5, 1, 13, 30), None],
    ]
    one, two = Collection(open_reading(workbook(key=rows))).nugs
    assert (one.query_id, one.nug_id, one.weight) == ("7", "12", 0.5)
    assert one.extra == {"seen": "2024-05-01", "good": "true"}
    assert (two.query_id, two.nug_id, two.weight) == ("2024-01-02", "1e+20", 2.0)
    assert two.extra["seen"] == "2024-05-01 13:30:00"


def test_what_is_wrong_is_reported_with_sheet_and_row() -> None:
    content = workbook(**{"my key": [["qid", "nug_id", "nug", "importance"], [1, 1, "a", "vitl"], [], [2, None, None]]})
    assert problems(content)[0] == "key.xlsx:my key!2: importance: 'vitl' is not one of vital, okay, ok"
    assert problems(content)[1].startswith("key.xlsx:my key!4: ")
    too_long = workbook(s=[["qid", "nug"], [1, "a", None, "b"]])
    assert problems(too_long) == ["key.xlsx:s!2: the row has 4 values for 2 columns"]
    twice = workbook(s=[["qid", "nug", "nug"], [1, "a", "b"]])
    assert problems(twice) == ["key.xlsx:s!1: the column 'nug' appears twice in the header"]


def test_rows_above_the_header_may_be_empty_and_numbers_are_those_of_the_sheet() -> None:
    content = workbook(s=[[], [], ["qid", "nug", "importance"], [1, "a", "vital"], [1, "b", "x"]])
    assert problems(content) == ["key.xlsx:s!5: importance: 'x' is not one of vital, okay, ok"]


def test_formulas_are_not_computed_and_errors_are_no_values() -> None:
    rows = [["qid", "nug_id", "nug"], [1, 1, "=1+1"], [1, 2, "fine"], [1, 3, "#N/A"]]
    content = workbook(s=rows)
    assert problems(content) == [
        "key.xlsx:s!2: nug: the cell has a formula, which is not computed; put its value there",
        "key.xlsx:s!4: nug: the cell has the error #N/A",
    ]
    skipped = Collection(open_reading(Source("key.xlsx", content), on_error="skip"))
    assert [nug.nug_id for nug in skipped.nugs] == ["2"]


def test_every_sheet_is_a_table() -> None:
    key = [["qid", "question", "nug_id", "nug"], [1, "why?", 1, "a"]]
    runs = [["qid", "question", "run", "answer"], [1, "why?", "r", "because"]]
    collection = load(Source("both.xlsx", workbook(key=key, empty=[], runs=runs)))
    assert collection.queries == [Query(query_id="1", text="why?")]
    assert [nug.nug_id for nug in collection.nugs] == ["1"]
    assert collection.responses == [
        Response(query_id="1", run_id="r", snippets=(Snippet(snippet_id="1", text="because"),))
    ]


def test_a_sheet_that_is_no_table_is_reported_and_can_be_left_out() -> None:
    content = workbook(key=[["qid", "nug_id", "nug"], [1, 1, "a"]], notes=[["remark"], ["ask Ada"]])
    [message] = problems(content)
    assert message.startswith("key.xlsx:notes!1: the columns remark give no record; a table needs ")
    assert message.endswith("Delete the sheet, or leave it out with --on-error skip")
    assert len(Collection(open_reading(Source("key.xlsx", content), on_error="skip")).nugs) == 1


def test_no_table_at_all() -> None:
    assert "the columns remark give no record" in problems(workbook(notes=[["remark"], ["x"]]))[0]
    assert problems(workbook(a=[], b=[])) == ["key.xlsx: no sheet has any cell"]


@pytest.mark.parametrize("content", [b"PK\x03\x04 xl/ cut off", b"\xd0\xcf\x11\xe0 an older file", b"x"])
def test_a_broken_file_says_what_to_do(content: bytes) -> None:
    [message] = problems(content)
    assert message.startswith("key.xlsx: cannot be read as XLSX (")
    assert message.endswith("save it as XLSX without a password, or as CSV")


def test_no_mutation_ends_in_a_traceback() -> None:
    content = workbook(key=[["qid", "nug_id", "nug"], [1, 1, "a"]])
    for at in range(0, len(content), 37):
        broken = content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]
        with suppress(InputError, UsageError):
            list(open_reading(Source("key.xlsx", broken), format="xlsx", on_error="skip"))


def test_bombs_and_giant_sheets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = workbook(s=[["qid", "nug"], [1, "a"]])
    bomb = with_part(content, "xl/worksheets/sheet1.xml", b"</sheetData>", b"</sheetData>" + b" " * (80 << 20))
    assert len(bomb) < 1 << 20
    assert problems(bomb)[0].startswith("key.xlsx: the workbook unpacks to 80 MiB in ")
    far = with_part(content, "xl/worksheets/sheet1.xml", b'r="2"', b'r="999999999"')
    records = list(open_reading(Source("key.xlsx", far), on_error="skip"))
    assert len(records) <= 2
    wide = with_part(content, "xl/worksheets/sheet1.xml", b'r="B2"', b'r="XFD2"')
    assert problems(wide) == ["key.xlsx:s!2: the row has 16,384 columns; at most 1,000 are read"]


def test_entities_are_refused() -> None:
    content = workbook(s=[["qid", "nug"], [1, "a"]])
    bomb = with_part(content, "xl/workbook.xml", b"<workbook", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook')
    assert problems(bomb) == ["key.xlsx: xl/workbook.xml defines entities, which no workbook needs"]


FORMULAS = ("=1+1", "+1", "-1 is less", "@home", "=cmd|' /C calc'!A0", "'quoted", "\ttab")


def test_text_is_written_as_text() -> None:
    nugs = [Nug(query_id="007", nug_id=f"{at}", descriptions=(text,)) for at, text in enumerate(FORMULAS)]
    content = round_trip([Query(query_id="007", text="=2"), *nugs], "xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    cells = [cell for row in sheet.iter_rows(min_row=2) for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s"}
    assert any(cell.quotePrefix for cell in cells)


def test_scores_are_numbers_and_ids_are_text() -> None:
    judged = [
        Query(query_id="01", text="q"),
        Run(run_id="2"),
        Response(query_id="01", run_id="2", snippets=()),
        Nug(query_id="01", nug_id="1", descriptions=("a",), weight=0.25),
        Judgement(query_id="01", run_id="2", nug_id="1", degree=0.5, judge="given"),
    ]
    content = round_trip(judged, "xlsx")
    header, row = list(openpyxl.load_workbook(io.BytesIO(content)).active.iter_rows(values_only=True))
    cells = dict(zip(header, row, strict=True))
    assert (cells["query_id"], cells["run_id"], cells["nug_id"]) == ("01", "2", "1")
    assert (cells["degree"], cells["weight"]) == (0.5, 0.25)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30), max_size=4
    )
)
def test_texts_come_back(texts: list[str]) -> None:
    unique = [text for text in dict.fromkeys(map(str.strip, texts)) if text and "x005F_" not in text]
    nugs = [
        Nug(query_id="q", nug_id=str(at), descriptions=(text,))
        for at, text in enumerate(unique)
        if not any(0xFFFE <= ord(letter) <= 0xFFFF for letter in text)
    ]
    if nugs:
        assert Collection(open_reading(write_bytes(nugs, format="xlsx"), format="xlsx")) == Collection(nugs)


def test_same_records_same_file(tmp_path: Path) -> None:
    for name in ("a.xlsx", "b.xlsx"):
        write(load(KEY), tmp_path / name)
        time.sleep(1.1)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_what_does_not_fit_is_said() -> None:
    assert lost([Nug(query_id="q", nug_id="1", descriptions=("a\x07b",))], "xlsx") == {"table.nug": 1}
    with pytest.raises(UsageError, match=r"does not fit into a cell \(32,767\); write csv"):
        write_bytes([Nug(query_id="q", nug_id="1", descriptions=("x" * 40_000,))], format="xlsx")


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *, extra: str, purpose: str) -> None:
        raise MissingExtra(purpose, extra)

    content = workbook(s=[HEADER])
    monkeypatch.setattr(xlsx, "require", missing)
    monkeypatch.setattr("karat.formats.outputs.writing.require", missing)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[xlsx\]'"):
        list(open_reading(content))
    with pytest.raises(MissingExtra, match="XLSX"):
        write(load(KEY), tmp_path / "key.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_convert_edit_lint_score(tmp_path: Path) -> None:
    """What a person does: a key as a workbook, edited, checked, used."""
    path = tmp_path / "key.xlsx"
    assert karat("convert", KEY, "-o", path).code == 0
    book = openpyxl.load_workbook(path)
    sheet = book.active
    columns = {cell.value: cell.column for cell in sheet[1]}
    sheet.cell(row=3, column=columns["importance"]).value = "importnt"
    book.save(path)
    done = karat("lint", path)
    assert done.code == 1
    assert f"{path}:records:3: " in done.text
    assert "'importnt' is not one of vital, okay, ok" in done.text
    sheet.cell(row=3, column=columns["importance"]).value = "vital"
    book.save(path)
    assert karat("lint", path, "--fail-on", "warning").code == 0
    scored = karat("score", path, RUNS, "--judge", "lexical", "--format", "jsonl")
    assert scored.code == 0, scored.err
    assert {json.loads(line)["run_id"] for line in scored.lines} >= {"atlas", "birch"}
    back = tmp_path / "key.jsonl"
    assert karat("convert", path, "-o", back).code == 0
    assert len(load(back).nugs) == len(load(KEY).nugs)
