"""Judgements by a program: which nugs each response contains, and how sure the program is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from karat import __version__
from karat.engine.mapping import Track
from karat.judges.base import Judge
from karat.judges.calibration.calibration import Calibration, fixed
from karat.judges.calibration.learned import Learned, learn
from karat.judges.calibration.priors import PRIORS, RUN_SIGMA, prior_calibration
from karat.judges.errors.run_error import fit_run_effect
from karat.judges.errors.shared_error import fit_cell_effect
from karat.judges.human.examples import with_known
from karat.judges.human.known import KnownJudgements, alike, whole_text
from karat.judges.human.known_sheet import Known
from karat.judges.human.labels import KNOWN, people_of
from karat.judges.pairs import Floats, Pairs, pairs_of, run_codes, standing, tasks_of, without_empty
from karat.judges.registry import is_judge, parse_judge
from karat.measures.cases.saved import decided
from karat.model import Collection, Evidence, Judgement, Nug, Response, Signature, UsageError
from karat.model.wording import number_of

NO_PROGRAM = "labels are for a program that judges: name one with judge=, such as judge='lexical'"


@dataclass(frozen=True)
class JudgedBy:
    """A collection with the judgements of a program, and what a score of it needs besides."""

    collection: Collection
    sigma: float
    run_sigma: float
    notes: tuple[str, ...]
    signature: str


def is_to_judge(collection: Collection, judge: str | None) -> bool:
    """Whether `judge` names a program that has still to judge, and not somebody who judged already.

    Where its own judgements alone are there, nothing is judged again; what people say beside them comes first.
    """
    judges = {one.judge for one in collection.judgements}
    return judge is not None and is_judge(judge) and not (judge in judges and all(map(is_judge, judges)))


def judged_by(
    collection: Collection, *, judge: str, labels: str | None = None, track: Track | None = None, jobs: int = 1
) -> JudgedBy:
    """What people (`labels`: who) judged is reused and learned from; the judgements count together (judge="all")."""
    judging = judge_collection(collection, judge=judge, labels=labels, track=track, jobs=jobs)
    rest = (one for one in collection if not isinstance(one, Judgement))
    return JudgedBy(
        Collection([*rest, *judging.judgements]), judging.sigma, judging.run_sigma, judging.notes, judging.signature
    )


MANY_RUNS = 10
LEANING = 20
"""As many judged responses the size of shared errors in other collections counts for."""
ENOUGH = 60
"""Labelled pairs from which a calibration is learned; with fewer the one that comes with Karat is taken."""
UNLEARNED = "heights of scores are those of other collections and may be off by 0.1 to 0.3; trust the order"


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
    labels: str | None = None,
    reuse: bool = True,
    track: Track | None = None,
    jobs: int = 1,
) -> Judging:
    """Judge every response of a collection against its key.

    People's judgements in the collection and in `known` are reused exactly where they speak of the same text, and teach
    the judge how to read its scores. Those in `known` are of the responses there; where it has none, of the same run
    and query in the collection. labels: whose judgements are people's (see `by_people`). reuse=False: people teach the
    judge, and it judges again what they judged. threshold: decide at this raw score; the probabilities are 0 and 1
    then. An empty response contains nothing, whatever the scores mean. jobs: how many processes score.
    """
    scorer = parse_judge(judge)
    people = people_of(collection, known=known, labels=labels)
    tasks = tasks_of(collection, pool=people.pool)
    if not tasks:
        what = "key: give a file with nugs" if not collection.nugs else "response to a query of the key: give the runs"
        raise UsageError(f"there is no {what}")
    bodies = [people.here, people.apart]
    if scorer.reads_known:
        tasks = with_known(tasks, bodies)
    pairs = taught = pairs_of(tasks, scorer, people.labels, track=track, jobs=jobs)
    if people.labels_apart is not None and threshold is None:
        judged = tasks_of(people.taught(), pool=people.pool)
        if scorer.reads_known:
            judged = with_known(judged, bodies)
        taught = pairs_of(judged, scorer, people.labels, other_labels=people.labels_apart, track=track, jobs=jobs)
    notes = [*people.notes, *_left_out(collection)]
    if scorer.reads_known and not any(one.known is not None for one in tasks):
        notes.append(f"{scorer.name}: nobody judged a text of these queries, so it judges as lexical does")
    # What is empty contains nothing by rule, whatever the others teach.
    learned = _calibrated(without_empty(taught), scorer, threshold, notes)
    reused = people.known() if reuse else None
    if reused is not None:
        notes += _contradictions(reused)
    judgements = tuple(_judgements(pairs, scorer, learned, reused))
    if reused is not None:
        judgements += tuple(_known_wholes(collection, scorer, reused))
    taken = sum(KNOWN in one.extra for one in judgements)
    if taken:
        notes.append(f"{number_of(taken, 'known judgement')} reused")
    settings = scorer.settings() | learned.calibration.settings()
    settings |= {"sigma": f"{learned.sigma:.2f}", "run_sigma": f"{learned.run_sigma:.2f}", "v": __version__}
    return Judging(judgements, tuple(notes), learned.sigma, learned.run_sigma, str(Signature(scorer.name, settings)))


def _contradictions(known: KnownJudgements) -> list[str]:
    return [
        f"query {one.query_id}, nug {one.nug_id}: the same text was judged differently ({', '.join(one.runs)})"
        for one in known.contradictions()[:3]
    ]


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


def _calibrated(pairs: Pairs, scorer: Judge, threshold: float | None, notes: list[str]) -> _Reading:
    """From raw scores to probabilities, learned from people's judgements where there are enough."""
    if threshold is not None:
        return _Reading(fixed(threshold), 0.0, 0.0)
    labelled = pairs.labelled()
    known = pairs.degrees[labelled.known]
    if len(known) < ENOUGH or not 0 < (known >= 1.0).sum() < len(known):
        notes.append(f"{_lacking(known)}: {UNLEARNED}")
        return _Reading(prior_calibration(scorer.name), PRIORS[scorer.name].sigma, RUN_SIGMA)
    learned = _Reading(learn(pairs), PRIORS[scorer.name].sigma, RUN_SIGMA)
    probabilities = learned.probabilities(pairs)
    sigma = fit_cell_effect(labelled, probabilities, pairs.cell)
    run_sigma = fit_run_effect(pairs.degrees, probabilities, pairs.cell, run_codes(pairs))
    # Few judged runs say nothing of how runs differ.
    many = len(set(run_codes(pairs)[labelled.known].tolist())) >= MANY_RUNS
    judged = len(set(pairs.cell[labelled.known].tolist()))
    sigma = learned.sigma if np.isnan(sigma) else _leaning(sigma, learned.sigma, judged)
    return replace(learned, sigma=sigma, run_sigma=run_sigma if many else RUN_SIGMA)


def _leaning(sigma: float, prior: float, judged: int) -> float:
    """The size of shared errors; with few judged responses it leans on what it is in other collections.

    It is fitted on judgements that the calibration has seen, and comes out too small where they are few:
    sigma^2 = (n fitted^2 + 20 prior^2) / (n + 20) for n responses.
    """
    return float(np.sqrt((judged * sigma**2 + LEANING * prior**2) / (judged + LEANING)))


def _lacking(degrees: Floats) -> str:
    """Why nothing can be learned from these."""
    if not len(degrees):
        return "nothing to learn from here"
    if len(degrees) < ENOUGH:
        return f"too few judgements to learn from ({len(degrees)} of nugs in responses with words, {ENOUGH} are needed)"
    alike = "contain every nug in full" if degrees.min() >= 1 else "contain no nug in full"
    return f"nothing to learn from: the judged responses {alike}"


def _judgements(pairs: Pairs, scorer: Judge, learned: _Reading, known: KnownJudgements | None) -> Iterator[Judgement]:
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
                said = decided(1 - none, full)
                at += 1
                if known is not None and (found := known.of(response, nug.nug_id)) is not None:
                    yield _known(nug, response, scorer, found)
                    continue
                evidence = None
                if unit >= 0 and said.probabilities["0"] <= 0.95:
                    place = query.matches.units.places[unit]
                    words = tuple(matcher.words(query.matches.units.texts[unit], column)[:12])
                    where = {"snippet_id": place.snippet_id, "span": [place.start, place.end]}
                    evidence = Evidence(words=words, extra=where if place.snippet_id is not None else {})
                yield Judgement(
                    query_id=query.task.query_id,
                    run_id=response.run_id,
                    nug_id=nug.nug_id,
                    degree=said.degree,
                    probabilities=said.probabilities,
                    judge=scorer.name,
                    evidence=evidence,
                    extra={"score": round(float(query.matches.scores[row, column]), 4)},
                )


def _known_wholes(collection: Collection, scorer: Judge, known: KnownJudgements) -> Iterator[Judgement]:
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


def _known(nug: Nug, response: Response, scorer: Judge, found: Known) -> Judgement:
    """By the program's name, so that what it found and what it took over are one account of a response."""
    where = {} if found.snippet_id is None else {"snippet_id": found.snippet_id}
    return Judgement(
        query_id=nug.query_id,
        run_id=response.run_id,
        nug_id=nug.nug_id,
        degree=found.degree,
        # Where assessors differ, a measure has the mean of what each would give it.
        probabilities=found.shares,
        judge=scorer.name,
        extra={KNOWN: True, **where},
    )
