"""How often the safe number of queries of a pilot gives the power asked for.

python benchmarks/honesty/plans.py
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

from intervals import Floats, head, row
from karat.stats.reliability.permutation_power import PermutationTest, permutation_power
from karat.stats.reliability.power import queries_needed
from karat.stats.reliability.safe_plan import LEAST_PILOT, effect_limit, sd_limit

Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]
DIFFERENCES: dict[str, Draw] = {
    "normal, .25 sd": lambda rng, shape: rng.normal(0.25, 1, shape),
    "normal, .4 sd": lambda rng, shape: rng.normal(0.4, 1, shape),
    "normal, .6 sd": lambda rng, shape: rng.normal(0.6, 1, shape),
    "long tail towards the better run": lambda rng, shape: rng.exponential(size=shape) - 0.6,
    "long tail against the better run": lambda rng, shape: 1.4 - rng.exponential(size=shape),
    "70 % zeros": lambda rng, shape: np.where(rng.random(shape) < 0.7, 0.0, rng.normal(1, 1, shape)),
    # The failure is in one pilot of 20 of 3 not seen at all.
    "gain of .13, but a failure in 6 %": lambda rng, shape: np.where(
        rng.random(shape) < 0.06, -rng.uniform(0.4, 0.7, shape), rng.normal(0.13, 0.05, shape)
    ),
    "scores from 0 to 1": lambda rng, shape: rng.beta(0.9, 1, shape) - rng.beta(0.5, 1, shape),
}


SIZES = (10, 20, 30, 50)


def plans(times: int = 1000) -> None:
    print(f"\n### Pilots whose number of queries gives a true power of .8 or more ({times} pilots a cell)\n")
    head(
        "differences", "pilot", "truly needed", "at its word: right", "safe: pilots with a number", "of these right",
        "its median", "difference given: right",
    )  # fmt: skip
    rng = np.random.default_rng(2)
    for name, draw in DIFFERENCES.items():
        large = draw(rng, (200_000,))
        needed = next(n for n in range(10, 200, 2) if permutation_power(large, n, simulations=4000, seed=1) >= 0.8)
        true = float(large.mean() / large.std())
        for size in SIZES:
            word, safe, given = [], [], []
            for _ in range(times):
                pilot = draw(rng, (size,))
                signed = pilot if pilot.mean() > 0 else -pilot
                sd = float(pilot.std(ddof=1))
                word.append(number_for(float(signed.mean()) / sd) if sd else 0.0)
                limit = effect_limit(signed) if size >= LEAST_PILOT else 0.0
                safe.append(number_for(limit) if limit > 0 else math.nan)
                spread = sd_limit(pilot) if sd else math.inf
                given.append(number_for(true * float(large.std()) / spread) if math.isfinite(spread) else math.nan)
            numbers = np.array(safe)[~np.isnan(safe)]
            known = np.array(given)[~np.isnan(given)]
            # What one number is right for depends on the shape: within 3 %.
            least = 0.97 * needed
            print(
                row(
                    name, size, needed, float(np.mean(np.array(word) >= least)), len(numbers) / times,
                    float((numbers >= least).mean()) if len(numbers) else "none",
                    float(np.median(numbers)) if len(numbers) else "none", float((known >= least).mean()),
                ),
                flush=True,
            )  # fmt: skip


def number_for(effect: float) -> float:
    """The number of queries for an effect, as a smooth function: (z(.025) + z(.2))^2 / effect^2 + 1.9."""
    return 2.8016**2 / effect**2 + 1.9 if effect > 0 else math.inf


def corrected(times: int = 300) -> None:
    """Plans for several comparisons are made for alpha / comparisons: what max-T finds with that many queries."""
    from karat.stats.significance.max_t import max_t

    print(f"\n### Power of the max-T test with the number planned for k comparisons ({times} samples a cell)\n")
    head("runs", "comparisons", "effect", "queries planned", "power of max-T for the pair")
    rng = np.random.default_rng(3)
    for runs in (3, 6):
        pairs = [(a, b) for a in range(runs) for b in range(a + 1, runs)]
        for effect in (0.4, 0.8):
            n = PermutationTest(comparisons=len(pairs)).needed(effect)
            assert n is not None
            found = 0
            for at in range(times):
                values = rng.normal(0, 1 / math.sqrt(2), (runs, n))
                values[0] += effect
                found += bool(max_t(values, pairs, confidence=0.95, seed=at).p[0] <= 0.05)
            print(row(runs, len(pairs), effect, n, found / times), flush=True)


if __name__ == "__main__":
    plans()
    corrected()
    print(queries_needed(0.5, 1.0), PermutationTest().needed(0.5))
    sys.exit(0)
