"""Who rated what, over several files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

from karat.measures.agreement.agreement import (
    Sheet,
    Unit,
    citation_sheet,
    judgement_sheet,
    nug_classes,
    relevance_sheet,
    repeated_vote_sheet,
    shared_units,
    vote_sheet,
)
from karat.measures.agreement.span_agreement import mark_sheet, relevance_from_marks, relevant_text_sheet
from karat.model import Collection, Nug, Nugget
from karat.model.wording import number_of

Kind = Literal["votes", "judgements", "relevance", "relevant_text", "nuggets", "nugs", "citations"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class RatingSheets:
    """The ratings of all files by rater and unit, with the texts and the queries' conditions of all files."""

    def __init__(self, files: Mapping[str, Collection], *, with_programs: bool = False) -> None:
        self.notes: list[str] = []
        self._with_programs = with_programs
        suggested = sum(_is_of_a_program(nugget) for collection in files.values() for nugget in collection.nuggets)
        if suggested and not with_programs:
            self.notes.append(
                f"{number_of(suggested, 'nugget')} of programs left out: agreement is between people; --with-programs "
                "counts programs as raters"
            )
        self._files = {name: self._by_assessors(collection) for name, collection in files.items()}
        self.texts: dict[Unit, str] = {}
        self.conditions: dict[str, dict[str, str]] = {}
        self._snippets: dict[tuple[str, str], list[str]] = {}
        self._nuggets: dict[Unit, Nugget] = {
            (nugget.query_id, nugget.nugget_id): nugget
            for collection in self._files.values()
            for nugget in collection.nuggets
        }
        different: set[Unit] = set()
        for collection in files.values():
            for query in collection.queries:
                self.conditions.setdefault(query.query_id, {}).update(query.conditions)
            for response in collection.responses:
                place = response.query_id, response.run_id
                self._snippets.setdefault(place, [snippet.snippet_id for snippet in response.snippets])
                for snippet in response.snippets:
                    unit = (*place, snippet.snippet_id)
                    if self.texts.setdefault(unit, snippet.text) != snippet.text:
                        different.add(unit)
        if different:
            self.notes.append(
                f"the files have different texts for {number_of(len(different), 'snippet')}; "
                "the text of the first file is used"
            )

    def _by_assessors(self, collection: Collection) -> Collection:
        """The records without the adjudicated ones, which are nobody's own."""
        own = Collection(record for record in collection if not getattr(record, "adjudicated", None))
        if left_out := len(collection) - len(own):
            self.notes.append(
                f"{number_of(left_out, 'adjudicated record')} left out: agreement is between assessors on their own"
            )
        return own

    def sheet(self, kind: Kind) -> Sheet[Any]:
        """The ratings of one kind: nuggets and relevant text are spans, nugs classes of nuggets, all others numbers."""
        match kind:
            case "votes":
                return self._merged(kind, lambda file: vote_sheet(file.votes))
            case "judgements":
                return self._merged(kind, lambda file: judgement_sheet(file.judgements))
            case "citations":
                return self._merged(kind, lambda file: citation_sheet(file.citation_judgements))
            case "nuggets":
                return self._merged(kind, self._marks)
            case "nugs":
                # Where nugs do not name their assessor, each file is a rater.
                return self._merged(kind, lambda file: _class_sheet(file.nugs, self._nuggets))
            case "relevant_text":
                return self._merged(kind, lambda file: relevant_text_sheet(file.relevances, self.texts))
            case "relevance":
                if any(file.relevances for file in self._files.values()):
                    return self._merged(kind, lambda file: relevance_sheet(file.relevances))
                sheet = self._merged(kind, lambda file: relevance_from_marks(self._marks(file)))
                if next(shared_units(sheet), None) is not None:
                    self.notes.append(
                        "relevance: a snippet with a nugget counts as relevant, one without as irrelevant"
                    )
                return sheet

    def repeated_votes(self) -> Sheet[float]:
        """Votes by occasion, if assessors voted on several occasions."""
        if all(vote.occasion is None for file in self._files.values() for vote in file.votes):
            return {}
        sheet = self._merged("votes on several occasions", lambda file: repeated_vote_sheet(file.votes))
        twice = set(shared_units(sheet))
        repeated = {occasion: {u: v for u, v in rated.items() if u in twice} for occasion, rated in sheet.items()}
        return {occasion: rated for occasion, rated in repeated.items() if rated}

    def _marks(self, collection: Collection) -> Sheet[Any]:
        nuggets = [each for each in collection.nuggets if self._with_programs or not _is_of_a_program(each)]
        return mark_sheet(nuggets, collection.relevances, self._snippets, collection.reviewed)

    def _merged(self, what: str, sheet_of: Callable[[Collection], Sheet[Any]]) -> Sheet[Any]:
        """The sheets of all files in one; if two files have the same rater for the same unit, each file is a rater."""
        sheets = {name: sheet for name, collection in self._files.items() if (sheet := sheet_of(collection))}
        merged: Sheet[Any] = {}
        met = what == "nugs" and any("" in sheet for sheet in sheets.values())
        for sheet in sheets.values():
            for rater, rated in sheet.items():
                known = merged.setdefault(rater, {})
                met = met or not known.keys().isdisjoint(rated)
                known.update(rated)
        if not met:
            return merged
        if len(sheets) > 1 and what != "nugs":
            self.notes.append(
                f"{what}: several files have the same rater for the same thing, so each file counts as a rater"
            )
        single = all(len(sheet) == 1 for sheet in sheets.values())
        return {
            name if single else f"{name}:{rater}": rated
            for name, sheet in sheets.items()
            for rater, rated in sheet.items()
        }


def _is_of_a_program(nugget: Nugget) -> bool:
    return nugget.source == "auto" and nugget.assessor is None


def _class_sheet(nugs: Sequence[Nug], nuggets: Mapping[Unit, Nugget]) -> Sheet[str]:
    """The nug of every nugget, by the assessor of the nugs ("": not named)."""
    by_assessor: dict[str, list[Nug]] = {}
    for nug in nugs:
        by_assessor.setdefault(nug.assessor or "", []).append(nug)
    return {name: classes for name, made in by_assessor.items() if (classes := nug_classes(made, nuggets))}
