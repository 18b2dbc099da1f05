"""Mistakes in judgements, read in batches, and nugs of the key that they do not cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from karat.evaluate.lint.findings import Finding
from karat.formats.inputs.repeats import Hashes
from karat.formats.io.rows import Batch
from karat.model import Judgement, Nug
from karat.model.identity import IDENTITY_FIELDS

ResponseId = tuple[str, str]
"""A query and a run."""


class JudgementRules:
    """Takes batches of judgements. It keeps only a hash per judgement and the ids of each response."""

    def __init__(self) -> None:
        self.key_is_known = False
        """Whether there is a key that judgements should cover."""
        self.responses: set[ResponseId] = set()
        self.files: dict[str, str] = {}
        """run -> the first file that judges it"""
        self._counts: Counter[str] = Counter()
        """How many judgements of whole responses each query has."""
        self._assessors: set[tuple[str, str | None]] = set()
        self.repeats = Hashes()

    def add(self, batch: Batch, file: str) -> Iterator[Finding]:
        """The mistakes in single judgements of this batch."""
        judgements: Sequence[Judgement] = batch.records  # type: ignore[assignment]
        self.repeats.update(zip(*map(batch.column, IDENTITY_FIELDS[Judgement]), strict=True))
        if self.key_is_known:
            self._count(batch, file)
        if "failed" not in set(batch.column("status")):
            return
        for position, judgement in enumerate(judgements):
            # A label that could not be read also gives a failed judgement, but it is already reported.
            if judgement.status == "failed" and position not in batch.repaired:
                yield Finding(
                    file=file,
                    line=batch.lines[position],
                    query_id=judgement.query_id,
                    code="failed-label",
                    message=f"run {judgement.run_id}, nug {judgement.nug_id}: the judgement failed",
                )

    def _count(self, batch: Batch, file: str) -> None:
        # Where snippets are judged, a nug without a judgement is not lost: only judgements of whole responses count.
        if set(batch.column("snippet_id")) != {None}:
            batch = Batch([each for each in batch.records if isinstance(each, Judgement) and each.snippet_id is None])
        queries = batch.column("query_id")
        self._counts.update(queries)
        for run_id in set(batch.column("run_id")) - self.files.keys():
            self.files[run_id] = file
        self.responses.update(zip(queries, batch.column("run_id"), strict=True))
        self._assessors.update(zip(batch.column("judge"), batch.column("assessor"), strict=True))

    def short(self, nugs: dict[str, dict[str, Nug]], *, repeats: bool) -> set[ResponseId]:
        """The responses that may lack judgements of some nugs, and have to be checked.

        If there is only one assessor and no repeated judgement, a query is complete if its number of judgements is the
        number of responses times the number of nugs. Otherwise the numbers do not show it.
        """
        by_query: dict[str, set[ResponseId]] = {}
        for response in self.responses:
            if response[0] in nugs:
                by_query.setdefault(response[0], set()).add(response)
        counts_suffice = len(self._assessors) == 1 and not repeats
        return {
            response
            for query_id, responses in by_query.items()
            if not counts_suffice or self._counts[query_id] < len(responses) * len(nugs[query_id])
            for response in responses
        }


def lost_nugs(judged: set[str], nugs: dict[str, Nug]) -> list[Nug]:
    """The nugs that were not judged; a question counts as judged if its answers are, and the other way round."""
    parents = {nugs[nug_id].parent for nug_id in judged if nug_id in nugs}
    return [
        nug
        for nug in nugs.values()
        if nug.nug_id not in judged and nug.nug_id not in parents and nug.parent not in judged
    ]
