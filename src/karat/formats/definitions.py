"""Definitions: what a set of files defines, so that every reference can be followed and every repeat seen."""

from __future__ import annotations

from typing import Any, NamedTuple

from karat.model import AnyRecord, Nug, Nugget, Query, Record, Response, Run, kind_of
from karat.model.identity import identity, identity_text
from karat.model.merging import merged


class Place(NamedTuple):
    """Where a definition stands: the number of the file among the inputs, the position in it, and the line."""

    file: int
    position: int
    line: int


class Definitions:
    """Queries, runs, responses, nuggets and nugs by identity.

    Query, Run and Nug are kept whole, because files that belong together repeat them and one may say what the
    other leaves out. Of a response only the lengths of its snippets are kept, of a nugget only its place.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[Any, ...], Query | Run | Nug] = {}
        self.places: dict[tuple[Any, ...], Place] = {}
        self.conflicts: dict[Place, str] = {}
        """What is wrong with a definition at a place: an id used twice, or two accounts of one thing."""
        self.queries: dict[int, set[str]] = {}
        self.runs: dict[int, set[str]] = {}
        self.nugs: dict[str, dict[str, Place]] = {}
        self.nuggets: dict[str, set[str]] = {}
        self.snippets: dict[tuple[str, str], dict[str, int]] = {}
        self._texts: dict[tuple[str, str], int] = {}

    def add(self, record: AnyRecord, place: Place) -> None:
        """Take note of a definition (other records are passed over)."""
        if not isinstance(record, Query | Run | Nug | Nugget | Response):
            return
        key = (type(record), *identity(record))
        first = self.places.setdefault(key, place)
        if first is not place and first.file == place.file:
            self.conflicts[place] = (
                f"{kind_of(record)} with {identity_text(record)} stands on line {first.line} already"
            )
            return
        if isinstance(record, Response):
            self._add_response(key, record, place)
        elif isinstance(record, Nugget):
            self.nuggets.setdefault(record.query_id, set()).add(record.nugget_id)
            if first is not place:
                self.conflicts[place] = f"nugget with {identity_text(record)} stands in another file already"
        else:
            self._add_shared(key, record, place)

    def _add_shared(self, key: tuple[Any, ...], record: Query | Run | Nug, place: Place) -> None:
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
            self.conflicts[place] = (
                f"{kind_of(record)} with {identity_text(record)} has another {differing[0]} "
                f"({getattr(record, differing[0])!r}) than before ({getattr(known, differing[0])!r})"
            )
        else:
            self.kept[key] = result

    def _add_response(self, key: tuple[Any, ...], response: Response, place: Place) -> None:
        """Of two accounts of one response with the same words, the one in more pieces stands."""
        pair = (response.query_id, response.run_id)
        words = hash(" ".join(" ".join(snippet.text for snippet in response.snippets).split()))
        lengths = {snippet.snippet_id: len(snippet.text) for snippet in response.snippets}
        if pair not in self.snippets or self._texts[pair] == _NO_WORDS:
            self.places[key], self._texts[pair], self.snippets[pair] = place, words, lengths
        elif words not in (self._texts[pair], _NO_WORDS):
            self.conflicts[place] = f"response with {identity_text(response)} has another text than in another file"
        elif len(lengths) > len(self.snippets[pair]):
            self.places[key], self.snippets[pair] = place, lengths

    def stands(self, record: Record, place: Place) -> bool:
        """Whether this occurrence of a definition is the one that is given out."""
        return self.places[(type(record), *identity(record))] == place


_NO_WORDS = hash("")
