"""TREC QA judged responses, as NIST releases them: RUN-X.otherjudged and RUN-X.list_judged.

"Other" questions: the items of a response, then which nugget (its number in the key) is in which item:
    9.8 RUN-7 1 XYZ20010203.0004 it blooms at night
    9.8 RUN-7 1 4
List questions: correctness (-1 wrong, 1 right, 2 unsupported, 3 inexact); then 1 marks one of several equal answers:
    9.5 RUN-7 XYZ20010203.0004 1 1 Peru
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_qa.columns import DOCUMENT_ID, QUESTION_ID, are_words, cited, document_of, one_line
from karat.model import AnyRecord, Collection, Judgement, Relevance, Response, Run, Snippet
from karat.model.default_names import GIVEN

TITLE = "TREC QA judged responses"
CARRIES = carries(
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.citations snippets.citations.doc_id",
    judgement="query_id run_id snippet_id nug_id degree judge status",
    relevance="query_id run_id snippet_id assessor label reason",
)

_MATCH = re.compile(r"(?P<qid>\S+)\s+(?P<tag>\S+)\s+(?P<item>\d+)\s+(?P<nugget>\d+)")
_ITEM = re.compile(r"(?P<qid>\S+)\s+(?P<tag>\S+)\s+(?P<item>\d+)\s+(?P<docno>\S+)(?:\s+(?P<string>.*))?")
_LISTED = re.compile(
    r"(?P<qid>\S+)\s+(?P<tag>\S+)\s+(?P<docno>\S+)\s+(?P<correctness>-?\d+)\s+(?P<distinct>\d+)(?:\s+(?P<string>.*))?"
)
_FORMS = "qid tag item docno string, qid tag item nugget, qid tag docid correctness distinct string"
_SURE_ITEM = re.compile(rf"{QUESTION_ID}\s+\S+\s+\d+\s+{DOCUMENT_ID}(?:\s.*)?")
_SURE_MATCH = re.compile(rf"{QUESTION_ID}\s+\S+\s+\d+\s+\d+")
_SURE_LISTED = re.compile(rf"{QUESTION_ID}\s+(?!Q0\s)\S+\s+{DOCUMENT_ID}\s+(?:-1|1|2|3)\s+[01](?:\s.*)?")

Correctness = Literal["wrong", "right", "unsupported", "inexact"]
_CORRECTNESS: dict[str, Correctness] = {"-1": "wrong", "1": "right", "2": "unsupported", "3": "inexact"}
_DISTINCT = {"0": False, "1": True}
_Answer = tuple[str, str]


def sniff_trec_qa_judged(head: Head) -> bool:
    lines = [line.strip() for line in head.lines[:20]]
    if not lines:
        return False
    if _SURE_ITEM.fullmatch(lines[0]):
        return all(_SURE_ITEM.fullmatch(line) or _SURE_MATCH.fullmatch(line) for line in lines)
    return all(_SURE_LISTED.fullmatch(line) for line in lines)


def read_trec_qa_judged(source: Source) -> Iterator[AnyRecord]:
    """Run, Response, one Judgement of degree 1 per nugget in an item, one Relevance per judged list answer.

    A right list answer is relevant if it is marked as distinct, otherwise redundant; all others are irrelevant, with
    their correctness as the reason. The file does not say which answer of the key a list answer is.
    """
    answers: dict[_Answer, dict[str, Snippet]] = {}
    matches: dict[tuple[str, str, str, str], int] = {}
    relevances: list[Relevance] = []
    for line in source.text_lines():
        line = line.strip()
        if not line:
            continue
        if match := _MATCH.fullmatch(line):
            key = (match["qid"], match["tag"], match["item"], match["nugget"])
            source.query_id = match["qid"]
            if key in matches:
                source.warn("", "the same nugget of the same item is on an earlier line", code="repeated-row")
            matches.setdefault(key, source.line)
        elif match := _ITEM.fullmatch(line) or _LISTED.fullmatch(line):
            row = Fields(source, match.groupdict())
            with row.unit():
                relevances += _read_answer(row, answers)
        else:
            source.report("", f"the line must have one of the forms {_FORMS}", code="bad-line")
    for run_id in dict.fromkeys(run_id for _, run_id in answers):
        yield Run(run_id=run_id)
    for (query_id, run_id), snippets in answers.items():
        yield Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets.values()))
    # The records of one response are given out together, whatever the order of the rows.
    order = {answer: number for number, answer in enumerate(answers)}
    yield from sorted(relevances, key=lambda relevance: order[relevance.query_id, relevance.run_id])
    for (query_id, run_id, item, nug_id), at in sorted(matches.items(), key=lambda match: order.get(match[0][:2], -1)):
        source.query_id, source.line = query_id, at
        if item not in answers.get((query_id, run_id), {}):
            source.report("item", f"{run_id} has no item {item} for question {query_id}", code="dangling-reference")
            continue
        yield Judgement(query_id=query_id, run_id=run_id, snippet_id=item, nug_id=nug_id, degree=1.0, judge=GIVEN)


def _read_answer(row: Fields, answers: dict[_Answer, dict[str, Snippet]]) -> list[Relevance]:
    """Add an item or a list answer to `answers`; returns the judgement of a list answer."""
    query_id = row.source.query_id = row.id("qid")
    run_id = row.id("tag")
    snippets = answers.setdefault((query_id, run_id), {})
    item = row.id("item") if row.has("item") else str(len(snippets) + 1)
    if item in snippets:
        row.bad("item", f"{run_id} already has an item {item} for question {query_id}", code="duplicate-id")
    text = row.optional_text("string") or ""
    snippets[item] = Snippet(snippet_id=item, text=text, citations=cited(row.id("docno")))
    if row.has("item"):
        return []
    # Not row.label(), which would read the minus as a hyphen.
    value = row.text("correctness")
    correctness = _CORRECTNESS.get(value)
    if correctness is None:
        row.complain("correctness", repr(value), code="impossible-label", choices=tuple(_CORRECTNESS))
    distinct = row.label("distinct", _DISTINCT)
    if correctness is None or distinct is None:
        return []
    if distinct and correctness != "right":
        row.complain("distinct", f"an answer that is {correctness} cannot be distinct", code="impossible-label")
    label: Literal["relevant", "irrelevant", "redundant"] = "irrelevant"
    if correctness == "right":
        label = "relevant" if distinct else "redundant"
    reason = None if correctness == "right" else correctness
    judged = Relevance(query_id=query_id, run_id=run_id, snippet_id=item, assessor=GIVEN, label=label, reason=reason)
    return [judged]


def write_trec_qa_judged(records: Iterable[AnyRecord], sink: Sink) -> None:
    """The list form for responses whose snippets have a Relevance, the item form for all others."""
    collection = Collection(records)
    matches: dict[_Answer, list[Judgement]] = {}
    for judgement in collection.judgements:
        matches.setdefault((judgement.query_id, judgement.run_id), []).append(judgement)
    relevances: dict[_Answer, dict[str, Relevance]] = {}
    for relevance in collection.relevances:
        relevances.setdefault((relevance.query_id, relevance.run_id), {})[relevance.snippet_id] = relevance
    answering = {response.run_id for response in collection.responses if response.snippets}
    for run in collection.runs:
        if run.run_id not in answering:
            sink.lose("run", "a run without answers has no rows")
    for response in collection.responses:
        answer = (response.query_id, response.run_id)
        if not response.snippets:
            sink.lose("response", "an empty response has no rows")
        if not are_words(*answer):
            sink.lose("response", "an id with blanks cannot be written")
            continue
        if answer in relevances and answer not in matches:
            _write_list(response, relevances.pop(answer), sink)
        else:
            _write_items(response, matches.pop(answer, []), sink)
    for judgements in matches.values():
        for _ in judgements:
            sink.lose("judgement", "its response is missing")
    for unwritten in relevances.values():
        for _ in unwritten:
            sink.lose("relevance", "only list answers without nuggets have a correctness")


def _write_items(response: Response, judgements: list[Judgement], sink: Sink) -> None:
    start = f"{response.query_id}\t{response.run_id}"
    items = {snippet.snippet_id: snippet.snippet_id for snippet in response.snippets}
    if not all(item.isdecimal() for item in items):
        sink.lose("response.snippets.snippet_id", "ids of items are numbers: other ids are replaced by numbers from 1")
        items = {snippet_id: str(number) for number, snippet_id in enumerate(items, 1)}
    for snippet in response.snippets:
        text = one_line(snippet.text, "response.snippets.text", sink)
        row = f"{start}\t{items[snippet.snippet_id]}\t{document_of(snippet, sink)}\t{text}"
        sink.write(row.rstrip("\t") + "\n")
    for judgement in judgements:
        if judgement.snippet_id not in items:
            sink.lose("judgement", "nuggets are marked in items of a response")
        elif judgement.degree != 1.0 or judgement.status != "ok" or not judgement.nug_id.isdecimal():
            sink.lose("judgement", "only nuggets that are present (degree 1) and have a number as id can be written")
        else:
            if judgement.judge != GIVEN:
                sink.lose("judgement.judge")
            sink.write(f"{start}\t{items[judgement.snippet_id]}\t{judgement.nug_id}\n")


def _write_list(response: Response, relevances: dict[str, Relevance], sink: Sink) -> None:
    values = {name: value for value, name in _CORRECTNESS.items()}
    for number, snippet in enumerate(response.snippets, 1):
        if snippet.snippet_id != str(number):
            sink.lose("response.snippets.snippet_id", "list answers are numbered when the file is read")
        relevance = relevances.pop(snippet.snippet_id, None)
        correctness = "right" if relevance is None or relevance.label != "irrelevant" else relevance.reason or ""
        if relevance is None or correctness not in values:
            sink.lose("response.snippets", "a list answer needs its correctness: wrong, right, unsupported, inexact")
            continue
        if relevance.assessor != GIVEN:
            sink.lose("relevance.assessor")
        text = one_line(snippet.text, "response.snippets.text", sink)
        distinct = int(relevance.label == "relevant")
        row = f"{response.query_id}\t{response.run_id}\t{document_of(snippet, sink)}\t{values[correctness]}\t{distinct}"
        sink.write(f"{row}\t{text}".rstrip("\t") + "\n")
    for _ in relevances:
        sink.lose("relevance", "its snippet is missing")
