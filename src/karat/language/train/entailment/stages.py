"""The stages of training: what is mixed in which parts, how long and how fast.

Who did what to whom is slow to learn from pairs alone: even odds after 48,000 pairs. In the second stage a middle layer
is therefore also asked which words are the doer and the one it is done to (fitting.py); with that, 13,000 pairs were
enough for plain sentences. weights/README.md has the comparison and what it does not show.
"""

from __future__ import annotations

import msgspec

from karat.language.train.entailment.fitting import Schedule


class Stage(msgspec.Struct, frozen=True):
    """A part of the training."""

    name: str
    pairs: int
    longest: int
    """Words of the longest pair that is used."""
    schedule: Schedule
    mixture: dict[str, float]
    """The weight of each kind of pairs; a kind that is not named is not used."""


SHORT = Stage(
    "short pairs", 32_000, 48, Schedule(rate=1e-4, last_rate=8e-5, warmup=150, seed=1),
    {
        "sra": 6, "factcheckgpt": 1, "defacto": 1, "fm2": 5, "infotabs": 2, "fever-nli": 7, "mnli-binary": 14,
        "cad-nli": 7, "breaking-nli": 2, "negation-nli": 3, "scone": 2, "med": 3, "help": 1, "conjnli": 3, "begin": 2,
        "factor": 1, "roles-made": 18, "roles-text": 11, "number": 8, "name": 5, "negation": 6, "antonym": 5,
        "quantifier": 3, "part": 4,
    },
)  # fmt: skip
ROLES = Stage(
    "roles", 19_200, 36, Schedule(rate=1.5e-4, last_rate=1.4e-4, warmup=100, seed=4),
    {
        "sra": 3, "fm2": 3, "infotabs": 1, "fever-nli": 4, "mnli-binary": 8, "cad-nli": 4, "negation-nli": 2, "med": 2,
        "conjnli": 2, "roles-plain": 28, "roles-made": 20, "roles-text": 14, "number": 3, "name": 3, "negation": 3,
        "antonym": 3, "quantifier": 2, "part": 2,
    },
)  # fmt: skip
ALL = Stage(
    "all pairs", 80_000, 72, Schedule(rate=1.2e-4, last_rate=0.0, warmup=50, seed=5),
    {
        "sra": 7, "factcheckgpt": 2, "summedits": 1, "defacto": 3, "fm2": 5, "infotabs": 4, "fever-nli": 6,
        "mnli-binary": 12, "cad-nli": 5, "breaking-nli": 2, "negation-nli": 3, "scone": 2, "med": 3, "help": 1,
        "conjnli": 3, "begin": 2, "factor": 1.5, "overlap": 7, "statement": 10, "roles-plain": 6, "roles-made": 9,
        "roles-text": 12, "number": 9, "name": 6, "negation": 5, "antonym": 6, "quantifier": 3, "part": 4,
    },
)  # fmt: skip
SCOPE = Stage(
    "what a negation reaches", 18_000, 60, Schedule(rate=6e-5, last_rate=0.0, warmup=50, seed=6),
    ALL.mixture
    | {"scope": 38, "mnli-binary": 16, "overlap": 11, "statement": 12, "sra": 9, "antonym": 9, "roles-text": 16},
)  # fmt: skip
STAGES = (SHORT, ROLES, ALL, SCOPE)
