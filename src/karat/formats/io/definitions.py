"""Definitions: what a set of files defines, so that references can be checked and repeated ids noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from karat.formats.io.source import Source
from karat.model import AnyRecord, Document, Nug, Nugget, Query, Record, Response, Run, Template, encode_record, kind_of
from karat.model.identity import identity, identity_text
from karat.model.looked import add_found_none, found_none, without_found_none
from karat.model.merging import merged

Shared = Template | Query | Run | Document | Nug
"""What files that belong together repeat."""


class Once:
    """Passes a Query, Run or Nug on when it is new; a later one that contradicts the first is a problem."""

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
                    f"is {getattr(record, field)!r} here, but {getattr(first, field)!r} on line {first_line}, "
                    f"for the same {kind_of(record)} ({identity_text(record)})",
                    code="conflicting-definition",
                    # The place of the record that is being read, whichever record the field belongs to.
                    line=self._source.line,
                )


class InputPlace(NamedTuple):
    """Where a definition is: the number of the file among the inputs, the position in it, the line, the shard."""

    file: int
    position: int
    line: int
    part: str = ""
    """The shard, where the input is a folder of shards."""


class DefinedAt(NamedTuple):
    """Where a definition is in one input: its line, and for a folder of shards the shard and the lines before it."""

    line: int
    part: str = ""
    before: int = 0

    def among(self, file: int) -> InputPlace:
        """The place among several inputs."""
        return InputPlace(file, self.before + self.line, self.line, self.part)


class Fault(NamedTuple):
    """What is wrong with a record."""

    path: str
    message: str
    code: str
    repaired: AnyRecord | None = None
    """The record without the part that is wrong, if the rest can be kept."""


class _ResponseHashes(NamedTuple):
    """What is remembered about a response, to compare it with another version of it."""

    text: int
    """The hash of its words."""
    snippets: dict[str, int]
    """The hash of each snippet's text, by snippet id."""
    rest: int
    """The hash of the whole record if it has more than its text (citations, other fields), otherwise 0."""


class Definitions:
    """Templates, queries, runs, documents, responses, nuggets and nugs by identity.

    All but responses and nuggets are kept as they are, because files that belong together repeat them, and one file
    may say what the other leaves out. Of responses and nuggets only lengths and hashes are kept.
    """

    def __init__(self, names: Sequence[str] = (), *, matters: Callable[[AnyRecord], bool] | None = None) -> None:
        self._names = names
        """The names of the files, for messages."""
        self._matters = matters
        """Whether a definition can meet another record. One that cannot is given out where it is, and not kept."""
        self._told: set[tuple[int, int]] = set()
        """Pairs of files of which a message already says how to read them as two versions of a run."""
        self.kept: dict[tuple[Any, ...], Shared] = {}
        self.places: dict[tuple[Any, ...], InputPlace] = {}
        self.conflicts: dict[InputPlace, Fault] = {}
        """What is wrong with the definition at a place: an id used twice, or a contradiction to an earlier one."""
        self.queries: dict[int, set[str]] = {}
        self.runs: dict[int, set[str]] = {}
        self.nugs: dict[str, dict[str, InputPlace]] = {}
        self.nuggets: dict[str, dict[str, int]] = {}
        """query -> nugget -> a hash of its content"""
        self.revises: dict[tuple[str, str], tuple[str, ...]] = {}
        """query and nugget -> the nuggets that it revises"""
        self.snippets: dict[tuple[str, str], dict[str, int]] = {}
        self.citations: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
        """response -> snippet and citation id -> the document; only responses whose citations have ids"""
        self._first: dict[tuple[Any, ...], InputPlace] = {}
        """file and identity -> the first place in the file"""
        self._repeated: dict[InputPlace, Fault] = {}
        """first place -> what is wrong with every repetition of it: a file may repeat a line a million times"""
        self._hashes: dict[tuple[str, str], _ResponseHashes] = {}
        self._found_none: dict[tuple[str, str], dict[str, list[str]]] = {}
        """response -> snippet -> who found no nugget in it, in any version of the response"""
        self.replaced: list[tuple[InputPlace, str]] = []
        """Versions of a response that were replaced by a version from another file, each with a message."""

    def add(self, record: AnyRecord, place: InputPlace) -> None:
        """Note a definition (other records are ignored)."""
        if not isinstance(record, Shared | Nugget | Response):
            return
        if self._matters is not None and not self._matters(record):
            return
        key = (type(record), *identity(record))
        self.places.setdefault(key, place)
        first = self._first.setdefault((place.file, *key), place)
        if first is not place:
            fault = self._repeated.get(first)
            if fault is None:
                message = f"the {kind_of(record)} with {identity_text(record)} is already on line {first.line}"
                message += f" of {first.part}" if first.part != place.part else ""
                fault = self._repeated[first] = Fault("", message, "duplicate-id")
            self.conflicts[place] = fault
            return
        if isinstance(record, Response):
            self._add_response(key, record, place)
        elif isinstance(record, Nugget):
            content = hash(encode_record(record))
            if record.revises:
                self.revises[record.query_id, record.nugget_id] = record.revises
            nuggets = self.nuggets.setdefault(record.query_id, {})
            if nuggets.setdefault(record.nugget_id, content) != content:
                self._conflict(place, f"the nugget with {identity_text(record)} is different {self._at(key)}")
        else:
            self._add_shared(key, record, place)

    def _add_shared(self, key: tuple[Any, ...], record: Shared, place: InputPlace) -> None:
        if isinstance(record, Query):
            self.queries.setdefault(place.file, set()).add(record.query_id)
        elif isinstance(record, Run):
            self.runs.setdefault(place.file, set()).add(record.run_id)
        elif isinstance(record, Nug):
            self.nugs.setdefault(record.query_id, {}).setdefault(record.nug_id, place)
        known = self.kept.get(key)
        if known is None:
            self.kept[key] = record
            return
        result, differing = merged(known, record)
        if differing:
            self._conflict(
                place,
                f"the {kind_of(record)} with {identity_text(record)} has the {differing[0]} "
                f"{getattr(record, differing[0])!r} here, but {getattr(known, differing[0])!r} {self._at(key)}",
            )
        else:
            self.kept[key] = result

    def _add_response(self, key: tuple[Any, ...], response: Response, place: InputPlace) -> None:
        """Of two versions of a response that agree, the one with more snippets is kept.

        They agree when they have the same words in the same order, or when one has a part of the other's snippets.
        """
        pair = (response.query_id, response.run_id)
        for snippet in response.snippets:
            if sources := found_none(snippet):
                self._found_none.setdefault(pair, {}).setdefault(snippet.snippet_id, []).extend(sources)
        text_hash = hash(" ".join(" ".join(snippet.text for snippet in response.snippets).split()))
        snippets = {snippet.snippet_id: hash(snippet.text) for snippet in response.snippets}
        # What would be lost if another version replaced this one; nothing if it has only a text.
        plain = without_found_none(response)
        other_hash = hash(encode_record(plain)) if _says_more(plain) else 0
        known = self._hashes.get(pair)
        if known is not None:
            fewer, more = sorted((snippets, known.snippets), key=len)
            if text_hash != known.text and not fewer.items() <= more.items():
                first = self.places[key]
                self._conflict(
                    place,
                    f"the response with {identity_text(response)} has a different text {self._at(key)}"
                    f"{self._two_versions(first.file, place.file)}",
                )
                return
            gives_way = len(snippets) <= len(known.snippets)
            if (other_hash if gives_way else known.rest) not in (0, known.rest if gives_way else other_hash):
                self.replaced.append(
                    (
                        place if gives_way else self.places[key],
                        f"the response with {identity_text(response)} is taken from another file, which comes first "
                        "or has more snippets; the citations and other fields given here are left out",
                    )
                )
            if gives_way:
                return
        self.places[key], self._hashes[pair] = place, _ResponseHashes(text_hash, snippets, other_hash)
        self.snippets[pair] = {snippet.snippet_id: len(snippet.text) for snippet in response.snippets}
        self.citations[pair] = {
            (snippet.snippet_id, citation.citation_id): citation.doc_id
            for snippet in response.snippets
            for citation in snippet.citations
            if citation.citation_id is not None
        }

    def completed(self, response: Response) -> Response:
        """The response with the notes of all its versions about who found no nugget in its snippets."""
        marks = self._found_none.get((response.query_id, response.run_id))
        if not marks:
            return response
        snippets = (add_found_none(snippet, marks.get(snippet.snippet_id, ())) for snippet in response.snippets)
        return replace(response, snippets=tuple(snippets))

    def _at(self, key: tuple[Any, ...]) -> str:
        """Where the first definition is, in words."""
        first = self.places[key]
        if first.file >= len(self._names):
            return "in another file"
        return f"in {first.part or self._names[first.file]}:{first.line}"

    def _two_versions(self, first: int, second: int) -> str:
        """How to read two files as two versions of one run: said once per pair of files."""
        if second >= len(self._names) or (first, second) in self._told:
            return ""
        self._told.add((first, second))
        names = f"old={self._names[first]} new={self._names[second]}"
        return f"; if these are two versions of one run, give each a name: {names}"

    def _conflict(self, place: InputPlace, message: str) -> None:
        self.conflicts[place] = Fault("", message, "conflicting-definition")

    def is_given_out_at(self, record: Record, place: InputPlace) -> bool:
        """Whether the definition at this place is the one that is given out (repeats are not)."""
        return self.places.get((type(record), *identity(record)), place) == place


def _says_more(response: Response) -> bool:
    """Whether a response has anything besides its text that could be lost."""
    return (
        bool(response.extra)
        or response.unnuggetized_chars is not None
        or any(snippet.citations or snippet.extra for snippet in response.snippets)
    )
