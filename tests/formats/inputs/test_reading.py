"""Reading from Python objects, and NAME=FILE: the run of a file under another name."""

from __future__ import annotations

import json
from collections import Counter, UserDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import karat
from builders.records import judgement, response
from karat.formats import load, open_inputs, read
from karat.formats.inputs.reading import open_reading, source_of_dicts
from karat.formats.inputs.run_names import check_run_names
from karat.formats.io.rows import Batch
from karat.model import InputError, Judgement, Nug, Query, Response, UsageError, encode_record

NUG = {"kind": "nug", "query_id": "q", "nug_id": "n", "descriptions": ["red fox"]}


def test_dicts_are_read_as_the_lines_they_would_be() -> None:
    assert list(read([NUG])) == [Nug(query_id="q", nug_id="n", descriptions=("red fox",))]


def test_dicts_of_another_format_are_recognised() -> None:
    collection = load([{"qid": 3, "query": "why?", "nuggets": [{"text": "red fox", "importance": "vital"}]}])
    assert collection.queries == [Query(query_id="3", text="why?")]
    assert [nug.importance for nug in collection.nugs] == ["vital"]


def test_records_and_dicts_may_be_mixed_and_unknown_fields_stay() -> None:
    query = Query(query_id="q", text="why?", extra={"note": 1})
    assert list(read([query, UserDict(NUG)])) == [query, Nug(query_id="q", nug_id="n", descriptions=("red fox",))]


def test_a_generator_of_dicts_will_do() -> None:
    assert len(list(read(NUG | {"nug_id": str(i)} for i in range(3)))) == 3  # type: ignore[arg-type]


def test_the_line_of_a_problem_is_the_place_in_the_list() -> None:
    with pytest.raises(InputError, match=r"<list>:2: descriptions: is missing"):
        list(read([NUG, {"kind": "nug", "query_id": "q", "nug_id": "m"}]))


class Frame:
    """A data frame as far as Karat looks at one."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows


class PolarsFrame(Frame):
    def to_dicts(self) -> list[dict[str, Any]]:
        return self.rows


class PandasFrame(Frame):
    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return self.rows


@pytest.mark.parametrize("frame", [PolarsFrame, PandasFrame])
def test_a_data_frame_counts_as_the_list_of_its_rows(frame: type[Frame]) -> None:
    assert source_of_dicts(frame([{"a": 1}, {"a": 2}]), "table").read_bytes() == b'{"a":1}\n{"a":2}'


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("text", "<list>:2: must be a record or a dict, not str"),
        ({"a": object()}, "<list>:2: cannot be read as JSON: "),
        ({("a", "b"): 1}, "<list>:2: cannot be read as JSON: "),
    ],
)
def test_what_is_no_row_is_reported_with_its_place(item: object, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        source_of_dicts([{"a": 1}, item])
    assert str(raised.value).startswith(message)


def test_a_dict_that_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    with pytest.raises(UsageError, match="<list>:1: cannot be read as JSON"):
        source_of_dicts([loop])


def test_a_data_frame_scores_like_its_rows() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [
        {"query_id": f"q{number}", "run_id": run, "nugget": "a fox", "importance": "vital", "label": number % 2}
        for number in range(4)
        for run in "ab"
    ]
    assert karat.score(pandas.DataFrame(rows)).scores == karat.score(rows).scores


KEY = Nug(query_id="q", nug_id="1", descriptions=("fox",))


def judgement_of(run_id: str) -> Judgement:
    return judgement("1", run_id=run_id)


def file(folder: Path, name: str, *records: Nug | Judgement) -> Path:
    path = folder / name
    path.write_bytes(b"".join(encode_record(record) + b"\n" for record in records))
    return path


def test_one_run_gets_the_name_and_several_get_it_as_a_prefix(tmp_path: Path) -> None:
    one = file(tmp_path, "one.jsonl", KEY, judgement_of("mine"))
    two = file(tmp_path, "two.jsonl", judgement_of("a"), judgement_of("b"))
    assert list(read(f"old={one}")) == [KEY, judgement_of("old")]
    assert list(read(f"old={two}")) == [judgement_of("old/a"), judgement_of("old/b")]


def test_two_files_with_the_same_run_are_two_runs(tmp_path: Path) -> None:
    first = file(tmp_path, "monday.jsonl", judgement_of("mine"))
    second = file(tmp_path, "tuesday.jsonl", judgement_of("mine"))
    collection = load([KEY], f"old={first}", f"new={second}")
    assert [record.run_id for record in collection.judgements] == ["old", "new"]


@pytest.mark.parametrize("several", [False, True])
def test_a_name_that_another_system_has_is_refused(tmp_path: Path, several: bool) -> None:
    first = file(tmp_path, "a.jsonl", judgement_of("mine"), *([judgement_of("yours")] if several else []))
    taken = "birch/mine" if several else "birch"
    second = file(tmp_path, "b.jsonl", judgement_of(taken), judgement_of("cedar"))
    with pytest.raises(UsageError) as raised:
        load([KEY], f"birch={first}", str(second))
    assert str(raised.value) == (
        f"birch={first} and {second} both have judgement records of a run {taken}, and two systems would become one; "
        f"choose another name: birch-2={first}, or name both files birch if they are parts of one system"
    )
    assert {record.run_id for record in load([KEY], f"oak={first}", str(second)).judgements} >= {taken, "cedar"}


def test_one_name_may_join_what_belongs_together(tmp_path: Path) -> None:
    answers, judged = tmp_path / "answers.jsonl", file(tmp_path, "judged.jsonl", judgement_of("birch"))
    answers.write_bytes(encode_record(response("mine", "A fox.")) + b"\n")
    joined = load([KEY], f"birch={answers}", str(judged))
    assert ({record.run_id for record in joined.responses}, {record.run_id for record in joined.judgements}) == (
        {"birch"},
        {"birch"},
    )
    parts = [file(tmp_path, f"{part}.jsonl", judgement_of(part)) for part in ("first", "second")]
    named = load([KEY], *(f"birch={part}" for part in parts), on_error="skip")
    assert {record.run_id for record in named.judgements} == {"birch"}
    already = file(tmp_path, "already.jsonl", judgement_of("birch"))
    assert load([KEY], f"birch={already}", str(judged)).judgements


def test_names_are_compared_after_reading_each_file_once(tmp_path: Path) -> None:
    def check(*inputs: str) -> Counter[int]:
        readings, reads = [open_reading(item) for item in inputs], Counter[int]()

        def read_once_more(number: int) -> Iterable[Batch]:
            reads[number] += 1
            return readings[number].batches()

        check_run_names(readings, read_once_more)
        return reads

    files = [str(file(tmp_path, f"{at}.jsonl", judgement_of("mine"))) for at in range(20)]
    named = [f"system{at}={path}" for at, path in enumerate(files)]
    assert check(*named) == dict.fromkeys(range(20), 1)
    assert check(*files) == {}
    both = str(file(tmp_path, "both.jsonl", judgement_of("system3"), judgement_of("system1")))
    # The first file in the order of the command that has another system's name, and the first of those that it is in.
    with pytest.raises(UsageError, match=rf"^system1={files[1]} and {both} both .* of a run system1, "):
        check(*named, both, both)


def test_tables_are_renamed_like_karats_own_files(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("query_id,run_id,nugget,label\nq,mine,fox,1\n")
    assert [record.run_id for record in load(f"old={path}").judgements] == ["old"]


def test_a_file_that_has_an_equals_sign_in_its_name_is_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "b.jsonl", judgement_of("mine"))
    file(tmp_path, "a=b.jsonl", judgement_of("yours"))
    assert [record.run_id for record in load("a=b.jsonl").judgements] == ["yours"]


def test_what_is_wrong_in_a_renamed_file_is_reported_with_its_file_and_line(tmp_path: Path) -> None:
    path = file(tmp_path, "one.jsonl", KEY, judgement_of("mine"))
    with path.open("ab") as out:
        out.write(b'{"kind": "judgement", "query_id": "q"}\n')
    with pytest.raises(InputError) as raised:
        load(f"old={path}")
    first = raised.value.problems[0]
    assert (first.file, first.line) == (str(path), 3)
    inputs = open_inputs(f"old={path}", on_error="skip")
    assert [record.run_id for record in inputs if isinstance(record, Judgement)] == ["old"]
    assert inputs.problems


SCORE = '{"kind":"score","run_id":"%s","query_id":"q%d","measure":"m","value":%s}\n'


@pytest.mark.parametrize("value", ["NaN", "1e999"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_number_that_json_does_not_have_is_treated_alike_in_every_line(tmp_path: Path, value: str, at: int) -> None:
    file = tmp_path / "scores.jsonl"
    file.write_text("".join(SCORE % ("A", n, value if n == at else "0.5") for n in range(3)))
    if value == "NaN":
        assert [score.value for score in load(file).scores] == [None if n == at else 0.5 for n in range(3)]
        return
    with pytest.raises(InputError, match=rf"scores.jsonl:{at + 1}: is not JSON: Number out of range"):
        load(file)


@pytest.mark.parametrize("line", [SCORE % ("A", 1, "1e999"), SCORE % ("A", 1, "NaN")])
def test_a_file_of_such_a_line_only_is_recognised(tmp_path: Path, line: str) -> None:
    file = tmp_path / "scores.jsonl"
    file.write_text(line)
    if "NaN" in line:
        assert load(file).scores[0].value is None
    else:
        with pytest.raises(InputError, match=r"scores.jsonl:1: is not JSON: Number out of range"):
            load(file)


def test_a_score_may_be_any_number_and_the_message_says_so(tmp_path: Path) -> None:
    file = tmp_path / "scores.jsonl"
    file.write_text(SCORE % ("A", 1, "71.5") + SCORE % ("A", 2, '"high"'))
    with pytest.raises(InputError, match=r"scores.jsonl:2: value: 'high' is not a number$"):
        load(file)


@pytest.mark.parametrize("kind", ["run", "response", "score"])
def test_a_run_without_a_name_is_refused_with_its_place(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "records.jsonl"
    rest = {"run": {}, "response": {"query_id": "q", "snippets": []}, "score": {"query_id": "q", "measure": "m"}}[kind]
    file.write_text(SCORE % ("A", 1, "0.5") + json.dumps({"kind": kind, "run_id": "", **rest}) + "\n")
    with pytest.raises(InputError, match=r"records.jsonl:2: run_id: is empty"):
        load(file)


def test_a_name_is_the_system_s_where_the_file_also_has_reference_answers(tmp_path: Path) -> None:
    path = tmp_path / "ragas.jsonl"
    path.write_text('{"question": "why", "answer": "so", "ground_truth": "because"}')
    assert {record.run_id for record in read(f"new={path}") if isinstance(record, Response)} == {"new", "reference"}
