"""Where in an answer a nug was found: the piece of text behind a judgement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from karat.evaluate.review.explain import marks_in
from karat.judges.judgements.made import NOT_COUNTED
from karat.model import Judgement, Response
from karat.text.sentences import sentence_spans


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a snippet; `snippet` is its number in the response."""

    snippet: int
    start: int
    end: int
    by_words: bool = False
    """Whether the judge named words only, so that the piece is the sentence that has most of them."""


def places_of(judgement: Judgement, response: Response) -> tuple[Place, ...]:
    """The pieces that the judge named: spans, a piece, or words; empty where it named none."""
    evidence = judgement.evidence
    if evidence is None:
        return ()
    numbers = {snippet.snippet_id: number for number, snippet in enumerate(response.snippets)}
    if evidence.spans is not None and judgement.snippet_id in numbers:
        at = numbers[judgement.snippet_id]
        text = response.snippets[at].text
        return tuple(Place(snippet=at, start=start, end=end) for start, end in evidence.spans if end <= len(text))
    where = evidence.extra.get("snippet_id")
    if isinstance(where, str) and where in numbers:
        text = response.snippets[numbers[where]].text
        match evidence.extra.get("span", [0, len(text)]):
            case [int(start), int(end)] if 0 <= start < end <= len(text):
                return (Place(snippet=numbers[where], start=start, end=end),)
    return _by_words(evidence.words, response)


def _by_words(words: Sequence[str], response: Response) -> tuple[Place, ...]:
    """The sentence with most of the words, if it has at least half of them."""
    best, place = 0, None
    for at, snippet in enumerate(response.snippets):
        for start, end in sentence_spans(snippet.text):
            piece = snippet.text[start:end]
            found = len({piece[a:b].lower() for a, b in marks_in(piece, words)})
            if found > best:
                best, place = found, Place(snippet=at, start=start, end=end, by_words=True)
    return (place,) if place is not None and 2 * best >= len({*words}) else ()


def best_judgements(judgements: Iterable[Judgement]) -> dict[str, Judgement]:
    """Of several judgements about a nug (by snippets, by assessors), the one with the highest degree."""
    best: dict[str, Judgement] = {}
    for judgement in judgements:
        if judgement.status == "ok":
            now = best.get(judgement.nug_id)
            if now is None or (judgement.degree or 0.0) > (now.degree or 0.0):
                best[judgement.nug_id] = judgement
    return best


def reason_of(judgement: Judgement) -> str:
    """Why the judge decided so, in words: who judged, how sure, by which words, and what did not count."""
    said = [f"judged by {judgement.assessor or judgement.judge}"]
    if "1" in judgement.probabilities:
        said.append(f"contained in full with probability {judgement.probabilities['1']:.2f}")
    if judgement.evidence is not None and judgement.evidence.words:
        said.append(f"words: {', '.join(judgement.evidence.words)}")
    not_counted = judgement.extra.get(NOT_COUNTED)
    for piece in not_counted if isinstance(not_counted, list | tuple) else ():
        match piece:
            case {"text_words": text_words, "nug_words": nug_words, "kind": kind}:
                said.append(f"not counted: {text_words!r} where the nug has {nug_words!r} ({kind})")
    reason = judgement.extra.get("reason")
    if isinstance(reason, str) and reason.strip():
        said.append(f"reason: {reason.strip()}")
    return "; ".join(said)
