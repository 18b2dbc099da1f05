"""The snippets that two files of nuggets have in common, each with the nuggets of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import msgspec

from karat.evaluate.tables.slices import fields_of
from karat.measures.cases.response_text import chosen_nuggets
from karat.model import Collection, Nugget, UsageError
from karat.model.found_none import found_none
from karat.model.wording import number_of

Missing = Literal["error", "zero", "skip"]
Place = tuple[str, str, str]
"""query, run and snippet"""


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet as one file has it."""

    place: Place
    text: str | None
    """None where the file has the nuggets alone."""
    nuggets: tuple[Nugget, ...]
    fields: dict[str, str]
    """What is known of it besides: fields of its row, conditions of its query."""


class SnippetPair(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet with the nuggets of both files."""

    place: Place
    text: str | None
    auto: tuple[Nugget, ...]
    gold: tuple[Nugget, ...]
    fields: dict[str, str]


class PairedSnippets(msgspec.Struct, frozen=True, kw_only=True):
    """The snippets to be compared, and what is to be said of them."""

    pairs: tuple[SnippetPair, ...]
    notes: tuple[str, ...]


def pair_snippets(
    auto: Collection, gold: Collection, *, missing: Missing = "error", assessor: str | None = None
) -> PairedSnippets:
    """Snippets of the same query, run and id and with the same text; those left over, by their text in order.

    Of a file with nuggets of several sources the automatic ones are `auto`, and people's are `gold`, of a snippet the
    corrected ones before others. A file without responses speaks of all snippets of the other file's responses in
    which it has nuggets. missing: what a snippet of one file alone is: an error, one without nuggets in the other, or
    left out. assessor: whose nuggets count in the gold file.
    """
    if missing not in get_args(Missing):
        raise UsageError(f"missing={missing!r} is not one of {', '.join(get_args(Missing))}")
    ours, theirs = _automatic(auto.nuggets), _by_people(gold, assessor)
    if not auto.nuggets and not gold.nuggets:
        raise UsageError("there are no nuggets: give two files that mark them (see `karat formats nuggetized`)")
    left = _marked(auto, ours, others=gold)
    right = _marked(gold, theirs, others=auto)
    pairs, rest_left, rest_right = _by_id_and_text(left, right)
    notes = _doubtful_sources(auto.nuggets, gold)
    if rest_left or rest_right:
        notes.append(_alone(rest_left, rest_right, missing))
        if missing == "zero":
            pairs += [_pair(snippet, None) for snippet in rest_left] + [_pair(None, snippet) for snippet in rest_right]
    if not pairs:
        raise UsageError("the two files have no snippet in common, neither by query, run and id nor by text")
    if any(pair.text is None for pair in pairs):
        notes.append("the text of some snippets is not there: every character counts as a letter")
    return PairedSnippets(pairs=tuple(pairs), notes=tuple(notes))


def _automatic(nuggets: list[Nugget]) -> list[Nugget]:
    return [nugget for nugget in nuggets if nugget.source == "auto"] or nuggets


def _by_people(gold: Collection, assessor: str | None) -> list[Nugget]:
    by_people = [nugget for nugget in gold.nuggets if nugget.source != "auto"]
    someone_looked = by_people or _someone_found_none(gold)
    chosen = chosen_nuggets(by_people if someone_looked else gold.nuggets, responses=gold.responses)
    names = sorted({nugget.assessor for nugget in chosen if nugget.assessor is not None})
    if assessor is not None:
        if assessor not in names:
            known = f"there are {', '.join(names)}" if names else "none is named"
            raise UsageError(f"the gold file has no nuggets of assessor {assessor!r}; {known}")
        return [nugget for nugget in chosen if nugget.assessor == assessor]
    makers: dict[Place, str | None] = {}
    for nugget in chosen:
        first = makers.setdefault(_place(nugget), nugget.assessor)
        if first != nugget.assessor:
            query_id, run_id, snippet_id = _place(nugget)
            raise UsageError(
                f"query {query_id}, run {run_id}, snippet {snippet_id}: the gold file has nuggets of several assessors "
                f"({', '.join(names)}); choose one with --assessor NAME"
            )
    return chosen


def _someone_found_none(collection: Collection) -> bool:
    return any(found_none(snippet) for response in collection.responses for snippet in response.snippets)


def _doubtful_sources(auto: list[Nugget], gold: Collection) -> list[str]:
    """Files that hold the other kind of nuggets alone: they may have been given in the wrong order."""
    notes = []
    if auto and all(nugget.source != "auto" for nugget in auto):
        notes.append("the AUTO file has people's or corrected nuggets alone; they are taken for automatic ones")
    if gold.nuggets and all(nugget.source == "auto" for nugget in gold.nuggets) and not _someone_found_none(gold):
        notes.append(
            "the GOLD file has automatic nuggets alone (or names no source: person or corrected); "
            "they are taken for people's"
        )
    return notes


def _marked(collection: Collection, nuggets: list[Nugget], *, others: Collection) -> dict[Place, Marked]:
    by_place: dict[Place, list[Nugget]] = {}
    for nugget in nuggets:
        by_place.setdefault(_place(nugget), []).append(nugget)
    conditions = {query.query_id: fields_of(query) for query in collection.queries}
    answered = {(response.query_id, response.run_id) for response in collection.responses}
    marked_only = {place[:2] for place in by_place} - answered
    borrowed = [response for response in others.responses if (response.query_id, response.run_id) in marked_only]
    places: dict[Place, tuple[str | None, Mapping[str, Any]]] = {}
    for response in (*collection.responses, *borrowed):
        for snippet in response.snippets:
            place = response.query_id, response.run_id, snippet.snippet_id
            places[place] = snippet.text, snippet.extra
    for place in by_place:
        places.setdefault(place, (None, {}))
    return {
        place: Marked(
            place=place, text=text, nuggets=tuple(by_place.get(place, ())),
            fields=conditions.get(place[0], {}) | _plain(extra),
        )
        for place, (text, extra) in places.items()
    }  # fmt: skip


def _by_id_and_text(
    left: Mapping[Place, Marked], right: Mapping[Place, Marked]
) -> tuple[list[SnippetPair], list[Marked], list[Marked]]:
    partners: dict[Place, Marked] = {}
    for place, snippet in left.items():
        other = right.get(place)
        if other is not None and (snippet.text == other.text or snippet.text is None or other.text is None):
            partners[place] = other
    taken = {other.place for other in partners.values()}
    waiting: dict[str, list[Marked]] = {}
    for other in right.values():
        if other.place not in taken and other.text is not None:
            waiting.setdefault(other.text, []).append(other)
    for place, snippet in left.items():
        if place not in partners and snippet.text is not None and waiting.get(snippet.text):
            partners[place] = waiting[snippet.text].pop(0)
    taken = {other.place for other in partners.values()}
    pairs = [_pair(snippet, partners[place]) for place, snippet in left.items() if place in partners]
    return (
        pairs,
        [snippet for place, snippet in left.items() if place not in partners],
        [other for place, other in right.items() if place not in taken],
    )


def _pair(auto: Marked | None, other: Marked | None) -> SnippetPair:
    known = auto or other
    assert known is not None
    return SnippetPair(
        place=known.place,
        text=auto.text if auto and auto.text is not None else other.text if other else None,
        auto=auto.nuggets if auto else (),
        gold=other.nuggets if other else (),
        fields=(auto.fields if auto else {}) | (other.fields if other else {}),
    )


def _alone(left: list[Marked], right: list[Marked], missing: Missing) -> str:
    """What is in one file only; raises where that is an error."""
    counts = [
        f"{number_of(len(rest), 'snippet')} of the {name} file alone"
        for rest, name in ((left, "automatic"), (right, "gold")) if rest
    ]  # fmt: skip
    first = (*left, *right)[0]
    query_id, run_id, snippet_id = first.place
    other_text = left and right and first.place in {snippet.place for snippet in right}
    why = " has another text there" if other_text else f" is not in the {'gold' if left else 'automatic'} file"
    told = f"{' and '.join(counts)}: query {query_id}, run {run_id}, snippet {snippet_id}{why}"
    if missing == "error":
        raise UsageError(f"{told}; count it as without nuggets there or leave it out with --missing zero|skip")
    return f"{told}; {'counted as without nuggets there' if missing == 'zero' else 'left out'}"


def _plain(extra: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a row that a snippet can be put into a class by."""
    return {name: str(value) for name, value in extra.items() if isinstance(value, str | int | bool)}


def _place(nugget: Nugget) -> Place:
    return nugget.query_id, nugget.run_id, nugget.snippet_id


def field_names(pairs: Iterable[SnippetPair]) -> list[str]:
    """What snippets can be told apart by."""
    return list(dict.fromkeys(name for pair in pairs for name in pair.fields))
