from __future__ import annotations

from typing import Any

import pytest

from builders.rows import judgement, nug
from karat.formats import load
from karat.judges.human.examples import with_examples
from karat.judges.human.judged_texts import NO_GROUP
from karat.judges.judge import judge_collection
from karat.judges.pairs import tasks_of
from karat.model import Collection


def answer(run_id: str, *texts: str, query_id: str = "q") -> dict[str, Any]:
    snippets = [{"snippet_id": str(at), "text": text} for at, text in enumerate(texts)]
    return {"kind": "response", "query_id": query_id, "run_id": run_id, "snippets": snippets}


def people(*more: dict[str, Any]) -> Collection:
    answers = [
        answer("a", "A red fox slept.", "The hen sang."), answer("b", "A whale sang.", "Nothing."),
        answer("new", "A red fox woke."),
    ]  # fmt: skip
    return load([nug("q", "fox"), nug("q", "whale"), *answers, *more])


def test_snippets_and_their_marked_words_are_known() -> None:
    collection = people(
        judgement("q", "a", 1.0, "fox", snippet_id="0", evidence={"spans": [[2, 9]]}),
        judgement("q", "a", 0.0, "whale", snippet_id="1"),
    )
    [task] = with_examples(tasks_of(collection), [collection])
    assert task.known is not None
    assert list(task.known.texts) == ["A red fox slept.", "The hen sang."]
    assert [(judgement.nug_id, judgement.text, judgement.part) for judgement in task.known.marks] == [
        ("fox", 0, "red fox")
    ]
    # b and new were not judged: nothing has to be hidden from them.
    assert list(task.groups) == [0, NO_GROUP, NO_GROUP]


def test_whole_responses_are_known_as_a_whole() -> None:
    collection = people(judgement("q", "a", 1.0, "fox"), judgement("q", "b", 0.5, "whale"))
    [task] = with_examples(tasks_of(collection), [collection])
    assert task.known is not None
    assert list(task.known.texts) == ["A red fox slept.\nThe hen sang.", "A whale sang.\nNothing."]
    # Half of a nug is no example of it.
    assert [judgement.nug_id for judgement in task.known.marks] == ["fox"]


def test_runs_of_an_institution_are_hidden_together() -> None:
    collection = people(judgement("q", "a", 1.0, "fox"), judgement("q", "b", 1.0, "whale"))
    [task] = with_examples(tasks_of(collection), [collection], names={"a": "x", "b": "x", "new": "x"})
    assert list(task.groups) == [0, 0, 0]


def test_failed_judgements_teach_nothing() -> None:
    collection = people(judgement("q", "a", None, "fox"))
    [task] = with_examples(tasks_of(collection), [collection])
    assert task.known is None


@pytest.mark.parametrize("judge", ["neighbours", "nuggeteer(references=both)"])
def test_what_people_said_of_other_runs_raises_the_score(judge: str) -> None:
    def score(*marks: dict[str, Any]) -> float:
        found = judge_collection(people(*marks), judge=judge).judgements
        [one] = [one for one in found if (one.run_id, one.nug_id) == ("new", "fox")]
        return float(one.extra["score"])

    said = judgement("q", "a", 1.0, "fox", snippet_id="0"), judgement("q", "b", 1.0, "whale", snippet_id="0")
    other = judgement("q", "a", 1.0, "whale", snippet_id="0"), judgement("q", "b", 1.0, "fox", snippet_id="1")
    assert score(*said) > score(*other)
