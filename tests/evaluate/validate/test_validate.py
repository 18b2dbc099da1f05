from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from builders.rows import judgement, nug, response
from builders.simulated import by_pair, simulated, unlabelled, with_judgements
from karat.evaluate.score.score import score
from karat.evaluate.validate import validate as validating
from karat.evaluate.validate.cross_validation import try_judge
from karat.evaluate.validate.figures import FIGURES
from karat.evaluate.validate.validate import Validation, validate, validate_collection
from karat.formats import load
from karat.model import Collection, Judgement, Nug, UsageError

JUDGE = "rouge(stem=none,unit=response)"
BELOW_ZERO = {"kappa", "tau_runs", "tau_topic", "tau_cells", "pearson", "pearson_topic"}
TIGHT = {"auc", "precision", "recall", "f1", "brier", "r2"} | BELOW_ZERO


def value(found: Validation, name: str) -> float:
    known = found.figures[name].value
    assert known is not None
    return known


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validating, "RESAMPLES", 20)


@pytest.mark.parametrize("cv", ["query", "run", "group"])
def test_a_judge_that_tells_the_truth_is_perfect(cv: Any) -> None:
    validation = validate_collection(simulated(queries=8, runs=8, nugs=8, groups=True), judge=JUDGE, cv=cv)
    for name in ("auc", "precision", "recall", "f1", "kappa", "tau_runs"):
        assert value(validation, name) == pytest.approx(1), name
    # The ridge of the calibration keeps probabilities a little away from 0 and 1.
    assert value(validation, "rmse") < 0.02
    assert value(validation, "brier") < 0.001
    assert value(validation, "pairs") == 8**3
    assert value(validation, "coverage") == 1
    assert f"cv:{cv}" in validation.signature


def test_figures_come_in_order_each_inside_its_interval() -> None:
    validation = validate_collection(simulated(queries=6, noise=0.3, seed=4), judge=JUDGE)
    assert tuple(validation.figures) == FIGURES
    for name, own in validation.figures.items():
        if name in TIGHT | {"rmse"}:
            assert own.low is not None
            assert own.high is not None
            assert own.low <= value(validation, name) <= own.high
            assert own.low >= (-1 if name in BELOW_ZERO else 0)
        else:
            assert (own.low, own.high) == (None, None)
    assert 0 < value(validation, "kappa") < 1
    assert value(validation, "width") > 0


def test_a_tiny_example_by_hand() -> None:
    """Two queries of two nugs and two runs, scored by words: the threshold of each comes from the other."""
    rows = [nug(name, each, descriptions=[f"{each}1 {each}2"]) for name in ("p", "q") for each in "ab"]
    said = {
        ("p", "x"): ("a1 a2 b1", (1, 0)), ("p", "y"): ("a1 b1 b2", (0, 0)),
        ("q", "x"): ("a1 a2 b1 b2", (1, 1)), ("q", "y"): ("b1", (0, 1)),
    }  # fmt: skip
    for (name, run_id), (text, degrees) in said.items():
        rows.append(response(name, run_id, text))
        rows += [judgement(name, run_id, degree, each) for each, degree in zip("ab", degrees, strict=True)]
    validation = validate_collection(load(rows), judge=JUDGE)
    scores = [1, 0.5, 0.5, 1, 1, 1, 0, 0.5]
    labels = [1, 0, 0, 0, 1, 1, 0, 1]
    # From q: 0 lies apart from the rest (threshold 0.25); from p: 1 is best (0.75).
    decisions = [1, 1, 1, 1, 1, 1, 0, 0]
    assert value(validation, "pairs") == 8
    assert value(validation, "auc") == pytest.approx(roc_auc_score(labels, scores))
    assert value(validation, "kappa") == pytest.approx(cohen_kappa_score(labels, decisions))
    assert value(validation, "precision") == pytest.approx(3 / 6)
    assert value(validation, "recall") == pytest.approx(3 / 4)
    assert value(validation, "tau_runs") == pytest.approx(1)


@pytest.mark.parametrize("cv", ["query", "run", "group"])
def test_what_a_group_is_decided_by_does_not_depend_on_its_own_labels(cv: Any) -> None:
    truth = simulated(queries=5, runs=6, noise=0.3, seed=5, groups=True)
    groups = {"query": {"q2"}, "run": {"r2"}, "group": {"r2", "r3"}}[cv]

    def own(one: Judgement) -> bool:
        return (one.query_id if cv == "query" else one.run_id) in groups

    marks = [judgement for judgement in truth.judgements if own(judgement)]
    shuffled = np.random.default_rng(0).permutation([float(judgement.degree or 0) for judgement in marks]).tolist()
    new = by_pair(msgspec.structs.replace(one, degree=degree) for one, degree in zip(marks, shuffled, strict=True))
    changed = with_judgements(truth, [new.get(pair, one) for pair, one in by_pair(truth.judgements).items()])
    before, after = (try_judge(each, judge=JUDGE, cv=cv).pairs for each in (truth, changed))
    at = np.array([own(one) for one in _in_order(truth)])
    assert (before.labels[at] != after.labels[at]).any()
    np.testing.assert_array_equal(before.labels[~at], after.labels[~at])
    np.testing.assert_array_equal(before.decisions[at], after.decisions[at])
    np.testing.assert_array_equal(before.probabilities[at], after.probabilities[at])
    # The others do learn from it.
    assert (before.probabilities[~at] != after.probabilities[~at]).any()


def _in_order(truth: Collection) -> list[Judgement]:
    return sorted(truth.judgements, key=lambda one: (one.query_id, one.run_id, one.nug_id))


def test_the_same_seed_gives_the_same_and_another_other_intervals() -> None:
    truth = simulated(noise=0.3, seed=6)
    first, again, other = (validate_collection(truth, judge=JUDGE, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.figures["auc"] != other.figures["auc"]
    assert value(first, "auc") == value(other, "auc")


def test_nugs_that_are_okay_do_not_count_in_scores_of_runs() -> None:
    truth = simulated(noise=0.2)
    okay = Collection(
        msgspec.structs.replace(record, importance="okay")
        if isinstance(record, Nug) and record.nug_id == "n0"
        else record
        for record in truth
    )
    validation = validate_collection(okay, judge=JUDGE)
    labels = by_pair(truth.judgements)
    vital = np.mean([labels[f"q{query}", "r4", f"n{at}"].degree for query in range(4) for at in range(1, 6)])
    run = validation.measures[0].runs[4]
    assert (run.run_id, run.measure) == ("r4", "strict_vital")
    assert run.official == pytest.approx(vital)
    assert value(validation, "pairs") == len(truth.judgements)


def test_what_a_program_judged_is_no_label() -> None:
    truth = simulated(noise=0.2)
    also = [msgspec.structs.replace(judgement, judge="nuggeteer", degree=1.0) for judgement in truth.judgements]
    assert validate_collection(Collection([*truth, *also]), judge=JUDGE) == validate_collection(truth, judge=JUDGE)


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        (lambda truth: unlabelled(truth), "nothing to validate on: give a key, responses with their texts, and judg"),
        (lambda truth: Collection([*truth.nugs, *truth.judgements]), "nothing to validate on"),
        (lambda truth: Collection([*truth.responses, *truth.judgements]), "nothing to validate on"),
    ],
)
def test_a_collection_that_lacks_something_is_refused(kept: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        validate_collection(kept(simulated()), judge=JUDGE)


@pytest.mark.parametrize("degree", [0.0, 1.0])
def test_labels_that_are_all_equal_are_refused(degree: float) -> None:
    truth = simulated()
    equal = with_judgements(
        truth, [msgspec.structs.replace(judgement, degree=degree) for judgement in truth.judgements]
    )
    with pytest.raises(
        UsageError, match="all labels are equal: with nothing but yes, or nothing but no, a judge cannot be validated"
    ):
        validate_collection(equal, judge=JUDGE)


@pytest.mark.parametrize("cv", ["query", "run", "group"])
def test_a_single_group_is_refused(cv: Any) -> None:
    truth = simulated(queries=1 if cv == "query" else 3, runs=6 if cv == "query" else 1, noise=0.3)
    with pytest.raises(UsageError, match=f"only one {cv} has labels"):
        validate_collection(truth, judge=JUDGE, cv=cv)


def test_the_hint_for_a_single_group_names_what_is_possible() -> None:
    with pytest.raises(UsageError, match=r"from others; try --cv run\|group$"):
        validate_collection(simulated(queries=1, noise=0.3), judge=JUDGE)
    with pytest.raises(UsageError, match=r"from others$"):
        validate_collection(simulated(queries=1, runs=1, noise=0.3), judge=JUDGE)


@pytest.mark.parametrize("groups", [True, False])
def test_groups_that_are_runs_are_reported(groups: bool) -> None:
    notes = validate_collection(simulated(noise=0.3, groups=groups), judge=JUDGE, cv="group").notes
    assert ("no run names its institution: --cv group is the same as --cv run here" in notes) is not groups


def test_one_query_that_people_judged_is_refused_even_where_there_are_others() -> None:
    truth = simulated(noise=0.2)
    some = with_judgements(truth, [judgement for judgement in truth.judgements if judgement.query_id == "q1"])
    with pytest.raises(UsageError, match="only one query has labels"):
        validate_collection(some, judge=JUDGE)
    assert value(validate_collection(some, judge=JUDGE, cv="run"), "pairs") == 36


def test_where_the_others_say_one_thing_nothing_is_decided() -> None:
    truth = simulated(queries=2)
    equal = [
        judgement if judgement.query_id == "q0" else msgspec.structs.replace(judgement, degree=0.0)
        for judgement in truth.judgements
    ]
    pairs = try_judge(with_judgements(truth, equal), judge=JUDGE).pairs
    own = pairs.query == 0
    assert np.isnan(pairs.decisions[own]).all()
    assert not np.isnan(pairs.decisions[~own]).any()
    assert validate_collection(with_judgements(truth, equal), judge=JUDGE).figures["recall"].value is None


@pytest.mark.parametrize("cv", ["query", "run"])
def test_folds_are_groups_in_turn(cv: Any) -> None:
    """With as many folds as groups one is left out at a time; with fewer, whole folds are hidden."""
    truth = simulated(queries=4, runs=6, noise=0.3, seed=5)
    one_by_one = validate_collection(truth, judge=JUDGE, cv=cv)
    as_many = validate_collection(truth, judge=JUDGE, cv=cv, folds=4 if cv == "query" else 6)
    assert as_many.figures == one_by_one.figures
    assert "|folds:2|" in validate_collection(truth, judge=JUDGE, cv=cv, folds=2).signature
    own = {"q0", "q2"} if cv == "query" else {"r0", "r2", "r4"}
    turned = [
        msgspec.structs.replace(judgement, degree=1 - (judgement.degree or 0))
        if (judgement.query_id if cv == "query" else judgement.run_id) in own
        else judgement
        for judgement in truth.judgements
    ]
    before, after = (
        try_judge(each, judge=JUDGE, cv=cv, folds=2).pairs for each in (truth, with_judgements(truth, turned))
    )
    hidden = np.array([(one.query_id if cv == "query" else one.run_id) in own for one in _in_order(truth)])
    np.testing.assert_array_equal(before.probabilities[hidden], after.probabilities[hidden])
    assert (before.probabilities[~hidden] != after.probabilities[~hidden]).any()


def test_another_cross_validation_is_refused() -> None:
    with pytest.raises(UsageError, match="cv='bogus' is not one of query, run, group, snippet"):
        validate_collection(simulated(noise=0.2), judge=JUDGE, cv="bogus")  # type: ignore[arg-type]


@pytest.mark.parametrize("folds", [1, 5])
def test_too_few_or_too_many_folds_are_refused(folds: int) -> None:
    with pytest.raises(UsageError, match=f"{folds} folds: choose from 2 to 4"):
        validate_collection(simulated(queries=4, noise=0.2), judge=JUDGE, folds=folds)


def test_notes_say_what_was_left_out() -> None:
    truth = simulated(queries=5, noise=0.2)
    few = [
        judgement for judgement in truth.judgements if judgement.run_id != "r1" or judgement.query_id in ("q0", "q1")
    ]
    notes = "\n".join(validate_collection(with_judgements(truth, few), judge=JUDGE).notes)
    assert "18 pairs without a label left out, 162 compared" in notes
    assert "1 run with fewer than 4 of 5 judged queries left out of the figures of runs (5 remain): r1" in notes
    equal = [
        judgement if judgement.query_id == "q0" else msgspec.structs.replace(judgement, degree=0.0)
        for judgement in truth.judgements
    ]
    notes = "\n".join(validate_collection(with_judgements(truth, equal), judge=JUDGE).notes)
    assert "no threshold for 1 of 5 queries, because all other labels are equal: 36 pairs left out of prec" in notes
    assert "no strict_vital tau within 4 queries where all runs score the same: q1, q2, q3 and 1 more" in notes


def test_too_few_labels_in_the_other_groups_are_said() -> None:
    truth = simulated(queries=2, runs=3, nugs=6, noise=0.2)
    note = next(note for note in validate_collection(truth, judge=JUDGE).notes if "calibration" in note)
    assert note.startswith("when 2 of 2 queries were left out: only 18 labels of responses with text (60 are needed")


def test_queries_without_a_vital_nug_are_named() -> None:
    truth = simulated(noise=0.2)
    okay = Collection(
        msgspec.structs.replace(record, importance="okay")
        if isinstance(record, Nug) and record.query_id == "q3"
        else record
        for record in truth
    )
    assert "1 query without any strict_vital by people: q3" in validate_collection(okay, judge=JUDGE).notes


def test_scores_are_those_of_the_command_score() -> None:
    """Official scores equal `score` on people's labels, and judged ones `score` on the judge's saved judgements."""
    truth = simulated(noise=0.3, seed=3)
    validation = validate_collection(truth, judge=JUDGE, measures="F3,strict_all")
    assert [validated.measure for validated in validation.measures] == ["F3", "strict_all"]
    official = {(each.measure, each.run_id): each for each in score(truth, measures="F3,strict_all").of_all()}
    labels = try_judge(truth, judge=JUDGE).labels
    assert labels is not None
    judged = {
        (each.measure, each.run_id): each
        for each in score(labels.judged, measures="F3,strict_all", judge="rouge").of_all()
    }
    for validated in validation.measures:
        assert len(validated.runs) == 6
        for run in validated.runs:
            people, program = official[run.measure, run.run_id], judged[run.measure, run.run_id]
            assert (run.official, run.official_low, run.official_high) == (people.value, people.low, people.high)
            assert run.judged == pytest.approx(program.value, abs=0.02)
            assert run.judge_low is not None
            assert run.judge_high is not None
            assert run.low is not None
            assert run.high is not None
            assert run.low <= run.judge_low <= run.judged <= run.judge_high <= run.high


def test_any_measure_with_judgements_can_be_validated() -> None:
    truth = simulated(noise=0.3, seed=3)
    by_f, by_strict = (validate_collection(truth, judge=JUDGE, measures=name) for name in ("F3", "strict_vital"))
    assert by_f.pairs == by_strict.pairs
    assert by_f.figures["rmse"] != by_strict.figures["rmse"]
    assert value(by_f, "coverage") >= 0.5
    with pytest.raises(UsageError, match="no measure is called 'F33x'"):
        validate_collection(truth, judge=JUDGE, measures="F33x")
    with pytest.raises(UsageError, match="made without judgements, so a judge cannot be validated with it"):
        validate_collection(truth, judge=JUDGE, measures="proficiency")


def test_files_can_be_given(tmp_path: Path) -> None:
    from karat.formats import write

    write(simulated(noise=0.2), tmp_path / "all.jsonl", format="karat")
    assert validate(tmp_path / "all.jsonl", judge=JUDGE) == validate_collection(simulated(noise=0.2), judge=JUDGE)


@pytest.mark.real_data
def test_human_labels_of_trec_rag_2024(real_data: Path) -> None:
    file = real_data / "trec-rag-2024" / "nugget_assignment.20241108.jl"
    floor = validate(file, judge="rouge(unit=response)")
    # As other people count the floor of word overlap.
    assert value(floor, "auc") == pytest.approx(0.799, abs=0.0005)
    assert value(floor, "pairs") == 9536
    validation = validate(file, judge="nuggeteer(n=1,stem=english,stop=drop,unit=response)")
    assert value(validation, "kappa") >= 0.46
    assert value(validation, "tau_runs") >= 0.80


def test_many_queries_are_left_out_in_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = simulated(queries=12, runs=4, nugs=6)
    by_query, in_folds = try_judge(collection, judge=JUDGE), try_judge(collection, judge=JUDGE, folds=5)
    monkeypatch.setattr("karat.evaluate.validate.cross_validation.MOST_GROUPS", 5)
    trial = try_judge(collection, judge=JUDGE)
    assert trial.notes == (
        *in_folds.notes,
        "12 queries were left out in 5 folds, several at a time; --folds N takes another number",
    )
    assert trial.signature == in_folds.signature != by_query.signature
    assert (trial.pairs.probabilities == in_folds.pairs.probabilities).all()
