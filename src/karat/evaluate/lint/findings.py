"""What a linter has to say."""

from __future__ import annotations

import msgspec

from karat.model.result import Result

RULES: dict[str, str] = {
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
"""What the linter looks for."""

READING: dict[str, str] = {
    "ambiguous-text": "a text that stands in more than one place",
    "bad-json": "not JSON",
    "bad-line": "a line that is not as its format has it",
    "bad-list": "a list that is not as its format has it",
    "bad-shape": "a document that is not as its format has it",
    "bad-span": "offsets that are no span",
    "bad-table": "a row that does not fit the table",
    "bad-value": "a value that makes no sense",
    "bad-xml": "not XML, or XML with entity declarations",
    "conflict": "two accounts of one thing that differ",
    "conflicting-text": "two texts of one thing",
    "duplicate-reference": "a reference that stands twice",
    "encoding": "not UTF-8",
    "guessed-query": "a query id taken from the file's name",
    "left-out": "records that cannot be read without a further file, or are not about single runs",
    "missing-field": "a field that must be there and is not",
    "missing-file": "a file of the collection that is not there",
    "missing-label": "a pair that nobody labelled",
    "missing-span": "a mark without a place",
    "missing-text": "a text that is not there",
    "negative-importance": "an importance below zero",
    "not-accepted": "an annotation that its maker did not accept",
    "not-in-output": "a sentence that the answer does not contain",
    "not-kept": "something that has no place in Karat's records",
    "not-read": "something that Karat does not read",
    "offset-unit": "offsets counted in another unit than usual",
    "other-query": "a row of another query",
    "outside-summaries": "a mark outside every summary",
    "replaced-response": "an account of a response that gives way to another file's",
    "repeated-row": "the same row twice",
    "span-mismatch": "a span that does not select the text it should",
    "text-mismatch": "a stated text other than the one its span selects",
    "too-long": "a line or document past the limit",
    "unaligned-types": "labels that do not line up with what they label",
    "uncited-document": "a document that no sentence cites",
    "unknown-column": "a column that is not understood but nearly has the name of one",
    "unknown-artifact": "an artifact of another kind",
    "unknown-element": "an element that Karat does not know",
    "unknown-type": "a type of nuggets that is none of Karat's ten",
    "unreadable": "a file that cannot be read to its end",
    "weight": "a weight that the contributors do not bear out",
    "wrong-type": "a value of the wrong type",
}
"""What readers tell: problems that stop an ordinary reading, and things that are worth knowing."""

CODES = RULES | READING


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong before anyone scores with it."""

    file: str
    line: int | None
    query_id: str | None
    code: str
    message: str

    def __str__(self) -> str:
        query = f"query {self.query_id}: " if self.query_id is not None else ""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {query}{self.message} [{self.code}]"


class Findings(Result, list[Finding]):
    """All that is wrong, as a list."""
