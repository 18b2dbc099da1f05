"""Plans: the number of queries that a pilot gives, and the power that it then has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.stats.reliability.safe_plan import LEAST_PILOT
from plans import DIFFERENCES, SIZES, power_together, simulated_pilots, true_size
from promises import Row, promise, trials

HARD = "long tail against the better run"
"""A pilot rarely sees the tail: documented, with lower bounds."""


@promise("A safe number of queries gives the power asked for")
def safe_numbers(scale: float) -> Iterator[Row]:
    count = trials(scale, 1000, least=60)
    for kind in DIFFERENCES:
        true = true_size(kind)
        for size in SIZES:
            found = simulated_pilots(kind, size, count, true=true)
            if size >= LEAST_PILOT:
                given = int((~np.isnan(found.safe)).sum())
                if given:
                    yield Row(
                        setting=f"{kind}, pilot of {size}, observed difference", measured=found.right(found.safe),
                        trials=given, at_least=0.75 if kind == HARD else 0.80,
                    )  # fmt: skip
            yield Row(
                setting=f"{kind}, pilot of {size}, difference named", measured=found.right(found.named), trials=count,
                at_least=0.75 if kind == HARD else 0.88,
            )  # fmt: skip


@promise("A number planned for several pairs is enough for max-T")
def several_pairs(scale: float) -> Iterator[Row]:
    count = trials(scale, 300, least=60)
    for runs in (3, 6):
        for effect in (0.4, 0.8):
            planned, power = power_together(runs, effect, count)
            setting = f"{runs} runs, {effect:g} sd, {planned} queries"
            yield Row(setting=setting, measured=power, trials=count, at_least=0.80)
