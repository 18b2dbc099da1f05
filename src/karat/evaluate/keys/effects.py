"""What an edit of a key does to the scores of runs, their ranks and their ties: everything is scored by both keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from karat.evaluate.keys.changes import Change
from karat.evaluate.keys.sides import Sides
from karat.evaluate.keys.single_effects import SingleEffect, single_effects
from karat.evaluate.score.powered import score_judged
from karat.evaluate.score.score import Scoring
from karat.evaluate.tables.tabulating import has_scores_alone
from karat.judges.judge import Judged, judge_first
from karat.measures.cases.cases import ALL_QUERIES
from karat.model import Collection, Score, UnfitInput
from karat.model.wording import folded, number_of

Verdict = Literal["better", "worse", "tied", "untested"]


class RunEffect(msgspec.Struct, frozen=True, kw_only=True):
    """One run by one measure; None where it has no score by a key."""

    measure: str
    run_id: str
    old: float | None
    new: float | None
    old_rank: int | None
    """1 is the best; runs with equal scores have the same rank."""
    new_rank: int | None
    old_tie: str
    new_tie: str

    @property
    def difference(self) -> float | None:
        return None if self.old is None or self.new is None else self.new - self.old


class PairEffect(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs whose verdict changes: `run_id` is better or worse than `other`, or they are tied."""

    measure: str
    run_id: str
    other: str
    old: Verdict
    new: Verdict

    @property
    def turned(self) -> bool:
        """Whether both keys separate the runs, in opposite order."""
        return {self.old, self.new} == {"better", "worse"}


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """Scores by the old key and by the new one, and what differs."""

    runs: tuple[RunEffect, ...]
    pairs: tuple[PairEffect, ...]
    """The pairs of runs whose verdict changes; all others have the same verdict by both keys."""
    compared: int
    """How many pairs were compared, over all measures."""
    single: tuple[SingleEffect, ...]
    """What each change does by itself, the largest effect first."""
    old: Scoring
    new: Scoring
    notes: tuple[str, ...]


def effects_of(
    sides: Sides, changes: Sequence[Change], *, carry: bool, labels: str | None, judge: str | None = None,
    measures: str | Sequence[str] | None = None, **options: Any,
) -> Effects:  # fmt: skip
    """Score by both keys as `karat score` does, with the same options, and compare.

    Where no measure is named, those that suit the old key are taken for both.
    """
    if has_scores_alone(sides.runs):
        raise UnfitInput(
            "these are scores without judgements, and no key changes them: give the judgements or the runs"
        )
    old_side, old_notes = sides.old_side()
    new_side, new_notes = sides.new_side(changes, carry=carry)
    notes = [*old_notes, *new_notes]
    old, old_judged = _scored(old_side, judge, labels, measures, options)
    names = measures if measures is not None else [table.name for table in old.tables]
    new, new_judged = _scored(new_side, judge, labels, names, options)
    notes += _unjudged_notes(sides, new_judged.collection, options.get("unjudged", "skip"))
    if not carry:
        notes += _reused_notes(sides, changes)
    said = [dict.fromkeys((*judged.notes, *scored.notes)) for judged, scored in ((old_judged, old), (new_judged, new))]
    notes += [f"by both keys: {note}" for note in said[0] if note in said[1]]
    for name, mine, others in (("old", said[0], said[1]), ("new", said[1], said[0])):
        notes += [f"by the {name} key: {note}" for note in folded(note for note in mine if note not in others)]
    pairs, compared = _pair_effects(old, new)
    single, single_notes = single_effects(changes, old_judged, new_judged, names, options)
    return Effects(
        runs=tuple(_run_effects(old, new)), pairs=tuple(pairs), compared=compared, single=tuple(single), old=old,
        new=new, notes=(*notes, *single_notes),
    )  # fmt: skip


def _scored(
    side: Collection, judge: str | None, labels: str | None, measures: str | Sequence[str] | None,
    options: Mapping[str, Any],
) -> tuple[Scoring, Judged]:  # fmt: skip
    judged = judge_first(side, judge=judge, labels=labels)
    return score_judged(judged, judge=judge, labels=labels, measures=measures, **options), judged


def _totals(scoring: Scoring) -> dict[tuple[str, str], Score]:
    return {
        (score.measure, score.run_id): score
        for score in scoring.of_all()
        if score.query_id == ALL_QUERIES
    }  # fmt: skip


def _run_effects(old: Scoring, new: Scoring) -> list[RunEffect]:
    sides = _totals(old), _totals(new)
    ranks = _ranks(old), _ranks(new)
    effects = []
    for place in dict.fromkeys((*sides[0], *sides[1])):
        before, after = (side.get(place) for side in sides)
        effects.append(
            RunEffect(
                measure=place[0], run_id=place[1], old=before.value if before else None,
                new=after.value if after else None, old_rank=ranks[0].get(place), new_rank=ranks[1].get(place),
                old_tie=_tie(before), new_tie=_tie(after),
            )
        )  # fmt: skip
    names = list(dict.fromkeys(effect.measure for effect in effects))
    worst = len(effects) + 1
    effects.sort(key=lambda effect: (names.index(effect.measure), effect.old_rank or worst, effect.run_id))
    return effects


def _tie(score: Score | None) -> str:
    return str(score.extra.get("tie") or "") if score is not None else ""


def _ranks(scoring: Scoring) -> dict[tuple[str, str], int]:
    """1 + the number of runs with a better score."""
    less = {table.name: table.less_is_better for table in scoring.tables}
    values: dict[str, dict[str, float]] = {}
    for (measure, run_id), score in _totals(scoring).items():
        if score.value is not None:
            values.setdefault(measure, {})[run_id] = -score.value if less.get(measure) else score.value
    return {
        (measure, run_id): 1 + sum(other > value for other in of_runs.values())
        for measure, of_runs in values.items()
        for run_id, value in of_runs.items()
    }


def _orders(scoring: Scoring) -> dict[tuple[str, str], int]:
    """The order that letters follow: by adjusted means, where runs lack queries."""
    return {
        (table.name, table.run_ids[row]): place
        for table in scoring.tables
        for place, row in enumerate(table.best_first())
    }


def _pair_effects(old: Scoring, new: Scoring) -> tuple[list[PairEffect], int]:
    sides = _totals(old), _totals(new)
    ranks = _ranks(old), _ranks(new)
    orders = _orders(old), _orders(new)
    by_measure: dict[str, list[str]] = {}
    for measure, run_id in ranks[0]:
        if (measure, run_id) in ranks[1]:
            by_measure.setdefault(measure, []).append(run_id)
    effects, compared = [], 0
    for measure, run_ids in by_measure.items():
        run_ids.sort(key=lambda run_id: (ranks[0][measure, run_id], run_id))
        for at, run_id in enumerate(run_ids):
            for other in run_ids[at + 1 :]:
                verdicts = [_verdict(sides[side], orders[side], measure, run_id, other) for side in (0, 1)]
                compared += 1
                if verdicts[0] != verdicts[1]:
                    effects.append(
                        PairEffect(measure=measure, run_id=run_id, other=other, old=verdicts[0], new=verdicts[1])
                    )
    return effects, compared


def _verdict(
    scores: Mapping[tuple[str, str], Score], order: Mapping[tuple[str, str], int], measure: str, run_id: str, other: str
) -> Verdict:
    """By the letters: runs that share one are tied; a run with a * was not tested against every other."""
    one, two = (_tie(scores[measure, name]) for name in (run_id, other))
    if not one or not two:
        return "untested"
    if set(one) & set(two) - {"*"}:
        return "tied"
    if "*" in one or "*" in two:
        return "untested"
    return "better" if order[measure, run_id] < order[measure, other] else "worse"


def _unjudged_notes(sides: Sides, scored: Collection, unjudged: str) -> list[str]:
    """New nugs that nobody judged: what that does."""
    judged = {(judgement.query_id, judgement.nug_id) for judgement in scored.judgements}
    parents = {(nug.query_id, nug.parent) for nug in sides.new.nugs if nug.parent is not None}
    lacking = [
        nug
        for nug in sides.new.nugs
        if (nug.query_id, nug.nug_id) not in judged and not nug.members and (nug.query_id, nug.nug_id) not in parents
    ]
    if not lacking or not judged:
        return []
    does = {"skip": "they are left out, as if the new key did not have them", "zero": "they count as not contained"}
    return [
        f"nobody judged {number_of(len(lacking), 'nug')} of the new key (the first: nug {lacking[0].nug_id} of query "
        f"{lacking[0].query_id}): {does.get(unjudged, 'scoring stops there')} (--unjudged); judge them with `karat "
        "review`, or let a program judge with --judge auto"
    ]


def _reused_notes(sides: Sides, changes: Sequence[Change]) -> list[str]:
    """Ids that name another nug now: judgements of the old one count for the new one."""
    judged = {(judgement.query_id, judgement.nug_id) for judgement in sides.runs.judgements}
    went = {(nug.query_id, nug.nug_id): change for change in changes for nug in change.old}
    reused = [
        nug
        for change in changes
        for nug in change.new
        if (nug.query_id, nug.nug_id) in judged
        and (before := went.get((nug.query_id, nug.nug_id))) is not None
        and (before is not change or {"corrected", "split", "merged"} & {*change.kinds})
    ]
    if not reused:
        return []
    return [
        f"careful: {number_of(len(reused), 'id')} of the old key {'names' if len(reused) == 1 else 'name'} another nug "
        f"now (the first: {reused[0].nug_id} of query {reused[0].query_id}), and the judgements of the old nug count "
        "for the new one; give new nugs new ids, or let judgements follow what nugs say with --carry"
    ]
