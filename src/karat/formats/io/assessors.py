"""Whose sheet a file is: `assessor:NAME=FILE` names its assessor, and two sheets without names are noticed.

A sheet is what one person annotated: nuggets, labels or judgements in a table or another export. Many such files do not
say whose they are. Two of them would be added up, or the second would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from karat.model import AnyRecord, CitationJudgement, Judgement, Nug, Nugget, Relevance, Reviewed, Vote
from karat.model.default_names import GIVEN, PERSON
from karat.model.wording import number_of

PREFIX = "assessor:"
NO_NAMES = (None, GIVEN, PERSON)
"""The name of the assessor in a file that does not name one."""
Ids = set[tuple[str, str]]
NuggetPlace = tuple[str, str, str, str, str | None]


class AssessorFile:
    """The records of one file under the name of its assessor.

    A record that names an assessor keeps the name. Ids of nuggets, and of nugs made of them, begin with `NAME/`, so
    that two sheets do not use the same id for different things. Where a file does not say that people made its
    nuggets, they are this person's.
    """

    def __init__(self, name: str, records: Iterable[AnyRecord]) -> None:
        self.name = name
        self.others: dict[str, None] = {}
        """Whom the file itself names, other than this person: their records keep their names."""
        self.is_unnamed = False
        """Whether there is a record that gets the name."""
        self._nuggets: Ids = set()
        self._nugs: Ids = set()
        automatic: Ids = set()
        for record in records:
            self._look_at_name(record)
            if isinstance(record, Nugget) and record.assessor is None:
                ids = automatic if record.source == "auto" else self._nuggets
                ids.add((record.query_id, record.nugget_id))
            elif isinstance(record, Nug) and record.assessor is None and record.members:
                self._nugs.add((record.query_id, record.nug_id))
        self._is_automatic = not self._nuggets
        self._nuggets = self._nuggets or automatic

    def _look_at_name(self, record: AnyRecord) -> None:
        if isinstance(record, Nugget | Nug | Judgement | Vote | Relevance | Reviewed | CitationJudgement):
            if record.assessor in NO_NAMES:
                self.is_unnamed = True
            elif record.assessor is not None and record.assessor != self.name:
                self.others[record.assessor] = None

    def named(self, record: AnyRecord) -> AnyRecord:
        """The record with its assessor."""
        name = self.name
        if isinstance(record, Nugget):
            if (record.query_id, record.nugget_id) not in self._nuggets:
                return record
            source = "person" if self._is_automatic else record.source
            revises = tuple(self._nugget(record.query_id, nugget_id) for nugget_id in record.revises)
            return replace(
                record, nugget_id=f"{name}/{record.nugget_id}", assessor=name, source=source, revises=revises
            )
        if isinstance(record, Nug):
            return self._named_nug(record)
        if isinstance(record, Judgement):
            return replace(record, nug_id=self._nug(record.query_id, record.nug_id), assessor=record.assessor or name)
        if isinstance(record, Vote):
            return replace(record, nug_id=self._nug(record.query_id, record.nug_id), assessor=self._or(record.assessor))
        if isinstance(record, Relevance) and record.redundant_with is not None:
            repeated = self._nug(record.query_id, record.redundant_with)
            return replace(record, assessor=self._or(record.assessor), redundant_with=repeated)
        if isinstance(record, Relevance | Reviewed):
            return replace(record, assessor=self._or(record.assessor))
        if isinstance(record, CitationJudgement):
            nugget_id = None if record.nugget_id is None else self._nugget(record.query_id, record.nugget_id)
            return replace(record, nugget_id=nugget_id, assessor=self._or(record.assessor))
        return record

    def _named_nug(self, nug: Nug) -> Nug:
        members = tuple(
            replace(member, nugget_id=self._nugget(nug.query_id, member.nugget_id)) for member in nug.members
        )
        return replace(
            nug,
            nug_id=self._nug(nug.query_id, nug.nug_id),
            parent=None if nug.parent is None else self._nug(nug.query_id, nug.parent),
            members=members,
            assessor=self.name if (nug.query_id, nug.nug_id) in self._nugs else nug.assessor,
        )

    def _or(self, assessor: str) -> str:
        return self.name if assessor in NO_NAMES else assessor

    def _nugget(self, query_id: str, nugget_id: str) -> str:
        return f"{self.name}/{nugget_id}" if (query_id, nugget_id) in self._nuggets else nugget_id

    def _nug(self, query_id: str, nug_id: str) -> str:
        return f"{self.name}/{nug_id}" if (query_id, nug_id) in self._nugs else nug_id


class Clash(NamedTuple):
    """Two files that may be the sheets of two people."""

    file: int
    line: int
    query_id: str
    message: str


class _Said(NamedTuple):
    """What the first file says about a thing."""

    file: int
    content: int


class UnnamedSheets:
    """Takes the records of several files and finds files that annotate the same thing differently.

    Either without a name, or under the same name: one person's nuggets of a snippet are in one file.
    """

    def __init__(self) -> None:
        self._nuggets: dict[NuggetPlace, dict[int, int]] = {}
        """By query, run, snippet, source and assessor: a hash of the nuggets of each file."""
        self._lines: dict[tuple[NuggetPlace, int], int] = {}
        self._labels: dict[tuple[object, ...], _Said] = {}
        self._clashes: dict[tuple[int, int, str], list[tuple[int, tuple[object, ...]]]] = {}
        self._later: set[tuple[int, tuple[object, ...]]] = set()

    def add(self, record: AnyRecord, file: int, line: int) -> None:
        """Take a record of a file."""
        if isinstance(record, Nugget):
            # A nugget that revises another one belongs to an annotation that may be in another file.
            if not record.adjudicated and (record.assessor is None or not record.revises):
                place = _place(record)
                hashes = self._nuggets.setdefault(place, {})
                # A sum does not depend on the order of the nuggets.
                hashes[file] = hashes.get(file, 0) + hash((record.spans, record.type))
                self._lines.setdefault((place, file), line)
        elif isinstance(record, Judgement | Relevance | CitationJudgement) and record.assessor in NO_NAMES:
            unit, content = _label_place(record), hash(_label(record))
            first = self._labels.setdefault(unit, _Said(file, content))
            if first.file != file and first.content != content:
                self._add(first.file, file, _NOUNS[type(record)], line, unit)

    def clashes(self, files: Sequence[str]) -> Iterator[Clash]:
        """One clash for each two files and kind of record, with its first place in the later file."""
        by_people = {place[:3] for place in self._nuggets if place[3] != "auto" and place[4] is None}
        for place, hashes in self._nuggets.items():
            if place[3] == "auto" and (place[:3] in by_people or place[4] is not None):
                # A file of corrected nuggets may repeat some of the automatic ones; they do not count.
                continue
            first = next(iter(hashes))
            for file, content in hashes.items():
                if content != hashes[first]:
                    whose = "nuggets" if place[4] is None else f"nuggets of {place[4]}"
                    self._add(first, file, whose, self._lines[place, file], place)
        for (other, file, noun), places in self._clashes.items():
            line, at = min(places, key=lambda found: found[0])
            snippet = f", snippet {at[2]}" if at[2] is not None else ""
            names = f"{PREFIX}ann={files[other]} {PREFIX}ben={files[file]}"
            unnamed = f"and neither file says whose they are; if they are two people's, name them: {names}"
            advice = "and only one of them counts; leave one file out" if " of " in noun else unnamed
            more = f" and in {number_of(len(places) - 1, 'more place')}" if len(places) > 1 else ""
            yield Clash(
                file,
                line,
                str(at[0]),
                f"run {at[1]}{snippet}{more}: the {noun} differ from those in {files[other]}, {advice}",
            )

    def is_left_out(self, record: AnyRecord, file: int) -> bool:
        """Whether a nugget is in the later of two files that clash: the first file counts."""
        return isinstance(record, Nugget) and bool(self._later) and (file, _place(record)) in self._later

    def _add(self, other: int, file: int, noun: str, line: int, place: tuple[object, ...]) -> None:
        self._clashes.setdefault((other, file, noun), []).append((line, place))
        self._later.add((file, place))


_NOUNS: dict[type, str] = {
    Judgement: "judgements", Relevance: "relevance labels", CitationJudgement: "citation judgements",
}  # fmt: skip


def _place(nugget: Nugget) -> NuggetPlace:
    return nugget.query_id, nugget.run_id, nugget.snippet_id, nugget.source, nugget.assessor


def _label_place(record: Judgement | Relevance | CitationJudgement) -> tuple[object, ...]:
    where = (record.query_id, record.run_id, record.snippet_id)
    if isinstance(record, Judgement):
        return *where, record.nug_id, record.judge
    if isinstance(record, CitationJudgement):
        return *where, record.nugget_id, record.doc_id, record.citation_id
    return *where, "label"


def _label(record: Judgement | Relevance | CitationJudgement) -> tuple[object, ...]:
    if isinstance(record, Judgement):
        return record.degree, record.status
    return (record.support,) if isinstance(record, CitationJudgement) else (record.label, record.text_spans)
