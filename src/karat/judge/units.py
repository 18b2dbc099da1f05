"""The pieces of a response that are looked at one by one: snippets, sentences, windows of sentences, or the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.model import Response
from karat.text.sentences import sentence_spans

UnitKind = Literal["snippet", "response", "sentence", "window"]
WINDOW = 3
"""Sentences in a window."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a unit stands: a snippet, and the part of its text; no snippet: the whole response."""

    snippet_id: str | None
    start: int
    end: int


class Units(msgspec.Struct, frozen=True):
    """The units of some responses, those of one response together and in order."""

    texts: list[str]
    places: list[Place]
    starts: NDArray[np.int64]
    """Where the units of each response begin, and the end: one more entry than responses."""

    def best(self, scores: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """From scores of units (units x nugs): the best of each response, and which unit has it (-1: no unit)."""
        count = len(self.starts) - 1
        values = np.zeros((count, scores.shape[1]), np.float32)
        units = np.full((count, scores.shape[1]), -1, np.int32)
        for row in range(count):
            start, end = self.starts[row], self.starts[row + 1]
            if end > start:
                # Of equals the first, as the paper picks it.
                first = scores[start:end].argmax(axis=0)
                units[row] = first + start
                values[row] = scores[start:end][first, np.arange(scores.shape[1])]
        return values, units


def units_of(responses: Sequence[Response], kind: UnitKind = "snippet") -> Units:
    """All units of the responses; an empty response has none."""
    texts: list[str] = []
    places: list[Place] = []
    starts = np.zeros(len(responses) + 1, np.int64)
    for row, response in enumerate(responses):
        if kind == "response":
            whole = "\n".join(snippet.text for snippet in response.snippets)
            if whole.strip():
                texts.append(whole)
                places.append(Place(None, 0, len(whole)))
        else:
            for snippet in response.snippets:
                for start, end in _spans(snippet.text, kind):
                    texts.append(snippet.text[start:end])
                    places.append(Place(snippet.snippet_id, start, end))
        starts[row + 1] = len(texts)
    return Units(texts, places, starts)


def _spans(text: str, kind: UnitKind) -> list[tuple[int, int]]:
    if kind == "snippet":
        return [(0, len(text))] if text.strip() else []
    sentences = sentence_spans(text)
    if kind == "sentence" or len(sentences) < 2:
        return sentences
    width = min(WINDOW, len(sentences))
    return [(sentences[at][0], sentences[at + width - 1][1]) for at in range(len(sentences) - width + 1)]
