"""Queries of a key and of runs that have different ids: matched by the question, or else shown side by side."""

from __future__ import annotations

import re
from collections.abc import Collection as Sized
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from msgspec.structs import replace

from karat.formats.io.definitions import Definitions
from karat.model import Collection, Query, Record, UnfitInput, UsageError
from karat.model.wording import natural, number_of

R = TypeVar("R", bound=Record)
SHOWN = 3
"""How many ids of each side a message shows."""


def matched_by_text(definitions: Definitions) -> dict[str, Query]:
    """For queries with responses and no nugs, by id, the query of the key that has the same question.

    White space, case and punctuation at the end do not matter. A question that two queries of the key have, or that a
    run answers twice, matches nothing.
    """
    if not definitions.nugs:
        return {}
    keyed = definitions.nugs.keys()
    unmet = {query_id for query_id, _ in definitions.snippets} - keyed
    if not unmet:
        return {}
    queries = {record.query_id: record for record in definitions.kept.values() if type(record) is Query}
    texts = {query_id: plain_question(query.text) for query_id, query in queries.items()}
    ids: dict[str, list[str]] = {}
    for query_id in keyed:
        if text := texts.get(query_id):
            ids.setdefault(text, []).append(query_id)
    new_ids = {query_id: found[0] for query_id in unmet if len(found := ids.get(texts.get(query_id, ""), [])) == 1}
    # Two answers of one run would become answers to one query: then it is not known which is meant.
    answers: dict[tuple[str, str], list[str]] = {}
    for query_id, run_id in definitions.snippets:
        answers.setdefault((new_ids.get(query_id, query_id), run_id), []).append(query_id)
    unclear = {query_id for several in answers.values() if len(several) > 1 for query_id in several}
    return {old: queries[new] for old, new in new_ids.items() if old not in unclear}


def plain_question(text: str) -> str:
    """A question without case, repeated white space and punctuation at its end."""
    return " ".join(text.lower().split()).rstrip(" ?!.:")


def with_query_ids(record: R, of_key: Mapping[str, Query]) -> R:
    """The record with the id that its query has in the key; the query itself also with the key's spelling."""
    query = of_key.get(getattr(record, "query_id", ""))
    if query is None:
        return record
    text = {"text": query.text} if isinstance(record, Query) else {}
    return replace(record, query_id=query.query_id, **text)  # type: ignore[call-arg,unused-ignore]


def matches_text(of_key: Mapping[str, Query]) -> str:
    """What a note says about queries that were matched by their text."""
    pairs = sorted(of_key.items(), key=lambda pair: natural(pair[0]))
    examples = ", ".join(f"{old} is {query.query_id} of the key" for old, query in pairs[:SHOWN])
    more = f", and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
    return f"{number_of(len(pairs), 'query')} matched by the question, because the ids differ ({examples}{more})"


def nothing_to_judge(collection: Collection) -> UsageError:
    """Why no response can be judged: no key, no responses, or ids that do not meet."""
    if not collection.nugs:
        return UnfitInput(
            "there is no key: no file has nugs. Give one, or draft it from the answers: "
            "karat draft-key RUNS -o key.jsonl"
        )
    if not collection.responses:
        held = ", ".join(dict.fromkeys(type(record).__name__.lower() for record in collection))
        return UnfitInput(
            f"there are no answers to judge: the files have only {held} records. Give the runs as further files; "
            "`karat show FILE` prints what a file has"
        )
    keyed = {nug.query_id for nug in collection.nugs}
    answered = {response.query_id for response in collection.responses}
    return UnfitInput(ids_that_do_not_meet(keyed, answered))


def ids_that_do_not_meet(keyed: Sized[str], answered: Sized[str], *, others: str = "runs") -> str:
    """The message, with examples from both sides and the nearest pair."""
    near = nearest(keyed, answered)
    guess = f" Perhaps {near[1]!r} is {near[0]!r}." if near is not None else ""
    return (
        f"the query ids of the key and of the {others} do not meet: the key has {_examples(keyed)}, the {others} have "
        f"{_examples(answered)}.{guess} Use the same ids in both; or give both files the questions (a field `query`, "
        "or query records), and Karat matches queries that ask the same"
    )


def nearest(keyed: Iterable[str], answered: Iterable[str]) -> tuple[str, str] | None:
    """A pair of ids that may mean the same: the same number (`1`, `q01`), or nearly the same spelling."""
    keyed = sorted(keyed, key=natural)
    by_number = {number: query_id for query_id in reversed(keyed) if (number := _number(query_id)) is not None}
    answered = sorted(answered, key=natural)
    for query_id in answered:
        if (number := _number(query_id)) in by_number and number is not None:
            return by_number[number], query_id
    for query_id in answered[:100]:
        if found := get_close_matches(query_id.lower(), [each.lower() for each in keyed[:1000]], 1, 0.7):
            return next(each for each in keyed if each.lower() == found[0]), query_id
    return None


def _number(query_id: str) -> str | None:
    """The only number of an id, without leading zeros."""
    numbers = re.findall(r"\d+", query_id)
    return (numbers[0].lstrip("0") or "0") if len(numbers) == 1 else None


def _examples(ids: Sized[str]) -> str:
    shown = ", ".join(repr(each) for each in sorted(ids, key=natural)[:SHOWN])
    return f"{shown} and {len(ids) - SHOWN} more" if len(ids) > SHOWN else shown
