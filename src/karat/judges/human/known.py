"""Known judgements: what a person said of a text holds for the same text wherever it comes again.

Marton & Radul 2006, section 2.3 and footnote 2, on texts with case and white space made alike:

- a text that was marked with a nug, in any run, contains it;
- a text of a judged response does not contain a nug that no text of that run's response to the question was marked
  with. Where a sibling was marked, the others are unknown: assessors mark only the best one;
- of whole responses that were judged, the same text has the same degree.

What was said of a run's own response goes before what was said of the same text elsewhere. Else, where the same text
was marked in one run and not in another, it counts as marked, and the contradiction is listed. Several assessors of one
response are averaged, as scores are (`karat.measures.cases.credits`).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from karat.judges.human.known_sheet import Known, Sheet, assessor_of, degree_of, has_answer
from karat.model import Judgement, Nug, Response

Text = tuple[str, str]
"""A query and a text made alike."""
Marks = dict[str, list[Judgement]]
"""The judgements of a response by nug_id."""


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """The same text, judged differently."""

    query_id: str
    nug_id: str
    text: str
    runs: tuple[str, ...]
    degrees: tuple[float, ...]


Degrees = dict[Text, dict[str, dict[str, Known]]]
"""text -> nug_id -> run -> what is known; a run that is not there does not know."""


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
        self.of_snippet: Degrees = {}
        self.of_response: Degrees = {}
        self._own: dict[tuple[Text, str], dict[str, Known]] = {}
        """text of a whole response and its run -> nug_id -> what was said of just this response"""
        self._last: tuple[Response, Alike] | None = None
        self.add(nugs, responses, judgements)

    def add(self, nugs: Iterable[Nug], responses: Iterable[Response], judgements: Iterable[Judgement]) -> None:
        """Learn from a body of records: judgements of its responses, who looked for its nugs."""
        nug_ids: dict[str, list[str]] = {}
        for nug in nugs:
            nug_ids.setdefault(nug.query_id, []).append(nug.nug_id)
        marks: dict[tuple[str, str], Marks] = {}
        for one in judgements:
            marks.setdefault((one.query_id, one.run_id), {}).setdefault(one.nug_id, []).append(one)
        for response in responses:
            if by_nug := marks.get((response.query_id, response.run_id)):
                self._learn(response, by_nug, nug_ids.get(response.query_id, by_nug))

    def _learn(self, response: Response, marks: Marks, nug_ids: Iterable[str]) -> None:
        texts = self._alike(response)
        order = [one.snippet_id for one in response.snippets]
        text_of = dict(zip(order, texts.snippets, strict=True))
        everything = [one for own in marks.values() for one in own]
        in_snippets = list(
            dict.fromkeys(assessor_of(one) for one in everything if has_answer(one) and one.snippet_id is not None)
        )
        # Of who marked snippets alone, silence is a no; of who judged whole responses, it is not.
        only_snippets = all(one.snippet_id is not None for one in everything)
        silent = {assessor_of(one) for one in everything} if only_snippets else set()
        own = self._own.setdefault(((response.query_id, texts.whole), response.run_id), {})
        for nug_id in nug_ids:
            sheet = Sheet(marks.get(nug_id, ()))
            if (found := sheet.of_all(silent, order)) is not None:
                own.setdefault(nug_id, found)
            if (found := sheet.of_whole()) is not None:
                self._note(self.of_response, response, texts.whole, nug_id, found)
            for snippet_id, one in sheet.of_snippets(order, in_snippets).items() if in_snippets else ():
                self._note(self.of_snippet, response, text_of[snippet_id], nug_id, one)

    @staticmethod
    def _note(table: Degrees, response: Response, text: str, nug_id: str, found: Known) -> None:
        runs = table.setdefault((response.query_id, text), {}).setdefault(nug_id, {})
        runs[response.run_id] = max(found, runs.get(response.run_id, found), key=degree_of)

    def of(self, response: Response, nug_id: str, *, without: str | None = None) -> Known | None:
        """What is known of a response and nug; None where it has to be judged. `without`: forget this run."""
        texts = self._alike(response)
        if response.run_id != without:
            own = self._own.get(((response.query_id, texts.whole), response.run_id), {}).get(nug_id)
            if own is not None:
                return own
        whole = self._best(self.of_response, response, texts.whole, nug_id, without)
        if whole is not None:
            return whole
        all_known = bool(response.snippets)
        for snippet, text in zip(response.snippets, texts.snippets, strict=True):
            found = self._best(self.of_snippet, response, text, nug_id, without)
            if found is not None and found.degree:
                # The first that has it, as the paper picks it.
                return msgspec.structs.replace(found, snippet_id=snippet.snippet_id)
            all_known = all_known and found is not None
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
                    degrees = tuple(one.degree for one in runs.values())
                    if len(set(degrees)) > 1:
                        found.append(
                            Contradiction(
                                query_id=query_id,
                                nug_id=nug_id,
                                text=text,
                                runs=tuple(runs),
                                degrees=degrees,
                            )
                        )
        return found

    @staticmethod
    def _best(table: Degrees, response: Response, text: str, nug_id: str, without: str | None) -> Known | None:
        """The run's own, else the largest of any."""
        runs = table.get((response.query_id, text), {}).get(nug_id, {})
        if response.run_id != without and response.run_id in runs:
            return runs[response.run_id]
        return max((one for run_id, one in runs.items() if run_id != without), key=degree_of, default=None)


def whole_text(response: Response) -> str:
    """All of a response."""
    return "\n".join(snippet.text for snippet in response.snippets)
