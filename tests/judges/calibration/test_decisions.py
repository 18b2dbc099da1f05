from __future__ import annotations

import msgspec
import numpy as np
import pytest

from builders.rows import Row, judgement, nug, query, response
from builders.simulated import WORDS, described, simulated, with_judgements
from karat.evaluate.score.score import score_collection
from karat.formats import load
from karat.judges.calibration.decisions import decision_rates
from karat.judges.calibration.labelled import Labelled
from karat.judges.judge import Judging, judge_collection
from karat.judges.judgements.saved import to_save
from karat.measures.cases.saved_fields import CommonErrors
from karat.model import Collection, UsageError

JUDGE = "nuggeteer(n=1,stem=none,stop=keep,unit=response)"
TRUTH = simulated(noise=0.2, runs=8, seed=3)


def decided(found: Collection = TRUTH, *, threshold: float = 0.6) -> Judging:
    return judge_collection(found, judge=JUDGE, threshold=threshold, reuse=False)


def scored(judging: Judging, measure: str = "strict_all", *, floor: float | None = None) -> dict[str, msgspec.Struct]:
    saved = load([msgspec.to_builtins(one) for one in to_save(judging, floor=floor).judgements])
    scoring = score_collection(with_judgements(TRUTH, saved.judgements), measures=measure)
    return {score.run_id: score for score in scoring.of_all()}


def near_runs(seed: int, *, unlike: float = 0.0) -> Collection:
    """Eight runs that contain 40 to 60 % of the nugs of eight queries, judged with noise.

    unlike: by how much of queries the words of what is contained are missing more or less often than 30 %.
    """
    random = np.random.default_rng(seed)
    lost = np.clip(0.3 + unlike * np.random.default_rng(1000 + seed).standard_normal(8), 0.0, 1.0)
    rows = [row for at in range(8) for row in (query(f"q{at}"), *(_nug(f"q{at}", each) for each in range(8)))]
    for at, run in ((at, run) for at in range(8) for run in range(8)):
        has = random.random(8) < 0.4 + 0.2 * run / 7
        words = np.where(has, WORDS - random.binomial(WORDS, lost[at], 8), random.binomial(WORDS, 0.3, 8)).tolist()
        text = ". ".join(described(f"q{at}", f"n{each}", count) for each, count in enumerate(words) if count)
        rows.append(response(f"q{at}", f"r{run}", text or "nothing"))
        rows += [judgement(f"q{at}", f"r{run}", float(one), f"n{each}") for each, one in enumerate(has.tolist())]
    return load(rows)


def _nug(query_id: str, each: int) -> Row:
    return nug(query_id, f"n{each}", descriptions=[described(query_id, f"n{each}")])


def test_rates_of_both_sides_with_partial_labels() -> None:
    rates = decision_rates(Labelled([0.1, 0.2, 0.8, 0.9], [0.5, np.nan, 1, 0], [0] * 4, [0] * 4), 0.5)
    # Below: 0 of 1 in full, 1 of 1 at least in part; above: 1 of 2.
    assert rates.probabilities([0.0, 0.5]).tolist() == [
        pytest.approx([1 / 3, 2 / 3 - 1 / 3, 1 / 3]),
        pytest.approx([1 / 2, 0, 1 / 2]),
    ]
    with pytest.raises(UsageError, match="no labelled pair"):
        decision_rates(Labelled([0.1], [np.nan], [0], [0]), 0.5)


def test_every_labelled_query_has_the_same_weight() -> None:
    scores, degrees, question = [0.9] * 12, [1.0] * 10 + [0.0] * 2, [0] * 10 + [1] * 2
    rates = decision_rates(Labelled(scores, degrees, question, question), 0.5)
    # Ten labels of one query say yes, two of another one no: as if there were six of each.
    assert rates.probabilities([0.6])[0, 2] == pytest.approx((6 + 1) / (12 + 2))


@pytest.mark.parametrize("measure", ["strict_all", "F3"])
def test_the_score_is_that_of_the_decisions_and_its_interval_comes_from_the_labels(measure: str) -> None:
    truth = TRUTH if measure == "strict_all" else _vital(TRUTH)
    judging = decided(truth)
    hard = [msgspec.structs.replace(one, probabilities={}, extra={}) for one in judging.judgements]
    plain, with_rates = (
        {score.run_id: score for score in score_collection(with_judgements(truth, said), measures=measure).of_all()}
        for said in (hard, judging.judgements)
    )
    for run_id, score in with_rates.items():
        assert score.value == pytest.approx(plain[run_id].value)
        assert score.judge_low is not None
        assert score.judge_low <= score.value <= score.judge_high
        assert score.judge_high - score.judge_low > 0.05


def test_without_labels_there_is_no_judge_interval_and_a_note_says_why() -> None:
    judging = decided(with_judgements(TRUTH, []))
    assert (judging.sigma, judging.run_sigma) == (0.0, 0.0)
    scoring = score_collection(with_judgements(TRUTH, judging.judgements), measures="strict_all")
    assert {(score.judge_low, score.judge_high) for score in scoring.scores} == {(None, None)}
    assert any(note.startswith("no judge interval: 192 of 192 judgements are hard decisions") for note in scoring.notes)


@pytest.mark.parametrize("labels", [True, False])
def test_a_floor_changes_neither_score_nor_interval(labels: bool) -> None:
    judging = decided(TRUTH if labels else with_judgements(TRUTH, []))
    assert scored(judging, floor=0.5) == scored(judging)


def inside_and_widths(truth: Collection, *, common: bool = True) -> list[tuple[bool, float]]:
    """Half of the queries gives the rates, the other half is judged. common: with the errors that all runs share."""
    taught = [one for one in truth.judgements if one.query_id < "q4"]
    asked = Collection(one for one in truth if getattr(one, "query_id", "q7") >= "q4")
    judging = judge_collection(
        with_judgements(asked, []), judge=JUDGE, threshold=0.5, known=with_judgements(truth, taught)
    )
    judged = with_judgements(asked, to_save(judging).judgements)
    official = {score.run_id: score.value for score in score_collection(asked, measures="strict_all").of_all()}
    found = []
    for score in score_collection(
        judged, measures="strict_all", common=None if common else CommonErrors()
    ).of_all():  # fmt: skip
        assert score.judge_low is not None
        assert score.judge_high is not None
        inside = score.judge_low - 1e-9 <= official[score.run_id] <= score.judge_high + 1e-9
        found.append((inside, score.judge_high - score.judge_low))
    return found


def test_people_are_inside_the_interval_as_often_as_it_promises() -> None:
    found = np.array([one for seed in range(10) for one in inside_and_widths(near_runs(seed))])
    assert len(found) == 80
    assert found[:, 0].mean() >= 0.9
    assert found[:, 1].mean() < 0.5


def test_rates_from_few_unlike_queries_are_uncertain() -> None:
    """Other labelled queries would have given other rates: left out, the interval would hold too little."""
    worlds = [near_runs(seed, unlike=0.25) for seed in range(14)]
    whole, without = (
        np.mean([inside for world in worlds for inside, _ in inside_and_widths(world, common=common)])
        for common in (True, False)
    )
    assert without < 0.92 <= whole


def test_rates_that_are_none_are_refused() -> None:
    judging = decided()
    bad = [msgspec.structs.replace(one, extra={"error_rates": [1]}) for one in judging.judgements]
    with pytest.raises(UsageError, match="error_rates is not"):
        score_collection(with_judgements(TRUTH, bad), measures="strict_all")


def _vital(truth: Collection) -> Collection:
    return Collection(
        msgspec.structs.replace(one, importance="vital") if type(one).__name__ == "Nug" else one for one in truth
    )
