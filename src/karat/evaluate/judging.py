"""Judgements by a program: which nugs each response contains, and how sure the program is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from karat import __version__
from karat.evaluate.calibrating import Learned, learn
from karat.evaluate.cases import Cases, number_of
from karat.evaluate.pairs import (
    KNOWN,
    Floats,
    Pairs,
    Track,
    by_people,
    pairs_of,
    run_codes,
    standing,
    tasks_of,
)
from karat.evaluate.rules import ALL_JUDGES
from karat.judge.base import Scorer
from karat.judge.calibration import Calibration, fixed
from karat.judge.known import Known, KnownJudgements, alike, whole_text
from karat.judge.priors import PRIORS, RUN_SIGMA, prior_calibration
from karat.judge.registry import parse_judge
from karat.judge.run_error import fit_run_effect
from karat.judge.shared_error import fit_cell_effect
from karat.model import Collection, Evidence, Judgement, Nug, Response, Signature, UsageError

MANY_RUNS = 10
ENOUGH = 60
"""Labelled pairs from which a calibration is learned; with fewer the one that comes with Karat is taken."""


@dataclass(frozen=True)
class Judging:
    """The judgements of a program, and what is to be said of them."""

    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...]
    sigma: float
    """How far its errors in one response hang together, in log-odds."""
    run_sigma: float
    """How far they follow a run through all queries."""
    signature: str


def judge_collection(
    collection: Collection,
    *,
    judge: str = "lexical",
    threshold: float | None = None,
    known: Collection | None = None,
    track: Track | None = None,
) -> Judging:
    """Judge every response of a collection against its key.

    People's judgements in the collection (or in `known`, with the responses they are of) are reused exactly where they
    speak of the same text, and teach the judge how to read its scores. threshold: decide at this raw score; the
    probabilities are 0 and 1 then. An empty response contains nothing, whatever the scores mean.
    """
    scorer = parse_judge(judge)
    people = by_people(collection if known is None else known)
    if not people.nugs:
        people = Collection([*people, *collection.nugs])
    tasks = tasks_of(collection, pool=people.responses)
    if not tasks:
        what = "key: give a file with nugs" if not collection.nugs else "response to a query of the key: give the runs"
        raise UsageError(f"there is no {what}")
    labels = Cases(people, missing="skip", judge=ALL_JUDGES) if people.judgements else None
    pairs = pairs_of(tasks, scorer, labels if known is None else None, track=track)
    taught = pairs
    if known is not None and labels is not None and threshold is None:
        taught = pairs_of(tasks_of(people), scorer, labels, track=track)
    notes = _left_out(collection)
    learned = _calibrated(taught, scorer, threshold, notes)
    reused = KnownJudgements(people.nugs, people.responses, people.judgements)
    for contradiction in reused.contradictions()[:3]:
        runs = ", ".join(contradiction.runs)
        notes.append(
            f"query {contradiction.query_id}, nug {contradiction.nug_id}: the same text was judged differently ({runs})"
        )
    judgements = (*_judgements(pairs, scorer, learned, reused), *_known_wholes(collection, scorer, reused))
    taken = sum(KNOWN in one.extra for one in judgements)
    if taken:
        notes.append(f"{number_of(taken, 'known judgement')} reused")
    settings = scorer.settings() | learned.calibration.settings()
    settings |= {"sigma": f"{learned.sigma:.2f}", "run_sigma": f"{learned.run_sigma:.2f}", "v": __version__}
    return Judging(judgements, tuple(notes), learned.sigma, learned.run_sigma, str(Signature(scorer.name, settings)))


@dataclass(frozen=True)
class _Reading:
    """How raw scores are read: learned here, or fixed, or from other collections."""

    calibration: Learned | Calibration
    sigma: float
    run_sigma: float

    def probabilities(self, pairs: Pairs) -> Floats:
        if isinstance(self.calibration, Learned):
            return self.calibration.probabilities(pairs)
        return self.calibration.probabilities(pairs.scores)


def _left_out(collection: Collection) -> list[str]:
    keyed = {nug.query_id for nug in collection.nugs}
    lacking = dict.fromkeys(one.query_id for one in collection.responses if one.query_id not in keyed)
    return [f"query {query_id}: not in the key, left out" for query_id in lacking]


def _calibrated(pairs: Pairs, scorer: Scorer, threshold: float | None, notes: list[str]) -> _Reading:
    """From raw scores to probabilities, learned from people's judgements where there are enough."""
    if threshold is not None:
        return _Reading(fixed(threshold), 0.0, 0.0)
    labelled = pairs.labelled()
    known = pairs.degrees[labelled.known]
    if len(known) < ENOUGH or not 0 < (known >= 1.0).sum() < len(known):
        notes.append("too few judgements to learn from: probabilities are those of other collections")
        return _Reading(prior_calibration(scorer.name), PRIORS[scorer.name].sigma, RUN_SIGMA)
    learned = _Reading(learn(pairs), PRIORS[scorer.name].sigma, RUN_SIGMA)
    probabilities = learned.probabilities(pairs)
    sigma = fit_cell_effect(labelled, probabilities, pairs.cell)
    run_sigma = fit_run_effect(pairs.degrees, probabilities, pairs.cell, run_codes(pairs))
    # Few judged runs say nothing of how runs differ.
    many = len(set(run_codes(pairs)[labelled.known].tolist())) >= MANY_RUNS
    return replace(
        learned, sigma=learned.sigma if np.isnan(sigma) else sigma, run_sigma=run_sigma if many else RUN_SIGMA
    )


def _judgements(pairs: Pairs, scorer: Scorer, learned: _Reading, known: KnownJudgements) -> Iterator[Judgement]:
    probabilities = learned.probabilities(pairs)
    at = 0
    for query in pairs.queries:
        matcher = scorer.matcher(query.task)
        for row, response in enumerate(query.task.responses):
            for column, nug in enumerate(query.task.nugs):
                unit = int(query.matches.best[row, column])
                # An empty response contains nothing; one without a common word may still say it in others.
                says = query.matches.units.starts[row + 1] > query.matches.units.starts[row]
                none, _, full = probabilities[at].tolist() if says else (1.0, 0.0, 0.0)
                at_least, full = round(1 - none, 4), round(full, 4)
                none, partial = round(1 - at_least, 4), round(at_least - full, 4)
                at += 1
                if (found := known.of(response, nug.nug_id)) is not None:
                    yield _known(nug, response, scorer, found)
                    continue
                evidence = None
                if unit >= 0 and at_least >= 0.05:
                    place = query.matches.units.places[unit]
                    words = tuple(matcher.words(query.matches.units.texts[unit], column)[:12])
                    where = {"snippet_id": place.snippet_id, "span": [place.start, place.end]}
                    evidence = Evidence(words=words, extra=where if place.snippet_id is not None else {})
                yield Judgement(
                    query_id=query.task.query_id,
                    run_id=response.run_id,
                    nug_id=nug.nug_id,
                    degree=1.0 if full >= 0.5 else 0.5 if at_least >= 0.5 else 0.0,
                    probabilities={"0": none, "0.5": partial, "1": full},
                    judge=scorer.name,
                    evidence=evidence,
                    extra={"score": round(float(query.matches.scores[row, column]), 4)},
                )


def _known_wholes(collection: Collection, scorer: Scorer, known: KnownJudgements) -> Iterator[Judgement]:
    """What people said of AND/OR nugs as a whole: it counts before their parts.

    A whole that nobody marked in any snippet is no find that is lacking: its parts may have been marked.
    """
    key = collection.key
    for query_id in key.query_ids:
        nugs = key.of(query_id)
        parts = {nug.nug_id for nug in standing(nugs)}
        wholes = [nug for nug in nugs if nug.nug_id not in parts]
        for response in collection.responses if wholes else ():
            if response.query_id != query_id:
                continue
            said = known.of_response.get((query_id, alike(whole_text(response))), {})
            for nug in wholes:
                found = known.of(response, nug.nug_id)
                if found is not None and (found.degree > 0 or nug.nug_id in said):
                    yield _known(nug, response, scorer, found)


def _known(nug: Nug, response: Response, scorer: Scorer, found: Known) -> Judgement:
    """By the program's name, so that what it found and what it took over are one account of a response."""
    where = {} if found.snippet_id is None else {"snippet_id": found.snippet_id}
    return Judgement(
        query_id=nug.query_id,
        run_id=response.run_id,
        nug_id=nug.nug_id,
        degree=found.degree,
        judge=scorer.name,
        extra={KNOWN: True, **where},
    )
