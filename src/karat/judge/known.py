"""Known judgements: what a person said of a text holds for the same text wherever it comes again.

Marton & Radul 2006, section 2.3 and footnote 2, on texts with case and white space made alike:

- a text that was marked with a nug, in any run, contains it;
- a text of a judged response does not contain a nug that no text of that run's response to the question was marked
  with. Where a sibling was marked, the others are unknown: assessors mark only the best one;
- of whole responses that were judged, the same text has the same degree.

Where the same text was marked in one run and not in another, it counts as marked, and the contradiction is listed.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from karat.model import Judgement, Nug, Response

Text = tuple[str, str]
"""A query and a text made alike."""
Degrees = dict[Text, dict[str, dict[str, float]]]
"""text -> nug_id -> run -> degree; a run that is not there does not know."""
Marks = dict[str, list[Judgement]]
"""The judgements of a response by nug_id."""


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """The same text, judged differently."""

    query_id: str
    nug_id: str
    text: str
    runs: tuple[str, ...]
    degrees: tuple[float, ...]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one response and nug."""

    degree: float
    snippet_id: str | None = None
    """The first snippet that contains it."""


def alike(text: str) -> str:
    """Case and white space made alike.

    >>> alike("  The Red\\nfox ")
    'the red fox'
    """
    return " ".join(text.casefold().split())


class Alike(msgspec.Struct, frozen=True):
    """The texts of a response made alike."""

    whole: str
    snippets: list[str]


class KnownJudgements:
    """All that people said, by text."""

    def __init__(self, nugs: Iterable[Nug], responses: Iterable[Response], judgements: Iterable[Judgement]) -> None:
        self.nug_ids: dict[str, list[str]] = {}
        for nug in nugs:
            self.nug_ids.setdefault(nug.query_id, []).append(nug.nug_id)
        self.of_snippet: Degrees = {}
        self.of_response: Degrees = {}
        self._last: tuple[Response, Alike] | None = None
        marks: dict[tuple[str, str], Marks] = {}
        for one in judgements:
            marks.setdefault((one.query_id, one.run_id), {}).setdefault(one.nug_id, []).append(one)
        for response in responses:
            if by_nug := marks.get((response.query_id, response.run_id)):
                self._learn(response, by_nug)

    def _learn(self, response: Response, marks: Marks) -> None:
        texts = self._alike(response)
        snippets = list(zip((one.snippet_id for one in response.snippets), texts.snippets, strict=True))
        by_snippet = any(_is_sure(one) and one.snippet_id is not None for own in marks.values() for one in own)
        for nug_id in self.nug_ids.get(response.query_id, marks):
            own: dict[str | None, float] = {}
            for one in marks.get(nug_id, ()):
                if _is_sure(one):
                    own[one.snippet_id] = max(one.degree or 0.0, own.get(one.snippet_id, 0.0))
            if None in own:
                self._note(self.of_response, response, texts.whole, nug_id, own.pop(None))
            # What was asked and not answered is no no.
            open_to_doubt = any(own.values()) or not all(map(_is_sure, marks.get(nug_id, ())))
            for snippet_id, text in snippets if by_snippet else ():
                degree = own.get(snippet_id, None if open_to_doubt else 0.0)
                if degree is not None:
                    self._note(self.of_snippet, response, text, nug_id, degree)

    @staticmethod
    def _note(table: Degrees, response: Response, text: str, nug_id: str, degree: float) -> None:
        runs = table.setdefault((response.query_id, text), {}).setdefault(nug_id, {})
        runs[response.run_id] = max(degree, runs.get(response.run_id, 0.0))

    def of(self, response: Response, nug_id: str, *, without: str | None = None) -> Known | None:
        """What is known of a response and nug; None where it has to be judged. `without`: forget this run."""
        texts = self._alike(response)
        whole = self._degree(self.of_response, (response.query_id, texts.whole), nug_id, without)
        if whole is not None:
            return Known(degree=whole)
        all_known = bool(response.snippets)
        for snippet, text in zip(response.snippets, texts.snippets, strict=True):
            degree = self._degree(self.of_snippet, (response.query_id, text), nug_id, without)
            if degree:
                # The first that has it, as the paper picks it.
                return Known(degree=degree, snippet_id=snippet.snippet_id)
            all_known = all_known and degree is not None
        return Known(degree=0.0) if all_known else None

    def _alike(self, response: Response) -> Alike:
        # All nugs of a response are asked about in a row; a long one is made alike once.
        if self._last is None or self._last[0] is not response:
            whole, snippets = alike(whole_text(response)), [alike(one.text) for one in response.snippets]
            self._last = response, Alike(whole, snippets)
        return self._last[1]

    def contradictions(self) -> list[Contradiction]:
        """Texts that were judged differently in different runs."""
        found = []
        for table in (self.of_snippet, self.of_response):
            for (query_id, text), by_nug in table.items():
                for nug_id, runs in by_nug.items():
                    if len(set(runs.values())) > 1:
                        found.append(
                            Contradiction(
                                query_id=query_id,
                                nug_id=nug_id,
                                text=text,
                                runs=tuple(runs),
                                degrees=tuple(runs.values()),
                            )
                        )
        return found

    def examples(self, query_id: str, *, without: str | None = None) -> dict[str, list[str]]:
        """Texts known to contain each nug of a query in full."""
        found: dict[str, list[str]] = {}
        for (query, text), by_nug in self.of_snippet.items():
            if query == query_id:
                for nug_id, runs in by_nug.items():
                    if any(degree >= 1.0 for run_id, degree in runs.items() if run_id != without):
                        found.setdefault(nug_id, []).append(text)
        return found

    @staticmethod
    def _degree(table: Degrees, text: Text, nug_id: str, without: str | None) -> float | None:
        runs = table.get(text, {}).get(nug_id)
        if not runs:
            return None
        return max((degree for run_id, degree in runs.items() if run_id != without), default=None)


def whole_text(response: Response) -> str:
    """All of a response."""
    return "\n".join(snippet.text for snippet in response.snippets)


def _is_sure(judgement: Judgement) -> bool:
    return judgement.status == "ok" and judgement.degree is not None
