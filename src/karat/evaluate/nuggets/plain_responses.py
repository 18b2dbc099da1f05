"""Snippets of plain text as responses: such a text has no file of responses, so they are written beside the nuggets.

The snippets are gone through three times, and only responses in several places are held: those whose snippets have
snippets of other responses between them. A response is one record, so it is held while it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from karat.evaluate.nuggets.input_snippets import InputSnippet
from karat.formats.inputs.repeats import Hashes
from karat.model import Response, Snippet

Place = tuple[str, str]
"""The query and the run of a response."""


def responses_of(snippets: Iterable[InputSnippet]) -> Iterator[Response]:
    """One response per query and run, in the order of their first snippets.

    snippets: can be gone through several times.
    """
    apart = Hashes(place for place, _ in groupby(snippets, _place)).repeated()
    in_places: dict[Place, list[Snippet]] = {}
    for snippet in snippets if apart else ():
        if hash(place := _place(snippet)) in apart:
            in_places.setdefault(place, []).append(_plain(snippet))
    for place, some in groupby(snippets, _place):
        if hash(place) not in apart:
            yield _response(place, map(_plain, some))
        elif place in in_places:
            yield _response(place, in_places.pop(place))


def _place(snippet: InputSnippet) -> Place:
    return snippet.query_id, snippet.run_id


def _plain(snippet: InputSnippet) -> Snippet:
    return Snippet(snippet_id=snippet.snippet_id, text=snippet.text)


def _response(place: Place, snippets: Iterable[Snippet]) -> Response:
    return Response(query_id=place[0], run_id=place[1], snippets=tuple(snippets))
