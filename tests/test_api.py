"""The public API: every verb takes every kind of input, and every result prints, and gives dicts, frames and HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import karat
from karat.cli import cli
from karat.model import Judgement, KaratError, Nug, UsageError, record_to_dict
from karat.model.result import Result
from karat.reports.results import MOST_ROWS

KEY, JUDGEMENTS, RUNS = karat.demo_files()
KINDS = ("path", "text path", "records", "dicts", "pandas", "polars")
SENTENCES = {
    "a": "President Ana Ruiz flew to Lima on Monday. The storm destroyed 40 houses in Cusco.",
    "b": "On Monday Ana Ruiz flew to Lima. A storm destroyed 40 houses in Cusco.",
}


def as_kind(kind: str, path: Path) -> Any:
    """A file as another kind of input."""
    if kind == "path":
        return path
    if kind == "text path":
        return str(path)
    records = list(karat.load(path, on_error="skip"))
    if kind == "records":
        return records
    dicts = [record_to_dict(record) for record in records]
    if kind == "dicts":
        return dicts
    if kind == "pandas":
        return pytest.importorskip("pandas").DataFrame(dicts)
    return pytest.importorskip("polars").from_dicts(dicts, infer_schema_length=None)


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    """Two short responses, for the verbs that analyse English."""
    rows = [
        {"query_id": "q", "run_id": run_id, "snippet_id": "1", "answer": text} for run_id, text in SENTENCES.items()
    ]
    path = tmp_path / "responses.jsonl"
    karat.write(rows, path)
    return path


BEES = [{"doc_id": "web-bees-01", "text": "The duration of the waggle run grows with the distance to be flown."}]
Verb = Callable[..., Any]
SKIP = {"on_error": "skip"}
ON_FILES: dict[str, Verb] = {
    "agree": lambda key, judgements, runs: karat.agree(key),
    "best_questions": lambda key, judgements, runs: karat.best_questions(key, runs, minutes=10, judge="lexical"),
    "cite": lambda key, judgements, runs: karat.cite(runs, BEES),
    "compare": lambda *files: karat.compare(*files, measures="strict_vital", **SKIP),
    "correlate": lambda key, judgements, runs: karat.correlate(
        judgements, judgements, shared=[key], measures="strict_vital,lenient_vital", **SKIP
    ),
    "explain": lambda key, judgements, runs: karat.explain(key, runs, query="q1", runs=["atlas"]),
    "judge": lambda key, judgements, runs: karat.judge(key, runs, known=judgements, **SKIP),
    "key_diff": lambda key, judgements, runs: karat.key_diff(
        key, key, judgements, by="words", measures="strict_vital", **SKIP
    ),
    "lint": lambda *files: karat.lint(*files),
    "plan": lambda *files: karat.plan(*files, measures="strict_vital", **SKIP),
    "pyramid": lambda key, judgements, runs: karat.pyramid(key),
    "score": lambda *files: karat.score(*files, measures="strict_vital,F3", **SKIP),
    "stability": lambda *files: karat.stability(*files, measures="strict_vital", trials=5, **SKIP),
    "validate": lambda *files: karat.validate(*files, judge="nuggeteer", **SKIP),
}
ON_RESPONSES: dict[str, Verb] = {
    "compare_nuggets": lambda responses: karat.compare_nuggets(karat.nuggetize(responses), karat.nuggetize(responses)),
    "draft_key": lambda responses: karat.draft_key(responses),
    "nuggetize": lambda responses: karat.nuggetize(responses),
}
NO_RESULT = {
    "cache", "demo_files", "engine", "key_hash", "llm", "load", "plot", "read", "report", "review", "score_labels",
    "write",
}  # fmt: skip


def plain(value: Any) -> Any:
    """What a result says, without where it comes from."""
    rows = karat._shown(value).dicts()
    for row in rows:
        row.pop("file", None)
        row.pop("line", None)
        row.pop("a_file", None)
        row.pop("b_file", None)
    return rows


def test_every_verb_is_tried_here() -> None:
    verbs = {name for name in karat.__all__ if callable(getattr(karat, name)) and name[0].islower()}
    assert verbs == {*ON_FILES, *ON_RESPONSES, *NO_RESULT}


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("verb", ON_FILES)
def test_every_verb_takes_every_kind_of_input(verb: str, kind: str) -> None:
    call = ON_FILES[verb]
    # The broken line of the demo is not there any more when it has been read once: lint finds something else then.
    other = "records" if verb == "lint" and kind != "text path" else "path"
    expected = call(*(as_kind(other, path) for path in (KEY, JUDGEMENTS, RUNS)))
    result = call(*(as_kind(kind, path) for path in (KEY, JUDGEMENTS, RUNS)))
    assert plain(result) == plain(expected)


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("verb", ON_RESPONSES)
def test_verbs_about_nuggets_take_every_kind_of_input(verb: str, kind: str, responses: Path) -> None:
    pytest.importorskip("spacy")
    call = ON_RESPONSES[verb]
    expected = call(responses)
    assert plain(call(as_kind(kind, responses))) == plain(expected)
    assert expected.to_dicts()


@pytest.mark.parametrize("kind", KINDS)
def test_reading_and_writing_take_every_kind_of_input(kind: str, tmp_path: Path) -> None:
    expected = karat.load(KEY)
    assert karat.load(as_kind(kind, KEY)) == expected
    assert karat.Collection(karat.read(as_kind(kind, KEY))) == expected
    karat.write(as_kind(kind, KEY), tmp_path / "copy.jsonl")
    assert karat.load(tmp_path / "copy.jsonl") == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_review_takes_every_kind_of_input(kind: str) -> None:
    review = karat.review(as_kind(kind, KEY), as_kind(kind, RUNS), limit=1, measure="strict_vital")
    (question,) = [review.next()]
    assert question is not None
    review.answer(1)
    (answer,) = review.answers()
    assert isinstance(answer, Judgement)
    assert (answer.query_id, answer.run_id, answer.nug_id) == (
        question.pair.query_id,
        question.pair.run_id,
        question.pair.nug_id,
    )


def test_a_result_is_an_input_too(tmp_path: Path) -> None:
    judging = karat.judge(KEY, RUNS)
    scoring = karat.score(KEY, RUNS, judging, measures="strict_vital")
    # What a score needs to know about the judge's error comes with its judgements.
    assert scoring.scores == karat.score(KEY, RUNS, judge="lexical", measures="strict_vital").scores
    karat.write(judging, tmp_path / "judgements.jsonl")
    assert karat.score(KEY, RUNS, tmp_path / "judgements.jsonl", measures="strict_vital").scores == scoring.scores
    assert karat.compare(scoring).measures[0].table.run_ids == ("atlas", "birch", "cedar", "delta", "librarian")


def test_names_of_runs_are_given_as_on_the_command_line(tmp_path: Path) -> None:
    for name, label in (("monday", 0), ("tuesday", 1)):
        rows = [
            {"query_id": f"q{number}", "run_id": "mine", "nugget": "a fox", "importance": "vital", "label": label}
            for number in range(10)
        ]
        karat.write(rows, tmp_path / f"{name}.jsonl")
    files = (f"old={tmp_path}/monday.jsonl", f"new={tmp_path}/tuesday.jsonl")
    (difference,) = karat.compare(*files, baseline="old", measures="strict_vital").measures[0].differences
    assert (difference.run_id, difference.versus, difference.value) == ("new", "old", 1.0)


@pytest.mark.parametrize("verb", [*ON_FILES, *ON_RESPONSES])
def test_every_result_prints_and_gives_dicts_frames_and_html(verb: str, responses: Path) -> None:
    if verb in ON_RESPONSES:
        pytest.importorskip("spacy")
    result = ON_FILES[verb](KEY, JUDGEMENTS, RUNS) if verb in ON_FILES else ON_RESPONSES[verb](responses)
    assert isinstance(result, Result)
    assert "\n" not in repr(result)
    assert len(repr(result)) < 400
    text = str(result)
    assert 1 < len(text.splitlines()) < 200
    assert len(text) < 20_000
    assert not text.endswith("\n")
    html = result._repr_html_()
    assert html.count("<table>") == html.count("</table>") > 0
    rows = result.to_dicts()
    assert rows
    json.dumps(rows)
    names = {name for row in rows for name in row}
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
        frame = result.to_frame(library)
        assert (len(frame), set(frame.columns)) == (len(rows), names)


COMMANDS = {
    "agree": ("agree", "key.jsonl"),
    "compare": ("compare", "key.jsonl", "judgements.jsonl", "runs.jsonl", "--measures", "strict_vital"),
    "explain": ("explain", "key.jsonl", "runs.jsonl", "--query", "q1", "--run", "atlas"),
    "key_diff": (
        "key", "diff", "key.jsonl", "key.jsonl", "judgements.jsonl", "--by", "words", "--measures", "strict_vital",
    ),
    "plan": ("plan", "key.jsonl", "judgements.jsonl", "runs.jsonl", "--measures", "strict_vital"),
    "pyramid": ("pyramid", "key.jsonl"),
    "stability": (
        "stability", "key.jsonl", "judgements.jsonl", "runs.jsonl", "--measures", "strict_vital", "--trials", "5",
    ),
}  # fmt: skip


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_result_says_what_the_command_prints(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(KEY.parent)
    result = ON_FILES[verb](KEY, JUDGEMENTS, RUNS)

    def printed(*more: str) -> str:
        cli.main([*COMMANDS[verb], "--on-error", "skip", *more], standalone_mode=False)
        return capsys.readouterr().out

    assert [json.loads(line) for line in printed("--format", "jsonl").splitlines()] == result.to_dicts()
    text = str(result)
    for table in printed().strip("\n").split("\n\n"):
        assert "\n".join(table.split("\n")[:MOST_ROWS]) in text


def test_the_frame_that_is_installed_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    result = karat.agree(KEY)
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
    assert type(result.to_frame()).__module__.startswith("pandas")
    without(monkeypatch, "pandas")
    assert type(result.to_frame()).__module__.startswith("polars")
    with pytest.raises(UsageError, match=r"needs pandas, which is not installed: pip install pandas"):
        result.to_frame("pandas")
    without(monkeypatch, "polars")
    with pytest.raises(UsageError, match=r"needs pandas or polars, .* \(to_dicts\(\) gives the same rows"):
        result.to_frame()
    with pytest.raises(UsageError, match="'excel' is not one of pandas, polars"):
        result.to_frame("excel")  # type: ignore[arg-type]


def without(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """As if a library were not installed."""
    monkeypatch.setitem(__import__("sys").modules, library, None)


HOSTILE = "<script>alert('x')</script>\x1b[31m&"


def test_hostile_names_are_escaped() -> None:
    rows = [
        {"query_id": "q", "run_id": run_id, "nugget": HOSTILE, "importance": "vital", "label": label}
        for run_id, label in ((HOSTILE, 1), ("b", 0))
    ]
    for result in (karat.score(rows), karat.compare(rows), karat.lint(rows), karat.explain(
        [Nug(query_id="q", nug_id="n", descriptions=(HOSTILE,))],
        [{"query_id": "q", "run_id": HOSTILE, "answer": f"{HOSTILE} alert"}],
        query="q",
    )):  # fmt: skip
        html = result._repr_html_()
        assert "<script" not in html
        assert "\x1b" not in html
        assert "\x1b" not in str(result)
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;\\x1b[31m&amp;" in karat.score(rows)._repr_html_()


def test_long_tables_are_cut_and_many_notes_folded() -> None:
    rows = [
        {"query_id": "q", "run_id": f"run{number:03}", "nugget": "a fox", "importance": "vital", "label": 1}
        for number in range(100)
    ]
    scoring = karat.score(rows, measures="strict_vital")
    text = str(scoring)
    assert "... and 40 more rows; to_dicts() and to_frame() have all" in text
    assert "run059" in text
    assert "run060" not in text
    assert scoring._repr_html_().count("<tr>") == 61
    noted = str(msgspec.structs.replace(scoring, notes=(*(f"note {number}" for number in range(50)), "another")))
    assert "note 0 (and 49 more notes like this)\nanother" in noted
    assert "note 20" not in noted


def test_nothing_found_is_said() -> None:
    findings = karat.lint([Nug(query_id="q", nug_id="1", descriptions=("A fox sleeps.",), importance="vital")])
    assert str(findings) == "Nothing found."
    assert findings.to_dicts() == []
    assert findings == []


def test_a_wrong_input_is_refused_in_plain_words() -> None:
    with pytest.raises(KaratError, match="must be a record or a dict, not int"):
        karat.score([1, 2])
    with pytest.raises(KaratError, match=r"an input .* a path, bytes, a list of dicts or records, or a data frame"):
        karat.score(7)  # type: ignore[arg-type]
