"""The codes of findings, and the finding itself."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from karat.model.result import Result

RULES: dict[str, str] = {
    "impossible-label": "a label that is not allowed in its format",
    "failed-label": "a label that says that the judge failed",
    "lost-nug": "a nug of the key that was not judged for a response, though others were",
    "added-nug": "a nug that is in a judgement file but not in the key",
    "repeated-nug": "two nugs of a query with the same text",
    "near-duplicate": "two nugs of a query that say nearly the same",
    "contradictory-answers": "alternatives of an OR nug that exclude each other",
    "unmatchable-nug": "a nug without a content word, so that no response can match it",
    "non-atomic-nug": "a description that says several things; split it into several nugs",
    "leading-pronoun": "a description that begins with a pronoun, so that nobody knows whom it means",
    "no-vital-nug": "a query without a vital nug: its vital scores are undefined",
    "uncovered-query": "a query that is in the key but not in a run, or in a run but not in the key",
    "mixed-id-types": "ids that are sometimes strings and sometimes numbers",
    "degree-sum": "a nugget whose degrees in several nugs sum to more than 1",
    "lone-degree": "a nug with only one member, whose degree is not 1",
    "orphan-nugget": "a nugget that belongs to no nug",
    "repeated-judgement": "a nug and response that the same judge judged twice",
    "contradictory-citation": "a citation that the same assessor judged in two ways",
    "uncited-judgement": "a judged document that its snippet does not cite",
    "unknown-category": "a nugget's category that the template of its question does not have",
    "unknown-template": "a template that a query names, and that is neither among the files nor one of Karat's",
    "repeated-citation": "two citations of a snippet with the same citation_id",
    "unknown-reason": "a reason of a relevance label or nugget that is not one of the known ones",
    "redundant-with-nothing": "a snippet that is called redundant without saying with what (redundant_with)",
    "redundant-with-unknown": "redundant_with that is no other snippet and no nug, or of a snippet not redundant",
    "revision-of-nothing": "a nugget with a revision that does not say what it revises (revises)",
    "revised-member": "a member of a nug that another nugget revises, so that it does not count",
    "conflicting-definition": "an id that is defined in two different ways",
    "duplicate-id": "an id that is used twice",
    "unnamed-assessors": "two files that annotate the same differently, and do not say whose they are",
    "dangling-reference": "a reference to something that does not exist",
    "span-outside": "a span that reaches beyond its text",
    "empty-answer": "a response without any text: it contains no nug",
    "no-answer": "a response that only says that it has no answer",
    "filler": "a description that only says that something matters, varies or has an effect",
}
"""The rules of the linter."""

Severity = Literal["error", "warning", "style"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From the worst: scores are wrong or impossible; they may not mean what they seem to; wording could be better."""
_WARNINGS = frozenset(
    """lost-nug near-duplicate no-vital-nug uncovered-query mixed-id-types lone-degree orphan-nugget uncited-
    judgement unknown-category unknown-template unknown-reason redundant-with-nothing redundant-with-unknown
    revision-of-nothing revised-member empty-answer no-answer ambiguous-text bad-list conflicting-text
    duplicate-reference guessed-query left-out matched-query misspelt-field missing-label missing-text named-
    assessors negative-importance not-accepted not-in-output not-kept not-read offset-unit other-query
    outside-summaries replaced-response repeated-row text-mismatch unaligned-types uncited-document unknown-
    artifact unknown-column unknown-element unknown-field unknown-type weight""".split()
)
_STYLE = frozenset({"non-atomic-nug", "leading-pronoun", "filler"})


def severity_of(code: str) -> Severity:
    """How bad a finding with this code is, where nothing else is known about it."""
    return "style" if code in _STYLE else "warning" if code in _WARNINGS else "error"


READING: dict[str, str] = {
    "ambiguous-text": "a text that appears in more than one place",
    "bad-json": "text that is not JSON",
    "bad-line": "a line that does not follow its format",
    "bad-list": "a list that does not follow its format",
    "bad-shape": "a document that does not follow its format",
    "bad-shard": "a shard that is missing, cut off, changed or not in the manifest of its folder",
    "bad-span": "offsets that are not a span",
    "bad-table": "a row that does not fit its table",
    "bad-value": "a value that is not possible",
    "bad-xml": "text that is not XML, or XML with entity declarations",
    "conflict": "two records of the same thing that differ",
    "conflicting-text": "two different texts for the same thing",
    "duplicate-reference": "a reference that appears twice",
    "encoding": "text that is not UTF-8",
    "guessed-query": "a query id that was taken from the file's name",
    "left-out": "records that need a further file, or that are not about single runs",
    "matched-query": "queries that have other ids in the key, and were matched by their question",
    "misspelt-field": "an unknown field that is one letter from a known one, which then has no value",
    "missing-field": "a required field that is missing",
    "missing-file": "a file of the collection that is missing",
    "missing-label": "a pair that nobody labelled",
    "missing-span": "a mark without a position",
    "missing-text": "a text that is missing",
    "negative-importance": "an importance below zero",
    "not-accepted": "an annotation that its annotator did not accept",
    "not-in-output": "a sentence that the answer does not contain",
    "not-kept": "something that Karat's records cannot hold",
    "not-read": "something that Karat does not read",
    "offset-unit": "offsets that are counted in an unusual unit",
    "other-query": "a row that belongs to another query",
    "outside-summaries": "a mark that is outside all summaries",
    "named-assessors": "a file of one assessor that has records with the names of others",
    "replaced-response": "a response that is replaced by the one of another file",
    "repeated-row": "a row that appears twice",
    "span-mismatch": "a span that does not select the expected text",
    "text-mismatch": "a text that differs from the text that its span selects",
    "repeated-key": "an object of JSON with the same key twice",
    "too-long": "a line or document that is longer than the limit",
    "unaligned-types": "labels that do not match what they label",
    "uncited-document": "a document that no sentence cites",
    "unknown-column": "an unknown column whose name is similar to a known one",
    "unknown-artifact": "an artifact of an unknown kind",
    "unknown-element": "an element that Karat does not know",
    "unknown-field": "an unknown field whose name is similar to a known one",
    "unknown-type": "a nugget type that is not one of Karat's ten",
    "too-large": "a workbook, or a row of it, that is larger than Karat reads",
    "unreadable": "a file that cannot be read completely",
    "weight": "a weight that is not the number of contributors",
    "wrong-type": "a value of the wrong type",
}
"""What readers report: problems that stop other commands, and notes."""

CODES = RULES | READING


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake, with its place."""

    file: str
    line: int | None
    query_id: str | None
    code: str
    message: str
    severity: Severity | None = None
    """How bad it is; without it, what the code usually is."""

    def __post_init__(self) -> None:
        if self.severity is None:
            msgspec.structs.force_setattr(self, "severity", severity_of(self.code))

    def is_at_least(self, severity: Severity) -> bool:
        """Whether it is as bad as this, or worse."""
        return SEVERITIES.index(self.severity or severity_of(self.code)) <= SEVERITIES.index(severity)

    def __str__(self) -> str:
        query = f"query {self.query_id}: " if self.query_id is not None else ""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {query}{self.message} [{self.code}]"


class Findings(Result, list[Finding]):
    """All that is wrong, as a list."""
