"""The nugget scores of RAG evaluation, as the AutoNuggetizer framework defines them (Pradeep et al. 2024).

For the nugs N of a query (all of them, or the vital ones), with credit c(n) for the degree to which a response
contains n:

    score = sum of c(n) over N / |N|

strict: c = 1 for full support, else 0. lenient: c = 1 for full, 1/2 for partial support, in general the degree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karat.model import Nug


class Counts(msgspec.Struct, frozen=True):
    """What a measure counts for one query and run: credit obtained, out of how many nugs."""

    credit: float
    nugs: int

    @property
    def value(self) -> float | None:
        """None where the key gives no denominator: undefined, not zero."""
        return self.credit / self.nugs if self.nugs else None


class RagMeasure(msgspec.Struct, frozen=True):
    """One of the four scores; prints as its name."""

    strict: bool
    vital: bool

    def __str__(self) -> str:
        return f"{'strict' if self.strict else 'lenient'}_{'vital' if self.vital else 'all'}"

    def credit(self, degree: float) -> float:
        """What a nug contained to this degree is worth."""
        return float(degree >= 1.0) if self.strict else degree

    def count(self, nugs: Sequence[Nug], credits: Mapping[str, float]) -> Counts:
        """The counts over the nugs that were judged; `credits` holds them by nug_id."""
        counted = [nug for nug in nugs if nug.nug_id in credits and (not self.vital or nug.importance == "vital")]
        return Counts(sum(credits[nug.nug_id] for nug in counted), len(counted))


RAG_MEASURES: dict[str, RagMeasure] = {
    str(measure): measure
    for measure in (
        RagMeasure(strict=True, vital=True),
        RagMeasure(strict=False, vital=True),
        RagMeasure(strict=True, vital=False),
        RagMeasure(strict=False, vital=False),
    )
}
