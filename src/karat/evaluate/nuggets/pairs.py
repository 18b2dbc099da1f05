"""The snippets that two files of nuggets have in common, each with the nuggets of both files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import msgspec

from karat.evaluate.tables.slices import fields_of
from karat.measures.cases.adjudicated import adjudicated_first
from karat.measures.cases.annotations import of_assessor
from karat.measures.cases.response_text import chosen_nuggets
from karat.model import Collection, Nugget, UnfitInput, UsageError
from karat.model.looked import Looked, found_none, unrevised
from karat.model.wording import number_of

Missing = Literal["error", "zero", "skip"]
SnippetRef = tuple[str, str, str]
"""The ids of a query, a run and a snippet."""


class MarkedSnippet(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet with the nuggets that one file marks in it."""

    ref: SnippetRef
    text: str | None
    """None if the file has nuggets but no text."""
    nuggets: tuple[Nugget, ...]
    fields: dict[str, str]
    """Other fields of its row, and the conditions of its query."""
    looked: bool = False
    """Whether somebody is known to have looked for nuggets in it."""


class SnippetPair(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet with the nuggets of both files."""

    ref: SnippetRef
    text: str | None
    auto: tuple[Nugget, ...]
    gold: tuple[Nugget, ...]
    fields: dict[str, str]
    looked: bool = False
    """Whether somebody is known to have looked for gold nuggets in it."""


class PairedSnippets(msgspec.Struct, frozen=True, kw_only=True):
    """The snippets to compare, with notes for the reader."""

    pairs: tuple[SnippetPair, ...]
    notes: tuple[str, ...]


def pair_snippets(
    auto: Collection, gold: Collection, *, missing: Missing = "error", assessor: str | None = None
) -> PairedSnippets:
    """Pair the snippets of two files: by query, run, id and text; the remaining ones by text only, in their order.

    From a file with both automatic and people's nuggets, `auto` takes the automatic ones and `gold` takes people's; if
    a snippet has corrected nuggets, `gold` takes only those. A nugget of a person that another one `revises` does not
    count. A snippet without gold nuggets counts only if somebody
    looked there and found none: a `reviewed` record of the gold file says so (step "nuggets"), or a row of a person
    with an empty list of nuggets. Other such snippets are left out, with a note.
    missing: what to do with a snippet that is in only one file. "error" stops, "zero" counts it as a snippet without
    nuggets in the other file, "skip" leaves it out.
    assessor: use only the nuggets of this person from the gold file. Otherwise the adjudicated ones of a query count
    where it has any; nuggets of several assessors in one snippet are an error.
    """
    if missing not in get_args(Missing):
        raise UsageError(f"missing={missing!r} is not one of {', '.join(get_args(Missing))}")
    notes: list[str] = []
    automatic, by_people = _automatic(auto.nuggets), _by_people(gold, assessor, notes)
    if not auto.nuggets and not gold.nuggets:
        raise UnfitInput("the files have no nuggets: give two files that mark them (see `karat formats nuggetized`)")
    left = _marked(auto, automatic, others=gold)
    right = _marked(gold, by_people, others=auto, looked=Looked(gold.reviewed, "nuggets", assessor=assessor))
    pairs, left_only, right_only = _by_id_and_text(left, right)
    pairs, unseen = _seen(pairs)
    notes += _doubtful_sources(auto.nuggets, gold)
    if left_only or right_only:
        notes.append(_in_one_file(left_only, right_only, missing))
        if missing == "zero":
            pairs += [_pair(snippet, None) for snippet in left_only]
            pairs += [_pair(None, snippet) for snippet in right_only]
    if not pairs and unseen:
        raise UnfitInput(f"there is nothing to compare: {unseen[0]}")
    notes += unseen
    if not pairs:
        raise UnfitInput(
            "the two files have no snippet in common: neither the same query, run and id nor the same text"
        )
    if any(pair.text is None for pair in pairs):
        notes.append(
            "some snippets have no text in either file: there, every character of a nugget counts, blanks and "
            "punctuation as well; give files with the text to count only letters and digits"
        )
    return PairedSnippets(pairs=tuple(pairs), notes=tuple(notes))


def _automatic(nuggets: list[Nugget]) -> list[Nugget]:
    return [nugget for nugget in nuggets if nugget.source == "auto"] or nuggets


def _by_people(gold: Collection, assessor: str | None, notes: list[str]) -> list[Nugget]:
    looked = {review.assessor for review in gold.reviewed if review.step == "nuggets"}
    names = sorted(looked.union(nugget.assessor for nugget in gold.nuggets if nugget.assessor is not None))
    if assessor is not None and assessor not in names:
        known = f"its assessors are {', '.join(names)}" if names else "it names no assessor"
        raise UsageError(f"the gold file has no nuggets of assessor {assessor!r}; {known}")
    named = of_assessor(gold.nuggets, assessor)
    nuggets = adjudicated_first(named, notes, gold.reviewed if assessor is None else ())
    by_people = unrevised(nugget for nugget in nuggets if nugget.source != "auto")
    someone_looked = by_people or _someone_found_none(gold)
    chosen = chosen_nuggets(by_people if someone_looked else nuggets, responses=gold.responses)
    if assessor is not None:
        return [nugget for nugget in chosen if nugget.assessor == assessor]
    makers: dict[SnippetRef, str | None] = {}
    for nugget in chosen:
        first = makers.setdefault(_ref(nugget), nugget.assessor)
        if first != nugget.assessor:
            query_id, run_id, snippet_id = _ref(nugget)
            raise UsageError(
                f"query {query_id}, run {run_id}, snippet {snippet_id}: the gold file has nuggets of several assessors "
                f"({', '.join(names)}); choose one with --assessor NAME"
            )
    return chosen


def _someone_found_none(collection: Collection) -> bool:
    return any(found_none(snippet) for response in collection.responses for snippet in response.snippets)


def _doubtful_sources(auto: list[Nugget], gold: Collection) -> list[str]:
    """Notes about files that have only the wrong kind of nuggets: maybe they were given in the wrong order."""
    notes = []
    if auto and all(nugget.source != "auto" for nugget in auto):
        notes.append(
            "the AUTO file has only nuggets that people made or corrected; they are used as the automatic ones. "
            "Is the order of the files right? AUTO comes first"
        )
    if gold.nuggets and all(nugget.source == "auto" for nugget in gold.nuggets) and not _someone_found_none(gold):
        notes.append(
            "the GOLD file has only automatic nuggets, or does not say who made them (add "
            '"source": "person" or "corrected"); they are used as people\'s'
        )
    return notes


def _seen(pairs: list[SnippetPair]) -> tuple[list[SnippetPair], list[str]]:
    """The pairs that say something about the gold: with gold nuggets, or where somebody looked; and a note."""
    seen = [pair for pair in pairs if pair.gold or pair.looked]
    if len(seen) == len(pairs):
        return pairs, []
    left_out = number_of(len(pairs) - len(seen), "snippet")
    known = (
        "nobody is recorded to have looked there"
        if any(pair.looked for pair in pairs)
        else 'no record says where people looked and found none (`reviewed`, with the step "nuggets")'
    )
    return seen, [f"{left_out} without gold nuggets left out: {known}; the others are compared"]


def _marked(
    collection: Collection, nuggets: list[Nugget], *, others: Collection, looked: Looked | None = None
) -> dict[SnippetRef, MarkedSnippet]:
    by_ref: dict[SnippetRef, list[Nugget]] = {}
    for nugget in nuggets:
        by_ref.setdefault(_ref(nugget), []).append(nugget)
    conditions = {query.query_id: fields_of(query) for query in collection.queries}
    answered = {(response.query_id, response.run_id) for response in collection.responses}
    marked_only = {ref[:2] for ref in by_ref} - answered
    borrowed = [response for response in others.responses if (response.query_id, response.run_id) in marked_only]
    texts: dict[SnippetRef, tuple[str | None, Mapping[str, Any]]] = {}
    none_found: set[SnippetRef] = set()
    for response in (*collection.responses, *borrowed):
        for snippet in response.snippets:
            place = response.query_id, response.run_id, snippet.snippet_id
            texts[place] = snippet.text, snippet.extra
            if any(source != "auto" for source in found_none(snippet)):
                none_found.add(place)
    for ref in by_ref:
        texts.setdefault(ref, (None, {}))
    return {
        ref: MarkedSnippet(
            ref=ref, text=text, nuggets=tuple(by_ref.get(ref, ())),
            fields=conditions.get(ref[0], {}) | _fields(extra),
            looked=ref in none_found or (looked is not None and looked.at(*ref)),
        )
        for ref, (text, extra) in texts.items()
    }  # fmt: skip


def _by_id_and_text(
    left: Mapping[SnippetRef, MarkedSnippet], right: Mapping[SnippetRef, MarkedSnippet]
) -> tuple[list[SnippetPair], list[MarkedSnippet], list[MarkedSnippet]]:
    """The pairs, and the snippets of each side without a partner."""
    partners: dict[SnippetRef, MarkedSnippet] = {}
    for ref, snippet in left.items():
        other = right.get(ref)
        if other is not None and (snippet.text == other.text or snippet.text is None or other.text is None):
            partners[ref] = other
    taken = {other.ref for other in partners.values()}
    waiting: dict[str, list[MarkedSnippet]] = {}
    for other in right.values():
        if other.ref not in taken and other.text is not None:
            waiting.setdefault(other.text, []).append(other)
    for ref, snippet in left.items():
        if ref not in partners and snippet.text is not None and waiting.get(snippet.text):
            partners[ref] = waiting[snippet.text].pop(0)
    taken = {other.ref for other in partners.values()}
    pairs = [_pair(snippet, partners[ref]) for ref, snippet in left.items() if ref in partners]
    return (
        pairs,
        [snippet for ref, snippet in left.items() if ref not in partners],
        [other for ref, other in right.items() if ref not in taken],
    )


def _pair(auto: MarkedSnippet | None, gold: MarkedSnippet | None) -> SnippetPair:
    known = auto or gold
    assert known is not None
    return SnippetPair(
        ref=known.ref,
        text=auto.text if auto and auto.text is not None else gold.text if gold else None,
        auto=auto.nuggets if auto else (),
        gold=gold.nuggets if gold else (),
        fields=(auto.fields if auto else {}) | (gold.fields if gold else {}),
        looked=gold is not None and gold.looked,
    )


def _in_one_file(left: list[MarkedSnippet], right: list[MarkedSnippet], missing: Missing) -> str:
    """A note about the snippets that are in one file only; with missing="error" it is raised."""
    counts = [
        f"{number_of(len(rest), 'snippet')} only in the {name} file"
        for rest, name in ((left, "automatic"), (right, "gold")) if rest
    ]  # fmt: skip
    first = (*left, *right)[0]
    query_id, run_id, snippet_id = first.ref
    other_text = left and right and first.ref in {snippet.ref for snippet in right}
    why = " has another text there" if other_text else f" is not in the {'gold' if left else 'automatic'} file"
    note = f"{' and '.join(counts)}: for example query {query_id}, run {run_id}, snippet {snippet_id}{why}"
    if missing == "error":
        raise UnfitInput(
            f"{note}; use --missing zero to count such snippets as without nuggets in the other file, or "
            "--missing skip to leave them out"
        )
    return f"{note}; {'counted as without nuggets in the other file' if missing == 'zero' else 'left out'}"


def _fields(extra: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a row by which snippets can be grouped."""
    return {name: str(value) for name, value in extra.items() if isinstance(value, str | int | bool)}


def _ref(nugget: Nugget) -> SnippetRef:
    return nugget.query_id, nugget.run_id, nugget.snippet_id


def field_names(pairs: Iterable[SnippetPair]) -> list[str]:
    """The names of all fields by which these snippets can be grouped."""
    return list(dict.fromkeys(name for pair in pairs for name in pair.fields))
