"""Where somebody looked and what was revised there.

`reviewed` records say where, and snippets in which somebody looked for nuggets and found none: this is kept with the
snippet, because no nugget can say it. `Nugget.revises` says what a nugget replaces.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from karat.model.records import Nugget, Response, Reviewed, Snippet, Step


class Looked:
    """The snippets that assessors looked at in one step of the work; of one `assessor`, or of all."""

    def __init__(self, reviewed: Iterable[Reviewed], step: Step, *, assessor: str | None = None) -> None:
        self._places = {
            (record.query_id, record.run_id, record.snippet_id)
            for record in reviewed
            if record.step == step and assessor in (None, record.assessor)
        }

    def __bool__(self) -> bool:
        return bool(self._places)

    def at(self, query_id: str, run_id: str, snippet_id: str) -> bool:
        """Whether somebody looked at the snippet: at the snippet only, at its whole response, or at the whole query.

        >>> looked = Looked([Reviewed(query_id="q", run_id="r", step="nuggets", assessor="ann")], "nuggets")
        >>> looked.at("q", "r", "1"), looked.at("q", "s", "1")
        (True, False)
        """
        whole = (query_id, None, None), (query_id, run_id, None), (query_id, run_id, snippet_id)
        return not self._places.isdisjoint(whole)


def unrevised(nuggets: Iterable[Nugget]) -> list[Nugget]:
    """The nuggets without those that another one of them revises: both versions are kept in files, and one counts."""
    nuggets = list(nuggets)
    revised = {
        (nugget.query_id, nugget_id)
        for nugget in nuggets
        for nugget_id in nugget.revises
        if nugget_id != nugget.nugget_id
    }
    if not revised:
        return nuggets
    return [nugget for nugget in nuggets if (nugget.query_id, nugget.nugget_id) not in revised]


def people_looked(nuggets: Iterable[Nugget]) -> list[Nugget]:
    """The nuggets without automatic ones in snippets where a person has nuggets, and without those that were revised.

    Whoever marks, corrects or accepts nuggets in a snippet has seen the automatic ones there: those that are not among
    the person's own were rejected.
    """
    nuggets = unrevised(nuggets)
    seen = {(nugget.query_id, nugget.run_id, nugget.snippet_id) for nugget in nuggets if nugget.source != "auto"}
    return [
        nugget
        for nugget in nuggets
        if nugget.source != "auto" or (nugget.query_id, nugget.run_id, nugget.snippet_id) not in seen
    ]


FOUND_NONE = "found_none"
"""The field of a snippet's `extra`: a list of sources, such as ["corrected"]."""
SOURCES = ("corrected", "person", "auto")
"""Where a snippet has nuggets from several sources, the nuggets of the first of these count."""


def found_none(snippet: Snippet) -> tuple[str, ...]:
    """The sources that found no nugget in the snippet; a `found_none` field with other content is ignored."""
    sources = snippet.extra.get(FOUND_NONE)
    return tuple(source for source in sources if source in SOURCES) if isinstance(sources, list) else ()


def add_found_none(snippet: Snippet, sources: Iterable[str]) -> Snippet:
    """The snippet, with these sources added to those that found no nugget in it."""
    known = found_none(snippet)
    new = [source for source in dict.fromkeys(sources) if source not in known]
    return replace(snippet, extra={**snippet.extra, FOUND_NONE: [*known, *new]}) if new else snippet


def without_found_none(response: Response) -> Response:
    """The response without the notes about who found no nugget."""
    if not any(map(found_none, response.snippets)):
        return response
    return replace(
        response, snippets=tuple(_plain(snippet) if found_none(snippet) else snippet for snippet in response.snippets)
    )


def _plain(snippet: Snippet) -> Snippet:
    return replace(snippet, extra={name: value for name, value in snippet.extra.items() if name != FOUND_NONE})
