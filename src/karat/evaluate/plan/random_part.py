"""A random part of the queries for people to label, so that their labels can correct a program that judges all of them.

Whole queries are drawn, in a random order. Who stops early has still labelled a random part: the first ones of that
order. Every answer of a review that follows the plan is marked with `drawn`, and `karat score` looks for the mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Protocol, TypeVar

import msgspec
import numpy as np

from karat.model import Collection, Judgement, UnfitInput, UsageError
from karat.model.identity import content_id, key_hash
from karat.model.wording import natural, number_of

DRAWN = "drawn"
"""The field of a judgement that belongs to a random part: the digest of the queries it was drawn from."""
FEWEST = 3
FEW = 10
"""With fewer labelled queries intervals hold too seldom, and a note says so."""


class IsPair(Protocol):
    """A response and a nug."""

    @property
    def query_id(self) -> str: ...
    @property
    def run_id(self) -> str: ...
    @property
    def nug_id(self) -> str: ...


P = TypeVar("P", bound=IsPair)


class RandomPart(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="review_plan"):
    """The queries to label, in their order; `karat plan --review` writes it, `karat review --plan` reads it."""

    v: Literal[1] = 1
    queries: tuple[str, ...]
    of: int
    """From how many queries they were drawn."""
    digest: str
    """Tells these queries from others (`queries_digest`)."""
    key: str | None = None
    """The hash of the nugs (`key_hash`, without votes); older plans have `nug_texts_digest` here, or None."""
    seed: int = 0

    def check(self, collection: Collection) -> None:
        """Refuse a plan that was drawn from other queries, of which its part is no random part, or from another key."""
        known = set(keyed_queries(collection))
        if self.digest != queries_digest(known):
            raise UnfitInput(
                f"the plan was drawn from {number_of(self.of, 'query')}, and these files have other ones "
                f"({len(known):,}); draw again with `karat plan --review`"
            )
        if self.key not in (None, key_hash(collection.nugs), nug_texts_digest(collection)):
            raise UnfitInput(
                "the key changed since the plan was drawn: the queries are the same, but their nugs are others "
                f"(key:{self.key} then, key:{key_hash(collection.nugs)} now; `karat key diff OLD NEW` names the "
                f"changes); draw again with `karat plan --review {len(self.queries)} --seed {self.seed}` "
                "(it draws the same queries)"
            )

    def in_order(self, pairs: Iterable[P]) -> list[P]:
        """The pairs of the part: query by query as drawn, so that who stops early has labelled a random part, too."""
        places = {query_id: at for at, query_id in enumerate(self.queries)}
        asked = (pair for pair in pairs if pair.query_id in places)
        return sorted(asked, key=lambda pair: (places[pair.query_id], natural(pair.run_id), natural(pair.nug_id)))

    def mark(self, pair: IsPair) -> dict[str, Any]:
        """What an answer about a pair of the part has to say."""
        return {DRAWN: self.digest}


def queries_digest(queries: Iterable[str]) -> str:
    """A short text that is the same for the same queries only."""
    return content_id("\n".join(sorted(set(queries))))


def nug_texts_digest(collection: Collection) -> str:
    """What plans of earlier versions say about the nugs instead of their hash: queries, ids and descriptions."""
    return content_id(*sorted("\t".join((nug.query_id, nug.nug_id, *nug.descriptions)) for nug in collection.nugs))


def keyed_queries(collection: Collection) -> list[str]:
    """The queries that are scored: those of the key."""
    return sorted({nug.query_id for nug in collection.nugs}, key=natural)


def draw_part(collection: Collection, queries: int, *, seed: int = 0) -> RandomPart:
    """Draw so many of the queries of a key at random, without repeats."""
    known = keyed_queries(collection)
    if not known:
        raise UnfitInput("there is no key, so that there are no queries to draw from: give a file with nugs")
    if not FEWEST <= queries <= len(known):
        raise UsageError(
            f"--review {queries}: a random part has at least {FEWEST} queries, and at most the {len(known):,} of a key"
        )
    order = np.random.default_rng(seed).permutation(len(known))[:queries]
    return RandomPart(
        queries=tuple(known[at] for at in order.tolist()), of=len(known), digest=queries_digest(known),
        key=key_hash(collection.nugs), seed=seed,
    )  # fmt: skip


def drawn_queries(judgements: Iterable[Judgement], queries: Iterable[str]) -> tuple[set[str], set[str]]:
    """The queries that were labelled as a random part of these; and those that were drawn from other queries."""
    digest = queries_digest(queries)
    ours: set[str] = set()
    others: set[str] = set()
    for judgement in judgements:
        if DRAWN in judgement.extra:
            (ours if judgement.extra[DRAWN] == digest else others).add(judgement.query_id)
    return ours, others - ours
