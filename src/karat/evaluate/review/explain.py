"""Why a judge decides as it does: the best piece of each response, and the words that decided."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

import msgspec

from karat.engines import Track
from karat.evaluate.review.judged_sources import JudgedSource, JudgedSources
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError, listed
from karat.judges.human.labels import people_of
from karat.judges.judge import judge_collection
from karat.judges.judgements.made import NOT_COUNTED
from karat.judges.registry import AUTO, parse_judge
from karat.model import Collection, Judgement, Response, UnfitInput, UsageError
from karat.model.result import Result
from karat.text.idf import IdfTable
from karat.text.stems import stemmer

SHOWN = 20
"""How many names a message lists."""
_TOKEN = re.compile(r"\w+(?:['’]\w+)*")


class NotCounted(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of the response that looks like the nug but says something else, so that the judge left it out."""

    kind: str
    """What differs (number, date, name, negation, ...); reading: the model does not find the nug in it."""
    nug_words: str
    text_words: str
    text: str


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge says about a nug and a response, and why."""

    query_id: str
    run_id: str
    nug_id: str
    importance: str | None
    description: str
    degree: float | None
    probability: float | None
    """The judge's probability that the nug is contained in full, also where people judged."""
    known: float | None
    """The degree that people gave for this response or for the same text; None where nobody judged it."""
    text: str
    """The piece of the response that supports the nug most."""
    marks: tuple[tuple[int, int], ...]
    """The places in that piece of the words that decided."""
    judged: JudgedSource | None = None
    """The judged text that is behind it, where there is one: the same text, or one that the judge found similar."""
    not_counted: tuple[NotCounted, ...] = ()


class Explaining(Result, msgspec.Struct, frozen=True, kw_only=True):
    """Every nug of a query and response, the most probable first; with notes and the judge's signature."""

    explanations: tuple[Explanation, ...]
    notes: tuple[str, ...]
    signature: str


def explain(
    *inputs: Input,
    query: str,
    runs: Sequence[str] = (),
    judge: str = AUTO,
    known: Input | Sequence[Input] | None = None,
    labels: str | None = None,
    on_error: OnError = "stop",
) -> Explaining:
    """Show why a judge says what it says about the responses to one query.

    inputs: the key and the runs. query: the id of the query. runs: only these runs. judge, known, labels: as in
    `judge`.

    >>> import karat
    >>> key, _, runs = karat.demo_files()
    >>> explaining = karat.explain(key, runs, query="q1", runs=["atlas"], judge="lexical")
    >>> explaining.explanations[0].probability
    0.6872
    """
    people = None if known is None else load(*listed(known), on_error=on_error)
    return explain_collection(
        load(*inputs, on_error=on_error), query_id=query, run_ids=runs, judge=judge, known=people, labels=labels
    )


def explain_collection(
    collection: Collection,
    *,
    query_id: str,
    run_ids: Sequence[str] = (),
    judge: str = AUTO,
    known: Collection | None = None,
    labels: str | None = None,
    idf: IdfTable | None = None,
    track: Track | None = None,
) -> Explaining:
    """What a judge says about the responses to a query, and why; it learns from people as `judge_collection` does."""
    nugs = {nug.nug_id: nug for nug in collection.nugs if nug.query_id == query_id}
    if not collection.nugs:
        raise UnfitInput("there is no key: give the file with the nugs, too (see `karat show FILE`)")
    if not nugs:
        raise UsageError(
            f"the key has no query {query_id!r}; {_choices(query_id, (nug.query_id for nug in collection.nugs))}"
        )
    responses = {response.run_id: response for response in collection.responses if response.query_id == query_id}
    if not responses:
        raise UnfitInput(f"no run has a response to query {query_id}; give the files of the runs, too")
    for run_id in run_ids:
        if run_id not in responses:
            raise UsageError(f"run {run_id!r} has no response to query {query_id}; {_choices(run_id, responses)}")
    people = people_of(collection, known=known, labels=labels)
    program = parse_judge(judge)
    sources = JudgedSources(collection, people, program, query_id=query_id, idf=idf)
    if program.works_together:
        collection = _needed(collection, people.here, query_id, run_ids)
    judging = judge_collection(collection, judge=judge, known=known, labels=labels, idf=idf, reuse=False, track=track)
    explanations = []
    for judgement in judging.judgements:
        if judgement.query_id != query_id or (run_ids and judgement.run_id not in run_ids):
            continue
        nug, response = nugs[judgement.nug_id], responses[judgement.run_id]
        text = piece_of(judgement, response)
        by_people = sources.known.of(response, judgement.nug_id)
        explanations.append(
            Explanation(
                query_id=query_id,
                run_id=judgement.run_id,
                nug_id=judgement.nug_id,
                importance=nug.importance,
                description=next(iter(nug.descriptions), ""),
                degree=judgement.degree,
                probability=judgement.probabilities.get("1"),
                known=None if by_people is None else by_people.degree,
                text=text,
                marks=tuple(marks_in(text, judgement.evidence.words if judgement.evidence else ())),
                judged=sources.of(response, judgement.nug_id, text),
                not_counted=left_out_of(judgement, response),
            )
        )
    explanations.sort(key=lambda explanation: (explanation.run_id, -(explanation.probability or 0.0)))
    return Explaining(explanations=tuple(explanations), notes=judging.notes, signature=judging.signature)


def _choices(wrong: str, names: Iterable[str]) -> str:
    """What to choose from: the nearest name first, and how many there are where the list is long."""
    known = list(dict.fromkeys(names))
    near = difflib.get_close_matches(wrong, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    more = f", and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    return f"{hint}choose from {', '.join(known[:SHOWN])}{more}"


def _needed(collection: Collection, people: Collection, query_id: str, run_ids: Sequence[str]) -> Collection:
    """What a judge that costs something must see: what is explained, and what people judged, to learn from."""
    labelled = {(judgement.query_id, judgement.run_id) for judgement in people.judgements}
    return Collection(
        record
        for record in collection
        if not isinstance(record, Response)
        or (record.query_id == query_id and (not run_ids or record.run_id in run_ids))
        or (record.query_id, record.run_id) in labelled
    )


def piece_of(judgement: Judgement, response: Response) -> str:
    """The piece of the response that supports the nug most; empty where no piece does."""
    where = judgement.evidence.extra if judgement.evidence else {}
    for snippet in response.snippets:
        if snippet.snippet_id == where.get("snippet_id"):
            start, end = where.get("span", (0, len(snippet.text)))
            return snippet.text[start:end]
    return "" if not judgement.evidence else "\n".join(snippet.text for snippet in response.snippets)


def left_out_of(judgement: Judgement, response: Response) -> tuple[NotCounted, ...]:
    """The pieces of the response that the judge did not count for the nug."""
    text_of = {snippet.snippet_id: snippet.text for snippet in response.snippets}
    return tuple(
        NotCounted(
            kind=piece["kind"],
            nug_words=piece["nug_words"],
            text_words=piece["text_words"],
            text=text_of[piece["snippet_id"]][slice(*piece["span"])],
        )
        for piece in judgement.extra.get(NOT_COUNTED, ())
    )


def marks_in(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """The places of the words in the text; words may be stems or n-grams."""
    wanted = {part for word in words for part in word.split()}
    stems = [stemmer("none"), stemmer("english"), stemmer("porter")]
    return [match.span() for match in _TOKEN.finditer(text) if any(stem(match[0].lower()) in wanted for stem in stems)]
