"""Mistakes in what people say about their choices: why, what a nugget revises, what a snippet repeats."""

from __future__ import annotations

from collections.abc import Iterator

from karat.evaluate.lint.findings import Finding
from karat.model import AnyRecord, Nug, Nugget, Relevance, Response
from karat.model.default_names import GIVEN, PERSON
from karat.model.records import RELEVANCE_REASONS, REVISION_REASONS

Place = tuple[str, int]
NugId = tuple[str, str]
"""A query and a nug (or nugget)."""


class RevisionRules:
    """Takes records one by one; `findings` are known after the last one."""

    def __init__(self) -> None:
        self._relevances: list[tuple[Relevance, Place]] = []
        self._nuggets: list[tuple[Nugget, Place]] = []
        self._members: list[tuple[Nug, Place]] = []
        self._snippets: dict[tuple[str, str], frozenset[str]] = {}
        self._nugs: set[NugId] = set()
        self.revised: dict[NugId, list[Nugget]] = {}
        """The nuggets that revise a nugget: only one version of it counts, and need belong to a nug."""

    def add(self, record: AnyRecord, place: Place) -> None:
        """Take a record and its place."""
        if isinstance(record, Relevance):
            if record.reason is not None or record.redundant_with is not None or record.label == "redundant":
                self._relevances.append((record, place))
        elif isinstance(record, Nugget):
            if record.revises or record.revision is not None or record.reason is not None:
                self._nuggets.append((record, place))
            for nugget_id in record.revises:
                self.revised.setdefault((record.query_id, nugget_id), []).append(record)
        elif isinstance(record, Nug):
            self._nugs.add((record.query_id, record.nug_id))
            if record.members:
                self._members.append((record, place))
        elif isinstance(record, Response):
            ids = frozenset(snippet.snippet_id for snippet in record.snippets)
            self._snippets[record.query_id, record.run_id] = ids

    def findings(self) -> Iterator[Finding]:
        for relevance, place in self._relevances:
            yield from self._relevance(relevance, place)
        for nugget, place in self._nuggets:
            yield from self._nugget(nugget, place)
        if self.revised:
            for nug, place in self._members:
                yield from self._revised_members(nug, place)

    def _relevance(self, relevance: Relevance, place: Place) -> Iterator[Finding]:
        name = f"run {relevance.run_id}, snippet {relevance.snippet_id}"
        query_id, repeated = relevance.query_id, relevance.redundant_with
        # Labels of other tools' files, which name no assessor, have reasons of their own and do not say what repeats.
        by_person = relevance.assessor not in (GIVEN, PERSON)
        if by_person and relevance.reason is not None and relevance.reason not in RELEVANCE_REASONS:
            yield _unknown_reason(place, query_id, name, relevance.reason, RELEVANCE_REASONS)
        if by_person and relevance.label == "redundant" and repeated is None:
            message = f"{name}: {relevance.assessor} calls it redundant, but does not say with what (redundant_with)"
            yield _finding(place, query_id, "redundant-with-nothing", message)
        if repeated is None:
            return
        if relevance.label != "redundant":
            message = f"{name}: redundant_with is {repeated!r}, but the label is {relevance.label}"
            yield _finding(place, query_id, "redundant-with-unknown", message)
        snippets = self._snippets.get((query_id, relevance.run_id))
        if (query_id, repeated) in self._nugs:
            return
        if repeated == relevance.snippet_id:
            yield _finding(place, query_id, "redundant-with-unknown", f"{name}: it is called redundant with itself")
        elif snippets is not None and repeated not in snippets:
            message = f"{name}: redundant_with {repeated!r} is neither a snippet of the response nor a nug of the query"
            yield _finding(place, query_id, "redundant-with-unknown", message)

    def _nugget(self, nugget: Nugget, place: Place) -> Iterator[Finding]:
        name = f"nugget {nugget.nugget_id}"
        if nugget.reason is not None and nugget.reason not in REVISION_REASONS:
            yield _unknown_reason(place, nugget.query_id, name, nugget.reason, REVISION_REASONS)
        if nugget.revision is not None and not nugget.revises:
            message = f"{name}: it is {nugget.revision}, but does not say from what (revises)"
            yield _finding(place, nugget.query_id, "revision-of-nothing", message)

    def _revised_members(self, nug: Nug, place: Place) -> Iterator[Finding]:
        """A member that was revised does not count: the nug should have the nugget that revises it."""
        for member in nug.members:
            for nugget in self.revised.get((nug.query_id, member.nugget_id), ()):
                by_the_same = nug.assessor is None or nug.assessor == nugget.assessor
                if by_the_same and bool(nug.adjudicated) == bool(nugget.adjudicated):
                    message = (
                        f"nug {nug.nug_id}: its member {member.nugget_id} does not count, because the nugget "
                        f"{nugget.nugget_id} revises it"
                    )
                    yield _finding(place, nug.query_id, "revised-member", message)
                    break


def _unknown_reason(place: Place, query_id: str, name: str, reason: str, known: tuple[str, ...]) -> Finding:
    message = f"{name}: the reason {reason!r} is not one of {', '.join(known)}"
    return _finding(place, query_id, "unknown-reason", message)


def _finding(place: Place, query_id: str, code: str, message: str) -> Finding:
    return Finding(file=place[0], line=place[1], query_id=query_id, code=code, message=message)
