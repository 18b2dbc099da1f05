from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.rows import judgement, nug, response
from builders.simulated import by_pair, simulated, unlabelled, with_judgements
from karat.evaluate.score.score import score_collection
from karat.formats import load, write_bytes
from karat.judges.judge import Judging, judge_collection
from karat.judges.judgements.saved import to_save
from karat.measures.cases.saved_fields import COMMON, FOLDED, SIGMAS, decided, each_unfolded, saved_sigmas, unfolded
from karat.model import Collection, Judgement, UsageError

JUDGE = "nuggeteer(n=2,stem=none,stop=keep,unit=snippet)"
TRUTH = simulated(queries=4, runs=6, noise=0.3, seed=3)
SOME = with_judgements(TRUTH, [judgement for judgement in TRUTH.judgements if judgement.run_id in ("r0", "r4")])
MEASURES = "strict_all,lenient_all"


@pytest.fixture(scope="module", name="judging")
def judging_of_some() -> Judging:
    return judge_collection(SOME, judge=JUDGE)


def read_again(found: tuple[Judgement, ...]) -> Collection:
    return load(unlabelled(TRUTH), load(write_bytes(found, format="karat")))


def scores(found: Collection, **more: Any) -> dict[tuple[str, str], tuple[float | None, ...]]:
    scored = score_collection(found, measures=MEASURES, **more).of_all()
    return {(one.run_id, one.measure): (one.value, one.judge_low, one.judge_high, one.low, one.high) for one in scored}


@pytest.mark.parametrize("floor", [None, 0.0, 0.2, 0.6, 1.0])
def test_a_floor_changes_no_score(judging: Judging, floor: float | None) -> None:
    saved = to_save(judging, floor=floor)
    whole = scores(with_judgements(TRUTH, judging.judgements), sigma=judging.sigma, run_sigma=judging.run_sigma)
    again = scores(read_again(saved.judgements))
    assert {key: one[0] for key, one in again.items()} == pytest.approx({key: one[0] for key, one in whole.items()})
    assert again == scores(read_again(to_save(judging).judgements))
    lines = len(judging.judgements) - saved.folded
    assert len(saved.judgements) == lines
    assert (saved.folded > 0) == (floor is not None and floor >= 0.2)
    assert by_pair(unfolded(saved.judgements)).keys() == by_pair(judging.judgements).keys()


def test_judgements_below_the_floor_come_back_to_their_places(judging: Judging) -> None:
    saved = to_save(judging, floor=0.6)
    assert saved.folded > 0
    found = unfolded(saved.judgements, nugs=TRUTH.nugs)
    assert list(by_pair(found)) == list(by_pair(judging.judgements))
    again = list(each_unfolded([*TRUTH.nugs, *saved.judgements]))
    assert by_pair(one for one in again if isinstance(one, Judgement)).keys() == by_pair(judging.judgements).keys()
    assert not any(FOLDED in one.extra for one in again)


def test_what_is_below_the_floor_is_counted(judging: Judging) -> None:
    saved = to_save(judging, floor=0.3)
    written = by_pair(saved.judgements)
    below = [one for pair, one in by_pair(judging.judgements).items() if pair not in written]
    assert saved.folded == len(below) > 0
    assert saved.expected == pytest.approx(sum(one.probabilities["1"] for one in below))
    assert saved.expected_partly == pytest.approx(sum(1 - one.probabilities["0"] for one in below))
    assert all(1 - one.probabilities["0"] < 0.3 for one in below)


def test_known_judgements_and_one_of_each_response_have_a_line(judging: Judging) -> None:
    saved = to_save(judging, floor=1.0)
    known = [pair for pair, one in by_pair(judging.judgements).items() if "known" in one.extra]
    assert known
    assert by_pair(saved.judgements).keys() >= set(known)
    cells = {(judgement.query_id, judgement.run_id) for judgement in judging.judgements}
    assert {(judgement.query_id, judgement.run_id) for judgement in saved.judgements} == cells


def test_saved_judgements_have_the_intervals_they_had_at_once(judging: Judging) -> None:
    at_once = with_judgements(TRUTH, judging.judgements)
    expected = scores(at_once, sigma=judging.sigma, run_sigma=judging.run_sigma, common=judging.common)
    again = scores(read_again(to_save(judging).judgements))
    for key, one in expected.items():
        assert again[key] == pytest.approx(one, abs=2e-3)
    found = saved_sigmas(to_save(judging).judgements)
    assert found is not None
    assert (found.sigma, found.run_sigma) == pytest.approx((judging.sigma, judging.run_sigma), abs=1e-4)
    assert found.common.nug == pytest.approx(judging.common.nug, abs=1e-4)
    assert np.array(found.common.calibration) == pytest.approx(np.array(judging.common.calibration), rel=1e-4)


@pytest.mark.parametrize(
    "said",
    [
        "wide",
        {"nug": 0.2},
        {"nug": 2.0, "query": 0.0},
        {"nug": 0.2, "query": 0.1, "calibration": [[1.0]], "freedom": 5},
        {"nug": 0.2, "query": 0.1, "calibration": [[1.0] * 3] * 3, "freedom": 2},
        {"nug": 0.2, "query": 0.1, "calibration": [[1.0] * 3] * 3},
    ],
)
def test_common_errors_that_cannot_be_read_are_refused(said: object) -> None:
    with pytest.raises(UsageError, match="common_error of a judgement is not"):
        saved_sigmas(load([judgement("q", "x", 1.0, **{SIGMAS: [1.0, 0.1], COMMON: said})]).judgements)


def test_of_several_common_errors_that_count_which_give_the_widest_interval() -> None:
    unsure = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]]
    first = {"nug": 0.2, "query": 0.1, "calibration": unsure, "freedom": 5.0}
    said = [first, {"nug": 0.4, "query": 0.05}]
    rows = [judgement("q", "x", 1.0, str(at), **{SIGMAS: [1.0, 0.1], COMMON: one}) for at, one in enumerate(said)]
    found = saved_sigmas(load(rows).judgements)
    assert found is not None
    assert (found.common.nug, found.common.query, found.common.freedom) == (0.2, 0.05, 5.0)


def test_the_saved_sigma_is_what_errors_are_drawn_with() -> None:
    rows = [nug("q", str(at)) for at in range(8)]
    rows += [response("q", "x")]
    marks = [judgement("q", "x", 1.0, str(at), judge="lexical", probabilities={"0": 0.5, "1": 0.5}) for at in range(8)]
    widths = []
    for sigma in (0.0, 4.0):
        carried = [marks[0] | {SIGMAS: [sigma, 0.0]}, *marks[1:]]
        score = score_collection(load([*rows, *carried]), measures="strict_all").of_all()[0]
        assert score.judge_low is not None
        assert score.judge_high is not None
        widths.append(score.judge_high - score.judge_low)
    assert widths[1] > 1.2 * widths[0]


def test_of_several_sigmas_the_largest_counts_and_without_any_there_is_none() -> None:
    def marked(*sigmas: Any) -> list[Judgement]:
        rows = [judgement("q", "x", 1.0, str(at), **{SIGMAS: one}) for at, one in enumerate(sigmas)]
        return load(rows).judgements

    found = saved_sigmas(marked([1.0, 0.3], [1.4, 0.1]))
    assert found is not None
    assert (found.sigma, found.run_sigma) == (1.4, 0.3)
    assert saved_sigmas(load([judgement("q", "x", 1.0)]).judgements) is None
    with pytest.raises(UsageError, match="error_sigma"):
        saved_sigmas(marked("wide"))


@pytest.mark.parametrize("bad", ["text", [1], {"n": 0.5}, {"n": [0.2, 0.4]}, {"n": [1.5, 0.1]}, {"n": ["a", "b"]}])
def test_what_cannot_be_read_below_the_floor_is_reported(bad: object) -> None:
    rows = load([nug("q"), nug("q", "n"), judgement("q", "x", 1.0, **{FOLDED: bad})])
    with pytest.raises(UsageError, match=r"query q, run x: below_floor is not \{nug_id"):
        score_collection(rows)


@pytest.mark.parametrize("floor", [-0.1, 1.1, float("nan")])
def test_a_floor_is_a_probability(judging: Judging, floor: float) -> None:
    with pytest.raises(UsageError, match="floor"):
        to_save(judging, floor=floor)


@given(st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_probabilities_are_the_same_when_they_are_made_again(one: float, other: float) -> None:
    first = decided(max(one, other), min(one, other))
    again = decided(round(1 - first.probabilities["0"], 4), first.probabilities["1"])
    assert again == first
    assert sum(first.probabilities.values()) == pytest.approx(1, abs=1e-9)
