"""The pieces of a response that are looked at one by one: snippets, sentences, windows of sentences, or the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.model import Response
from karat.text.sentences import sentence_spans

UnitKind = Literal["snippet", "response", "sentence", "window"]
WINDOW = 3
"""How many sentences a window has."""


class UnitPlace(msgspec.Struct, frozen=True, gc=False):
    """Where a unit is: a snippet, and a part of its text; without a snippet: the whole response."""

    snippet_id: str | None
    start: int
    end: int


class Units(msgspec.Struct, frozen=True):
    """The units of some responses, those of one response together and in order."""

    texts: list[str]
    places: list[UnitPlace]
    starts: NDArray[np.int64]
    """Where the units of each response begin, and the end: one more entry than responses."""

    def best(self, scores: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """From scores of units (units x nugs): the best of each response, and which unit has it (-1: no unit)."""
        return self.best_of_blocks([scores], scores.shape[1])

    def best_of_blocks(
        self, blocks: Iterable[NDArray[np.float32]], nugs: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """The same as `best`, from scores that come in blocks of units, in order: only one block is held."""
        count = len(self.starts) - 1
        values = np.zeros((count, nugs), np.float32)
        units = np.full((count, nugs), -1, np.int32)
        begin = 0
        for scores in blocks:
            end = begin + len(scores)
            first, last = np.searchsorted(self.starts[1:], (begin, end - 1), side="right")
            for row in range(first, last + 1) if len(scores) else ():
                of_response = scores[max(self.starts[row] - begin, 0) : self.starts[row + 1] - begin]
                if len(of_response):
                    # The first of several equal ones, as in the paper.
                    at = of_response.argmax(axis=0)
                    value = of_response[at, np.arange(nugs)]
                    better = (value > values[row]) | (units[row] < 0)
                    values[row, better] = value[better]
                    units[row, better] = at[better] + max(self.starts[row], begin)
            begin = end
        return values, units


def units_of(responses: Sequence[Response], kind: UnitKind = "snippet") -> Units:
    """All units of the responses; an empty response has none."""
    texts: list[str] = []
    places: list[UnitPlace] = []
    starts = np.zeros(len(responses) + 1, np.int64)
    for row, response in enumerate(responses):
        if kind == "response":
            whole = "\n".join(snippet.text for snippet in response.snippets)
            if whole.strip():
                texts.append(whole)
                places.append(UnitPlace(None, 0, len(whole)))
        else:
            pieces = [
                (UnitPlace(snippet.snippet_id, start, end), snippet.text[start:end])
                for snippet in response.snippets
                for start, end in _spans(snippet.text, kind)
            ]
            width = min(WINDOW, len(pieces)) if kind == "window" else 1
            for at in range(len(pieces) - width + 1 if pieces else 0):
                # A window may span several snippets; its place is where it begins.
                texts.append(" ".join(text for _, text in pieces[at : at + width]))
                places.append(_joined([place for place, _ in pieces[at : at + width]]))
        starts[row + 1] = len(texts)
    return Units(texts, places, starts)


def sentence_units(texts: Sequence[str]) -> Units:
    """The sentences of some texts, each text taken as a response; their places are not known."""
    spans = [sentence_spans(text) for text in texts]
    sentences = [text[start:end] for text, places in zip(texts, spans, strict=True) for start, end in places]
    return Units(sentences, [], np.cumsum([0, *map(len, spans)]))


def _spans(text: str, kind: UnitKind) -> list[tuple[int, int]]:
    if kind == "snippet":
        return [(0, len(text))] if text.strip() else []
    return sentence_spans(text)


def _joined(places: list[UnitPlace]) -> UnitPlace:
    """From the first sentence to the last that is in the same snippet."""
    first = places[0]
    last = max(place.end for place in places if place.snippet_id == first.snippet_id)
    return UnitPlace(first.snippet_id, first.start, last)
