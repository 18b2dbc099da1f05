"""Known judgements: what a person said of a text holds for the same text wherever it comes again.

Marton & Radul 2006, section 2.3 and footnote 2, on texts with case and white space made alike:

- a text that was marked with a nug, in any run, contains it;
- a text of a judged response does not contain a nug that no text of that run's response to the question was marked
  with. Where a sibling was marked, the others are unknown: assessors mark only the best one;
- of whole responses that were judged, the same text has the same degree.

Where the same text was marked in one run and not in another, it counts as marked, and the contradiction is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from karat.model import Judgement, Nug, Response

Text = tuple[str, str]
"""A query and a text made alike."""


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


class KnownJudgements:
    """All that people said, by text."""

    def __init__(self, nugs: Iterable[Nug], responses: Iterable[Response], judgements: Iterable[Judgement]) -> None:
        self.nug_ids: dict[str, list[str]] = {}
        for nug in nugs:
            self.nug_ids.setdefault(nug.query_id, []).append(nug.nug_id)
        self.of_snippet: dict[Text, dict[str, dict[str, float]]] = {}
        """text -> nug_id -> run -> degree; a run that is not there does not know."""
        self.of_response: dict[Text, dict[str, dict[str, float]]] = {}
        texts = {(one.query_id, one.run_id): one for one in responses}
        marks: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
        for one in judgements:
            if one.status != "ok" or one.degree is None:
                continue
            response = texts.get((one.query_id, one.run_id))
            if response is None:
                continue
            if one.snippet_id is None:
                text = (one.query_id, alike(whole_text(response)))
                self.of_response.setdefault(text, {}).setdefault(one.nug_id, {})[one.run_id] = one.degree
            else:
                own = marks.setdefault((one.query_id, one.run_id), {}).setdefault(one.nug_id, {})
                own[one.snippet_id] = max(one.degree, own.get(one.snippet_id, 0.0))
        for (query_id, run_id), by_nug in marks.items():
            self._learn(texts[query_id, run_id], by_nug)

    def _learn(self, response: Response, marks: Mapping[str, Mapping[str, float]]) -> None:
        for nug_id in self.nug_ids.get(response.query_id, marks):
            own = marks.get(nug_id, {})
            found = any(own.values())
            for snippet in response.snippets:
                degree = own.get(snippet.snippet_id, None if found else 0.0)
                if degree is not None:
                    text = (response.query_id, alike(snippet.text))
                    runs = self.of_snippet.setdefault(text, {}).setdefault(nug_id, {})
                    runs[response.run_id] = max(degree, runs.get(response.run_id, 0.0))

    def of(self, response: Response, nug_id: str, *, without: str | None = None) -> Known | None:
        """What is known of a response and nug; None where it has to be judged. `without`: forget this run."""
        whole = self._degree(self.of_response, (response.query_id, alike(whole_text(response))), nug_id, without)
        if whole is not None:
            return Known(degree=whole)
        all_known = bool(response.snippets)
        for snippet in response.snippets:
            degree = self._degree(self.of_snippet, (response.query_id, alike(snippet.text)), nug_id, without)
            if degree:
                # The first that has it, as the paper picks it.
                return Known(degree=degree, snippet_id=snippet.snippet_id)
            all_known = all_known and degree is not None
        return Known(degree=0.0) if all_known else None

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
    def _degree(
        table: Mapping[Text, Mapping[str, Mapping[str, float]]], text: Text, nug_id: str, without: str | None
    ) -> float | None:
        runs = table.get(text, {}).get(nug_id)
        if not runs:
            return None
        return max((degree for run_id, degree in runs.items() if run_id != without), default=None)


def whole_text(response: Response) -> str:
    """All of a response."""
    return "\n".join(snippet.text for snippet in response.snippets)
