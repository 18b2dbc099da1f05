"""Tie letters (compact letter displays): runs that share a letter are not significantly different."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError


def letter_groups(different: ArrayLike, order: Sequence[int]) -> list[str]:
    """The letters of every run, such that two runs share a letter if and only if they are not told apart.

    `different` (runs, runs) says which runs are told apart, `order` the runs from best to worst: the best has the
    letter a. The result is in the order of the rows. Letters go from a to z, then aa, ab, ...; where that many are
    needed, the letters of a run are separated by spaces ("y aa"), otherwise they are not ("bc").

    The display is that of Piepho (2004, "An algorithm for a letter-based representation of all-pairwise comparisons"):
    each letter is a set of runs of which no two are told apart and to which no run can be added, and a letter that adds
    nothing to the others is removed. His insertion of one difference after another passes through every such set, whose
    number can grow exponentially. Here a set is made only for a pair of runs that share no letter yet (a clique cover
    of edges; Gramm et al. 2007, "Algorithms for compact letter displays"), so the work is bounded by the number of
    pairs. The same input gives the same letters.

    >>> letter_groups([[0, 0, 1], [0, 0, 0], [1, 0, 0]], [2, 1, 0])
    ['b', 'ab', 'a']
    """
    told_apart = np.asarray(different, dtype=bool)
    ranks = [int(run) for run in order]
    if told_apart.ndim != 2 or told_apart.shape[0] != told_apart.shape[1]:
        raise UsageError(f"different must have the shape (runs, runs), not {told_apart.shape}")
    if sorted(ranks) != list(range(len(told_apart))):
        raise UsageError(f"order must list each of the {len(told_apart)} runs once")
    if (told_apart != told_apart.T).any() or told_apart.diagonal().any():
        raise UsageError("different must be symmetric, and no run may differ from itself")
    alike = ~told_apart[np.ix_(ranks, ranks)]
    groups = sorted(_swept(_groups(alike), len(ranks)))
    separator = " " if len(groups) > len(ascii_lowercase) else ""
    letters: list[list[str]] = [[] for _ in ranks]
    for number, group in enumerate(groups):
        for place in group:
            letters[ranks[place]].append(_name(number))
    return [separator.join(names) for names in letters]


def _groups(alike: NDArray[np.bool_]) -> list[list[int]]:
    """Largest possible sets of runs that are not told apart, at least one for every such pair."""
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
