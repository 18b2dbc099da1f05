"""NuggetBank v3 of Auto-ARGUE and autojudge: the questions of a query with their answers, and claims.

{"query_id", "title_query", "format_version": "v3",
 "nugget_bank": {"<question>": {"question", "question_id", "aggregator_type", "answers": {"<answer>": {"answer"}}}},
 "claim_bank": {"<claim>": {"claim", "claim_id"}}}

A file is one such object, or one per line. Also read are autojudge's container `{"banks": {qid: bank}}` with v3 banks
or banks of the nuggetizer (v4), and RAGTIME's banks, which have lists instead of objects with keys.

When a key is written, a nug with children or an aggregator becomes a question, and its children become the answers;
any other nug becomes a claim (see `bank` in nuggetbank_entries for the exceptions). If a nug is neither vital nor okay
and its weight is a whole number, the weight is written as `importance`; any other weight is the extra field `weight`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karat.formats.banks.nuggetbank_entries import (
    ANSWER,
    BANK,
    CLAIM,
    CLAIM_BANK,
    NUGGET_BANK,
    QUESTION,
    EntryKind,
    TextKeys,
    given_back,
    kept_fields,
    keyed_entries,
    put_entry,
    read_entry,
    write_entry,
)
from karat.formats.banks.question_nugs import topic_of_file
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.nuggetizer.bank import read_nuggetizer_nug
from karat.model import AnyRecord, Collection, ContentIds, Key, Nug, Query

TITLE = "NuggetBank v3 (Auto-ARGUE, autojudge)"
CARRIES = carries(
    query="query_id text extra",
    nug="query_id nug_id descriptions importance weight aggregator parent extra",
)
_VERSION = "v3"


def sniff_nuggetbank(head: Head) -> bool:
    if isinstance(head.row.get("banks"), dict):
        return head.has("format_version") and all(isinstance(bank, dict) for bank in head.row["banks"].values())
    banks = [head.row[name] for name in (NUGGET_BANK, CLAIM_BANK) if name in head.row]
    known = head.has("query_id") or head.has("title_query") or "topic_id" in head.first("metadata")
    return known and bool(banks) and all(isinstance(bank, dict | list | None) for bank in banks)


def read_nuggetbank(source: Source) -> Iterator[AnyRecord]:
    """One Query per bank, and one Nug per question, answer (with the question as parent) and claim."""
    seen: set[str] = set()
    queries = False
    for bank, key in _banks(source):
        with bank.unit():
            query_id = source.query_id = _query_id(bank, key)
            if query_id in seen:
                bank.bad("query_id", f"query {query_id!r} already has a bank", code="duplicate-id")
            seen.add(query_id)
            query, nugs = _read_v4(bank, query_id) if "nuggets" in bank.data else _read_v3(bank, query_id)
            # Banks written from a key without queries have no title; but if one bank has a title, all must have one.
            if queries or query.text or query.extra or not nugs:
                queries = True
                yield query
            yield from nugs


def _banks(source: Source) -> Iterator[tuple[Fields, str | None]]:
    for row in json_rows(source):
        if not isinstance(row.data.get("banks"), dict):
            yield row, None
            continue
        container = row.child("banks")
        for name in row.rest("format_version"):
            source.warn(name, "belongs to no query, so it is left out", code="left-out")
        for key, bank in container.data.items():
            if isinstance(bank, dict):
                yield container.inside(key, bank), key
            else:
                container.complain(key, f"must be an object, not {type_name(bank)}", code="wrong-type")


def _query_id(bank: Fields, key: str | None) -> str:
    query_id = bank.optional_id("query_id", "qid") or key
    metadata = bank.data.get("metadata")
    if query_id is None and isinstance(metadata, dict):
        query_id = bank.inside("metadata", metadata).optional_id("topic_id")
    if query_id is None and bank.source.path.name.startswith("nuggets_"):
        topic = topic_of_file(bank.source)
        query_id = topic.query_id if topic is not None else None
    return query_id or bank.id("query_id")


def _read_v3(bank: Fields, query_id: str) -> tuple[Query, list[Nug]]:
    ids = ContentIds()
    seen: set[str] = set()
    nugs = [*_read_questions(bank, query_id, ids, seen), *_read_claims(bank, query_id, ids, seen)]
    extra = dict(bank.data)
    for name in ("query_id", "format_version"):
        extra.pop(name, None)
    for name in (NUGGET_BANK, CLAIM_BANK):
        # An empty bank is kept as it is in the file, except the one that means "no nugs at all".
        if extra.get(name) or (name == NUGGET_BANK and extra.get(name) == {} and CLAIM_BANK not in bank.data):
            del extra[name]
    full_query = extra.get("full_query")
    text = extra.get("title_query") or ""
    if not isinstance(text, str):
        bank.complain("title_query", f"must be a string, not {type_name(text)}", code="wrong-type")
        text = ""
    if not text and isinstance(full_query, str) and full_query:
        text = full_query
    else:
        extra.pop("title_query", None)
    return Query(query_id=query_id, text=text, extra=kept_fields(Query, extra)), nugs


def _read_v4(bank: Fields, query_id: str) -> tuple[Query, list[Nug]]:
    ids = ContentIds()
    nugs: list[Nug] = []
    for item in bank.items("nuggets"):
        with item.unit():
            nugs.append(read_nuggetizer_nug(item, query_id, ids))
    text = bank.optional_text("query") or ""
    return Query(query_id=query_id, text=text, extra=kept_fields(Query, bank.rest("format_version"))), nugs


def _read_questions(bank: Fields, query_id: str, ids: ContentIds, seen: set[str]) -> Iterator[Nug]:
    for question, nug in _read_bank(bank, NUGGET_BANK, QUESTION, query_id, ids, seen):
        answers = [answer for _, answer in _read_bank(question, "answers", ANSWER, query_id, ids, seen, nug.nug_id)]
        if answers:
            del nug.extra["answers"]
        elif nug.aggregator is None:
            nug.extra[BANK] = NUGGET_BANK
        yield nug
        yield from answers


def _read_claims(bank: Fields, query_id: str, ids: ContentIds, seen: set[str]) -> Iterator[Nug]:
    for _, nug in _read_bank(bank, CLAIM_BANK, CLAIM, query_id, ids, seen):
        if nug.aggregator is not None:
            nug.extra[BANK] = CLAIM_BANK
        yield nug


def _read_bank(
    owner: Fields, name: str, kind: EntryKind, query_id: str, ids: ContentIds, seen: set[str], parent: str = ""
) -> Iterator[tuple[Fields, Nug]]:
    """The entries of one bank with their nugs; `seen` has the ids that the query already uses."""
    keys = TextKeys()
    for key, entry in keyed_entries(owner, name, kind):
        with entry.unit():
            nug = read_entry(entry, kind, key, keys, query_id, ids, parent=parent)
            if nug.nug_id in seen:
                entry.bad(kind.id, f"{nug.nug_id!r} appears twice", code="duplicate-id")
            seen.add(nug.nug_id)
            yield entry, nug


def write_nuggetbank(records: Iterable[AnyRecord], sink: Sink) -> None:
    """One indented object if there is one query, otherwise one object per line."""
    collection = Collection(records)
    key = collection.key
    queries = {query.query_id: query for query in collection.queries}
    query_ids = [*dict.fromkeys((*queries, *key.query_ids))]
    for query_id in query_ids:
        bank = _bank_row(query_id, queries.get(query_id), key, sink)
        if len(query_ids) == 1:
            sink.json_document(bank)
        else:
            sink.json_line(bank)


def _bank_row(query_id: str, query: Query | None, key: Key, sink: Sink) -> dict[str, Any]:
    extra = given_back(query.extra) if query is not None else {}
    title: Any = query.text if query is not None else ""
    if not extra.get("title_query", True):
        title = extra["title_query"]
    row: dict[str, Any] = {"query_id": query_id, "title_query": title, "format_version": _VERSION}
    questions, claims = _entries(query_id, key, sink)
    if questions or (not claims and not extra.keys() & {NUGGET_BANK, CLAIM_BANK}):
        row[NUGGET_BANK] = questions
    if claims:
        row[CLAIM_BANK] = claims
    return extra | row


def _entries(query_id: str, key: Key, sink: Sink) -> tuple[dict[str, Any], dict[str, Any]]:
    ids = ContentIds()
    nugs = {nug.nug_id: nug for nug in key.of(query_id)}
    children: dict[str, list[Nug]] = {}
    tops: list[Nug] = []
    for nug in nugs.values():
        if nug.parent in nugs:
            assert nug.parent is not None
            children.setdefault(nug.parent, []).append(nug)
            if nugs[nug.parent].parent in nugs:
                sink.lose("nug", "an answer cannot have answers")
        else:
            if nug.parent is not None:
                sink.lose("nug.parent", "the parent is not in the key")
            tops.append(nug)
    questions: dict[str, Any] = {}
    claims: dict[str, Any] = {}
    question_keys, claim_keys = TextKeys(), TextKeys()
    # Questions come first, as in reading: ids made from texts depend on the order.
    for nug in sorted(tops, key=lambda nug: _is_claim(nug, children)):
        if _is_claim(nug, children):
            row = write_entry(nug, CLAIM, ids, sink)
            put_entry(claims, nug, row[CLAIM.text], claim_keys, row)
            continue
        row = write_entry(nug, QUESTION, ids, sink)
        if nug.nug_id in children:
            answers: dict[str, Any] = {}
            answer_keys = TextKeys()
            for child in children[nug.nug_id]:
                answer = write_entry(child, ANSWER, ids, sink)
                put_entry(answers, child, answer[ANSWER.text], answer_keys, answer)
            row["answers"] = answers
        put_entry(questions, nug, row[QUESTION.text], question_keys, row)
    return questions, claims


def _is_claim(nug: Nug, children: dict[str, list[Nug]]) -> bool:
    shape = NUGGET_BANK if nug.aggregator is not None else CLAIM_BANK
    return nug.nug_id not in children and bool(nug.extra.get(BANK, shape) == CLAIM_BANK)
