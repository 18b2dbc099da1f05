"""A judge is tried: labels are hidden, it judges by the road that users take, and both sides are kept to compare."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.engines import Track
from karat.evaluate.validate.figures import JudgedPairs, compact
from karat.evaluate.validate.label_checks import (
    CHOICES,
    CrossValidation,
    check_before,
    check_groups,
    check_labels,
    institutions,
    several,
)
from karat.evaluate.validate.run_scores import Labels, same_pairs
from karat.evaluate.validate.snippets import FOLDS as SNIPPET_FOLDS
from karat.evaluate.validate.snippets import judged_snippets, snippet_pairs
from karat.judges.base import Judge
from karat.judges.calibration.best_threshold import best_threshold
from karat.judges.calibration.calibrate import Calibrated, calibrate
from karat.judges.calibration.chosen_model import FittedThresholds, ThresholdModelName
from karat.judges.calibration.learned import Learned
from karat.judges.human.examples import with_examples
from karat.judges.human.labels import by_people, label_judges, label_notes
from karat.judges.judgements.made import judgements_of
from karat.judges.overlap.idf_file import check_idf, idf_settings
from karat.judges.pairs import Floats, Ints, Pairs, degrees_of, matching_notes, pairs_of, runs_of, tasks_of
from karat.judges.registry import AUTO, parse_judge
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES
from karat.measures.cases.saved_fields import Sigmas
from karat.model import Collection, Signature, UnfitInput, UsageError
from karat.model.identity import key_setting
from karat.model.wording import number_of
from karat.text.idf import IdfTable

Mask = NDArray[np.bool_]
MOST_GROUPS = 150
"""More groups than that are left out together, in so many folds."""


@dataclass(frozen=True)
class Trial:
    """What people say, and what a judge says that has not seen it."""

    pairs: JudgedPairs
    unjudged: int
    """Pairs that people did not judge; they are not among the pairs."""
    labels: Labels | None
    """Both sides as collections to score; None where pairs are of snippets and there are no scores of runs."""
    notes: tuple[str, ...]
    signature: str


def try_judge(
    collection: Collection,
    *,
    judge: str = AUTO,
    cv: CrossValidation = "query",
    folds: int | None = None,
    labels: str | None = None,
    threshold_model: ThresholdModelName | None = None,
    idf: IdfTable | None = None,
    track: Track | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> Trial:
    """What people say about the labelled pairs of a collection, and what a judge says when their labels are hidden.

    A pair is any nug and any response that people judged; it is contained where they say in full. The groups (queries,
    runs, or institutions) are left out one at a time: the calibration of a group and its threshold (the one with the
    best kappa) come from the other groups. `folds`: so many sets of groups are left out in turn instead. Where other
    runs of the same queries are at hand, nugs that were judged often decide by their own thresholds.
    threshold_model: the noisy-threshold model that makes the probabilities and the decisions (0.5 or more), fitted on
    the other groups. idf: as in `judge_collection`. labels: the judge whose judgements are people's (see `by_people`).
    Judges that learn from judged texts see those of other runs (cv="run"), institutions ("group"), or snippets
    ("snippet": pairs are of a snippet and a nug then, and thresholds come from other queries; see `snippet_pairs`).
    """
    program = parse_judge(judge)
    check_idf(program, idf)
    if cv not in get_args(CrossValidation):
        raise UsageError(f"cv={cv!r} is not one of {', '.join(get_args(CrossValidation))}")
    if cv == "snippet":
        if idf is not None:
            raise UsageError("--cv snippet has no --idf; choose --cv query|run|group")
        if threshold_model is not None:
            raise UsageError("--cv snippet has no --threshold-model; choose --cv query|run|group")
        return _try_on_snippets(collection, program, folds=folds, labels=labels, track=track, seed=seed, jobs=jobs)
    pairs, people = labelled_pairs(collection, program, cv=cv, labels=labels, idf=idf, track=track, jobs=jobs)
    labelled = ~np.isnan(pairs.degrees)
    known = labelled & ~np.isnan(pairs.scores)
    check_labels(pairs.degrees[known])
    groups = _groups(pairs, people, cv)
    others = [_groups(pairs, people, other)[known] for other in CHOICES]
    check_groups(groups[known], cv, [name for name, codes in zip(CHOICES, others, strict=True) if several(codes)])
    many = len(np.unique(groups[known]))
    # Each group that is left out means to learn from all others: the cost would grow with the square of the groups.
    grouped = folds is None and many > MOST_GROUPS
    folds = MOST_GROUPS if grouped else folds
    if folds is not None:
        groups = _in_folds(groups, known, cv, folds)
    unseen = _judge_unseen(pairs, program, known, groups, threshold_model)
    unknown = np.full(unseen.probabilities.shape, np.nan) if program.credits_scores else None
    judgements = judgements_of(pairs, unseen.probabilities, program, error_rates=unknown, evidence=False)
    settings = key_setting(collection.nugs, collection.votes) | {"cv": cv}
    settings |= {} if folds is None else {"folds": str(folds)}
    settings |= {} if threshold_model is None else {"model": threshold_model}
    part = cv if folds is None else "fold"
    return Trial(
        pairs=unseen.judged_pairs(pairs, known),
        unjudged=int((~labelled).sum()),
        labels=same_pairs(
            people,
            (judgement for judgement, is_labelled in zip(judgements, known.tolist(), strict=True) if is_labelled),
            unseen.sigmas(pairs),
        ),
        notes=(
            *_label_notes(people, labels),
            *_method_notes(people, program, cv),
            *matching_notes(pairs),
            *_failure_notes(labelled, known),
            *([_folded(many, cv)] if grouped else []),
            *unseen.notes(groups[known], known, part=part),
        ),
        signature=str(
            Signature(
                program.name,
                program.settings()
                | idf_settings(program, [query.task for query in pairs.queries])
                | settings
                | unseen.settings(seed),
            )
        ),
    )


def _failure_notes(labelled: Mask, known: Mask) -> list[str]:
    failed = int(labelled.sum() - known.sum())
    return [f"the judge failed on {failed:,} of {number_of(int(labelled.sum()), 'pair')}: left out"] if failed else []


def _folded(many: int, cv: CrossValidation) -> str:
    groups = "queries" if cv == "query" else f"{cv}s"
    return f"{many:,} {groups} were left out in {MOST_GROUPS} folds, several at a time; --folds N takes another number"


def _label_notes(people: Collection, labels: str | None) -> tuple[str, ...]:
    return label_notes(label_judges(people.judgements, ALL_JUDGES if labels is None else labels))


def _try_on_snippets(
    collection: Collection, program: Judge, *, folds: int | None, labels: str | None, track: Track | None, seed: int,
    jobs: int,
) -> Trial:  # fmt: skip
    people = by_people(collection, labels=labels)
    pairs = snippet_pairs(people, program, folds=folds, seed=seed, track=track, jobs=jobs)
    known = ~np.isnan(pairs.degrees)
    check_labels(pairs.degrees[known])
    check_groups(pairs.question[known], "query")
    settings = key_setting(collection.nugs, collection.votes)
    settings |= {"cv": "snippet", "folds": str(folds or SNIPPET_FOLDS), "seed": str(seed), "v": __version__}
    return Trial(
        pairs=judged_snippets(pairs),
        unjudged=int((~known).sum()),
        labels=None,
        notes=(*_label_notes(people, labels), "pairs are of a snippet and a nug: there are no figures of runs"),
        signature=str(Signature(program.name, program.settings() | settings)),
    )


def labelled_pairs(
    collection: Collection,
    program: Judge,
    *,
    cv: CrossValidation = "query",
    labels: str | None = None,
    idf: IdfTable | None = None,
    track: Track | None = None,
    jobs: int = 1,
) -> tuple[Pairs, Collection]:
    """All pairs with their raw scores and people's labels; and the collection without what programs said."""
    people = by_people(collection, labels=labels)
    tasks = tasks_of(people, idf=idf)
    if not tasks or not people.judgements:
        raise UnfitInput("there is nothing to validate on: give a key, responses with their texts, and judgements")
    if cv != "query" and program.reads_known:
        tasks = with_examples(tasks, [people], names=institutions(people) if cv == "group" else None)
    cases = Cases(people, missing="skip", judge=ALL_JUDGES, assessors="majority")
    degrees = [degrees_of(task, cases) for task in tasks]
    check_before(tasks, degrees, people, cv)
    # A judge that costs something is only asked about responses that have a label, with all nugs: the same calls as
    # when it judges everything, so that nothing is paid twice.
    tasks = [
        replace(task, asked=np.broadcast_to(~np.isnan(given).all(axis=1, keepdims=True), given.shape))
        for task, given in zip(tasks, degrees, strict=True)
    ]
    return pairs_of(tasks, program, cases, track=track, jobs=jobs), people


@dataclass(frozen=True)
class _Unseen:
    """What a judge says about every pair, by calibrations and thresholds that have not seen its group."""

    probabilities: Floats
    decisions: Floats
    ranking: Floats
    """By which pairs are ranked: the raw score, or the probability where the nug has a threshold of its own."""
    calibrations: dict[int, Calibrated]
    """By group."""
    group_of_cell: Ints

    def judged_pairs(self, pairs: Pairs, known: Mask) -> JudgedPairs:
        return JudgedPairs(
            labels=(pairs.degrees[known] >= 1).astype(float),
            scores=self.ranking[known],
            decisions=self.decisions[known],
            probabilities=self.probabilities[known, 2],
            query=compact(pairs.question[known]),
        )

    def sigmas(self, pairs: Pairs) -> dict[tuple[str, str], Sigmas]:
        """How far errors go together, per query and run."""
        queries = [query.task.query_id for query in pairs.queries for _ in query.task.responses]
        calibrations = [self.calibrations[group] for group in self.group_of_cell.tolist()]
        return {
            (query_id, run_id): calibrated.sizes
            for query_id, run_id, calibrated in zip(queries, runs_of(pairs), calibrations, strict=True)
        }

    def settings(self, seed: int) -> dict[str, str]:
        sigma = np.mean([calibrated.sigma for calibrated in self.calibrations.values()])
        run_sigma = np.mean([calibrated.run_sigma for calibrated in self.calibrations.values()])
        return {"sigma": f"{sigma:.2f}", "run_sigma": f"{run_sigma:.2f}", "seed": str(seed), "v": __version__}

    def notes(self, groups: Ints, known: Mask, *, part: str) -> list[str]:
        """Groups that could not be calibrated or decided; groups: of the known pairs, part: what a group is."""
        total = f"{len(self.calibrations)} {'queries' if part == 'query' else f'{part}s'}"
        lacking = Counter(note for calibrated in self.calibrations.values() for note in calibrated.notes)
        notes = [f"when {count} of {total} were left out: {note}" for note, count in lacking.items()]
        undecided = np.isnan(self.decisions[known])
        if undecided.any():
            notes.append(
                f"no threshold for {len(np.unique(groups[undecided]))} of {total}, because all other labels are equal: "
                f"{int(undecided.sum()):,} pairs left out of precision, recall, F1 and kappa"
            )
        return notes


def _judge_unseen(
    pairs: Pairs, program: Judge, known: Mask, groups: Ints, threshold_model: ThresholdModelName | None
) -> _Unseen:
    decisions, probabilities = np.zeros(len(pairs.scores)), np.zeros((len(pairs.scores), 3))
    ranking = pairs.scores.copy()
    calibrations = {}
    for group in np.unique(groups).tolist():
        own, others = groups == group, (groups != group) & known
        calibrated = calibrations[group] = calibrate(
            pairs, program, use=others, to_read=own, threshold_model=threshold_model
        )
        probabilities[own] = calibrated.probabilities(pairs)[own]
        threshold = best_threshold(pairs.scores[others], pairs.degrees[others] >= 1).threshold
        # Where all other labels are equal there is no threshold, and nothing is decided.
        decisions[own] = np.nan if np.isnan(threshold) else pairs.scores[own] >= threshold
        if isinstance(calibrated.calibration, Learned):
            # Nugs with thresholds of their own decide by them.
            by_nug = own & calibrated.calibration.knows(pairs)
            decisions[by_nug] = probabilities[by_nug, 2] >= 0.5
            ranking[by_nug] = probabilities[by_nug, 2]
        elif isinstance(calibrated.calibration, FittedThresholds):
            decisions[own] = probabilities[own, 2] >= 0.5
            by_unit = own & calibrated.calibration.knows(pairs)
            ranking[by_unit] = probabilities[by_unit, 2]
    group_of_cell = np.zeros(int(pairs.cell.max(initial=-1)) + 1, int)
    group_of_cell[pairs.cell] = groups
    return _Unseen(probabilities, decisions, ranking, calibrations, group_of_cell)


def _groups(pairs: Pairs, people: Collection, cv: CrossValidation) -> Ints:
    if cv == "query":
        return pairs.question
    institution = institutions(people)
    names = runs_of(pairs) if cv == "run" else [institution.get(run_id, run_id) for run_id in runs_of(pairs)]
    codes = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return np.array([codes[name] for name in names])[pairs.cell]


def _method_notes(people: Collection, program: Judge, cv: CrossValidation) -> list[str]:
    """Where what was asked for is the same as something simpler."""
    notes = []
    if cv == "group" and not any(run.group for run in people.runs):
        notes.append("no run names its institution: --cv group is the same as --cv run here")
    if cv == "query" and program.reads_known:
        notes.append(
            f"{program.name}: with whole queries left out it sees no judged text, and uses only the descriptions"
        )
    return notes


def _in_folds(groups: Ints, known: Mask, cv: CrossValidation, folds: int) -> Ints:
    labelled = len(np.unique(groups[known]))
    if not 2 <= folds <= labelled:
        raise UsageError(f"{folds} folds: choose from 2 to {labelled}, the number of labelled {cv} groups")
    # Labelled groups go to the folds in turn; where there are no labels, nothing is compared.
    place = np.searchsorted(np.unique(groups[known]), groups)
    in_turn: Ints = np.unique(place, return_inverse=True)[1].ravel() % folds
    return in_turn
