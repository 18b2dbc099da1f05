"""Which spans of a sentence can be arguments: pieces of the dependency tree.

Whole subtrees are not enough: PropBank was annotated on phrases, and a parser attaches some of them wrongly. So every
token gives its subtree, the same without some of its outer left or right branches, only the token, and sequences of
neighbouring branches on one side. On EWT dev these include 97 % of all arguments (only subtrees: 87 to 89 %).
"""

from __future__ import annotations

from collections.abc import Sequence

FULL, RAW, CUT_RIGHT, CUT_LEFT, CUT_BOTH, ALONE, RUN = range(7)
"""How a span was made: a subtree without punctuation at its ends (FULL), with it (RAW), without some branches on the
right or left (CUT_...), only the token (ALONE), or a sequence of branches (RUN)."""
KINDS = 7
_MOST_CUTS = 8
_LONGEST_RUN = 4

CandidateSpan = tuple[int, int, int, int]
"""First token, end, head, kind."""


def downwards(heads: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """The tokens of a tree, each after its head, and the children of each token from left to right."""
    children: list[list[int]] = [[] for _ in heads]
    order: list[int] = []
    for index, head in enumerate(heads):
        if head == index:
            order.append(index)
        else:
            children[head].append(index)
    for index in order:
        order.extend(children[index])
    return order, children


def candidate_spans(
    order: Sequence[int], children: Sequence[Sequence[int]], *, punctuation: Sequence[bool]
) -> list[CandidateSpan]:
    """All candidates of a sentence, each once; they are the same for every predicate.

    >>> order, children = downwards([1, 1, 3, 1])  # "Ann read two books"
    >>> spans = candidate_spans(order, children, punctuation=[False] * 4)
    >>> [(start, end) for start, end, _, kind in spans if kind == FULL]
    [(0, 4), (0, 1), (2, 4), (2, 3)]
    """
    count = len(order)
    left, right = list(range(count)), list(range(1, count + 1))
    for index in reversed(order):
        for child in children[index]:
            left[index] = min(left[index], left[child])
            right[index] = max(right[index], right[child])
    spans: dict[tuple[int, int], CandidateSpan] = {}

    def add(start: int, end: int, head: int, kind: int) -> None:
        while start < end and punctuation[start]:
            start += 1
        while start < end and punctuation[end - 1]:
            end -= 1
        if start < end and (start, end) not in spans:
            spans[start, end] = (start, end, head, kind)

    for index in order:
        add(left[index], right[index], index, FULL)
        whole = (left[index], right[index])
        if whole not in spans:
            spans[whole] = (*whole, index, RAW)
    for index in order:
        before = [child for child in children[index] if child < index]
        after = [child for child in children[index] if child > index]
        starts = [left[index], *[right[child] for child in before][:_MOST_CUTS], index]
        ends = [right[index], *[left[child] for child in reversed(after)][:_MOST_CUTS], index + 1]
        for end in ends:
            add(left[index], end, index, CUT_RIGHT)
        for start in starts:
            add(start, right[index], index, CUT_LEFT)
            for end in ends:
                add(start, end, index, CUT_BOTH)
        add(index, index + 1, index, ALONE)
        for side in (before, after):
            for first, child in enumerate(side):
                for last in side[first + 1 : first + _LONGEST_RUN]:
                    add(left[child], right[last], child, RUN)
    return list(spans.values())
