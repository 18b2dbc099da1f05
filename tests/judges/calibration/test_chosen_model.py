from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from builders.simulated import by_pair, simulated, with_judgements
from karat.evaluate.validate.cross_validation import labelled_pairs, try_judge
from karat.evaluate.validate.validate import validate_collection
from karat.evaluate.validate.views import view_collection
from karat.judges.calibration.chosen_model import fit_threshold_model
from karat.judges.calibration.threshold_models import best_model, fit_bayesian
from karat.judges.judge import judge_collection, judge_first
from karat.judges.registry import parse_judge
from karat.model import Signature, UsageError

JUDGE = "nuggeteer(n=1,stem=none,stop=keep,unit=response)"
TRUTH = simulated(noise=0.2, seed=1)


@pytest.mark.parametrize("model", ["dataset", "query", "nug"])
def test_probabilities_are_those_of_the_model(model: Any) -> None:
    judging = judge_collection(TRUTH, judge=JUDGE, threshold_model=model, reuse=False)
    pairs, _ = labelled_pairs(TRUTH, parse_judge(JUDGE))
    expected = fit_bayesian(pairs.labelled(), thresholds=model).probabilities(
        pairs.scores, question=pairs.question, nug=pairs.nug
    )
    assert [one.probabilities["1"] for one in judging.judgements] == pytest.approx(expected[:, 2], abs=1e-4)
    settings = Signature.parse(judging.signature).settings
    assert (settings["thr"], settings["err"]) == (model, "dataset")
    assert "model" not in settings


def test_auto_is_the_model_with_the_highest_evidence() -> None:
    pairs, _ = labelled_pairs(TRUTH, parse_judge(JUDGE))
    best = best_model(pairs.labelled())
    fitted = fit_threshold_model(pairs, "auto")
    assert fitted.settings() == {"thr": best.thresholds, "err": best.errors, "model": "auto"}
    judging = judge_first(TRUTH, judge=JUDGE, threshold_model="auto")
    assert f"thr:{best.thresholds}|err:{best.errors}|model:auto" in (judging.signature or "")


def test_a_threshold_is_known_by_the_names_of_query_and_nug() -> None:
    # The labels of two runs, in another file: the nugs have other numbers there, and the same names.
    known = with_judgements(TRUTH, [one for one in TRUTH.judgements if one.run_id in ("r0", "r5", "r3")])
    asked = with_judgements(TRUTH, [])
    beside = judge_collection(asked, judge=JUDGE, known=known, threshold_model="nug", reuse=False)
    among = judge_collection(known, judge=JUDGE, threshold_model="nug", reuse=False)
    first, second = by_pair(beside.judgements), by_pair(among.judgements)
    assert all(first[name].probabilities == second[name].probabilities for name in first)


def test_without_labels_the_model_is_not_used_and_a_note_says_so() -> None:
    judging = judge_collection(with_judgements(TRUTH, []), judge=JUDGE, threshold_model="nug")
    assert any("--threshold-model nug was not used" in note for note in judging.notes)


def test_validation_decides_by_the_model() -> None:
    trial = try_judge(TRUTH, judge=JUDGE, cv="run", threshold_model="nug")
    assert (trial.pairs.decisions == (trial.pairs.probabilities >= 0.5)).all()
    assert "model:nug" in trial.signature
    figures = validate_collection(TRUTH, judge=JUDGE, cv="run", threshold_model="nug").figures
    assert (figures["kappa"].value or 0) > 0.5
    assert np.isfinite(trial.pairs.probabilities).all()


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="'run' is not one of dataset, query, nug, auto"):
        judge_collection(TRUTH, judge=JUDGE, threshold_model="run")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="choose --threshold or --threshold-model"):
        judge_collection(TRUTH, judge=JUDGE, threshold=0.5, threshold_model="nug")
    with pytest.raises(UsageError, match="no program judges"):
        judge_first(TRUTH, judge=None, threshold_model="nug")
    with pytest.raises(UsageError, match="--cv snippet has no --threshold-model"):
        try_judge(TRUTH, judge=JUDGE, cv="snippet", threshold_model="nug")
    with pytest.raises(UsageError, match="shows no probabilities"):
        view_collection(TRUTH, view="models", judge=JUDGE, threshold_model="nug")
