"""From scores of single spans to a set of arguments that fits together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karat.language.analysis import Argument

ONCE = frozenset({"ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5"})
"""Labels a predicate has at most once; what repeats or continues one has a label of its own (R-ARG0, C-ARG1)."""


def decode(
    scores: NDArray[np.float32], spans: NDArray[np.int64], labels: Sequence[str], *, bias: float = 0.0
) -> tuple[Argument, ...]:
    """The arguments of one predicate, best first: no two overlap, and no core label comes twice.

    A span is taken while its log-odds against "no argument" are above `bias`.
    """
    candidates = np.argwhere(scores[:, 1:] > bias)
    if not len(candidates):
        return ()
    candidates[:, 1] += 1
    gains = scores[candidates[:, 0], candidates[:, 1]]
    taken, used, arguments = 0, set(), []
    for row, column in candidates[np.argsort(-gains, kind="stable")].tolist():
        start, end = int(spans[row, 0]), int(spans[row, 1])
        mask = (1 << end) - (1 << start)
        label = labels[column]
        if taken & mask or label in used:
            continue
        taken |= mask
        if label in ONCE:
            used.add(label)
        arguments.append(Argument(label, start, end))
    return tuple(sorted(arguments, key=lambda argument: argument.start_token))
