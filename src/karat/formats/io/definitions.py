"""Definitions: what a set of files defines, so that every reference can be followed and every repeat seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from karat.formats.io.source import Source
from karat.model import AnyRecord, Nug, Nugget, Query, Record, Response, Run, encode_record, kind_of
from karat.model.found_none import add_found_none, found_none, without_found_none
from karat.model.identity import identity, identity_text
from karat.model.merging import merged


class Once:
    """Passes a Query, Run or Nug on when it is new; a later one that contradicts it is a problem."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: dict[tuple[Any, ...], tuple[AnyRecord, int]] = {}

    def __call__(self, record: Query | Run | Nug) -> Iterator[AnyRecord]:
        key = (type(record), *identity(record))
        line = self._source.line if key not in self._seen else 0
        first, first_line = self._seen.setdefault(key, (record, line))
        if first is record:
            yield record
        elif first != record:
            for field in merged(first, record)[1]:
                self._source.report(
                    field,
                    f"{getattr(record, field)!r} here, {getattr(first, field)!r} on line {first_line} "
                    f"for the {kind_of(record)} with {identity_text(record)}",
                    code="conflicting-definition",
                )


class InputPlace(NamedTuple):
    """Where a definition stands: the number of the file among the inputs, the position in it, and the line."""

    file: int
    position: int
    line: int


class Fault(NamedTuple):
    """What is wrong with a record."""

    path: str
    message: str
    code: str
    repaired: AnyRecord | None = None
    """The record without the part that is wrong, where the rest can be kept."""


class _ResponseHashes(NamedTuple):
    """What is remembered of a response, to compare it with another account of it."""

    text: int
    """The hash of its words."""
    snippets: dict[str, int]
    """The hash of each snippet's text, by snippet id."""
    rest: int
    """The hash of the whole record where it says more than its text (citations, other fields), otherwise 0."""


class Definitions:
    """Queries, runs, responses, nuggets and nugs by identity.

    Query, Run and Nug are kept whole, because files that belong together repeat them and one may say what the
    other leaves out. Of responses and nuggets only lengths and hashes are kept.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[Any, ...], Query | Run | Nug] = {}
        self.places: dict[tuple[Any, ...], InputPlace] = {}
        self.conflicts: dict[InputPlace, Fault] = {}
        """What is wrong with a definition at a place: an id used twice, or two accounts of one thing."""
        self.queries: dict[int, set[str]] = {}
        self.runs: dict[int, set[str]] = {}
        self.nugs: dict[str, dict[str, InputPlace]] = {}
        self.nuggets: dict[str, dict[str, int]] = {}
        """query -> nugget -> a hash of what it says"""
        self.snippets: dict[tuple[str, str], dict[str, int]] = {}
        self._first: dict[tuple[Any, ...], InputPlace] = {}
        """file and identity -> where the file has it first"""
        self._hashes: dict[tuple[str, str], _ResponseHashes] = {}
        self._found_none: dict[tuple[str, str], dict[str, list[str]]] = {}
        """response -> snippet -> who found no nugget in it, in any account of the response"""
        self.replaced: list[tuple[InputPlace, str]] = []
        """Accounts of a response that give way to another, and what is left out with them."""

    def add(self, record: AnyRecord, place: InputPlace) -> None:
        """Take note of a definition (other records are passed over)."""
        if not isinstance(record, Query | Run | Nug | Nugget | Response):
            return
        key = (type(record), *identity(record))
        self.places.setdefault(key, place)
        first = self._first.setdefault((place.file, *key), place)
        if first is not place:
            message = f"{kind_of(record)} with {identity_text(record)} stands on line {first.line} already"
            self.conflicts[place] = Fault("", message, "duplicate-id")
            return
        if isinstance(record, Response):
            self._add_response(key, record, place)
        elif isinstance(record, Nugget):
            content = hash(encode_record(record))
            nuggets = self.nuggets.setdefault(record.query_id, {})
            if nuggets.setdefault(record.nugget_id, content) != content:
                self._conflict(place, f"nugget with {identity_text(record)} is another one in another file")
        else:
            self._add_shared(key, record, place)

    def _add_shared(self, key: tuple[Any, ...], record: Query | Run | Nug, place: InputPlace) -> None:
        if isinstance(record, Query):
            self.queries.setdefault(place.file, set()).add(record.query_id)
        elif isinstance(record, Run):
            self.runs.setdefault(place.file, set()).add(record.run_id)
        else:
            self.nugs.setdefault(record.query_id, {}).setdefault(record.nug_id, place)
        known = self.kept.get(key)
        if known is None:
            self.kept[key] = record
            return
        result, differing = merged(known, record)
        if differing:
            self._conflict(
                place,
                f"{kind_of(record)} with {identity_text(record)} has another {differing[0]} "
                f"({getattr(record, differing[0])!r}) than before ({getattr(known, differing[0])!r})",
            )
        else:
            self.kept[key] = result

    def _add_response(self, key: tuple[Any, ...], response: Response, place: InputPlace) -> None:
        """Of two accounts of one response that agree, the one that says more stands.

        They agree when they have the same words in the same order, or when one has a part of the other's snippets.
        """
        pair = (response.query_id, response.run_id)
        for snippet in response.snippets:
            if sources := found_none(snippet):
                self._found_none.setdefault(pair, {}).setdefault(snippet.snippet_id, []).extend(sources)
        text_hash = hash(" ".join(" ".join(snippet.text for snippet in response.snippets).split()))
        snippets = {snippet.snippet_id: hash(snippet.text) for snippet in response.snippets}
        # What would be missed if another account replaced this one; nothing if it is a text and no more.
        plain = without_found_none(response)
        other_hash = hash(encode_record(plain)) if _says_more(plain) else 0
        known = self._hashes.get(pair)
        if known is not None:
            fewer, more = sorted((snippets, known.snippets), key=len)
            if text_hash != known.text and not fewer.items() <= more.items():
                self._conflict(place, f"response with {identity_text(response)} has another text in another file")
                return
            gives_way = len(snippets) <= len(known.snippets)
            if (other_hash if gives_way else known.rest) not in (0, known.rest if gives_way else other_hash):
                self.replaced.append(
                    (
                        place if gives_way else self.places[key],
                        f"the response with {identity_text(response)} is taken from another file, where it came first "
                        "or stands in more pieces; citations and other fields given here are left out",
                    )
                )
            if gives_way:
                return
        self.places[key], self._hashes[pair] = place, _ResponseHashes(text_hash, snippets, other_hash)
        self.snippets[pair] = {snippet.snippet_id: len(snippet.text) for snippet in response.snippets}

    def completed(self, response: Response) -> Response:
        """The response with what all its accounts say of who found no nugget in its snippets."""
        marks = self._found_none.get((response.query_id, response.run_id))
        if not marks:
            return response
        snippets = (add_found_none(snippet, marks.get(snippet.snippet_id, ())) for snippet in response.snippets)
        return replace(response, snippets=tuple(snippets))

    def _conflict(self, place: InputPlace, message: str) -> None:
        self.conflicts[place] = Fault("", message, "conflicting-definition")

    def is_given_out_at(self, record: Record, place: InputPlace) -> bool:
        """Whether this occurrence of a definition is the one that is given out."""
        return self.places[(type(record), *identity(record))] == place


def _says_more(response: Response) -> bool:
    """Whether a response holds anything besides its text that would be missed."""
    return (
        bool(response.extra)
        or response.unnuggetized_chars is not None
        or any(snippet.citations or snippet.extra for snippet in response.snippets)
    )
