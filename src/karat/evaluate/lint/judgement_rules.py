"""What is wrong with judgements as they stream past, and with how they cover the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from karat.evaluate.lint.findings import Finding
from karat.evaluate.lint.repeats import Repeats
from karat.formats.batch import Batch
from karat.model import Judgement, Nug
from karat.model.identity import IDENTITY_FIELDS

_SITTING = ("query_id", "run_id", "judge", "assessor")

Response = tuple[str, str]
"""A query and a run."""


class JudgementRules:
    """Takes batches of judgements. Kept a judgement: a hash; kept a response and assessor: a count."""

    def __init__(self) -> None:
        self.key_is_known = False
        """Whether there is a key that judgements should cover."""
        self._sittings: Counter[tuple[str, str, str, str | None]] = Counter()
        """How many nugs each judge's assessor judged of a whole response."""
        self.repeats = Repeats()

    def add(self, batch: Batch, file: str) -> Iterator[Finding]:
        """What is wrong with each of these judgements alone."""
        judgements: Sequence[Judgement] = batch.records  # type: ignore[assignment]
        self.repeats.add(list(map(hash, zip(*map(batch.column, IDENTITY_FIELDS[Judgement]), strict=True))))
        if self.key_is_known:
            self._count_sittings(batch)
        if "failed" not in set(batch.column("status")):
            return
        for position, judgement in enumerate(judgements):
            # A label that could not be read makes a failed judgement, but has been told of already.
            if judgement.status == "failed" and position not in batch.mended:
                yield Finding(
                    file=file,
                    line=batch.lines[position],
                    query_id=judgement.query_id,
                    code="failed-label",
                    message=f"run {judgement.run_id}, nug {judgement.nug_id}: the judgement failed",
                )

    def _count_sittings(self, batch: Batch) -> None:
        sittings: Iterable[tuple[Any, ...]] = zip(*map(batch.column, _SITTING), strict=True)
        # Where snippets are judged, silence is not a loss: only what was judged of the whole response counts.
        snippets = batch.column("snippet_id")
        if set(snippets) != {None}:
            sittings = (sitting for sitting, snippet in zip(sittings, snippets, strict=True) if snippet is None)
        self._sittings.update(sittings)

    def short(self, nugs: dict[str, dict[str, Nug]], *, repeats: bool) -> set[Response]:
        """The responses that may not have been judged on every nug: those that no assessor judged often enough.

        Where judgements are repeated a count says nothing, and every response has to be looked at.
        """
        responses: set[Response] = set()
        complete: set[Response] = set()
        for (query_id, run_id, _, _), count in self._sittings.items():
            if query_id in nugs:
                responses.add((query_id, run_id))
                if count >= len(nugs[query_id]) and not repeats:
                    complete.add((query_id, run_id))
        return responses - complete


def lost_nugs(judged: set[str], nugs: dict[str, Nug]) -> list[Nug]:
    """The nugs that were not judged; a question counts as judged through its answers, and they through it."""
    parents = {nugs[nug_id].parent for nug_id in judged if nug_id in nugs}
    return [
        nug
        for nug in nugs.values()
        if nug.nug_id not in judged and nug.nug_id not in parents and nug.parent not in judged
    ]
