from __future__ import annotations

from pathlib import Path

import pytest

from builders.records import nug
from helpers import collect
from karat.formats import open_reading
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.pyramids.lite import sniff_pyramid_lite
from karat.model import Collection, Judgement, Nug, content_id

SCUS = "Bees dance. 🐝\tBees hum.\r\n\nWasps sting.\n"


def unit(query_id: str, text: str) -> Nug:
    return nug(content_id(text), text, query_id=query_id)


def test_reads_a_line_a_query() -> None:
    assert collect(SCUS, "pyramid-lite").nugs == [
        unit("1", "Bees dance. 🐝"),
        unit("1", "Bees hum."),
        unit("3", "Wasps sting."),
    ]


def folder(tmp_path: Path, **files: str) -> Path:
    (tmp_path / "labels").mkdir()
    for name, content in files.items():
        (tmp_path / name.replace("__", "/").replace("_", ".")).write_bytes(content.encode())
    return tmp_path


def test_ids_beside_the_file_name_the_queries(tmp_path: Path) -> None:
    path = folder(tmp_path, SCUs_txt="a\tb\nc\n", ids_txt="x1\nx2\n\n") / "SCUs.txt"
    assert [n.query_id for n in Collection(open_reading(path, format="pyramid-lite")).nugs] == ["x1", "x1", "x2"]


def test_a_folder_may_have_labels(tmp_path: Path) -> None:
    path = folder(tmp_path, SCUs_txt="a\tb\nc\n", ids_txt="x1\nx2\n", labels__sys_label="1\t0\n2\n")
    reading = open_reading(path, format="pyramid-lite", on_error="skip")
    collection = Collection(reading)
    assert [run.run_id for run in collection.runs] == ["sys"]
    assert collection.judgements == [
        Judgement(query_id="x1", run_id="sys", nug_id=content_id("a"), degree=1.0, judge="given"),
        Judgement(query_id="x1", run_id="sys", nug_id=content_id("b"), degree=0.0, judge="given"),
        Judgement(query_id="x2", run_id="sys", nug_id=content_id("c"), judge="given", status="failed"),
    ]
    assert [str(problem) for problem in reading.source.problems] == [
        f"{path / 'labels' / 'sys.label'}:2: [0]: '2' is not one of 0, 1"
    ]


def test_what_does_not_fit_together_is_reported(tmp_path: Path) -> None:
    path = folder(tmp_path, SCUs_txt="a\tb\nc\n", ids_txt="x1\n", one_label="1\n0\n1\n", two_label="1\t1\n")
    reading = open_reading(path, format="pyramid-lite", on_error="skip")
    collection = Collection(reading)
    assert [str(problem).removeprefix(f"{path}/") for problem in reading.source.problems] == [
        "SCUs.txt:2: ids.txt has only 1 ids, so this line gets the id 2",
        "one.label:1: the line has 1 labels for 2 SCUs",
        "one.label:3: there are SCUs for only 2 lines",
        "two.label:1: there are labels for only 1 of 2 lines",
    ]
    assert len(collection.judgements) == 4


def test_repeated_ids_and_an_empty_folder(tmp_path: Path) -> None:
    reading = open_reading(
        folder(tmp_path, SCUs_txt="a\nb\n", ids_txt="x\nx\n"), format="pyramid-lite", on_error="skip"
    )
    assert [n.query_id for n in Collection(reading).nugs] == ["1", "2"]
    assert [problem.code for problem in reading.source.problems] == ["duplicate-id"]
    empty = open_reading(tmp_path / "labels", format="pyramid-lite", on_error="skip")
    assert list(empty) == []
    assert [problem.message for problem in empty.source.problems] == [
        "the folder has none of the files SCUs.txt, scus.txt, SCUs.tsv"
    ]


def test_is_recognised_by_name(tmp_path: Path) -> None:
    path = folder(tmp_path, SCUs_txt="a\tb\nc\n")
    assert sniff_pyramid_lite(Head(Source(path)))
    assert sniff_pyramid_lite(Head(Source(path / "SCUs.txt")))
    (path / "documents.txt").write_text("x")
    assert not sniff_pyramid_lite(Head(Source(path)))
    assert not sniff_pyramid_lite(Head(Source("<bytes>", SCUS.encode())))


@pytest.mark.real_data
def test_realsumm(real_data: Path) -> None:
    path = real_data / "realsumm-pyrxsum-labels" / "REALSumm" / "SCUs.txt"
    lines = path.read_text(encoding="utf-8").split("\n")
    ids = (path.parent / "ids.txt").read_text().split()
    collection = Collection(open_reading(path, format="pyramid-lite"))
    assert len(collection.nugs) == sum(bool(text.strip()) for line in lines for text in line.split("\t")) == 1056
    assert list(dict.fromkeys(n.query_id for n in collection.nugs)) == ids
    assert len(ids) == 100
    assert collection.nugs[0].descriptions == (lines[0].split("\t")[0].strip(),)
    assert collection.nugs[-1].descriptions == (lines[99].split("\t")[-1].strip(),)
    assert not sniff_pyramid_lite(Head(Source(path.parent)))
