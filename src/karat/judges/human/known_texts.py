"""The judged texts of a query: what a judge may learn from about the texts it has not seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
NO_GROUP = -1
"""Of a response from which no judged text has to be hidden."""
_WORD = re.compile(r"\w+")


def wording(text: str) -> str:
    """The words of a text alone: texts with the same ones are copies.

    >>> wording("At least 50 died , officials said.") == wording("At least 50 died, officials said")
    True
    """
    return " ".join(_WORD.findall(text.casefold()))


@dataclass(frozen=True)
class Mark:
    """A judged text contains a nug."""

    nug_id: str
    text: int
    part: str
    """The words that say so, where people marked them; else the whole text."""


@dataclass(frozen=True)
class KnownTexts:
    """Judged texts and what they contain; a text without a mark for a nug does not contain it, as far as is known."""

    texts: Sequence[str]
    groups: Ints
    """What each text is left out with: a number for its run, its institution or its fold."""
    marks: Sequence[Mark]

    @cached_property
    def wordings(self) -> list[str]:
        return [wording(text) for text in self.texts]

    def without(self, group: int, texts: Iterable[str] = ()) -> KnownTexts:
        """All but the texts of a group and copies of some texts: what may be known of those."""
        copies = {wording(text) for text in texts}
        stay = [
            at
            for at, (own, words) in enumerate(zip(self.groups.tolist(), self.wordings, strict=True))
            if own != group and words not in copies
        ]
        place = {at: new for new, at in enumerate(stay)}
        marks = [Mark(one.nug_id, place[one.text], one.part) for one in self.marks if one.text in place]
        return KnownTexts([self.texts[at] for at in stay], self.groups[stay], marks)

    def examples(self, nug_id: str) -> list[str]:
        """The texts that contain a nug."""
        return [self.texts[at] for at in self._of_nug.get(nug_id, ())]

    @cached_property
    def _of_nug(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for one in self.marks:
            found.setdefault(one.nug_id, []).append(one.text)
        return found
