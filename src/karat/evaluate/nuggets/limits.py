"""What of a response is nuggetized: its first so many words, and snippets of one segment only.

In GALE the first 500 words of each response were nuggetized (Babko-Malaya 2008, section 2). For the automatic
evaluation the corpus was segmented into sentences and a snippet was limited to one segment (Babko-Malaya et al. 2012,
footnote 2), so that nobody gains by returning large snippets.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.evaluate.nuggets.input_snippets import InputSnippet, Snippets
from karat.measures.cases.response_text import reach_in
from karat.model import SpanSet, UnfitInput, UsageError
from karat.model.wording import number_of
from karat.text.sentences import sentence_spans


class LimitedSnippets(msgspec.Struct, frozen=True, kw_only=True):
    """The snippets within a limit, and notes about what is beyond it."""

    snippets: Snippets
    notes: tuple[str, ...] = ()


def within_words(snippets: Snippets, *, words: int, relevant_only: bool = False) -> LimitedSnippets:
    """The first so many words of each response, its snippets taken in order; 0 words: all.

    A snippet that begins within the limit is nuggetized up to it, with the rest as context; others are left out.
    """
    if not words:
        return LimitedSnippets(snippets=snippets)
    if relevant_only:
        raise UsageError("words are counted over whole responses: give --words or --relevant-only, not both")
    kept = cut = 0
    for snippet, limited in _limited(snippets, words):
        kept += limited is not None
        cut += limited is not None and limited is not snippet
    left_out = len(snippets) - kept
    beyond = f"{number_of(left_out, 'snippet')} left out and {cut} cut"
    notes = (f"{beyond}: beyond the first {words:,} words of their responses",) if left_out or cut else ()
    within = Snippets(
        lambda: (limited for _, limited in _limited(snippets, words) if limited is not None),
        kept,
        together=snippets.together,
    )
    return LimitedSnippets(snippets=within, notes=notes)


def _limited(snippets: Snippets, words: int) -> Iterator[tuple[InputSnippet, InputSnippet | None]]:
    """Each snippet with what is within the limit: itself, a part of it, or None."""
    left: dict[tuple[str, str], int] = {}
    """By query and run: how many words may follow. One number, where the snippets of a response are together."""
    for snippet in snippets:
        response = (snippet.query_id, snippet.run_id)
        if snippets.together and response not in left:
            left.clear()
        end, left[response] = reach_in(snippet.text, left.get(response, words))
        if end == len(snippet.text):
            yield snippet, snippet
            continue
        seen = SpanSet([(0, end)] if end else [])
        portion = seen if snippet.portion is None else snippet.portion.intersection(seen)
        yield snippet, msgspec.structs.replace(snippet, portion=portion) if portion else None


def check_segments(snippets: Snippets) -> None:
    """Raise an error that names the first snippet of more than one sentence, and says how many there are."""
    first: tuple[InputSnippet, int] | None = None
    long = 0
    for snippet in snippets:
        if (count := len(sentence_spans(snippet.text))) > 1:
            first = first or (snippet, count)
            long += 1
    if first is not None:
        named, count = first
        raise UnfitInput(
            f"{number_of(long, 'snippet')} of {len(snippets):,} with more than one segment: the first is snippet "
            f"{named.snippet_id} of run {named.run_id}, query {named.query_id} ({count} sentences); a snippet "
            "may be one sentence long (leave out --one-segment to nuggetize all)"
        )
