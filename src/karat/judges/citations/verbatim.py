"""Verbatim: a passage has the words of the claim in the same order.

Case, punctuation and quotation marks do not count. A claim is verbatim in a passage of one to three sentences if
- at least 9 in 10 of its words are there in the same order, with all its words of content (numbers and names, too),
- from the first of them to the last there are at most a quarter more words than in the claim, and two, and
- there are as many negations on the way as in the claim.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.judges.citations.claims import Claim
from karat.text.words import STOP_WORDS, find_words, negates

SHARE = 0.9
"""Of a claim's words that must be there in order."""
LONGER = 1.25
MORE = 2
"""How many more words the passage may have on the way: a quarter, and two."""
LEAST_WORDS = 4
"""A claim of fewer words, such as a name, is found in many places in which it is not claimed: it is never verbatim."""


def in_order(claim: Sequence[str], passage: Sequence[str]) -> tuple[float, tuple[int, int]]:
    """The share of a claim's words in the longest common subsequence with a passage, and its first and last word there.

    >>> in_order(["cracks", "were", "found"], ["in", "may", "cracks", "were", "soon", "found"])
    (1.0, (2, 6))
    """
    if not claim or not passage:
        return 0.0, (0, 0)
    # length of the common subsequence, and (the latest) place where it begins: short ways are preferred.
    row: list[tuple[int, int]] = [(0, -1)] * (len(passage) + 1)
    best, where = (0, -1), (0, 0)
    for word in claim:
        above = row
        row = [(0, -1)]
        for at, other in enumerate(passage):
            length, begin = above[at]
            taken = (length + 1, begin if begin >= 0 else at) if word == other else (0, -1)
            row.append(max(taken, above[at + 1], row[at]))
            if row[-1] > best:
                best, where = row[-1], (row[-1][1], at + 1)
    return best[0] / len(claim), where


def is_verbatim(claim: Claim, passage: str) -> bool:
    """Whether a passage has the words of a claim in their order."""
    words = claim.words
    if len(words) < LEAST_WORDS:
        return False
    found = find_words(passage)
    content = [word for word in words if word not in STOP_WORDS]
    if not set(content) <= set(found):
        return False
    share, (first, last) = in_order(words, found)
    stretch = found[first:last]
    return (
        share >= SHARE
        and in_order(content, stretch)[0] == 1.0
        and len(stretch) <= LONGER * len(words) + MORE
        and sum(map(negates, stretch)) == sum(map(negates, words))
    )
