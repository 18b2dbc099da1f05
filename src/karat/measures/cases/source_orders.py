"""The orders in which assessors are asked for what a view lacks, so that the mean does not depend on their names.

A view takes each thing from the first assessor in its order who annotated it. Over all orders, each assessor comes
first equally often, and each of two who annotated a thing comes before the other equally often.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any

from msgspec.structs import replace

from karat.model import Nug, Nugget
from karat.model.identity import content_id

MOST = 4
"""Up to so many assessors all orders are used (24 at most)."""


def source_orders(names: Sequence[str]) -> list[tuple[str, ...]]:
    """All orders of a few names; of more than four, those that begin at each name and go round in both directions.

    >>> source_orders(["ann", "ben"])
    [('ann', 'ben'), ('ben', 'ann')]
    >>> len(source_orders(["a", "b", "c", "d", "e"]))
    10
    """
    if len(names) <= MOST:
        return list(permutations(names))
    forward, backward = list(names), list(reversed(names))
    return [(*around[start:], *around[:start]) for around in (forward, backward) for start in range(len(names))]


def in_content_order(by_name: Mapping[str, Iterable[Any]]) -> list[str]:
    """The names in an order that comes from what each of them recorded, not from the names."""
    return sorted(by_name, key=lambda name: (_content(by_name[name]), name))


def _content(records: Iterable[Any]) -> str:
    return content_id(*sorted(repr(_nameless(record)) for record in records))


def _nameless(record: Any) -> Any:
    # Ids of nuggets and nugs may have been made from the name.
    if isinstance(record, Nugget):
        return replace(record, assessor=None, nugget_id="", revises=())
    if isinstance(record, Nug):
        return replace(record, assessor=None, nug_id="", parent=None, members=())
    return replace(record, assessor="")
