"""Tie letters (compact letter displays): runs that share a letter are not significantly different."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError

UNTESTED = "*"
"""Stands behind the letters of runs that were not tested against every other, see `letter_groups`."""


def letter_groups(different: ArrayLike, order: Sequence[int], *, tested: ArrayLike | None = None) -> list[str]:
    """The letters of every run: two runs share a letter if and only if they do not differ significantly.

    `different` (runs, runs) says which runs differ significantly, `order` the runs from best to worst: the best has the
    letter a. The result is in the order of the rows. Letters go from a to z, then aa, ab, ...; where that many are
    needed, the letters of a run are separated by spaces ("y aa"), otherwise they are not ("bc").

    The display is that of Piepho (2004, "An algorithm for a letter-based representation of all-pairwise comparisons"):
    each letter is a set of runs of which no two differ and to which no run can be added, and a letter that adds
    nothing to the others is removed. His insertion of one difference after another passes through every such set, whose
    number can grow exponentially. Here a set is made only for a pair of runs that share no letter yet (a clique cover
    of edges; Gramm et al. 2007, "Algorithms for compact letter displays"), so the work is bounded by the number of
    pairs. The same input gives the same letters.

    `tested` (runs, runs) says which pairs were tested; without it, all were. A pair that was not tested (the two runs
    have too few queries in common) is neither tied nor different: two runs share a letter if and only if they were
    tested and do not differ. A run that was tested against no other has only a `*`. Of every other pair that was not
    tested one run has a `*` after its letters: first the run with most such pairs (of equals the lower in order), so
    that one run that lacks queries does not mark all others. So two runs without a common letter differ, unless one of
    them has a `*`: `untested_runs` then says whether they were tested.

    >>> letter_groups([[0, 0, 1], [0, 0, 0], [1, 0, 0]], [2, 1, 0])
    ['b', 'ab', 'a']
    >>> letter_groups(np.zeros((3, 3)), [0, 1, 2], tested=[[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    ['a', 'ab', 'b*']
    """
    told_apart = np.asarray(different, dtype=bool)
    ranks = [int(run) for run in order]
    if told_apart.ndim != 2 or told_apart.shape[0] != told_apart.shape[1]:
        raise UsageError(f"different must have the shape (runs, runs), not {told_apart.shape}")
    if sorted(ranks) != list(range(len(told_apart))):
        raise UsageError(f"order must list each of the {len(told_apart)} runs once")
    if (told_apart != told_apart.T).any() or told_apart.diagonal().any():
        raise UsageError("different must be symmetric, and no run may differ from itself")
    known = _tested(tested, runs=len(told_apart))
    if (told_apart & ~known).any():
        raise UsageError("a pair that was not tested cannot differ significantly")
    # A run tested against none would have a letter of its own, as if it differed from all.
    untested = (known.sum(axis=1) == 1) & (len(known) > 1)
    alike = (known & ~told_apart & ~untested)[np.ix_(ranks, ranks)]
    groups = sorted(_swept(_groups(alike), len(ranks)))
    separator = " " if len(groups) > len(ascii_lowercase) else ""
    letters: list[list[str]] = [[] for _ in ranks]
    for number, group in enumerate(groups):
        for place in group:
            letters[ranks[place]].append(_name(number))
    marks = np.where(_marked(known, untested, ranks), UNTESTED, "").tolist()
    return [separator.join(names) + mark for names, mark in zip(letters, marks, strict=True)]


def _marked(known: NDArray[np.bool_], untested: NDArray[np.bool_], ranks: Sequence[int]) -> NDArray[np.bool_]:
    """Runs that are part of every untested pair: a small set, found greedily."""
    marked = untested.copy()
    while True:
        open_pairs = ~known & ~marked & ~marked[:, None]
        counts = open_pairs.sum(axis=1)
        if not counts.any():
            return marked
        marked[max(reversed(ranks), key=lambda run: int(counts[run]))] = True


def untested_runs(tested: ArrayLike) -> list[tuple[int, ...]]:
    """For every run, the others that it was not tested against.

    >>> untested_runs([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    [(2,), (), (0,)]
    """
    known = _tested(tested, runs=len(np.asarray(tested)))
    return [tuple(np.flatnonzero(~row).tolist()) for row in known]


def _tested(tested: ArrayLike | None, *, runs: int) -> NDArray[np.bool_]:
    """The mask with a diagonal that is always True."""
    known = np.ones((runs, runs), dtype=bool) if tested is None else np.array(tested, dtype=bool)
    if known.shape != (runs, runs) or (known != known.T).any():
        raise UsageError(f"tested of shape {known.shape} must be (runs, runs) of {runs} runs, the same both ways")
    np.fill_diagonal(known, True)
    return known


def _groups(alike: NDArray[np.bool_]) -> list[list[int]]:
    """Largest possible sets of runs that do not differ, at least one for every such pair."""
    joined = np.zeros_like(alike)
    groups: list[list[int]] = []
    for first in range(len(alike)):
        # The farthest partner first: its set then has most of the nearer ones as well.
        for last in range(len(alike) - 1, first - 1, -1):
            if not alike[first, last] or joined[first, last]:
                continue
            candidates = alike[first] & alike[last]
            group = {first, last}
            for run in range(len(alike)):
                if candidates[run]:
                    group.add(run)
                    candidates &= alike[run]
            members = sorted(group)
            joined[np.ix_(members, members)] = True
            groups.append(members)
    return groups


def _swept(groups: list[list[int]], runs: int) -> list[list[int]]:
    """Without the sets whose pairs are all in other sets as well."""
    joins = np.zeros((runs, runs), dtype=np.int64)
    for group in groups:
        joins[np.ix_(group, group)] += 1
    kept = []
    for group in reversed(groups):
        square = np.ix_(group, group)
        if (joins[square] > 1).all():
            joins[square] -= 1
        else:
            kept.append(group)
    return kept


def _name(number: int) -> str:
    """0 is a, 25 is z, 26 is aa, 27 is ab."""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, len(ascii_lowercase))
        name = ascii_lowercase[letter] + name
    return name
