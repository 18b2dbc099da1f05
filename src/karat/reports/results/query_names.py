"""What people are shown instead of the id of a query that came without one: the first words of the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from karat.model import Query, content_id

LONGEST = 40
"""Characters of a question that are shown."""
_MADE = re.compile(r"[0-9a-f]{16}(?:-[0-9]+)?")


def query_names(queries: Iterable[Query]) -> dict[str, str]:
    """The short form of each question whose id was made from its text; queries with an id of their own are left out.

    Two questions that begin with the same words have the first digits of their ids behind them.

    >>> query_names([Query(query_id="q1", text="Why?"), Query(query_id=content_id("Who came?"), text="Who came?")])
    {'645509aea3ef7d40': 'Who came?'}
    """
    short = {query.query_id: short_text(query.text) for query in queries if _is_made(query)}
    times = Counter(short.values())
    return {
        query_id: text if times[text] == 1 else f"{text} ({query_id[:4]}{query_id[16:]})"
        for query_id, text in short.items()
    }


def short_text(text: str) -> str:
    """The first words, as many as fit.

    >>> short_text("Why do honeybees dance on the comb when they come back to the hive?")
    'Why do honeybees dance on the comb when…'
    """
    words = " ".join(text.split())
    if len(words) <= LONGEST:
        return words
    cut = words[:LONGEST]
    return f"{cut.rpartition(' ')[0] or cut[:-1]}…"


def quoted(name: str) -> str:
    return f"“{name}”"


def with_names(text: str, names: Mapping[str, str], shown: Callable[[str], str] = quoted) -> str:
    """A text with the questions in place of their ids; shown: how a question is written in it."""
    if not names:
        return text
    return _MADE.sub(lambda found: shown(names[found[0]]) if found[0] in names else found[0], text)


def _is_made(query: Query) -> bool:
    first, _, number = query.query_id.partition("-")
    return bool(query.text.strip()) and first == content_id(query.text) and (not number or number.isdecimal())
