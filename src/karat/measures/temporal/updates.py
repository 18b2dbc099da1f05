"""Gain and comprehensiveness of updates sent over time (TREC Temporal Summarization 2013 and 2014, Aslam et al.).

    R(n)          = e^(importance of the nug n - 3), at most e^100; binary: 1. Importance 0 or less does not count.
    gain(u)       = sum of R(n) over the nugs that the run says in the update u for the first time
    latency(n, u) = 1 - 2/pi arctan((time of u - time of n) / 6 hours): 1 on time, up to 2 early, down to 0 late
    latency gain  = the same sum of R(n) latency(n, u)
    verbosity(u)  = 1 + (words of u outside the spans of the nugs it says first) / (mean words of the query's nugs)
    ideal         = mean R of as many of the query's most important nugs as the run sent updates

Updates count in the order of their times, and every time they are sent. A word begins after a blank, as the track's
scores show: the first word of an update is never inside a span, and an update without a known text is one word.
Early updates may lift latency scores above 1.

A nug is said where a judgement says that it is contained in full. An OR nug that was not judged itself is said with the
first of its parts, an AND nug with the last; the words of a part are not verbose where it is said before its nug is. A
nug that is not said, but would be had the failed judgements been finds, is left out. A find whose time, of the nug in
the key or of the update, is not known makes the query's latency scores undefined.

These are the official scores of 2014, to all four digits in each of the 30 cells (10 queries, 3 runs) tested, except
TS14.17: its E[Verbosity] differs for two runs and its E[Gain] for one, because the official program took offsets in
characters for offsets in bytes. E[Latency] is called timeliness here.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import msgspec

from karat.measures.cases.and_or_parts import Parts
from karat.measures.cases.case import Case
from karat.model import Judgement, Nug, Snippet

Importance = Literal["graded", "binary"]
MOST_IMPORTANT = 3.0
LARGEST_EXPONENT = 100.0
"""Far beyond any scale in use; it keeps sums of R(n) and of their squares finite for any key."""
LATENCY_SECONDS = 6 * 3600.0


class Account(msgspec.Struct, frozen=True):
    """The sums over one run's updates on one query; None: cannot be known."""

    gain: float
    latency_gain: float | None
    latencies: float | None
    """The sum of latency(n, u) over the nugs said."""
    importance: float
    ideal: float | None
    updates: int | None
    verbosity: float | None


def account(case: Case, importance: Importance = "graded") -> Account | None:
    """The sums that all measures here use; None where the key has no nug that counts, or nobody judged."""
    if case.response is None and not case.judgements and not case.silent:
        return None
    parts = Parts(
        case.pool.nugs, judged={judgement.nug_id for judgement in case.judgements if judgement.status == "ok"}
    )
    unknown = set() if case.unjudged_is_zero else _unknown(case.judgements, parts)
    counting = (nug for nug in case.pool.whole_nugs if nug.weight is None or nug.weight > 0)
    nugs = {nug.nug_id: nug for nug in counting if nug.nug_id not in unknown}
    if not nugs:
        return None
    worth = {nug_id: _worth(nug, importance) for nug_id, nug in nugs.items()}
    finds: dict[str | None, list[Judgement]] = {}
    for judgement in case.judgements:
        if _is_find(judgement) and parts.whole(judgement.nug_id) in nugs:
            finds.setdefault(judgement.snippet_id, []).append(judgement)
    snippets = case.response.snippets if case.response is not None else ()
    telling = [snippet for snippet in snippets if snippet.snippet_id in finds]
    said: dict[str, float | None] = {}
    """How late, or early, each nug was said for the first time."""
    heard: set[str] = set()
    """The nugs said, and the parts of nugs."""

    def say(find: Judgement, when: float) -> None:
        parts.say(find.nug_id, heard)
        whole = parts.path(find.nug_id)[-1]
        if whole in heard and whole not in said:
            said[whole] = _latency(nugs[whole], when)

    words = sum(snippet.text.count(" ") + 1 for snippet in snippets)
    for snippet in sorted(telling, key=_when):
        new = [find for find in finds[snippet.snippet_id] if heard.isdisjoint(parts.path(find.nug_id))]
        for find in new:
            say(find, _when(snippet))
        words -= _matched_words(snippet.text, new)
    for find in itertools.chain.from_iterable(finds.values()):
        say(find, math.inf)  # of the whole response, or of an update that is not there
    timed = {nug_id: latency for nug_id, latency in said.items() if latency is not None}
    all_timed = len(timed) == len(said)
    mean_words = sum("".join(nug.descriptions[:1]).count(" ") + 1 for nug in nugs.values()) / len(nugs)
    known = case.response is not None or case.silent
    most = sorted(worth.values(), reverse=True)[: len(snippets)]
    return Account(
        gain=sum(worth[nug_id] for nug_id in said),
        latency_gain=sum(worth[nug_id] * latency for nug_id, latency in timed.items()) if all_timed else None,
        latencies=sum(timed.values()) if all_timed else None,
        importance=sum(worth.values()),
        ideal=sum(most) / len(most) if most else None,
        updates=len(snippets) if known else None,
        verbosity=len(snippets) + words / mean_words if known and all(snippet.text for snippet in telling) else None,
    )


def _worth(nug: Nug, importance: Importance) -> float:
    """R(n); a nug that the key does not grade is worth 1."""
    if importance == "binary" or nug.weight is None:
        return 1.0
    return math.exp(min(nug.weight - MOST_IMPORTANT, LARGEST_EXPONENT))


def _unknown(judgements: Sequence[Judgement], parts: Parts) -> set[str]:
    """The nugs that are not said, and would be if the judgements that failed were finds."""
    failed = [
        judgement.nug_id
        for judgement in judgements
        if judgement.status != "ok" and judgement.nug_id not in parts.judged
    ]
    if not failed:
        return set()
    said: set[str] = set()
    for judgement in judgements:
        if _is_find(judgement):
            parts.say(judgement.nug_id, said)
    at_best = set(said)
    for nug_id in failed:
        parts.say(nug_id, at_best)
    return at_best - said


def _is_find(judgement: Judgement) -> bool:
    if judgement.status != "ok":
        return False
    return judgement.probabilities.get("1", 0.0) >= 0.5 if judgement.degree is None else judgement.degree >= 1.0


def _when(snippet: Snippet) -> float:
    """The second at which an update was sent; infinity (after all others) where it is not known."""
    for citation in snippet.citations:
        if citation.time is not None:
            with suppress(ValueError):
                return when if math.isfinite(when := float(citation.time)) else math.inf
    return math.inf


def _latency(nug: Nug, when: float) -> float | None:
    known = nug.extra.get("timestamp")
    if not isinstance(known, int | float) or not math.isfinite(when):
        return None
    try:
        return 1 - 2 / math.pi * math.atan((when - known) / LATENCY_SECONDS)
    except OverflowError:  # a whole number of more than 308 digits is no time
        return None


def _matched_words(text: str, judgements: list[Judgement]) -> int:
    """How many words of the text, except the first, the judgements' spans touch."""
    blanks = [position for position, letter in enumerate(text) if letter == " "]
    touched: set[int] = set()
    for judgement in judgements:
        for start, end in (judgement.evidence.spans if judgement.evidence is not None else None) or ():
            touched.update(range(max(0, bisect_right(blanks, start) - 1), bisect_left(blanks, end)))
    return len(touched)
