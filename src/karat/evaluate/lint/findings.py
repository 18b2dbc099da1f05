"""What a linter has to say."""

from __future__ import annotations

import msgspec

CODES: dict[str, str] = {
    "impossible-label": "a label that its format does not know",
    "failed-label": "a label that says its maker failed",
    "lost-nug": "a nug of the key that a judged response was not judged on",
    "added-nug": "a nug that judgements bring along but the key lacks",
    "repeated-nug": "the same text twice in a query",
    "near-duplicate": "two nugs of a query that say nearly the same",
    "contradictory-answers": "alternatives of an OR nug that exclude each other",
    "unmatchable-nug": "a nug without a content word: no response could ever match it",
    "non-atomic-nug": "a description that says several things at once",
    "leading-pronoun": "a description that begins with a pronoun nobody can resolve",
    "no-vital-nug": "a query without a vital nug: its vital scores are undefined",
    "uncovered-query": "a query that the key has and a run lacks, or the other way round",
    "mixed-id-types": "ids that come as strings and as numbers",
    "degree-sum": "degrees of one nugget over several nugs that sum past 1",
    "lone-degree": "a nug's only member with a degree other than 1",
    "orphan-nugget": "a nugget that belongs to no nug",
    "repeated-judgement": "the same pair judged twice by the same judge",
    "conflicting-definition": "one id with two meanings",
    "duplicate-id": "an id used twice",
    "dangling-reference": "a reference to something that is not there",
    "span-outside": "a span that leaves its text",
}
"""The codes of the rules; problems of reading (not JSON, a missing field, ...) carry codes of their own."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong before anyone scores with it."""

    file: str
    line: int
    query_id: str | None
    code: str
    message: str

    def __str__(self) -> str:
        query = f"query {self.query_id}: " if self.query_id is not None else ""
        return f"{self.file}:{self.line}: {query}{self.message} [{self.code}]"
