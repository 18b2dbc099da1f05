"""Known judgements: what a person said about a text is valid for the same text wherever it appears again.

Marton & Radul 2006, section 2.3 and footnote 2. Texts are the same if they differ only in case and white space:

- a text that was marked with a nug, in any run, contains the nug;
- a text of a judged response does not contain a nug that no text of that run's response to the question was marked
  with. Where another text of the response was marked, the rest are unknown: assessors mark only the best one;
- where whole responses were judged, the same text has the same degree.

What was said about a run's own response comes before what was said about the same text elsewhere. Otherwise, where the
same text was marked in one run and not in another, it counts as marked, and the contradiction is listed. Several
assessors of one response are averaged, as scores are (`karat.measures.cases.credits`).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from karat.judges.human.assessors import Known, Sheet, assessor_of, degree_of, has_answer
from karat.model import Judgement, Nug, Response

Text = tuple[str, str]
"""A query and a text without differences in case and white space (`alike`)."""
Marks = dict[str, list[Judgement]]
"""The judgements of a response by nug_id."""


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """The same text was judged differently in several runs."""

    query_id: str
    nug_id: str
    text: str
    runs: tuple[str, ...]
    degrees: tuple[float, ...]


Degrees = dict[Text, dict[str, dict[str, Known]]]
"""text -> nug_id -> run -> what is known; a run that is not there says nothing."""


def alike(text: str) -> str:
    """The text in lower case, with single blanks.

    >>> alike("  The Red\\nfox ")
    'the red fox'
    """
    return " ".join(text.casefold().split())


class Alike(msgspec.Struct, frozen=True):
    """The texts of a response, without differences in case and white space."""

    whole: str
    snippets: list[str]


class KnownJudgements:
    """Everything that people said, by text."""

    def __init__(self, nugs: Iterable[Nug], responses: Iterable[Response], judgements: Iterable[Judgement]) -> None:
        self.of_snippet: Degrees = {}
        self.of_response: Degrees = {}
        self._of_run: dict[tuple[Text, str], dict[str, Known]] = {}
        """text of a whole response and its run -> nug_id -> what was said about just this response"""
        self._last: tuple[Response, Alike] | None = None
        self.add(nugs, responses, judgements)

    def add(self, nugs: Iterable[Nug], responses: Iterable[Response], judgements: Iterable[Judgement]) -> None:
        """Add records that belong together: nugs, responses, and judgements about these."""
        nug_ids: dict[str, list[str]] = {}
        for nug in nugs:
            nug_ids.setdefault(nug.query_id, []).append(nug.nug_id)
        marks: dict[tuple[str, str], Marks] = {}
        for judgement in judgements:
            by_nug = marks.setdefault((judgement.query_id, judgement.run_id), {})
            by_nug.setdefault(judgement.nug_id, []).append(judgement)
        for response in responses:
            if of_response := marks.get((response.query_id, response.run_id)):
                self._learn(response, of_response, nug_ids.get(response.query_id, of_response))

    def _learn(self, response: Response, marks: Marks, nug_ids: Iterable[str]) -> None:
        texts = self._alike(response)
        order = [snippet.snippet_id for snippet in response.snippets]
        text_of = dict(zip(order, texts.snippets, strict=True))
        judgements = [judgement for of_nug in marks.values() for judgement in of_nug]
        in_snippets = list(
            dict.fromkeys(
                assessor_of(judgement)
                for judgement in judgements
                if has_answer(judgement) and judgement.snippet_id is not None
            )
        )
        # Where people only marked snippets, no mark means "no"; where they judged whole responses, it does not.
        only_snippets = all(judgement.snippet_id is not None for judgement in judgements)
        silent = {assessor_of(judgement) for judgement in judgements} if only_snippets else set()
        of_this_response = self._of_run.setdefault(((response.query_id, texts.whole), response.run_id), {})
        for nug_id in nug_ids:
            sheet = Sheet(marks.get(nug_id, ()))
            if (known := sheet.of_all(silent, order)) is not None:
                of_this_response.setdefault(nug_id, known)
            if (known := sheet.of_whole()) is not None:
                self._note(self.of_response, response, texts.whole, nug_id, known)
            for snippet_id, known in sheet.of_snippets(order, in_snippets).items() if in_snippets else ():
                self._note(self.of_snippet, response, text_of[snippet_id], nug_id, known)

    @staticmethod
    def _note(table: Degrees, response: Response, text: str, nug_id: str, known: Known) -> None:
        runs = table.setdefault((response.query_id, text), {}).setdefault(nug_id, {})
        runs[response.run_id] = max(known, runs.get(response.run_id, known), key=degree_of)

    def of(self, response: Response, nug_id: str) -> Known | None:
        """What is known about a response and nug; None where it has to be judged."""
        texts = self._alike(response)
        of_this_response = self._of_run.get(((response.query_id, texts.whole), response.run_id), {})
        if nug_id in of_this_response:
            return of_this_response[nug_id]
        whole = self._best(self.of_response, response, texts.whole, nug_id)
        if whole is not None:
            return whole
        all_known = bool(response.snippets)
        for snippet, text in zip(response.snippets, texts.snippets, strict=True):
            known = self._best(self.of_snippet, response, text, nug_id)
            if known is not None and known.degree:
                # The first snippet that contains it, as in the paper.
                return msgspec.structs.replace(known, snippet_id=snippet.snippet_id)
            all_known = all_known and known is not None
        return Known(degree=0.0) if all_known else None

    def _alike(self, response: Response) -> Alike:
        # All nugs of a response are asked about one after the other; its texts are changed only once.
        if self._last is None or self._last[0] is not response:
            whole, snippets = alike(whole_text(response)), [alike(snippet.text) for snippet in response.snippets]
            self._last = response, Alike(whole, snippets)
        return self._last[1]

    def contradictions(self) -> list[Contradiction]:
        """Texts that were judged differently in different runs."""
        contradictions = []
        for table in (self.of_snippet, self.of_response):
            for (query_id, text), by_nug in table.items():
                for nug_id, runs in by_nug.items():
                    degrees = tuple(known.degree for known in runs.values())
                    if len(set(degrees)) > 1:
                        contradictions.append(
                            Contradiction(
                                query_id=query_id,
                                nug_id=nug_id,
                                text=text,
                                runs=tuple(runs),
                                degrees=degrees,
                            )
                        )
        return contradictions

    @staticmethod
    def _best(table: Degrees, response: Response, text: str, nug_id: str) -> Known | None:
        """What is known from the run itself, otherwise the largest degree of any run."""
        runs = table.get((response.query_id, text), {}).get(nug_id, {})
        if response.run_id in runs:
            return runs[response.run_id]
        return max(runs.values(), key=degree_of, default=None)


def whole_text(response: Response) -> str:
    """The whole text of a response."""
    return "\n".join(snippet.text for snippet in response.snippets)
