"""The judged texts of a query, from which a judge may learn about texts that nobody judged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
NO_GROUP = -1
"""The group of a response from which no judged text has to be hidden."""
_WORD = re.compile(r"\w+")


def wording(text: str) -> str:
    """Only the words of a text: texts with the same words are copies.

    >>> wording("At least 50 died , officials said.") == wording("At least 50 died, officials said")
    True
    """
    return " ".join(_WORD.findall(text.casefold()))


@dataclass(frozen=True)
class Mark:
    """Says that a judged text contains a nug."""

    nug_id: str
    text: int
    """The number of the text in `JudgedTexts.texts`."""
    part: str
    """The words that contain it, where people marked them; otherwise the whole text."""
    run_id: str = ""
    assessor: str = ""
    """Who judged it: the assessor, or the judge where none is named."""


@dataclass(frozen=True)
class JudgedTexts:
    """Judged texts and the nugs that they contain; a text without a mark for a nug is taken not to contain it."""

    texts: Sequence[str]
    groups: Ints
    """The group with which each text is left out: a number for its run, its institution or its fold."""
    marks: Sequence[Mark]

    @cached_property
    def wordings(self) -> list[str]:
        return [wording(text) for text in self.texts]

    def without(self, group: int, texts: Iterable[str] = ()) -> JudgedTexts:
        """All judged texts except those of a group, and except copies of some texts."""
        copies = {wording(text) for text in texts}
        stay = [
            at
            for at, (text_group, words) in enumerate(zip(self.groups.tolist(), self.wordings, strict=True))
            if text_group != group and words not in copies
        ]
        place = {at: new for new, at in enumerate(stay)}
        marks = [replace(mark, text=place[mark.text]) for mark in self.marks if mark.text in place]
        return JudgedTexts([self.texts[at] for at in stay], self.groups[stay], marks)

    def examples(self, nug_id: str) -> list[str]:
        """The texts that contain a nug."""
        return [self.texts[at] for at in self._of_nug.get(nug_id, ())]

    @cached_property
    def _of_nug(self) -> dict[str, list[int]]:
        texts: dict[str, list[int]] = {}
        for mark in self.marks:
            texts.setdefault(mark.nug_id, []).append(mark.text)
        return texts
