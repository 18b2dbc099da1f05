"""Batch: records with the lines they stand on, some thousands at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from karat.model import AnyRecord


class Batch(NamedTuple):
    """Records of one file in order. Working on many at once is what keeps a million of them cheap."""

    records: Sequence[AnyRecord]
    lines: Sequence[int]
    """The line of each record; empty where nobody needs it."""
    mended: frozenset[int] = frozenset()
    """The positions of records about which something was reported, kept all the same."""
