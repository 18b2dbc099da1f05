"""Known judgements: what a person said about a text is valid for the same text wherever it appears again.

Marton & Radul 2006, section 2.3 and footnote 2. Texts are the same if they differ only in case and white space:

- a text that was marked with a nug, in any run, contains the nug, also where somebody said "no" to the same text: that
  is how the paper corrects official judgements ("if a response was ever judged to contain a nugget, then other
  identical responses also contain that nugget"; where people's judgements say otherwise, it is an error of theirs);
- a text of a judged response does not contain a nug that no text of that run's response to the question was marked
  with. Where another text of the response was marked, the rest are unknown: assessors mark only the best one;
- where whole responses were judged, the same text has the same degree.

Of several degrees of the same text the largest counts, and the contradiction is listed. Several assessors of one
response are averaged, as scores are (`karat.measures.cases.credits`). Nothing is marked in a response without text
because somebody marked another one.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from karat.judges.human.assessors import Known, MarkSheet, assessor_of, degree_of, has_answer
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


class KnownSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where a known judgement comes from: who judged which text."""

    run_id: str
    assessors: tuple[str, ...]
    text: str
    """The judged text, as it is in that run."""


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


class _Found(msgspec.Struct, frozen=True):
    known: Known
    run_id: str | None
    """The run that was judged; None where several texts together say no."""
    text: str


class KnownJudgements:
    """Everything that people said, by text."""

    def __init__(self, nugs: Iterable[Nug], responses: Iterable[Response], judgements: Iterable[Judgement]) -> None:
        self.of_snippet: Degrees = {}
        self.of_response: Degrees = {}
        self._of_run: dict[tuple[Text, str], dict[str, Known]] = {}
        """text of a whole response and its run -> nug_id -> what was said about just this response"""
        self._assessors: dict[tuple[str, str], tuple[str, ...]] = {}
        """query and run -> who judged"""
        self._texts: dict[tuple[Text, str], str] = {}
        """text and run -> the text with its case and white space"""
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
        self._texts[(response.query_id, texts.whole), response.run_id] = whole_text(response)
        for snippet, text in zip(response.snippets, texts.snippets, strict=True):
            self._texts[(response.query_id, text), response.run_id] = snippet.text
        names = dict.fromkeys(
            judgement.assessor or judgement.judge for judgement in judgements if has_answer(judgement)
        )
        self._assessors.setdefault((response.query_id, response.run_id), tuple(names))
        of_this_response = self._of_run.setdefault(((response.query_id, texts.whole), response.run_id), {})
        for nug_id in nug_ids:
            sheet = MarkSheet(marks.get(nug_id, ()))
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
        found = self._find(response, nug_id)
        return None if found is None else found.known

    def source_of(self, response: Response, nug_id: str) -> KnownSource | None:
        """Whose judgement of which text `of` repeats; None where nothing is known, or only that no text was marked."""
        found = self._find(response, nug_id)
        if found is None or found.run_id is None:
            return None
        assessors = self._assessors.get((response.query_id, found.run_id), ())
        text = self._texts.get(((response.query_id, found.text), found.run_id), found.text)
        return KnownSource(run_id=found.run_id, assessors=assessors, text=text)

    def _find(self, response: Response, nug_id: str) -> _Found | None:
        texts = self._alike(response)
        own = self._of_run.get(((response.query_id, texts.whole), response.run_id), {}).get(nug_id)
        found = None if own is None else _Found(own, response.run_id, texts.whole)
        # What was said about this response is in `own`; only what was said about other runs can correct it.
        without = None if own is None else response.run_id
        whole = self._best(self.of_response, response, texts.whole, nug_id, without=without)
        if not texts.whole:
            return whole if found is None and whole is not None and not whole.known.degree else found
        if whole is not None and (own is None or whole.known.degree > own.degree):
            found = whole
        if whole is not None and whole.known.degree:
            return found
        all_known = bool(response.snippets) and bool(self.of_snippet)
        for snippet, text in zip(response.snippets, texts.snippets, strict=True) if self.of_snippet else ():
            marked = self._best(self.of_snippet, response, text, nug_id, without=without) if text else None
            if marked is not None and marked.known.degree and (own is None or marked.known.degree > own.degree):
                # The first snippet that contains it, as in the paper.
                known = msgspec.structs.replace(marked.known, snippet_id=snippet.snippet_id)
                return msgspec.structs.replace(marked, known=known)
            all_known = all_known and marked is not None
        if found is None and all_known:
            return _Found(Known(degree=0.0), None, "")
        return found

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
    def _best(table: Degrees, response: Response, text: str, nug_id: str, *, without: str | None) -> _Found | None:
        """The largest degree that a text has in any run but `without`, and that run."""
        runs = table.get((response.query_id, text), {}).get(nug_id, {})
        names = [name for name in runs if name != without]
        if not names:
            return None
        run_id = max(names, key=lambda name: runs[name].degree)
        return _Found(runs[run_id], run_id, text)


def whole_text(response: Response) -> str:
    """The whole text of a response."""
    return "\n".join(snippet.text for snippet in response.snippets)
