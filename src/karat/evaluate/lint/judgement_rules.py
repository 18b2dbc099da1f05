"""What is wrong with judgements, seen one by one as they stream past, and with how they cover key and runs."""

from __future__ import annotations

from collections.abc import Iterator

from karat.evaluate.lint.findings import Finding
from karat.evaluate.lint.repeats import RepeatSuspects
from karat.formats.definitions import Definitions
from karat.model import Judgement, Nug


class JudgementRules:
    """Takes every judgement; `end` tells what only the whole can show.

    Kept a response: which nugs it was judged on, as the bits of an integer. Nothing is kept a judgement.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._nugs = definitions.nugs
        self._numbers = {
            query_id: {nug_id: number for number, nug_id in enumerate(nugs)} for query_id, nugs in self._nugs.items()
        }
        self._judged: dict[tuple[str, str], int] = {}
        self._places: dict[tuple[str, str], tuple[str, int]] = {}
        self.repeats = RepeatSuspects()

    def add(self, judgement: Judgement, file: str, line: int) -> Finding | None:
        """What is wrong with this judgement alone."""
        query_id, nug_id, snippet_id = judgement.query_id, judgement.nug_id, judgement.snippet_id
        run_id = judgement.run_id
        self.repeats.add((query_id, run_id, snippet_id, nug_id, judgement.judge, judgement.assessor))
        numbers = self._numbers.get(query_id)
        if numbers is not None and snippet_id is None and nug_id in numbers:
            pair = (query_id, run_id)
            judged = self._judged.get(pair)
            if judged is None:
                judged = 0
                self._places[pair] = (file, line)
            self._judged[pair] = judged | (1 << numbers[nug_id])
        if judgement.status == "failed":
            message = f"run {run_id}, nug {nug_id}: the judgement failed"
            return Finding(file=file, line=line, query_id=query_id, code="failed-label", message=message)
        return None

    def end(self, nugs: dict[str, dict[str, Nug]]) -> Iterator[Finding]:
        """Nugs that a judged response was not judged on."""
        for (query_id, run_id), judged in self._judged.items():
            numbers = self._numbers[query_id]
            if judged == (1 << len(numbers)) - 1:
                continue
            known = nugs.get(query_id, {})
            have = {nug_id for nug_id, number in numbers.items() if judged >> number & 1}
            parents = {known[nug_id].parent for nug_id in have if nug_id in known}
            for nug_id in numbers:
                parent = known[nug_id].parent if nug_id in known else None
                # A question counts as judged through its answers, and they through it.
                if nug_id in have or nug_id in parents or parent in have:
                    continue
                file, line = self._places[query_id, run_id]
                text = next(iter(known[nug_id].descriptions), "") if nug_id in known else ""
                message = f"run {run_id}: nug {nug_id} {text!r} of the key has no judgement"
                yield Finding(file=file, line=line, query_id=query_id, code="lost-nug", message=message)
