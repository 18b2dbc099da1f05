"""Related words: synonyms, derived words, kinds of a thing, words that appear in the same contexts.

    r(a, b) = max(their relation in WordNet 3.0, the cosine of their vectors where they are near neighbours)

The table of stems is made by benchmarks/judges/related_words.py. Related does not mean equal: opposites have the same
neighbours.
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
"""Relations are stored in steps of one fiftieth."""


@dataclass(frozen=True)
class RelatedWords:
    number: dict[str, int]
    """The row (and column) of each stem."""
    table: csr_array
    """Stems x stems, symmetric."""

    def of(self, stem: str) -> dict[str, float]:
        """The stems that are related to a stem, and how much; empty for a stem that is not in the table.

        >>> load_related_words().of("doctor")["physician"]
        0.9
        """
        at = self.number.get(stem)
        if at is None:
            return {}
        row, stems = self.table[[at]], list(self.number)
        return {stems[column]: round(float(value), 2) for column, value in zip(row.indices, row.data, strict=True)}


@lru_cache
def load_related_words() -> RelatedWords:
    """The table that comes with Karat."""
    from scipy.sparse import csr_array

    with (files("karat.judges.lexical") / "related_words.npz").open("rb") as file, np.load(file) as held:
        stems = held["stems"].tobytes().decode().split("\n")
        values = held["steps"].astype(np.float32) / STEPS
        half = csr_array((values, held["others"].astype(np.int32), held["ends"]), shape=(len(stems), len(stems)))
    return RelatedWords({stem: at for at, stem in enumerate(stems)}, csr_array(half + half.T))
