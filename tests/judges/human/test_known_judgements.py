from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.records import judgement, nug, response
from karat.evaluate.score.score import score_collection
from karat.judges.human import known_judgements as module
from karat.judges.human.assessors import Known
from karat.judges.human.known_judgements import Contradiction, KnownJudgements, alike
from karat.judges.judge import judge_collection
from karat.measures.cases.cases import Cases
from karat.model import Collection, Judgement, Response

NUGS = [nug("n0", "red fox"), nug("n1", "blue whale"), nug("n2", "old sea")]


def mark(run_id: str, nug_id: str, degree: float | None = 1.0, *, snippet: int | None = 0, **fields: str) -> Judgement:
    """A judgement of a snippet, or (None) of the whole response."""
    snippet_id = None if snippet is None else f"{run_id}{snippet}"
    known = {"run_id": run_id, "snippet_id": snippet_id, "judge": "given", "status": "ok"}
    return judgement(nug_id, degree, **known | fields)


def known(responses: list[Response], judgements: list[Judgement]) -> KnownJudgements:
    return KnownJudgements(NUGS, responses, judgements)


def answer(run_id: str, *texts: str, **fields: str) -> Response:
    return response(run_id, *texts, prefix=run_id, first=0, **fields)


def new(*texts: str) -> Response:
    return answer("new", *texts)


def test_case_and_white_space_are_made_alike() -> None:
    assert alike(" The\u00a0RED\t\nfox ") == "the red fox"
    assert alike("Straße") == alike("STRASSE")
    judgements = known([answer("a", "The red  fox.")], [mark("a", "n0")])
    assert judgements.of(new(" the RED\nfox. "), "n0") == Known(degree=1.0, snippet_id="new0")
    assert judgements.of(new("the red fox"), "n0") is None  # a full stop is no white space


def test_a_text_marked_in_any_run_contains_the_nug() -> None:
    runs = [answer("a", "one"), answer("b", "one", "two")]
    judgements = known(runs, [mark("a", "n1"), mark("b", "n0")])
    assert judgements.of(new("x", "One"), "n0") == Known(degree=1.0, snippet_id="new1")
    assert judgements.of(new("x", "One"), "n1") == Known(degree=1.0, snippet_id="new1")


def test_texts_of_a_judged_response_do_not_contain_what_none_of_them_was_marked_with() -> None:
    judgements = known([answer("a", "one", "two")], [mark("a", "n0", snippet=0)])
    assert judgements.of(new("one"), "n1") == Known(degree=0.0)
    assert judgements.of(new("two", "one"), "n1") == Known(degree=0.0)
    assert judgements.of(new("two", "unseen"), "n1") is None
    assert judgements.of(new("unseen"), "n1") is None


def test_the_sibling_of_a_marked_text_is_unknown() -> None:
    judgements = known([answer("a", "one", "two")], [mark("a", "n0", snippet=0)])
    assert judgements.of(new("two"), "n0") is None
    assert judgements.of(new("two", "one"), "n0") == Known(degree=1.0, snippet_id="new1")


def test_a_sibling_that_was_itself_denied_is_known() -> None:
    judgements = known([answer("a", "one", "two")], [mark("a", "n0"), mark("a", "n0", 0.0, snippet=1)])
    assert judgements.of(new("two"), "n0") == Known(degree=0.0)


def test_a_response_that_nobody_judged_tells_nothing() -> None:
    runs = [answer("a", "one"), answer("b", "two")]
    assert known(runs, [mark("a", "n0")]).of(new("two"), "n0") is None
    assert known(runs, []).of(new("one"), "n0") is None
    assert known([], [mark("a", "n0")]).of(new("one"), "n0") is None


def test_other_queries_tell_nothing() -> None:
    judgements = known([answer("a", "one")], [mark("a", "n0")])
    assert judgements.of(answer("new", "one", query_id="other"), "n0") is None


def test_the_first_snippet_wins() -> None:
    judgements = known([answer("a", "one"), answer("b", "two")], [mark("a", "n0"), mark("b", "n0")])
    assert judgements.of(new("x", "two", "one"), "n0") == Known(degree=1.0, snippet_id="new1")


@pytest.mark.parametrize("degree", [0.0, 0.5, 1.0])
def test_the_same_whole_response_has_the_same_degree(degree: float) -> None:
    judgements = known([answer("a", "one", "Two")], [mark("a", "n0", degree, snippet=None)])
    assert judgements.of(new("one two"), "n0") == Known(degree=degree)
    assert judgements.of(new("one", "two"), "n0") == Known(degree=degree)
    # Of its parts, and of other nugs, nothing is known.
    assert judgements.of(new("one"), "n0") is None
    assert judgements.of(new("one", "two"), "n1") is None


def test_what_was_said_of_the_whole_goes_before_what_was_said_of_its_parts() -> None:
    runs = [answer("a", "one", "two"), answer("b", "one")]
    judgements = known(runs, [mark("a", "n0", 0.5, snippet=None), mark("b", "n0")])
    assert judgements.of(new("one", "two"), "n0") == Known(degree=0.5)


def test_a_partial_mark_is_kept_and_the_larger_of_two_counts() -> None:
    runs = [answer("a", "one"), answer("b", "one")]
    assert known(runs, [mark("a", "n0", 0.5)]).of(new("one"), "n0") == Known(degree=0.5, snippet_id="new0")
    assert known(runs, [mark("a", "n0", 0.5), mark("b", "n0")]).of(new("one"), "n0") == Known(
        degree=1.0, snippet_id="new0"
    )


@pytest.mark.parametrize("snippet", [0, None])
@pytest.mark.parametrize("degrees", [(0.0, 1.0), (1.0, 0.0)])
def test_of_two_assessors_the_mean_counts(snippet: int | None, degrees: tuple[float, float]) -> None:
    marks = [mark("a", "n0", degree, snippet=snippet, assessor=f"p{at}") for at, degree in enumerate(degrees)]
    found = known([answer("a", "one")], marks).of(new("one"), "n0")
    assert found is not None
    assert found.degree == 0.5
    assert found.shares == {"0": 0.5, "0.5": 0.0, "1": 0.5}


def test_of_repeated_judgements_the_first_counts_as_in_a_score() -> None:
    marks = [mark("a", "n0", 0.5, snippet=None), mark("a", "n0", 1.0, snippet=None)]
    assert known([answer("a", "one")], marks).of(new("one"), "n0") == Known(degree=0.5)


def test_a_text_that_was_marked_in_any_run_contains_the_nug_in_every_run() -> None:
    runs = [answer("a", "one", "two"), answer("b", "one", "two")]
    for snippet in (0, None):
        found = known(runs, [mark("a", "n0", 0.0, snippet=snippet), mark("b", "n0", 1.0, snippet=snippet)])
        for run in (*runs, new("one", "two")):
            told = found.of(run, "n0")
            assert told is not None
            assert told.degree == 1.0
        assert [len(one.runs) for one in found.contradictions()] == [2]
        source = found.source_of(runs[0], "n0")
        assert source is not None
        assert (source.run_id, source.text) == ("b", "one" if snippet == 0 else "one\ntwo")


def test_the_best_text_that_a_person_marked_stays() -> None:
    runs = [answer("a", "one", "two"), answer("b", "one")]
    found = known(runs, [mark("a", "n0", snippet=1), mark("b", "n0")])
    assert found.of(runs[0], "n0") == Known(degree=1.0, snippet_id="a1")


def test_a_mark_on_a_text_without_words_is_nobody_elses() -> None:
    found = known([answer("a", " ")], [mark("a", "n0", snippet=None)])
    assert found.of(answer("new", ""), "n0") is None
    own = found.of(answer("a", " "), "n0")
    assert own is not None
    assert own.degree == 1.0


def test_the_source_of_what_is_known() -> None:
    found = known([answer("a", "One"), answer("b", "two")], [mark("a", "n0", assessor="ann"), mark("b", "n1")])
    source = found.source_of(new("one"), "n0")
    assert source is not None
    assert (source.run_id, source.assessors, source.text) == ("a", ("ann",), "One")
    # That a text contains nothing may come from several texts.
    assert found.source_of(new("one"), "n2") is None
    assert found.source_of(new("three"), "n0") is None


def test_a_run_that_has_another_text_now_has_no_judgement_of_its_own() -> None:
    judgements = known([answer("a", "one"), answer("b", "two")], [mark("a", "n0", snippet=None), mark("b", "n0", 0.0)])
    assert judgements.of(answer("a", "two"), "n0") == Known(degree=0.0)
    assert judgements.of(answer("a", "three"), "n0") is None


def test_silence_is_no_answer_on_nugs_that_a_body_does_not_have() -> None:
    found = KnownJudgements(NUGS[:2], [answer("a", "one")], [mark("a", "n0")])
    assert found.of(new("one"), "n1") == Known(degree=0.0)
    assert found.of(new("one"), "n2") is None
    found.add(NUGS, [answer("b", "one")], [mark("b", "n2")])
    assert found.of(new("one"), "n2") == Known(degree=1.0, snippet_id="new0")


MARKS = st.tuples(
    st.sampled_from("xyz"), st.sampled_from("012"), st.sampled_from([None, 0, 1]), st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["ok", "ok", "failed"]),
)  # fmt: skip


@given(st.lists(MARKS, min_size=1))
@settings(max_examples=60, deadline=None)
def test_a_runs_own_judgements_score_as_they_do_without_a_judge(rows: list[tuple[Any, ...]]) -> None:
    """Any assessors, snippets and wholes: what is taken over has the credits that `karat score` gives."""
    run = answer("a", "one", "two")
    marks = [
        mark("a", f"n{nug_at}", degree, snippet=snippet, assessor=who, status=status)
        for who, nug_at, snippet, degree, status in rows
    ]
    case = Cases(Collection([*NUGS, run, *marks])).case("a", "q")
    assert case is not None
    judgements = known([run], Cases(Collection([*NUGS, run, *marks])).judgements["q", "a"])
    for one in NUGS:
        told = judgements.of(run, one.nug_id)
        if one.nug_id in case.lenient.credits:
            assert told is not None
            assert told.degree == pytest.approx(case.lenient.credits[one.nug_id])
            strict = told.shares["1"] if told.shares else float(told.degree >= 1)
            assert strict == pytest.approx(case.strict.credits[one.nug_id])


@pytest.mark.parametrize("more", [{"status": "failed"}, {"status": "unknown"}, {"degree": None}])
def test_what_failed_is_neither_known_nor_denied(more: dict[str, object]) -> None:
    unsure = mark("a", "n0", **{"degree": 1.0} | more)
    judgements = known([answer("a", "one", "two")], [unsure, mark("a", "n1")])
    assert judgements.of(new("one"), "n0") is None
    assert judgements.of(new("two"), "n0") is None
    assert judgements.of(new("two"), "n2") == Known(degree=0.0)
    assert known([answer("a", "one")], [unsure]).of(new("one"), "n2") is None


def test_contradictions_are_listed_and_count_as_marked() -> None:
    runs = [answer("a", "One"), answer("b", "one")]
    judgements = known(runs, [mark("a", "n0"), mark("b", "n1"), mark("a", "n1")])
    assert judgements.contradictions() == [
        Contradiction(query_id="q", nug_id="n0", text="one", runs=("a", "b"), degrees=(1.0, 0.0))
    ]
    assert judgements.of(new("one"), "n0") == Known(degree=1.0, snippet_id="new0")
    whole = known(runs, [mark("a", "n0", 1.0, snippet=None), mark("b", "n0", 0.5, snippet=None)])
    assert [one.degrees for one in whole.contradictions()] == [(1.0, 0.5)]
    assert known(runs, [mark("a", "n0"), mark("b", "n0")]).contradictions() == []


def test_an_empty_response() -> None:
    judgements = known([answer("a")], [mark("a", "n0", 0.0, snippet=None)])
    assert judgements.of(answer("new"), "n0") == Known(degree=0.0)
    assert judgements.of(answer("new"), "n1") is None


def test_a_long_response_is_made_alike_once_for_all_nugs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(module, "alike", lambda text: calls.append(text) or alike(text))
    nugs = [nug(f"n{at}", "x") for at in range(50)]
    runs = [answer("a", "one", "two")]
    found = KnownJudgements(nugs, runs, [mark("a", nug.nug_id, 0.0, snippet=None) for nug in nugs])
    for one in nugs:
        assert found.of(runs[0], one.nug_id) == Known(degree=0.0)
    assert len(calls) == 3


@pytest.mark.parametrize(
    ("nug_id", "degree", "expected"),
    [("n0", 1.0, 1 / 3), ("n0", 0.0, 0.0), ("n1", 1.0, 2 / 3), ("n1", 0.0, 1 / 3)],
)
def test_a_known_judgement_changes_the_score_as_the_arithmetic_says(
    nug_id: str, degree: float, expected: float
) -> None:
    """With a fixed threshold every nug counts 0 or 1, and the judge finds the first of three."""
    answers = Collection([*NUGS, answer("new", "A RED fox.", "Nothing.")])
    people = Collection([*NUGS, answer("old", "a red fox.", "nothing."), mark("old", nug_id, degree, snippet=None)])

    def strict_all(others: Collection | None) -> float | None:
        judging = judge_collection(answers, judge="nuggeteer(unit=snippet)", threshold=0.9, known=others)
        assert ("1 known judgement reused" in judging.notes) == (others is not None)
        scoring = score_collection(Collection([*NUGS, *judging.judgements]), measures="strict_all")
        return next(score.value for score in scoring.scores if score.query_id == "all")

    assert strict_all(None) == pytest.approx(1 / 3)
    assert strict_all(people) == pytest.approx(expected)
