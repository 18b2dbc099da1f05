"""How often people's scores and differences lie in the judge's 95 % intervals: simulated collections, fixed seeds.

Larger figures, also on real sets, are printed by benchmarks/honesty/judges.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import logit, ndtri

from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import fit_logistic
from karat.judges.calibration.priors import PRIOR_QUERIES
from karat.judges.calibration.uncertainty import shrunk_shares
from karat.judges.errors.calibration_error import calibration_covariance
from karat.judges.errors.correlations import ErrorShares, fit_correlations
from karat.judges.errors.draws import draw_calibration, draw_common, draw_response, draw_run_effect, sizes_of
from karat.measures.cases.saved_fields import CommonErrors

TRUE = ErrorShares(nug=0.4, query=0.06, response=0.12, run=0.01)
RUNS, NUGS, TESTED, DRAWS = 10, 6, 8, 300


def labels(queries: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Raw scores and degrees of all runs, by query, run and nug."""
    question, run, nug = (grid.ravel() for grid in np.mgrid[:queries, :RUNS, :NUGS])
    groups = {"question": question, "run": run, "cell": question * RUNS + run, "nug": question * NUGS + nug}
    full = 1 / (1 + np.exp(-random.normal(-0.3, 1.2, len(question))))
    error = math.sqrt(TRUE.own) * random.standard_normal(len(full))
    for name, share in (("question", "query"), ("nug", "nug"), ("cell", "response"), ("run", "run")):
        codes = groups[name]
        error += math.sqrt(getattr(TRUE, share)) * random.standard_normal(codes.max() + 1)[codes]
    return groups | {"scores": logit(full), "degrees": (error < ndtri(full)).astype(float)}


def inside(labelled: int, seed: int) -> tuple[list[bool], list[bool]]:
    """Of every run the score, of pairs of runs the difference: whether the interval has what people say."""
    random = np.random.default_rng(seed)
    taught, tested = labels(labelled, random), labels(TESTED, random)
    known = Labelled(taught["scores"], taught["degrees"], taught["question"], taught["nug"])
    fitted = fit_logistic(known, questions_alike=True)
    groups = {name: taught[name] for name in ("question", "nug", "cell", "run")}
    full = fitted.probabilities(taught["scores"])[:, 2]
    shares = shrunk_shares(fit_correlations(taught["degrees"], full, **groups), queries=labelled, runs=RUNS)
    vital = np.full(len(full), 0.5)
    freedom = labelled - 1 + PRIOR_QUERIES
    covariance = calibration_covariance(full, shares, vital=vital, **groups)
    sizes = sizes_of(shares, CommonErrors(calibration=covariance, freedom=freedom))
    chances = fitted.probabilities(tested["scores"]).reshape(TESTED, RUNS, NUGS, 3)
    calibration = draw_calibration(DRAWS, freedom=freedom, seed=(seed, 3))
    drawn = np.zeros((RUNS, DRAWS))
    for run in range(RUNS):
        effect = draw_run_effect(DRAWS, seed=(seed, 0, run))
        for query in range(TESTED):
            common = draw_common(DRAWS, range(NUGS), of_query=NUGS, calibration=calibration, seed=(seed, 2, query))
            degrees = draw_response(chances[query, run], effect, sizes=sizes, common=common, seed=(seed, 1, run, query))
            drawn[run] += degrees.mean(axis=1) / TESTED
    truth = tested["degrees"].reshape(TESTED, RUNS, NUGS).mean(axis=(0, 2))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
    pairs = [(first, second) for first in range(RUNS) for second in range(first + 1, RUNS)]
    ends = [np.quantile(drawn[first] - drawn[second], [0.025, 0.975]) for first, second in pairs]
    differences = [truth[first] - truth[second] for first, second in pairs]
    return (
        ((low <= truth) & (truth <= high)).tolist(),
        [bool(end[0] <= value <= end[1]) for end, value in zip(ends, differences, strict=True)],
    )


@pytest.mark.parametrize(("labelled", "least"), [(3, 0.9), (8, 0.92)])
def test_intervals_hold_what_people_say(labelled: int, least: float) -> None:
    found = [inside(labelled, seed) for seed in range(30)]
    scores = np.array([one[0] for one in found])
    differences = np.array([one[1] for one in found])
    assert least <= scores.mean() <= 0.995
    assert 0.91 <= differences.mean() <= 0.98
