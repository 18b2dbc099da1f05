from __future__ import annotations

import pytest

from builders.rows import Row, judgement, nug, response
from cli.running import karat_here
from karat.evaluate.review.explain import Explanation, explain_collection
from karat.evaluate.review.judged_sources import JudgedSource
from karat.formats import load
from karat.reports.review import explanation_tables

# Figure 7 of Marton & Radul 2006, in our own words: the response has no word of the nug, but is like a judged one.
JUDGED = "The best of this music bears a stamp: witness Aaron, whose sound was made by a Brooklyn-born composer."
FRAGMENT = "best of this music bears a stamp: witness Aaron"
ROWS: list[Row] = [
    nug("q", "a", descriptions=["born in 1900, in New York"]),
    nug("q", "b", descriptions=["wrote ballets for cowboys"]),
    response("q", "old", JUDGED),
    response("q", "new", FRAGMENT),
    judgement("q", "old", 1.0, "a", judge="person", assessor="ann"),
    judgement("q", "old", 0.0, "b", judge="person", assessor="ann"),
]
SOURCE = JudgedSource(use="similar", run_id="old", assessors=("ann",), text=JUDGED)


def explained(*more: Row, judge: str, run: str = "new") -> dict[str, Explanation]:
    found = explain_collection(load([*ROWS, *more]), query_id="q", run_ids=[run], judge=judge)
    return {one.nug_id: one for one in found.explanations}


@pytest.mark.parametrize("judge", ["nuggeteer(n=2,stem=none,references=both,unit=snippet)", "neighbours"])
def test_the_judged_text_that_is_similar_is_shown_as_in_figure_7(judge: str) -> None:
    found = explained(judge=judge)
    if found["a"].text:
        assert found["a"].judged == SOURCE
    assert found["b"].judged is None


def test_figure_7_is_not_empty() -> None:
    assert explained(judge="nuggeteer(n=2,stem=none,references=both,unit=snippet)")["a"].judged == SOURCE


def test_the_same_text_is_reused_and_a_judge_of_descriptions_has_nothing_similar() -> None:
    copy = response("q", "copy", f"  {JUDGED.upper()} ")
    found = explained(copy, judge="nuggeteer", run="copy")
    assert found["a"].judged == JudgedSource(use="same", run_id="old", assessors=("ann",), text=JUDGED)
    assert explained(judge="nuggeteer")["a"].judged is None


def test_a_response_is_not_its_own_source_of_similarity() -> None:
    # The run that was judged is known by its own judgement, and its own text is hidden from the judge.
    found = explained(judge="nuggeteer(n=2,stem=none,references=both,unit=snippet)", run="old")
    assert found["a"].judged is not None
    assert found["a"].judged.use == "same"


def test_the_table_has_the_column_only_where_there_is_something_in_it() -> None:
    with_source = explain_collection(
        load(ROWS), query_id="q", run_ids=["new"], judge="nuggeteer(n=2,stem=none,references=both,unit=snippet)"
    )
    text = str(explanation_tables(with_source.explanations)[0])
    assert "similar, old (ann): The best of this music" in text
    without = explain_collection(load(ROWS), query_id="q", run_ids=["new"], judge="nuggeteer")
    assert "judged text" not in str(explanation_tables(without.explanations)[0])


def test_the_command_prints_it(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import json
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    monkeypatch.chdir(tmp_path)
    Path("all.jsonl").write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in ROWS))
    judge = "nuggeteer(n=2,stem=none,references=both,unit=snippet)"
    done = karat_here("explain", "all.jsonl", "--query", "q", "--run", "new", "--judge", judge, "--format", "jsonl")
    assert done.code == 0, done.err
    rows = {row["nug_id"]: row for row in map(json.loads, done.lines)}
    assert rows["a"]["judged"]["run_id"] == "old"
