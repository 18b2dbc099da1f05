"""A judge is tried: labels are hidden, it judges, and what it says stands beside what people say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.engine.mapping import Track
from karat.evaluate.validate.draws import (
    ErrorSizes,
    counted,
    draw_run_scores,
    learn_error_sizes,
    round_robin,
    run_intervals,
)
from karat.evaluate.validate.figures import Told
from karat.evaluate.validate.notes import cell_scores, validation_notes
from karat.evaluate.validate.snippets import FOLDS as SNIPPET_FOLDS
from karat.evaluate.validate.snippets import snippet_pairs, told_of_snippets
from karat.judges.base import Judge
from karat.judges.calibration.cross_validated import best_threshold
from karat.judges.calibration.learned import learn
from karat.judges.human.examples import with_examples
from karat.judges.human.labels import by_people, label_judges, label_notes
from karat.judges.pairs import Floats, Ints, Pairs, pairs_of, tasks_of
from karat.judges.registry import parse_judge
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES
from karat.model import Collection, Signature, UsageError

CrossValidation = Literal["query", "run", "group", "snippet"]
CHOICES: tuple[CrossValidation, ...] = ("query", "run", "group")
DRAWS = 2000


@dataclass(frozen=True)
class Trial:
    """What people say and what a judge says that has not seen it."""

    told: Told
    notes: tuple[str, ...]
    """What was left out, in words."""
    signature: str


def try_judge(
    collection: Collection,
    *,
    judge: str = "lexical",
    cv: CrossValidation = "query",
    folds: int | None = None,
    labels: str | None = None,
    track: Track | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> Trial:
    """What people say of the labelled pairs of a collection, and what a judge says to whom their labels are hidden.

    A pair is any nug and any response that people judged; it is contained where they say in full. What a group
    (query, run, or institution) is scored with, the threshold of best kappa and the calibration of scores, comes from
    the other groups; with other runs of the same queries at hand, nugs have thresholds of their own. `folds`: so many
    groups of groups instead, in turn. A run's score is its mean strict_vital (strict_all where nothing is called
    vital) by the calibrated probabilities; runs that lack more than one query are left out of figures of runs.
    labels: the judge whose judgements are people's (see `by_people`). Judges that learn from judged texts see those of
    other runs (cv="run"), institutions ("group"), or snippets ("snippet": pairs are of a snippet and a nug then, and
    thresholds come from other queries; see `snippet_pairs`).
    """
    scorer = parse_judge(judge)
    if cv == "snippet":
        return _try_on_snippets(collection, scorer, folds=folds, labels=labels, track=track, seed=seed, jobs=jobs)
    pairs, collection = labelled_pairs(collection, scorer, cv=cv, labels=labels, track=track, jobs=jobs)
    known = ~np.isnan(pairs.degrees)
    _check_labels(pairs.degrees[known])
    groups = _groups(pairs, collection, cv)
    others = [_groups(pairs, collection, other)[known] for other in CHOICES]
    _check_groups(groups[known], cv, [name for name, own in zip(CHOICES, others, strict=True) if _several(own)])
    if folds is not None:
        groups = _in_folds(groups, known, cv, folds)
    told, sizes = _told(pairs, known, groups, seed)
    settings = scorer.settings() | {"cv": cv} | ({} if folds is None else {"folds": str(folds)})
    sigmas = {"sigma": f"{sizes.sigma.mean():.2f}", "run_sigma": f"{sizes.run_sigma.mean():.2f}"}
    signature = Signature(scorer.name, settings | sigmas | {"seed": str(seed), "v": __version__})
    notes = validation_notes(pairs, told, groups, sizes, part=cv if folds is None else "fold")
    judges = label_notes(label_judges(collection.judgements, ALL_JUDGES if labels is None else labels))
    return Trial(told, (*judges, *_method_notes(collection, scorer, cv), *notes), str(signature))


def _try_on_snippets(
    collection: Collection, scorer: Judge, *, folds: int | None, labels: str | None, track: Track | None, seed: int,
    jobs: int,
) -> Trial:  # fmt: skip
    people = by_people(collection, labels=labels)
    pairs = snippet_pairs(people, scorer, folds=folds, seed=seed, track=track, jobs=jobs)
    known = ~np.isnan(pairs.degrees)
    _check_labels(pairs.degrees[known])
    _check_groups(pairs.question[known], "query")
    settings = {"cv": "snippet", "folds": str(folds or SNIPPET_FOLDS), "seed": str(seed), "v": __version__}
    judges = label_notes(label_judges(people.judgements, ALL_JUDGES if labels is None else labels))
    notes = (*judges, "pairs are of a snippet and a nug: there are no figures of runs")
    return Trial(told_of_snippets(pairs), notes, str(Signature(scorer.name, scorer.settings() | settings)))


def labelled_pairs(
    collection: Collection,
    scorer: Judge,
    *,
    cv: CrossValidation = "query",
    labels: str | None = None,
    track: Track | None = None,
    jobs: int = 1,
) -> tuple[Pairs, Collection]:
    """All pairs with their scores and what people say of them; and the collection without what programs said."""
    collection = by_people(collection, labels=labels)
    tasks = tasks_of(collection)
    if not tasks or not collection.judgements:
        raise UsageError("there is nothing to validate on: give a key, responses with their texts, and judgements")
    if cv != "query" and scorer.reads_known:
        tasks = with_examples(tasks, [collection], names=_institutions(collection) if cv == "group" else None)
    cases = Cases(collection, missing="skip", judge=ALL_JUDGES, assessors="majority")
    return pairs_of(tasks, scorer, cases, track=track, jobs=jobs), collection


def _groups(pairs: Pairs, collection: Collection, cv: CrossValidation) -> Ints:
    if cv == "query":
        groups = pairs.question
    else:
        institution = _institutions(collection)
        runs = [one.run_id for query in pairs.queries for one in query.task.responses]
        names = runs if cv == "run" else [institution.get(run_id, run_id) for run_id in runs]
        codes = {name: at for at, name in enumerate(dict.fromkeys(names))}
        groups = np.array([codes[name] for name in names])[pairs.cell]
    return groups


def _institutions(collection: Collection) -> dict[str, str]:
    return {run.run_id: run.group or run.run_id for run in collection.runs}


def _check_labels(degrees: Floats) -> None:
    if not 0 < (degrees >= 1).sum() < len(degrees):
        raise UsageError("people say the same of every pair: a judge cannot be told good from bad")


def _check_groups(groups: Ints, cv: CrossValidation, possible: Sequence[CrossValidation] = ()) -> None:
    if not _several(groups):
        hint = f" (--cv {'|'.join(possible)})" if possible else ""
        raise UsageError(f"people judged one {cv} alone; thresholds need others to come from{hint}")


def _several(groups: Ints) -> bool:
    return len(np.unique(groups)) > 1


def _method_notes(collection: Collection, scorer: Judge, cv: CrossValidation) -> list[str]:
    """Where what was asked for is the same as something simpler."""
    notes = []
    if cv == "group" and not any(run.group for run in collection.runs):
        notes.append("no run names its institution: --cv group is the same as --cv run here")
    if cv == "query" and scorer.reads_known:
        notes.append(f"{scorer.name}: with whole queries left out it sees no judged text, and judges as lexical does")
    return notes


def _in_folds(groups: Ints, known: NDArray[np.bool_], cv: CrossValidation, folds: int) -> Ints:
    judged = len(np.unique(groups[known]))
    if not 2 <= folds <= judged:
        raise UsageError(f"{folds} folds: choose from 2 to {judged}, as people judged so many by {cv}")
    # Groups that people judged come in turn; where they say nothing, nothing is compared.
    place = np.searchsorted(np.unique(groups[known]), groups)
    return round_robin(place, folds=folds)


def _told(pairs: Pairs, known: NDArray[np.bool_], groups: Ints, seed: int) -> tuple[Told, ErrorSizes]:
    decisions, probabilities = np.zeros(len(pairs.scores)), np.zeros((len(pairs.scores), 3))
    ranked = pairs.scores.copy()
    for group in np.unique(groups):
        own, others = groups == group, (groups != group) & known
        learned = learn(pairs, others, to_read=own)
        probabilities[own] = learned.probabilities(pairs)[own]
        threshold = best_threshold(pairs.scores[others], pairs.degrees[others] >= 1).threshold
        # Where people say the same of all other groups there is no threshold, and nothing is decided.
        decisions[own] = np.nan if np.isnan(threshold) else pairs.scores[own] >= threshold
        # Nugs with thresholds of their own decide by them.
        by_nug = own & learned.knows(pairs)
        decisions[by_nug] = probabilities[by_nug, 2] >= 0.5
        ranked[by_nug] = probabilities[by_nug, 2]
    sizes = learn_error_sizes(pairs, groups, known)
    use = counted(pairs) & known
    ends = run_intervals(draw_run_scores(pairs, probabilities, sizes, use, draws=DRAWS, seed=seed))
    told = Told(
        labels=(pairs.degrees[known] >= 1).astype(float),
        scores=ranked[known],
        decisions=decisions[known],
        probabilities=probabilities[known, 2],
        question=pairs.question[known],
        official=cell_scores(pairs, (pairs.degrees >= 1).astype(float), use),
        expected=cell_scores(pairs, probabilities[:, 2], use),
        low=ends.low,
        high=ends.high,
    )
    return told, sizes
