"""Who rated what, over several files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from karat.measures.agreement.span_agreement import mark_sheet, relevance_from_marks
from karat.model import Collection

Kind = Literal["votes", "judgements", "relevance", "nuggets", "nugs", "citations"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class RatingSheets:
    """The ratings of all files by rater and unit, and what the files say of texts and queries together."""

    def __init__(self, files: Mapping[str, Collection]) -> None:
        self._files = files
        self.notes: list[str] = []
        self.texts: dict[Unit, str] = {}
        self.conditions: dict[str, dict[str, str]] = {}
        self._snippets: dict[tuple[str, str], list[str]] = {}
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
            self.notes.append(f"the files differ in the text of {len(different)} snippets; the first file's counts")

    def sheet(self, kind: Kind) -> Sheet[Any]:
        """The ratings of one kind; nuggets are spans, nugs are classes of nuggets, all else is numbers."""
        match kind:
            case "votes":
                return self._merged(kind, lambda one: vote_sheet(one.votes))
            case "judgements":
                return self._merged(kind, lambda one: judgement_sheet(one.judgements))
            case "citations":
                return self._merged(kind, lambda one: citation_sheet(one.citation_judgements))
            case "nuggets":
                return self._merged(kind, self._marks)
            case "nugs":
                # A nug does not say who made it: the file does.
                return self._merged(kind, lambda one: {"": found} if (found := nug_classes(one.nugs)) else {})
            case "relevance":
                if any(one.relevances for one in self._files.values()):
                    return self._merged(kind, lambda one: relevance_sheet(one.relevances))
                sheet = self._merged(kind, lambda one: relevance_from_marks(self._marks(one)))
                if next(shared_units(sheet), None) is not None:
                    self.notes.append(
                        "relevance: a snippet with a nugget counts as relevant, one without as irrelevant"
                    )
                return sheet

    def repeated_votes(self) -> Sheet[float]:
        """Votes by occasion, where assessors voted on several."""
        if all(vote.occasion is None for one in self._files.values() for vote in one.votes):
            return {}
        sheet = self._merged("votes on several occasions", lambda one: repeated_vote_sheet(one.votes))
        twice = set(shared_units(sheet))
        repeated = {occasion: {u: v for u, v in rated.items() if u in twice} for occasion, rated in sheet.items()}
        return {occasion: rated for occasion, rated in repeated.items() if rated}

    def _marks(self, collection: Collection) -> Sheet[Any]:
        return mark_sheet(collection.nuggets, collection.relevances, self._snippets)

    def _merged(self, what: str, sheet_of: Callable[[Collection], Sheet[Any]]) -> Sheet[Any]:
        """The sheets of all files as one; where two files have one rater for one unit, files are the raters."""
        sheets = {name: sheet for name, collection in self._files.items() if (sheet := sheet_of(collection))}
        merged: Sheet[Any] = {}
        met = what == "nugs"
        for sheet in sheets.values():
            for rater, rated in sheet.items():
                known = merged.setdefault(rater, {})
                met = met or not known.keys().isdisjoint(rated)
                known.update(rated)
        if not met:
            return merged
        if len(sheets) > 1 and what != "nugs":
            self.notes.append(f"{what}: files rate the same under the same name, so each file is a rater of its own")
        alone = all(len(sheet) == 1 for sheet in sheets.values())
        return {
            name if alone else f"{name}:{rater}": rated
            for name, sheet in sheets.items()
            for rater, rated in sheet.items()
        }
