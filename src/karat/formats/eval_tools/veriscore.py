"""VeriScore: answers, the verifiable claims found in them, and whether the web supports each claim.

`{"question", "response", "model", "prompt_source", "abstained"?, "claim_list"?: [[...]], "all_claims"?: [...],
"claim_verification_result"?: [{"claim", "verification_result", ...}]}`, one answer per line.

A claim is something the answer states: a nug with a judgement of degree 1. Whether it is *true* is another
question; that result is kept as `verification_result` in the judgement's `extra`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import Answers, run_of_file
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug
from karat.model.default_names import GIVEN

TITLE = "VeriScore answers and claims"
NO_CLAIM = "No verifiable claim."
"""What the tool writes instead of an empty list."""
_RESULT = "verification_result"
_RESULTS = {name: name for name in ("supported", "unsupported", "contradicted", "inconclusive")}


def sniff_veriscore(head: Head) -> bool:
    if not head.has("response", "model", "prompt_source"):
        return False
    return head.has("question") or head.has("claim_list") or head.has("all_claims")


def read_veriscore(source: Source) -> Iterator[AnyRecord]:
    """The model is the run; the query's id is made from its question (or from the answer, if there is no question)."""
    answers = Answers(source)
    for row in json_rows(source):
        with row.unit():
            question, response = row.optional_text("question") or "", row.text("response")
            run_id = row.optional_id("model") or run_of_file(source)
            query_id = source.query_id = row.optional_id("query_id", "id") or answers.query_id(
                question or response, run_id
            )
            claims = row.strings("all_claims")
            results = row.optional_items("claim_verification_result")
            yield from answers.query(query_id, question)
            yield from answers.response(row, "response", query_id, run_id, response, row.rest())
            yield from _read_claims(row, claims, _by_claim(results, claims), query_id, run_id, answers)


def _by_claim(results: list[Fields], claims: list[str]) -> dict[str, dict[str, Any]]:
    """The result for each claim; a result whose claim is not in the list is reported."""
    by_claim: dict[str, dict[str, Any]] = {}
    for item in results:
        with item.unit():
            claim = item.text("claim")
            if claim not in claims:
                item.bad("claim", f"{claim!r} is not in all_claims", code="dangling-reference")
            item.label(_RESULT, _RESULTS)
            by_claim.setdefault(claim, {name: value for name, value in item.data.items() if name != "claim"})
    return by_claim


def _read_claims(
    row: Fields, claims: list[str], by_claim: dict[str, dict[str, Any]], query_id: str, run_id: str, answers: Answers
) -> Iterator[AnyRecord]:
    ids = ContentIds()
    for index, claim in enumerate(claims):
        if claim == NO_CLAIM:
            continue
        if not claim.strip():
            row.complain(join("all_claims", index), "is empty", code="missing-field")
            continue
        nug_id = ids.next(claim)
        yield from answers.once(Nug(query_id=query_id, nug_id=nug_id, descriptions=(claim,)))
        yield Judgement(
            query_id=query_id,
            run_id=run_id,
            nug_id=nug_id,
            degree=1.0,
            judge=GIVEN,
            extra=by_claim.get(claim, {}),
        )
