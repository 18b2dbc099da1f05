"""Why a judge says what it says: the best piece of each response, and the words that decided."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from karat.evaluate.cases import Cases
from karat.evaluate.judging import judge_collection
from karat.evaluate.pairs import by_people, degrees_in
from karat.evaluate.rules import ALL_JUDGES
from karat.model import Collection, Judgement, Response, UsageError
from karat.text.stems import stemmer

_TOKEN = re.compile(r"\w+(?:['’]\w+)*")


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A nug and what a judge makes of it in one response."""

    query_id: str
    run_id: str
    nug_id: str
    importance: str | None
    description: str
    degree: float | None
    probability: float | None
    """Of being contained in full; None where it is known."""
    known: float | None
    """What people said, where they did."""
    text: str
    """The piece of the response that speaks most for it."""
    marks: tuple[tuple[int, int], ...]
    """Where in that piece the words are that decided."""


def explain_collection(
    collection: Collection, *, query_id: str, run_ids: Sequence[str] = (), judge: str = "lexical"
) -> list[Explanation]:
    """Every nug of a query and response, what is contained first."""
    nugs = {nug.nug_id: nug for nug in collection.nugs if nug.query_id == query_id}
    if not nugs:
        known = list(dict.fromkeys(nug.query_id for nug in collection.nugs))
        raise UsageError(f"the key has no query {query_id!r}; choose from {', '.join(known[:20])}")
    responses = {one.run_id: one for one in collection.responses if one.query_id == query_id}
    if not responses:
        raise UsageError(f"no run has a response to {query_id}: give the runs")
    for run_id in run_ids:
        if run_id not in responses:
            raise UsageError(f"run {run_id!r} has no response to {query_id}; choose from {', '.join(responses)}")
    people = Cases(by_people(collection), missing="skip", judge=ALL_JUDGES)
    bare = Collection(one for one in collection if not isinstance(one, Judgement))
    found = []
    for one in judge_collection(bare, judge=judge).judgements:
        if one.query_id != query_id or (run_ids and one.run_id not in run_ids):
            continue
        nug, response = nugs[one.nug_id], responses[one.run_id]
        text = piece_of(one, response)
        case = people.case(one.run_id, query_id)
        found.append(
            Explanation(
                query_id=query_id,
                run_id=one.run_id,
                nug_id=one.nug_id,
                importance=nug.importance,
                description=next(iter(nug.descriptions), ""),
                degree=one.degree,
                probability=one.probabilities.get("1"),
                known=degrees_in(case, [nug]).get(one.nug_id) if case is not None and case.judgements else None,
                text=text,
                marks=tuple(marks_in(text, one.evidence.words if one.evidence else ())),
            )
        )
    return sorted(found, key=lambda one: (one.run_id, -(one.probability or 0.0)))


def piece_of(judgement: Judgement, response: Response) -> str:
    """The piece of the response that speaks most for a nug; nothing where none does."""
    where = judgement.evidence.extra if judgement.evidence else {}
    for snippet in response.snippets:
        if snippet.snippet_id == where.get("snippet_id"):
            start, end = where.get("span", (0, len(snippet.text)))
            return snippet.text[start:end]
    return "" if not judgement.evidence else "\n".join(snippet.text for snippet in response.snippets)


def marks_in(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words, which may be stems or n-grams, stand in the text."""
    wanted = {part for word in words for part in word.split()}
    stems = [stemmer("none"), stemmer("english"), stemmer("porter")]
    return [match.span() for match in _TOKEN.finditer(text) if any(stem(match[0].lower()) in wanted for stem in stems)]
