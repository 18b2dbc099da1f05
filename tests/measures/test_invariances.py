"""What holds for every measure, whatever it measures. A new name must be put into one of the two lists below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from builders.cases import value
from builders.records import QUERY, nug, response, vote
from karat.measures.cases.case import Case, Pool
from karat.measures.entries import ENTRIES
from karat.measures.registry import parse_measure
from karat.model import Judgement, Nug, Vote
from strategies import moderately


@dataclass(frozen=True)
class Traits:
    """What is expected of a measure that can be had from nugs, judgements and texts."""

    perfect: bool = True
    """An answer that has everything, in few words, scores 1."""
    empty: float | None = 0.0
    """What an empty response scores; None: something else."""
    finds_help: bool = True
    """A further find never lowers it."""
    adds_up: bool = True
    """Two queries alike score together what one scores."""


UNDEFINED_IF_EMPTY = Traits(empty=math.nan)
WITH_ESTIMATES = Traits(adds_up=False)  # what is estimated of the corpus is added once to any table
TRAITS: dict[str, Traits] = {
    "strict_vital": Traits(),
    "lenient_vital": Traits(),
    "strict_all": Traits(),
    "lenient_all": Traits(),
    "strict_weighted": Traits(),
    "lenient_weighted": Traits(),
    "rubric": Traits(),
    "F": Traits(),
    "pyramid_F": Traits(),
    "macro_F": Traits(),
    "nugget_recall": Traits(),
    "nugget_precision": UNDEFINED_IF_EMPTY,
    "pyramid_recall": Traits(),
    "precision": UNDEFINED_IF_EMPTY,
    "recall": Traits(),
    "rightness": Traits(),
    "accuracy": replace(WITH_ESTIMATES, empty=None),  # not to say what is not relevant is right
    "F_value": Traits(),
    "proficiency": WITH_ESTIMATES,
    "comprehensiveness": Traits(),
    "gain": Traits(perfect=False, empty=math.nan),  # of one update; no upper end
    "normalized_gain": Traits(perfect=False, empty=math.nan),
    "verbosity": Traits(perfect=False, empty=math.nan, finds_help=False),  # less is better
}
ELSEWHERE: dict[str, str] = {
    "CW_F_value": "needs nuggets and citation judgements",
    "citation_precision": "needs nuggets and citation judgements",
    "citation_recall": "needs nuggets and citation judgements",
    "citation_F": "needs nuggets and citation judgements",
    "chunk_precision": "needs citation judgements",
    "chunk_recall": "needs citation judgements",
    "chunk_F": "needs citation judgements",
    "support_precision": "needs citation judgements",
    "support_recall": "needs citation judgements",
    "support_F": "needs citation judgements",
    "latency_comprehensiveness": "needs times",
    "latency_gain": "needs times",
    "normalized_latency_gain": "needs times",
    "temporal_HM": "needs times",
    "timeliness": "needs times",
}
EVERY = {name: parse_measure(name) for name in ENTRIES}
MEASURES = {name: EVERY[name] for name in TRAITS}


def test_every_measure_is_in_one_of_the_lists() -> None:
    assert set(ENTRIES) == {*TRAITS, *ELSEWHERE}
    assert not set(TRAITS) & set(ELSEWHERE)
    enough = {"nugs", "judgements", "lengths"}
    assert [name for name in TRAITS if not set(EVERY[name].needs()) <= enough] == []
    assert [name for name in ELSEWHERE if set(EVERY[name].needs()) <= enough] == []


@dataclass(frozen=True)
class Scene:
    """A key with votes, and one response to be judged by it."""

    nugs: Sequence[Nug]
    votes: Sequence[Vote]
    degrees: tuple[float | None, ...]
    """Of each nug; None: its judgement failed."""
    texts: tuple[str, ...] = ("x" * 50, "y" * 50)
    in_snippets: bool = False
    """Only finds were marked, in snippets; else each nug was judged for the whole response."""

    @property
    def judgements(self) -> list[Judgement]:
        return [
            Judgement(
                query_id=QUERY, run_id="r", nug_id=nug.nug_id, degree=degree, judge="j",
                status="ok" if degree is not None else "failed",
                snippet_id=f"s{1 + number % len(self.texts)}" if self.in_snippets else None,
            )
            for number, (nug, degree) in enumerate(zip(self.nugs, self.degrees, strict=True))
            if degree != 0.0 or not self.in_snippets
        ]  # fmt: skip

    @property
    def case(self) -> Case:
        judgements = self.judgements
        return Case(
            self.pool, "r", judgements=judgements, response=response("r", *self.texts), silent=not judgements
        )  # fmt: skip

    @property
    def pool(self) -> Pool:
        votes: dict[str, list[Vote]] = {}
        for cast in self.votes:
            votes.setdefault(cast.nug_id, []).append(cast)
        return Pool(QUERY, nugs=self.nugs, votes=votes)

    @property
    def empty(self) -> Case:
        return Case(self.pool, "r", response=response("r"), silent=True)


def rated(nug_id: str, importance: Any = None, weight: float | None = None) -> Nug:
    return nug(nug_id, f"nug {nug_id}", importance=importance, weight=weight)


grades = st.sampled_from(["vital", "okay", 0.0, 0.25, 0.75, 1.0])
degrees = st.sampled_from([0.0, 0.5, 1.0])
texts = st.lists(st.integers(1, 300).map(lambda length: "x " * length), min_size=1, max_size=3).map(tuple)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Keys whose first nug is vital by everybody, so that every measure has something to divide by."""
    others = "bcdef"[: draw(st.integers(0, 5))]
    weights = st.none() | st.sampled_from([0.5, 1.0, 2.0, 3.0])
    importances = st.sampled_from(["vital", "okay", None])
    nugs = [rated("a", "vital", draw(weights)), *(rated(one, draw(importances), draw(weights)) for one in others)]
    assessors = ["ann", "bob", "cyd"][: draw(st.integers(1, 3))]
    votes = [vote("a", "vital", assessor) for assessor in assessors]
    votes += [vote(one, draw(grades), assessor) for one in others for assessor in assessors]
    return Scene(nugs, votes, tuple(draw(degrees) for _ in nugs), draw(texts), draw(st.booleans()))


def scores(case: Case) -> dict[str, float]:
    return {name: value(measure, case) for name, measure in MEASURES.items()}


def approximately(expected: dict[str, float]) -> Any:
    return pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ENTRIES)
def test_names_parse_back(name: str) -> None:
    assert parse_measure(str(EVERY[name])) == EVERY[name]


@pytest.mark.parametrize("name", ENTRIES)
def test_why_it_may_be_undefined_is_said(name: str) -> None:
    assert EVERY[name].undefined()


@pytest.mark.parametrize("name", ENTRIES)
@moderately
@given(data=st.data())
def test_values_are_those_of_each_row_of_counts(name: str, data: st.DataObject) -> None:
    measure = EVERY[name]
    counts = data.draw(arrays(float, (2, 3, len(measure.COUNTS)), elements=st.integers(0, 4).map(float)))
    found = measure.values(counts)
    assert found.shape == (2, 3)
    np.testing.assert_array_equal(measure.values(counts[0]), found[0])
    for row in np.ndindex(2, 3):
        np.testing.assert_array_equal(measure.values(counts[row]), found[row])


@pytest.mark.parametrize("name", ENTRIES)
def test_nothing_counted_is_undefined(name: str) -> None:
    measure = EVERY[name]
    np.testing.assert_array_equal(measure.values(np.zeros((2, len(measure.COUNTS)))), [math.nan, math.nan])


@pytest.mark.parametrize("name", MEASURES)
def test_there_is_a_number_for_each_of_the_counts(name: str) -> None:
    counts = MEASURES[name].counts(Scene([rated("a", "vital")], [vote("a", "vital")], (1.0,)).case)
    assert len(counts) == len(MEASURES[name].COUNTS)
    assert all(type(count) is float for count in counts)


def test_which_scores_lie_between_zero_and_one() -> None:
    unbounded = {name for name, measure in EVERY.items() if not measure.is_share()}
    assert unbounded == {
        "gain", "normalized_gain", "latency_gain", "normalized_latency_gain", "latency_comprehensiveness",
        "temporal_HM", "verbosity", "timeliness",
    }  # fmt: skip
    assert not parse_measure("rubric(clip=none)").is_share()


@moderately
@given(scenes(), st.sampled_from([-3.0, -0.5, 1e300]))
def test_shares_lie_between_zero_and_one_whatever_the_weights(scene: Scene, weight: float) -> None:
    weighted = replace(scene, nugs=[*scene.nugs[:-1], rated(scene.nugs[-1].nug_id, "vital", weight)])
    for name, found in scores(weighted.case).items():
        if MEASURES[name].is_share() and not math.isnan(found):
            assert -1e-9 <= found <= 1.0 + 1e-9, name


@moderately
@given(scenes())
def test_what_can_be_divided_is_defined_and_no_more_than_the_scale(scene: Scene) -> None:
    found = scores(scene.case)
    nothing_found = not any(degree for degree in scene.degrees)
    undefined = {name for name, score in found.items() if math.isnan(score)}
    assert undefined == ({"precision"} if nothing_found else set())
    assert all(0.0 <= found[name] <= 1.0 + 1e-12 for name in {n for n, t in TRAITS.items() if t.perfect} - undefined)


@moderately
@given(scenes())
def test_a_perfect_answer_scores_one(scene: Scene) -> None:
    perfect = scores(replace(scene, degrees=(1.0,) * len(scene.nugs), texts=("short",)).case)
    expected = {name: 1.0 for name, traits in TRAITS.items() if traits.perfect}
    assert {name: perfect[name] for name in expected} == expected


@moderately
@given(scenes())
def test_an_empty_response_never_beats_another(scene: Scene) -> None:
    empty, said = scores(scene.empty), scores(scene.case)
    expected = {name: traits.empty for name, traits in TRAITS.items() if traits.empty is not None}
    assert {name: empty[name] for name in expected} == pytest.approx(expected, nan_ok=True)
    assert [name for name in MEASURES if empty[name] > said[name] + 1e-12] == []


@moderately
@given(scenes(), st.integers(0, 5))
def test_a_further_find_never_lowers_a_score(scene: Scene, number: int) -> None:
    number %= len(scene.nugs)
    more = replace(scene, degrees=(*scene.degrees[:number], 1.0, *scene.degrees[number + 1 :]))
    before, after = scores(scene.case), scores(more.case)
    helped = [name for name, traits in TRAITS.items() if traits.finds_help]
    assert [name for name in helped if math.isnan(after[name]) or after[name] < before[name] - 1e-12] == []


@moderately
@given(scenes(), st.randoms(use_true_random=False))
def test_the_order_of_nugs_votes_and_judgements_does_not_matter(scene: Scene, random: Any) -> None:
    nugs, votes, judgements = list(scene.nugs), list(scene.votes), scene.judgements
    for records in (nugs, votes, judgements):
        random.shuffle(records)
    shuffled = replace(scene.case, pool=replace(scene, nugs=nugs, votes=votes).pool, judgements=judgements)
    assert scores(shuffled) == approximately(scores(scene.case))


@moderately
@given(scenes())
def test_two_queries_alike_score_what_one_does(scene: Scene) -> None:
    once = scores(scene.case)
    for name, traits in TRAITS.items():
        if traits.adds_up:
            together = value(MEASURES[name], scene.case, scene.case)
            assert (name, together) == (name, pytest.approx(once[name], nan_ok=True))


@moderately
@given(scenes())
def test_a_query_without_nugs_adds_nothing(scene: Scene) -> None:
    bare = Scene([], [], ()).case
    together = {name: value(measure, scene.case, bare) for name, measure in MEASURES.items()}
    assert together == approximately(scores(scene.case))


@moderately
@given(scenes(), grades, st.integers(0, 5))
def test_a_failed_judgement_leaves_the_rest(scene: Scene, grade: Any, place: int) -> None:
    failed = replace(
        scene,
        nugs=[*scene.nugs[:place], rated("failed", "vital", 2.0), *scene.nugs[place:]],
        degrees=(*scene.degrees[:place], None, *scene.degrees[place:]),
        votes=[*scene.votes, vote("failed", grade)],
        texts=scene.texts[:1],
    )
    assert failed.case.strict.failed == 1
    assert scores(failed.case) == approximately(scores(replace(scene, texts=scene.texts[:1]).case))


@pytest.mark.parametrize(
    "case",
    [
        Scene([], [], ()).case,
        Scene([], [], ()).empty,
        Scene([rated("a", "vital"), rated("b", "okay", 1.0)], [vote("a", "vital")], (None, None)).case,
        Scene([rated("a", "vital"), rated("b")], [vote("a", "vital")], (None, None), in_snippets=True).case,
        Case(Pool(QUERY, nugs=[rated("a", "vital")], votes={"a": [vote("a", "vital")]}), "r"),
    ],
    ids=["no nugs", "no nugs, empty", "all failed", "all marks failed", "nobody judged"],
)
def test_what_is_undefined_is_no_zero(case: Case) -> None:
    found = scores(case)
    assert found == pytest.approx(dict.fromkeys(found, math.nan), nan_ok=True)


def test_a_key_that_calls_nothing_vital() -> None:
    votes = [vote("a", "okay"), vote("b", 0.0)]
    found = scores(Scene([rated("a", "okay"), rated("b", "okay")], votes, (1.0, 0.0)).case)
    assert {name for name, score in found.items() if math.isnan(score)} == {
        "strict_vital", "lenient_vital", "F", "nugget_recall", "pyramid_F", "pyramid_recall", "macro_F",
    }  # fmt: skip


finite = st.floats(allow_nan=False, allow_infinity=False)


@moderately
@given(st.lists(st.tuples(finite, degrees), min_size=1, max_size=4), texts | st.just(("",)))
def test_whatever_the_weights_of_the_key_scores_are_numbers_or_undefined(
    items: list[tuple[float, float]], said: tuple[str, ...]
) -> None:
    # Warnings of numpy are errors here.
    nugs = [rated(str(number), "vital", weight) for number, (weight, _) in enumerate(items)]
    case = Scene(nugs, [], tuple(degree for _, degree in items), said).case
    for measure in (*EVERY.values(), parse_measure("rubric(clip=none)")):
        for found in (value(measure, case), value(measure, case, case)):
            assert not math.isinf(found), str(measure)


CREDITED = {name: measure for name, measure in MEASURES.items() if measure.crediting(Scene([], [], ()).case)}


def test_measures_that_count_credits_are_those_that_a_credit_can_change() -> None:
    case = Scene([rated("a", "vital")], [vote("a", "vital")], (0.0,)).case
    changed = case.with_degrees({"a": 1.0})
    by_credits = {name for name, measure in MEASURES.items() if measure.counts(case) != measure.counts(changed)}
    assert set(CREDITED) == by_credits


@pytest.mark.parametrize("name", CREDITED)
@moderately
@given(scene=scenes())
def test_strict_measures_see_no_part_of_a_nug(name: str, scene: Scene) -> None:
    measure = CREDITED[name]
    in_part = scene.case.with_degrees({nug.nug_id: 0.5 for nug in scene.nugs})
    not_at_all = scene.case.with_degrees({nug.nug_id: 0.0 for nug in scene.nugs})
    same = measure.counts(in_part) == measure.counts(not_at_all)
    assert same == (measure.crediting(scene.case) == "strict")


@pytest.mark.parametrize("name", MEASURES)
@moderately
@given(scene=scenes(), drawn=st.lists(degrees, min_size=6, max_size=6))
def test_counts_of_linear_measures_follow_their_slopes(name: str, scene: Scene, drawn: list[float]) -> None:
    measure, case = MEASURES[name], scene.case
    if not measure.is_linear(case):
        return
    nug_ids = [nug.nug_id for nug in scene.nugs]
    said = dict(zip(nug_ids, drawn, strict=False))
    strict = measure.crediting(case) == "strict"
    credits = np.array([float(degree == 1.0) if strict else degree for degree in said.values()])
    none = np.array(measure.counts(case.with_degrees(dict.fromkeys(nug_ids, 0.0))))
    expected = none + credits @ measure.credit_slopes(case, nug_ids)
    np.testing.assert_allclose(measure.counts(case.with_degrees(said)), expected, atol=1e-12)


@pytest.mark.parametrize("name", ENTRIES)
@moderately
@given(scene=scenes())
def test_votes_change_only_what_depends_on_them(name: str, scene: Scene) -> None:
    measure = EVERY[name]
    other = replace(scene, votes=[vote(one.nug_id, "vital", one.assessor) for one in scene.votes])
    if not measure.depends_on_votes():
        np.testing.assert_array_equal(value(measure, scene.case), value(measure, other.case))


@pytest.mark.parametrize("name", [name for name, measure in EVERY.items() if measure.depends_on_votes()])
@moderately
@given(scene=scenes())
def test_values_by_weight_are_those_by_the_votes_of_one_assessor(name: str, scene: Scene) -> None:
    measure = EVERY[name]
    own = replace(scene, votes=[vote for vote in scene.votes if vote.assessor == "ann"])
    values = [{"vital": 1.0, "okay": 0.0}.get(vote.value, vote.value) for vote in own.votes]  # type: ignore[call-overload]
    credits = own.case.strict.credits
    by_weight = measure.values_by_weight(
        np.array([[credits[nug.nug_id] for nug in own.nugs]]), np.array(values), np.array([float(own.case.length)])
    )
    assert by_weight[0] == pytest.approx(value(measure, own.case))


def test_an_f_by_pyramid_has_a_binary_form() -> None:
    assert parse_measure("pyramid_F2").binary_form() == parse_measure("F2")
    assert {name for name, measure in EVERY.items() if measure.binary_form() is not None} == {"pyramid_F"}
