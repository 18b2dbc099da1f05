"""What of a response is nuggetized: its first so many words, and snippets of one segment only.

In GALE the first 500 words of each response were nuggetized (Babko-Malaya 2008, section 2). For the automatic
evaluation the corpus was segmented into sentences and a snippet was limited to one segment (Babko-Malaya et al. 2012,
footnote 2), so that nobody gains by returning large snippets.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.nuggets.input_snippets import InputSnippet, responses_of
from karat.measures.cases.response_text import reach
from karat.model import SpanSet, UnfitInput, UsageError
from karat.model.wording import number_of
from karat.text.sentences import sentence_spans


class LimitedSnippets(msgspec.Struct, frozen=True, kw_only=True):
    """The snippets within a limit, and notes about what is beyond it."""

    snippets: tuple[InputSnippet, ...]
    notes: tuple[str, ...] = ()


def within_words(snippets: Sequence[InputSnippet], *, words: int, relevant_only: bool = False) -> LimitedSnippets:
    """The first so many words of each response, its snippets taken in order; 0 words: all.

    A snippet that begins within the limit is nuggetized up to it, with the rest as context; others are left out.
    """
    if not words:
        return LimitedSnippets(snippets=tuple(snippets))
    if relevant_only:
        raise UsageError("words are counted over whole responses: give --words or --relevant-only, not both")
    ends = {
        (response.query_id, response.run_id, snippet_id): end
        for response in responses_of(snippets)
        for snippet_id, end in reach(response, words=words).items()
    }
    kept = []
    cut = 0
    for snippet in snippets:
        end = ends[snippet.query_id, snippet.run_id, snippet.snippet_id]
        if end < len(snippet.text):
            cut += 1
            seen = SpanSet([(0, end)] if end else [])
            portion = seen if snippet.portion is None else snippet.portion.intersection(seen)
            if not portion:
                continue
            snippet = msgspec.structs.replace(snippet, portion=portion)
        kept.append(snippet)
    beyond = f"{number_of(len(snippets) - len(kept), 'snippet')} left out and {cut - len(snippets) + len(kept)} cut"
    notes = [f"{beyond}: beyond the first {words:,} words of their responses"] if cut else []
    return LimitedSnippets(snippets=tuple(kept), notes=tuple(notes))


def check_segments(snippets: Sequence[InputSnippet]) -> None:
    """Raise an error that names the first snippet of more than one sentence, and says how many there are."""
    long = [(snippet, count) for snippet in snippets if (count := len(sentence_spans(snippet.text))) > 1]
    if long:
        first, count = long[0]
        raise UnfitInput(
            f"{number_of(len(long), 'snippet')} of {len(snippets):,} with more than one segment: the first is snippet "
            f"{first.snippet_id} of run {first.run_id}, query {first.query_id} ({count} sentences); a snippet "
            "may be one sentence long (leave out --one-segment to nuggetize all)"
        )
