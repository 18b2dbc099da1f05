"""Words that are related: synonyms, derived words, kinds of a thing, words met in the same places.

    r(a, b) = max(what WordNet 3.0 relates, the cosine of their vectors where they are near neighbours)

a table of stems, made by benchmarks/related_words.py. A relation is no equivalence: opposites have the same neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

STEPS = 50
"""Relations are kept in fiftieths."""


@dataclass(frozen=True)
class RelatedWords:
    number: dict[str, int]
    """The row (and column) of each stem."""
    table: csr_array
    """Stems x stems, symmetric."""

    def of(self, stem: str) -> dict[str, float]:
        """The stems that are related to a stem, and how much; none for one that is not in the table.

        >>> load_related_words().of("doctor")["physician"]
        0.9
        """
        at = self.number.get(stem)
        if at is None:
            return {}
        row, stems = self.table[[at]], list(self.number)
        return {stems[one]: round(float(value), 2) for one, value in zip(row.indices, row.data, strict=True)}


@lru_cache
def load_related_words() -> RelatedWords:
    """The table that comes with Karat."""
    from scipy.sparse import csr_array

    with (files("karat.judges.lexical") / "related_words.npz").open("rb") as file, np.load(file) as held:
        stems = held["stems"].tobytes().decode().split("\n")
        values = held["steps"].astype(np.float32) / STEPS
        half = csr_array((values, held["others"].astype(np.int32), held["ends"]), shape=(len(stems), len(stems)))
    return RelatedWords({stem: at for at, stem in enumerate(stems)}, csr_array(half + half.T))
