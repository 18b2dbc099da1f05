"""Who looked for nuggets in a snippet and found none: kept with the snippet, because no nugget can say it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from karat.model.records import Response, Snippet

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
