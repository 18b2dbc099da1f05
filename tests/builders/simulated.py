"""Simulated collections with known truth, for tests of judges."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from builders.rows import Row, judgement, nug, query, response
from karat.formats import load
from karat.model import Collection, Judgement

WORDS = 6
"""Of a nug: no other nug has any of them."""


def described(query_id: str, nug_id: str, words: int = WORDS) -> str:
    """The first words of a nug."""
    return " ".join(f"{query_id}{nug_id}{letter}" for letter in "abcdefgh"[:words])


def simulated(
    *, queries: int = 4, runs: int = 6, nugs: int = 6, noise: float = 0.0, seed: int = 0, groups: bool = False
) -> Collection:
    """People's judgements of all runs; a response has all words of what it contains, and some words of the rest.

    Better runs contain more. Without noise the words tell the truth; with it, both kinds have any number of the words,
    though those that are contained have more.
    """
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for number in range(runs):
        rows.append({"kind": "run", "run_id": f"r{number}"} | ({"group": f"g{number // 2}"} if groups else {}))
    for at in range(queries):
        name = f"q{at}"
        rows += [
            query(name),
            *(nug(name, f"n{each}", descriptions=[described(name, f"n{each}")]) for each in range(nugs)),
        ]
        for number in range(runs):
            found = rng.random(nugs) < (number + 0.5) / runs
            words = np.where(found, WORDS - rng.binomial(WORDS, noise, nugs), rng.binomial(WORDS, noise, nugs))
            pieces = [described(name, f"n{each}", count) for each, count in enumerate(words.tolist()) if count]
            rows.append(response(name, f"r{number}", f"Filler {number} says. " + ". ".join(pieces)))
            rows += [judgement(name, f"r{number}", float(has), f"n{each}") for each, has in enumerate(found.tolist())]
    return load(rows)


def unlabelled(collection: Collection) -> Collection:
    return Collection(record for record in collection if not isinstance(record, Judgement))


def with_judgements(collection: Collection, judgements: Iterable[Judgement]) -> Collection:
    return Collection([*unlabelled(collection), *judgements])


def by_pair(judgements: Iterable[Judgement]) -> dict[tuple[str, str, str], Judgement]:
    return {(judgement.query_id, judgement.run_id, judgement.nug_id): judgement for judgement in judgements}
