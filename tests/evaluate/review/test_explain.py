from __future__ import annotations

import pytest

from builders.rows import Row, judgement, nug, response
from builders.simulated import simulated, unlabelled, with_judgements
from karat.evaluate.review.explain import Explanation, explain_collection
from karat.formats import load
from karat.judges.judge import judge_collection
from karat.model import UsageError

KEY = [
    nug("q", "a", descriptions=["a red fox swims"]),
    nug("q", "b", "okay", descriptions=["the blue sea", "the ocean"]),
    nug("q", "c", None, descriptions=["nobody knows"]),
]
TEXT = "It rains. Red foxes like swimming. The sea is blue."
JUDGE = "nuggeteer(n=1,stem=english,stop=keep,unit=sentence)"


def explained(*rows: Row, judge: str = JUDGE, **more: object) -> dict[str, Explanation]:
    found = explain_collection(load([*KEY, *rows]), query_id="q", judge=judge, **more)  # type: ignore[arg-type]
    return {explanation.nug_id: explanation for explanation in found.explanations}


def test_the_best_piece_is_shown_and_the_words_that_decided_are_marked() -> None:
    explanations = explained(response("q", "x", TEXT))
    fox, sea = explanations["a"], explanations["b"]
    assert fox.text == "Red foxes like swimming."
    assert [fox.text[start:end] for start, end in fox.marks] == ["Red", "foxes", "swimming"]
    assert sea.text == "The sea is blue."
    assert [sea.text[start:end] for start, end in sea.marks] == ["The", "sea", "blue"]
    assert (fox.importance, sea.importance, explanations["c"].importance) == ("vital", "okay", None)
    assert sea.description == "the blue sea"


def test_what_is_more_probable_comes_first() -> None:
    found = explain_collection(load([*KEY, response("q", "x", TEXT)]), query_id="q", judge=JUDGE)
    chances = [explanation.probability or 0.0 for explanation in found.explanations]
    assert chances == sorted(chances, reverse=True)
    assert [explanation.nug_id for explanation in found.explanations][-1] == "c"


def test_a_whole_response_is_a_piece_too() -> None:
    two = response("q", "x") | {
        "snippets": [{"snippet_id": "1", "text": "A red fox."}, {"snippet_id": "2", "text": "The blue sea."}]
    }
    explanations = explained(two, judge="rouge(unit=response,stem=none)")
    assert explanations["b"].text == "A red fox.\nThe blue sea."
    assert [explanations["b"].text[start:end] for start, end in explanations["b"].marks] == ["The", "blue", "sea"]
    assert explained(two, judge="rouge(unit=snippet,stem=none)")["b"].text == "The blue sea."


def test_what_people_said_is_next_to_what_the_judge_says() -> None:
    explanations = explained(response("q", "x", TEXT), judgement("q", "x", 0.5, "a"), judgement("q", "x", None, "b"))
    assert (explanations["a"].known, explanations["b"].known, explanations["c"].known) == (0.5, None, None)
    assert (explanations["a"].probability or 0) > 0


def test_what_another_program_said_is_not_what_people_said() -> None:
    explanations = explained(response("q", "x", TEXT), judgement("q", "x", 0.5, "a", judge="rouge"))
    assert explanations["a"].known is None


def test_the_judge_has_learned_what_it_learns_when_it_judges() -> None:
    truth = simulated(queries=3, runs=5, noise=0.2, seed=1)
    some = with_judgements(truth, [judgement for judgement in truth.judgements if judgement.run_id != "r3"])
    found = explain_collection(some, query_id="q0", run_ids=["r3"], judge=JUDGE)
    judging = judge_collection(some, judge=JUDGE)
    chances = {
        judgement.nug_id: judgement.probabilities["1"]
        for judgement in judging.judgements
        if (judgement.query_id, judgement.run_id) == ("q0", "r3")
    }
    assert {explanation.nug_id: explanation.probability for explanation in found.explanations} == chances
    assert found.signature == judging.signature
    assert "cal:logistic" in found.signature
    assert "labels: judge 'j' counts as people's" in found.notes
    # Judgements in known files teach the same.
    apart = explain_collection(unlabelled(truth), known=some, query_id="q0", run_ids=["r3"], judge=JUDGE)
    assert apart.explanations == found.explanations


def test_whose_labels_count_can_be_chosen() -> None:
    marks = [judgement("q", "x", 0.5, "a", judge="ann"), judgement("q", "x", 1.0, "a", judge="gpt")]
    assert explained(response("q", "x", TEXT), *marks, labels="gpt")["a"].known == 1.0
    with pytest.raises(UsageError, match="could be people's"):
        explained(response("q", "x", TEXT), *marks)


def test_parts_have_what_people_said_of_them() -> None:
    parts = [nug("q", "w", aggregator="and"), nug("q", "p", parent="w", descriptions=["tea"])]
    explanations = explained(*parts, response("q", "x", "Tea."), judgement("q", "x", 1.0, "p"))
    assert explanations["p"].known == 1.0
    assert "w" not in explanations


def test_an_empty_response_has_nothing_to_show() -> None:
    explanations = explained(response("q", "x") | {"snippets": []})
    assert {(one.text, one.marks, one.degree, one.probability) for one in explanations.values()} == {("", (), 0.0, 0.0)}


def test_runs_can_be_chosen() -> None:
    rows = load([*KEY, response("q", "x"), response("q", "y")])
    for run_ids, expected in (((), {"x", "y"}), (("y",), {"y"})):
        found = explain_collection(rows, query_id="q", run_ids=run_ids, judge=JUDGE)
        assert {explanation.run_id for explanation in found.explanations} == expected


@pytest.mark.parametrize(
    ("query_id", "run_ids", "message"),
    [
        ("z", (), "the key has no query 'z'; choose from q, other"),
        ("q", ("z",), "run 'z' has no response to query q; choose from x"),
        ("other", (), "no run has a response to query other; give the files"),
    ],
)
def test_what_is_not_there_is_refused_with_the_choices(query_id: str, run_ids: tuple[str, ...], message: str) -> None:
    rows = load([*KEY, nug("other"), response("q", "x")])
    with pytest.raises(UsageError, match=message):
        explain_collection(rows, query_id=query_id, run_ids=run_ids, judge=JUDGE)
