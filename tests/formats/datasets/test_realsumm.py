from __future__ import annotations

from pathlib import Path

import pytest

from helpers import round_trip
from karat.formats import Source, open_reading
from karat.formats.datasets.realsumm import sniff_realsumm
from karat.formats.io.head import Head
from karat.model import Collection, InputError, Judgement, Nug, Query, Response, Run, Snippet, content_id

FILES = {
    "ids.txt": "d1\nd2",
    "documents.txt": "bees are small .\nants are strong .",
    "references.txt": "<t> Bees dance . </t> <t> Bees hum . </t>\n<t> Ants carry . </t>",
    "SCUs.txt": "Bees dance.\tBees hum.\nAnts carry.",
    "summaries/abs_a.summary": "bees dance\nants sleep",
    "labels/abs_a.label": "1\t0\n0",
}


def folder(root: Path, **changes: str | None) -> Path:
    for name, text in (FILES | {name.replace("__", "/") + ".txt": value for name, value in changes.items()}).items():
        if text is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8", newline="")
    return root


def read(path: Path) -> tuple[Collection, list[str]]:
    reading = open_reading(path, format="realsumm", on_error="skip")
    return Collection(reading), [str(problem).removeprefix(f"{path}/") for problem in reading.source.problems]


def test_reads_documents_references_summaries_units_and_labels(tmp_path: Path) -> None:
    collection, problems = read(folder(tmp_path))
    assert problems == []
    assert collection.queries == [
        Query(query_id="d1", text="", extra={"document": "bees are small ."}),
        Query(query_id="d2", text="", extra={"document": "ants are strong ."}),
    ]
    assert collection.runs == [Run(run_id="reference", human=True), Run(run_id="abs_a")]
    assert collection.responses == [
        Response(
            query_id="d1",
            run_id="reference",
            snippets=(Snippet(snippet_id="1", text="Bees dance ."), Snippet(snippet_id="2", text="Bees hum .")),
        ),
        Response(query_id="d2", run_id="reference", snippets=(Snippet(snippet_id="1", text="Ants carry ."),)),
        Response(query_id="d1", run_id="abs_a", snippets=(Snippet(snippet_id="1", text="bees dance"),)),
        Response(query_id="d2", run_id="abs_a", snippets=(Snippet(snippet_id="1", text="ants sleep"),)),
    ]
    dance, hum, carry = (content_id(text) for text in ("Bees dance.", "Bees hum.", "Ants carry."))
    assert collection.nugs == [
        Nug(query_id="d1", nug_id=dance, descriptions=("Bees dance.",)),
        Nug(query_id="d1", nug_id=hum, descriptions=("Bees hum.",)),
        Nug(query_id="d2", nug_id=carry, descriptions=("Ants carry.",)),
    ]
    assert collection.judgements == [
        Judgement(query_id="d1", run_id="abs_a", nug_id=dance, degree=1.0, judge="person"),
        Judgement(query_id="d1", run_id="abs_a", nug_id=hum, degree=0.0, judge="person"),
        Judgement(query_id="d2", run_id="abs_a", nug_id=carry, degree=0.0, judge="person"),
    ]
    round_trip(collection, "karat")


def test_line_ends_marks_and_empty_summaries_are_read(tmp_path: Path) -> None:
    path = folder(tmp_path, ids="\ufeffd1\r\nd2\r\n", SCUs="Bees dance.\tBees hum.\r\nAnts carry.\r\n")
    (path / "summaries" / "abs_a.summary").write_text("bees dance\n\n")
    (path / "documents.txt").unlink()
    collection, problems = read(path)
    assert problems == []
    assert [query.query_id for query in collection.queries] == ["d1", "d2"]
    assert collection.nugs[-1].descriptions == ("Ants carry.",)
    assert [len(response.snippets) for response in collection.responses] == [2, 1, 1, 0]


def test_bad_labels_fail_and_rows_of_another_length_are_left_out(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (path / "labels" / "abs_a.label").write_text("1\t2\n0\t1\n")
    collection, problems = read(path)
    assert problems == [
        "labels/abs_a.label:1: label 2: '2' is not one of 0, 1",
        "labels/abs_a.label:2: the line has 2 labels for 1 content units",
    ]
    assert [(judgement.degree, judgement.status) for judgement in collection.judgements] == [
        (1.0, "ok"),
        (None, "failed"),
    ]


def test_files_that_do_not_line_up_are_left_out(tmp_path: Path) -> None:
    path = folder(tmp_path, references="<t> a </t>\nb\nc\n")
    (path / "labels" / "ext_b.label").write_text("1\t1\n1\n")
    collection, problems = read(path)
    assert problems == [
        "references.txt:3: the file has 3 lines for the 2 ids of ids.txt",
        f"{path}: labels/ext_b.label is there, but summaries/ext_b.summary is missing",
    ]
    assert {response.run_id for response in collection.responses} == {"abs_a"}
    assert len(collection.judgements) == 6


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (path / "SCUs.txt").unlink()
    with pytest.raises(InputError, match=r"SCUs\.txt is missing"):
        list(open_reading(path, format="realsumm"))
    with pytest.raises(InputError, match="must be the folder with"):
        list(open_reading(path / "ids.txt", format="realsumm"))


def test_is_recognised(tmp_path: Path) -> None:
    assert not sniff_realsumm(Head(Source(tmp_path)))
    assert not sniff_realsumm(Head(Source("<bytes>", b"d1\n")))
    assert sniff_realsumm(Head(Source(folder(tmp_path))))


@pytest.mark.real_data
def test_realsumm(real_data: Path) -> None:
    path = real_data / "realsumm-pyrxsum-labels" / "REALSumm"
    collection, problems = read(path)
    assert problems == []
    ids = path.joinpath("ids.txt").read_text().split("\n")
    units = [line.split("\t") for line in path.joinpath("SCUs.txt").read_text().split("\n")]
    labels = {file.stem: file.read_text().split() for file in path.glob("labels/*.label")}
    assert [query.query_id for query in collection.queries] == ids
    assert len(collection.nugs) == sum(map(len, units)) == 1056
    assert len(collection.judgements) == sum(map(len, labels.values())) == 26_400
    assert len(collection.runs) == len(labels) + 1 == 26
    assert len(collection.responses) == 2600
    present = {
        run: sum(judgement.degree for judgement in collection.judgements if judgement.run_id == run) for run in labels
    }
    assert present == {run: float(values.count("1")) for run, values in labels.items()}
    first, last = collection.judgements[0], collection.judgements[-1]
    assert (first.query_id, first.run_id, first.degree) == ("cnndm1017", "abs_bart_out", 0.0)
    assert (last.query_id, last.run_id, last.degree) == (
        ids[-1],
        "ext_refresh_out",
        float(labels["ext_refresh_out"][-1]),
    )
    assert collection.nugs[-1].descriptions == (units[-1][-1],)
