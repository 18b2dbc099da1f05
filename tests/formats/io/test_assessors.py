"""assessor:NAME=FILE, and files that look like two people's sheets without saying so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.formats import load, open_inputs
from karat.formats.io.assessors import AssessorFile
from karat.model import InputError, Judgement, Member, Nug, Nugget, Relevance, SpanSet, UsageError, Vote

HEAD = "query_id,run_id,nug_id,nug,label\n"


def nuggetized(folder: Path, name: str, *spans: tuple[int, int]) -> Path:
    row = {"query_id": "q", "run_id": "r", "snippet_id": "1", "text": "Ada left Rome."}
    path = folder / name
    path.write_text(json.dumps(row | {"nuggets": [{"type": "PER", "spans": [list(pair)]} for pair in spans]}) + "\n")
    return path


def test_two_sheets_of_nuggets_without_names_are_an_error_that_says_how_to_name_them(tmp_path: Path) -> None:
    ann, ben = nuggetized(tmp_path, "ann.jsonl", (0, 3), (9, 13)), nuggetized(tmp_path, "ben.jsonl", (0, 3))
    with pytest.raises(InputError) as raised:
        load(str(ann), str(ben))
    (problem,) = raised.value.problems
    assert (problem.code, problem.file, problem.line) == ("unnamed-assessors", str(ben), 1)
    assert problem.message.endswith(f"name them: assessor:ann={ann} assessor:ben={ben}")


def test_with_names_both_sheets_are_kept_apart(tmp_path: Path) -> None:
    ann, ben = nuggetized(tmp_path, "ann.jsonl", (0, 3), (9, 13)), nuggetized(tmp_path, "ben.jsonl", (0, 3))
    nuggets = load(f"assessor:ann={ann}", f"assessor:ben={ben}").nuggets
    assert [(nugget.assessor, nugget.source) for nugget in nuggets] == [("ann", "person")] * 2 + [("ben", "person")]
    assert len({nugget.nugget_id for nugget in nuggets}) == 3


def test_with_skip_the_first_sheet_counts(tmp_path: Path) -> None:
    ann, ben = nuggetized(tmp_path, "ann.jsonl", (0, 3), (9, 13)), nuggetized(tmp_path, "ben.jsonl", (4, 8))
    inputs = open_inputs(str(ann), str(ben), on_error="skip")
    assert [nugget.spans[0][0] for nugget in inputs if isinstance(nugget, Nugget)] == [0, 9]
    assert [problem.code for problem in inputs.problems] == ["unnamed-assessors"]


def test_two_tables_of_labels_without_an_assessor_column(tmp_path: Path) -> None:
    ann, ben = tmp_path / "ann.csv", tmp_path / "ben.csv"
    ann.write_text(f"{HEAD}q,r,1,red fox,1\nq,r,2,blue sky,1\n")
    ben.write_text(f"{HEAD}q,r,1,red fox,1\nq,r,2,blue sky,0\n")
    with pytest.raises(InputError, match=r"ben.csv:3: run r: the judgements differ from those in .*ann.csv"):
        load(str(ann), str(ben))
    judgements = load(f"assessor:ann={ann}", f"assessor:ben={ben}").judgements
    assert [judgement.assessor for judgement in judgements] == ["ann", "ann", "ben", "ben"]


def test_the_same_sheet_twice_and_corrections_of_automatic_nuggets_are_no_clash(tmp_path: Path) -> None:
    ann = nuggetized(tmp_path, "ann.jsonl", (0, 3))
    assert len(load(str(ann), str(ann)).nuggets) == 1
    place = {"query_id": "q", "run_id": "r", "snippet_id": "1"}
    corrected = [
        Nugget(nugget_id="c", spans=SpanSet([(0, 8)]), source="corrected", type="EVT", **place),
        Nugget(nugget_id="a", spans=SpanSet([(4, 8)]), source="auto", type="PER", **place),
    ]
    assert len(load(str(ann), corrected).nuggets) == 3


def test_ids_of_a_named_sheet_fit_together() -> None:
    nugget = Nugget(
        nugget_id="1", query_id="q", run_id="r", snippet_id="1", spans=SpanSet([(0, 3)]), source="corrected"
    )
    made = Nug(query_id="q", nug_id="n", descriptions=("x",), members=(Member(nugget_id="1"),))
    shared = Nug(query_id="q", nug_id="k", descriptions=("y",))
    sheet = AssessorFile("ann", [nugget, made, shared])
    assert sheet.named(nugget).nugget_id == "ann/1"
    named = sheet.named(made)
    assert (named.nug_id, named.assessor, named.members[0].nugget_id) == ("ann/n", "ann", "ann/1")
    assert sheet.named(shared) == shared
    judgement = Judgement(query_id="q", run_id="r", nug_id="n", degree=1.0, judge="j")
    assert (sheet.named(judgement).nug_id, sheet.named(judgement).assessor) == ("ann/n", "ann")
    vote = Vote(query_id="q", nug_id="k", assessor="ben", value="vital")
    assert sheet.named(vote) == vote


def test_what_a_sheets_nuggets_revise_and_its_snippets_repeat_get_the_name_too() -> None:
    first = Nugget(nugget_id="1", query_id="q", run_id="r", snippet_id="1", spans=SpanSet([(0, 3)]), source="person")
    second = Nugget(
        nugget_id="2", query_id="q", run_id="r", snippet_id="1", spans=SpanSet([(0, 8)]), source="person",
        revises=("1", "auto"),
    )  # fmt: skip
    nug = Nug(query_id="q", nug_id="n", descriptions=("x",), members=(Member(nugget_id="2"),))
    label = Relevance(query_id="q", run_id="r", snippet_id="1", assessor="given", label="redundant", redundant_with="n")
    sheet = AssessorFile("ann", [first, second, nug, label])
    assert sheet.named(second).revises == ("ann/1", "auto")
    assert sheet.named(label).redundant_with == "ann/n"


def marked(folder: Path, name: str, *spans: tuple[int, int], assessor: str | None = None, **fields: object) -> str:
    path = folder / name
    whose = {} if assessor is None else {"assessor": assessor}
    rows = [
        {
            "kind": "nugget", "nugget_id": f"{name}{at}", "query_id": "q", "run_id": "r", "snippet_id": "1",
            "spans": [list(pair)], "source": "corrected", **whose, **fields,
        }
        for at, pair in enumerate(spans)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_two_files_of_one_assessor_that_differ_are_an_error_that_names_both(tmp_path: Path) -> None:
    first, second = marked(tmp_path, "s1", (0, 3), assessor="ann"), marked(tmp_path, "s2", (4, 8), assessor="ann")
    with pytest.raises(InputError) as raised:
        load(first, second)
    (problem,) = raised.value.problems
    assert (problem.file, problem.line) == (second, 1)
    assert f"the nuggets of ann differ from those in {first}, and only one of them counts" in problem.message
    plain = marked(tmp_path, "s3", (0, 3)), marked(tmp_path, "s4", (4, 8))
    with pytest.raises(InputError, match="the nuggets of ann differ from those in"):
        load(*(f"assessor:ann={file}" for file in plain))
    # The same annotation twice, another snippet, and a revision in a second file are no contradiction.
    assert len(load(first, marked(tmp_path, "s5", (0, 3), assessor="ann")).nuggets) == 2
    assert len(load(first, marked(tmp_path, "s6", (4, 8), assessor="ann", snippet_id="2")).nuggets) == 2
    assert len(load(first, marked(tmp_path, "s7", (4, 8), assessor="ann", revises=["s10"])).nuggets) == 2


def test_a_file_that_names_somebody_else_is_not_given_another_name(tmp_path: Path) -> None:
    file = marked(tmp_path, "s1", (0, 3), assessor="ann")
    with pytest.raises(UsageError, match=r"assessor:ben=.*s1: the file says itself whose its records are \(ann\)"):
        load(f"assessor:ben={file}")
    assert load(f"assessor:ann={file}").nuggets[0].assessor == "ann"
    mixed = tmp_path / "mixed"
    mixed.write_text(Path(file).read_text() + Path(marked(tmp_path, "s2", (4, 8))).read_text())
    inputs = open_inputs(f"assessor:ben={mixed}")
    assert [nugget.assessor for nugget in inputs if isinstance(nugget, Nugget)] == ["ann", "ben"]
    (said,) = [warning.message for warning in inputs.warnings if warning.code == "named-assessors"]
    assert said == "records by ann keep the name; the others are ben's"


def test_a_file_without_a_name_after_the_prefix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"whose file is it\? write assessor:NAME="):
        load(f"assessor:={marked(tmp_path, 's1', (0, 3))}")
