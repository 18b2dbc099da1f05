"""Notes below a table of scores: what was undefined, failed or unjudged, and what the scores do not contain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from karat.evaluate.tables.score_table import ScoreTable
from karat.measures.base import Measure
from karat.measures.cases.cases import ALL_QUERIES, Cases, is_silent
from karat.measures.cases.saved_fields import is_unmeasured
from karat.measures.pyramid_weights import pyramid_weights
from karat.model import Score
from karat.model.wording import number_of
from karat.stats.adjusted_means import AdjustedMeans

FEW_QUERIES = 3
"""Up to so many queries of a run with the same trouble have a note each."""


def undefined_note(table: ScoreTable, row: int) -> list[str]:
    """The number of queries for which a run has no score, and why."""
    undefined = table.undefined(row)
    if not undefined:
        return []
    reason = table.measure.undefined() if table.measure else "it has no value there"
    where = f" for {number_of(undefined, 'query')}"
    consequence = {
        "query": ", left out of the mean", "median": ", left out of the median", "pool": ", pooled as they are",
    }[table.average]  # fmt: skip
    return [f"run {table.run_ids[row]}: {table.name} is undefined{where} ({reason}){consequence}"]


def adjusted_notes(adjusted: Iterable[tuple[ScoreTable, AdjustedMeans | None]]) -> list[str]:
    """That rows follow adjusted scores, where some runs lack queries, or that none can be had; None: none is lacking.

    Runs that no chain of common queries joins cannot be compared at all.
    """
    lacking = [(table, scores) for table, scores in adjusted if scores is not None]
    notes = [_apart_note(table.run_ids, scores) for table, scores in lacking if not scores.comparable]
    if any(scores.adjusted.any() for table, scores in lacking if table.average == "query"):
        notes.append(
            "some runs lack queries that others have: each mean is over the run's own queries, but rows and letters "
            "follow adjusted means, which take out how hard each run's queries are"
        )
    for table, _ in lacking:
        if table.average == "query":
            continue
        if table.without_order() is None:
            notes.append(
                "some runs lack queries that others have: each score is over the run's own queries, but rows and "
                "letters follow the scores over the queries that all runs have"
            )
        else:
            notes.append("some runs lack queries that others have: the order of the rows says nothing")
    return list(dict.fromkeys(notes))


def _apart_note(run_ids: Sequence[str], adjusted: AdjustedMeans) -> str:
    """Which runs have no query in common, not even by way of other runs."""
    groups: dict[int, list[str]] = {}
    for run_id, part in zip(run_ids, adjusted.parts.tolist(), strict=True):
        if part >= 0:
            groups.setdefault(part, []).append(run_id)
    named = " / ".join(_few_names(names) for names in list(groups.values())[:FEW_QUERIES])
    more = f" / and {len(groups) - FEW_QUERIES} more" if len(groups) > FEW_QUERIES else ""
    return (
        f"no common query, not even by way of other runs, joins these: {named}{more}. Their means are over different "
        "queries and cannot be compared; the order of their rows says nothing"
    )


def _few_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW_QUERIES} more" if len(names) > FEW_QUERIES else ""
    return ", ".join(names[:FEW_QUERIES]) + more


def trouble_notes(cases: Cases, run_id: str, measures: Sequence[Measure]) -> list[str]:
    """What could not be judged in a run's responses and these measures count: per query, or the sums where many."""
    done = {"zero": "counted as zero", "skip": "scored on the rest", "error": "not to be scored"}[cases.rules.unjudged]
    failed: dict[str, int] = {}
    unjudged: dict[str, int] = {}
    for query_id in cases.query_ids:
        if cases.is_fully_judged(run_id, query_id):
            continue
        case = cases.case(run_id, query_id)
        if case is None:
            continue
        crediting = {measure.crediting(case) for measure in measures} - {None}
        if not crediting:
            continue
        credits = case.strict if "strict" in crediting else case.lenient
        failed |= {query_id: credits.failed} if credits.failed else {}
        unjudged |= {query_id: credits.unjudged} if credits.unjudged else {}
    return [
        *_by_query(run_id, failed, done, lambda count: number_of(count, "failed judgement")),
        *_by_query(run_id, unjudged, done, lambda count: f"{number_of(count, 'nug')} not judged"),
    ]


def _by_query(run_id: str, counts: dict[str, int], done: str, words: Callable[[int], str]) -> list[str]:
    if len(counts) > FEW_QUERIES:
        return [f"run {run_id}: {words(sum(counts.values()))} in {len(counts)} queries, {done}"]
    return [f"run {run_id}, query {query_id}: {words(count)}, {done}" for query_id, count in counts.items()]


def ratio_notes(ratios: Sequence[Score], relative_to: str) -> list[str]:
    """Which ratios to another run are undefined."""
    return [
        f"run {score.run_id}: {score.measure} is undefined{_of_slice(score)} "
        f"({relative_to} scores 0 or has no score, or the run has none)"
        for score in ratios
        if score.value is None
    ]


def _of_slice(score: Score) -> str:
    return "" if score.query_id == ALL_QUERIES else f" for {score.query_id}"


def zero_share_notes(tables: Sequence[ScoreTable]) -> list[str]:
    """How often the binary score is zero where the pyramid's is not (Dang & Lin 2007, section 3.2: 16.4 %).

    One note with the figures of all measures: several notes that differ in figures only would be folded into one.
    """
    by_measure = {table.measure: table for table in tables if table.measure is not None}
    shares = []
    for measure, table in by_measure.items():
        binary = by_measure.get(form) if (form := measure.binary_form()) is not None else None
        if binary is not None:
            both = ~np.isnan(table.values) & ~np.isnan(binary.values)
            raised = int(((binary.values == 0) & (table.values > 0) & both).sum())
            if raised:
                total = int(both.sum())
                share = f"{raised} of {total:,} responses ({raised / total:.1%})"
                shares.append(f"{table.name} is above zero where {binary.name} is zero for {share}")
    return ["; ".join(shares)] if shares else []


def vote_notes(tables: Sequence[ScoreTable], cases: Cases) -> list[str]:
    """Which nugs pyramids leave out, and which ballots means over assessors leave out (Dang & Lin 2007)."""
    notes = []
    pools = [cases.pools[query_id] for query_id in cases.query_ids if query_id in cases.pools]
    if any(table.measure is not None and table.measure.takes_pyramid_weights() for table in tables):
        unweighted = sum(len(weights.unweighted) for weights in map(pyramid_weights, pools) if weights.weights)
        if unweighted:
            notes.append(f"{number_of(unweighted, 'nug')} without votes or weight left out of the pyramids")
    for table in tables:
        measure, counts = table.measure, table.counts
        left_out = 0 if measure is None or counts is None else measure.ballots_left_out(counts)
        if left_out:
            ballots = number_of(left_out, "ballot")
            notes.append(f"{table.name}: {ballots} that call nothing vital left out of their questions' means")
    return notes


def unmeasured_notes(cases: Cases) -> list[str]:
    """Why scores by hard decisions or by credits have no judge interval."""
    unmeasured = sum(map(is_unmeasured, cases.with_extra()))
    if not unmeasured:
        return []
    judged = sum(len(cases.judgements[cell]) for cell in cases.judgements)
    return [
        f"no judge interval: {unmeasured:,} of {number_of(judged, 'judgement')} are hard decisions (--threshold) "
        "or credits that are no probabilities (pourpre), and no labels say how often they are wrong"
    ]


def contradiction_notes(cases: Cases) -> list[str]:
    """Responses without any text that somebody judged to contain nugs."""
    cells = [
        (run_id, query_id)
        for query_id, run_id in cases.judgements
        if (response := cases.responses.get((query_id, run_id))) is not None
        and is_silent(response)
        and any(judgement.degree for judgement in cases.judgements[query_id, run_id])
    ]
    if not cells:
        return []
    run_id, query_id = cells[0]
    more = f" (and {len(cells) - 1} more)" if len(cells) > 1 else ""
    return [f"run {run_id}, query {query_id}: the response has no text, yet it was judged to contain nugs{more}"]
