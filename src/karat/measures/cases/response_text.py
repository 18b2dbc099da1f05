"""Which text of a response is looked at, and which of it is charged as wrong by the character."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeVar

from karat.measures.cases.case import Case
from karat.model import Nugget, Relevance, Response, Snippet, SpanSet
from karat.model.looked import SOURCES, found_none

Charge = Literal["irrelevant", "outside", "none"]
R = TypeVar("R", Nugget, Relevance)
MOST_CHARS = 10**18
"""The most characters that count, so that no sum is infinite."""
_WORD = re.compile(r"\S+")


def is_nuggetized(case: Case) -> bool:
    """Whether degrees come from the members of nugs: there are any, and the run was not judged in another way."""
    if not case.pool.nuggets or (case.judgements and not case.nuggets):
        return False
    return any(nug.members for nug in case.pool.whole_nugs)


def charged_chars(case: Case, *, charge: Charge = "irrelevant", words: int = 0) -> float:
    """How many characters, white space not counted, are charged as wrong.

    irrelevant (White et al. 2008): `unnuggetized_chars` of the response where it is given. Else what lies outside the
    nuggets that nugs count, in snippets labelled irrelevant, in snippets labelled redundant that have no such nuggets,
    and outside `text_spans` in snippets labelled relevant that have such; averaged over the assessors of a snippet. In
    a nuggetized response without any label a snippet without nuggets is irrelevant: only relevant ones are nuggetized.
    outside (Babko-Malaya 2008): all text outside the run's nuggets.
    none: nothing.
    """
    response = case.response
    if response is None or charge == "none":
        return 0.0
    if charge == "irrelevant" and response.unnuggetized_chars is not None:
        return float(min(response.unnuggetized_chars, MOST_CHARS))
    ends = reach(response, words=words)
    nuggets, labels = by_snippet(case.nuggets), by_snippet(case.relevances)
    members = {member.nugget_id for nug in case.pool.whole_nugs for member in nug.members}
    untold = is_nuggetized(case) and not case.relevances
    chars = 0.0
    for snippet in response.snippets:
        inside = nuggets.get(snippet.snippet_id, [])
        counted = [nugget for nugget in inside if nugget.nugget_id in members]
        seen = SpanSet([(0, ends[snippet.snippet_id])] if ends[snippet.snippet_id] else [])
        if charge == "outside":
            chars += non_blank(snippet, seen.difference(_covered(inside)))
        elif said := labels.get(snippet.snippet_id):
            free = seen.difference(_covered(counted))
            chars += sum(non_blank(snippet, _irrelevant(free, relevance, bool(counted))) for relevance in said) / len(
                said
            )
        elif untold and not inside:
            chars += non_blank(snippet, seen)
    return chars


def _covered(nuggets: Iterable[Nugget]) -> SpanSet:
    return SpanSet(pair for nugget in nuggets for pair in nugget.spans)


def _irrelevant(free: SpanSet, relevance: Relevance, has_nuggets: bool) -> SpanSet:
    if relevance.label == "irrelevant" or (relevance.label == "redundant" and not has_nuggets):
        return free
    if relevance.label == "relevant" and relevance.text_spans is not None:
        return free.difference(relevance.text_spans)
    return SpanSet()


def non_blank(snippet: Snippet, spans: SpanSet) -> int:
    """How many characters in these spans are not white space."""
    return sum(len("".join(snippet.text[start:end].split())) for start, end in spans)


def reach(response: Response, *, words: int = 0) -> dict[str, int]:
    """Where the first so many words of a response end in each of its snippets, taken in order; 0 words: all."""
    ends: dict[str, int] = {}
    left = words
    for snippet in response.snippets:
        ends[snippet.snippet_id], left = reach_in(snippet.text, left) if words else (len(snippet.text), 0)
    return ends


def reach_in(text: str, words: int) -> tuple[int, int]:
    """Where the first so many words of a text end, and how many words are left for the texts after it.

    >>> reach_in("one two three", 2), reach_in("one two three", 5)
    ((7, 0), (13, 2))
    """
    of_words = [match.end() for match in _WORD.finditer(text)]
    if len(of_words) <= words:
        return len(text), words - len(of_words)
    return of_words[words - 1] if words else 0, 0


def beyond(case: Case, *, words: int) -> frozenset[str]:
    """The nuggets, of any run, that start after so many words of their response; 0 words: none.

    For runs whose responses are not known, no nugget counts as late.
    """
    if not words:
        return frozenset()
    ends = {
        (response.run_id, snippet_id): end
        for response in responses(case)
        for snippet_id, end in reach(response, words=words).items()
    }
    nuggets = (*case.pool.nuggets, *case.nuggets)
    return frozenset(
        nugget.nugget_id
        for nugget in nuggets
        if nugget.spans and nugget.spans[0][0] >= ends.get((nugget.run_id, nugget.snippet_id), float("inf"))
    )


def responses(case: Case) -> Iterator[Response]:
    """The responses of all runs to the query, as far as they are known."""
    if case.response is not None:
        yield case.response
    yield from (response for response in case.pool.responses if response.run_id != case.run_id)


def by_snippet(records: Iterable[R]) -> dict[str, list[R]]:
    """The records of one run by snippet."""
    grouped: dict[str, list[R]] = {}
    for record in records:
        grouped.setdefault(record.snippet_id, []).append(record)
    return grouped


def chosen_nuggets(nuggets: Iterable[Nugget], *, responses: Iterable[Response] = ()) -> list[Nugget]:
    """For a snippet with nuggets of several sources: the corrected ones, else a person's, else the automatic ones.

    A source that looked and found none, as snippets of the responses say, goes before the others in the same way.
    """
    best: dict[tuple[str, str, str], int] = {}
    for response in responses:
        for snippet in response.snippets:
            if looked := found_none(snippet):
                best[response.query_id, response.run_id, snippet.snippet_id] = min(map(SOURCES.index, looked))
    rows = [
        ((nugget.query_id, nugget.run_id, nugget.snippet_id), SOURCES.index(nugget.source), nugget)
        for nugget in nuggets
    ]
    for place, source, _ in rows:
        best[place] = min(source, best.get(place, source))
    return [nugget for place, source, nugget in rows if source == best[place]]
