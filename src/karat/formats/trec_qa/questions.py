"""TREC QA questions in the three forms in which NIST released them.

Series (2004 on):    <trecqa year="2004"><target id="1" text="moon bears"><qa><q id="1.1" type="FACTOID">Who ...?
2003, relationship:  <top> <num> Number: 1894 <type> Type: factoid <desc> Description: Where ...? </top>
ciQA:                <ciqa><topic num="26"><template id="1">What of [this] ...?</template><narrative>...</narrative>

Written as <ciqa> if every query has a template, otherwise as <trecqa>, where a question without a target is directly in
the root.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.io.xml import Element, parse_xml
from karat.formats.trec_qa.columns import xml_text
from karat.model import AnyRecord, Query

TITLE = "TREC QA questions"
CARRIES = carries(query="query_id text template slots conditions extra")
_FORM = re.compile(r"<(trecqa|ciqa|top)\b", re.IGNORECASE)
_TOPIC = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_TOPIC_FIELD = re.compile(
    r"<(\w+)>\s*(?:(?:Number|Type|Topic|Description|Narrative)\s*:)?(.*?)(?=</?\w+>|\Z)", re.DOTALL
)
_SLOT = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_ROOT_ATTRIBUTES = ("year", "task", "track")
_NOT_OF_A_QUESTION = frozenset({"id", "type", "target", "target_id", *_ROOT_ATTRIBUTES})


def sniff_trec_qa_questions(head: Head) -> bool:
    if "<" not in head.text[:200]:
        return False
    form = _FORM.search(head.text)
    if form is None or not re.match(r"\s*<(?:[?!]|trecqa|ciqa|top>)", head.text, re.IGNORECASE):
        return False
    inner = {"trecqa": r"<q\s", "ciqa": r"<template\s", "top": r"<num>"}[form[1].lower()]
    return re.search(inner, head.text, re.IGNORECASE) is not None


def read_trec_qa_questions(source: Source) -> Iterator[AnyRecord]:
    """One Query per question, with its type as a condition, and target and narrative in `extra`.

    A ciQA question keeps the brackets around its slots; the slots are numbered.
    """
    seen: set[str] = set()
    data = source.read_bytes()
    if re.match(rb"\s*<top>", data, re.IGNORECASE):
        questions = _read_topics(source)
    else:
        root = parse_xml(source, data)
        if root.tag not in ("trecqa", "ciqa"):
            source.fail(f"the root is <{root.tag}>, not one of <trecqa>, <ciqa>, <top>", code="bad-xml", line=1)
        questions = _read_series(source, root) if root.tag == "trecqa" else _read_ciqa(source, root)
    for query in questions:
        if query.query_id in seen:
            source.report("", f"question {query.query_id} is already in the file", code="duplicate-id")
            continue
        seen.add(query.query_id)
        yield query


def _read_series(source: Source, root: Element) -> Iterator[Query]:
    for child in root.children:
        target = {}
        if child.tag == "target":
            target = {"target_id": child.attributes.get("id"), "target": child.attributes.get("text")}
        shared = root.attributes | {name: _flat(value) for name, value in target.items() if value is not None}
        for qa in child.all("qa") if child.tag == "target" else (child,):
            for question in qa.all("q"):
                source.line, source.query_id = question.line, question.attributes.get("id")
                row = Fields(source, dict(question.attributes))
                with row.unit():
                    yield Query(
                        query_id=row.id("id"),
                        text=_flat(question.text),
                        conditions=_conditions(row),
                        extra=shared | row.rest(),
                    )
            if any(part.tag != "q" for part in qa.children):
                source.warn("", "the answers to the question are not read", code="left-out", line=qa.line)


def _read_ciqa(source: Source, root: Element) -> Iterator[Query]:
    for topic in root.all("topic"):
        source.line, source.query_id = topic.line, topic.attributes.get("num")
        row = Fields(source, {child.tag: _flat(child.text) for child in topic.children} | topic.attributes)
        with row.unit():
            query_id, text = row.id("num"), row.text("template")
            template = topic.first("template")
            yield Query(
                query_id=query_id,
                text=text,
                template=template.attributes.get("id") if template is not None else None,
                slots=_slots(text),
                extra=row.rest(),
            )


def _read_topics(source: Source) -> Iterator[Query]:
    text = source.read_text()
    line, counted = 1, 0
    for topic in _TOPIC.finditer(text):
        line, counted = line + text.count("\n", counted, topic.start()), topic.start()
        source.line, source.query_id = line, None
        row = Fields(source, {name.lower(): _flat(value) for name, value in _TOPIC_FIELD.findall(topic[1])})
        with row.unit():
            query_id = source.query_id = row.id("num")
            question = row.text("desc", "title")
            extra = row.rest("type", "title", "narr")
            for name, known in (("title", "title"), ("narr", "narrative")):
                if row.has(name) and row.data[name] != question:
                    extra[known] = row.data[name]
            yield Query(query_id=query_id, text=question, conditions=_conditions(row), extra=extra)


def _conditions(row: Fields) -> dict[str, str]:
    kind = row.optional_text("type")
    return {"type": kind.lower()} if kind else {}


def _slots(text: str) -> dict[str, str]:
    return {str(number): slot for number, slot in enumerate(_SLOT.findall(text), 1)}


def _flat(text: str) -> str:
    """Text on one line: in the files it has line breaks and indents."""
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def write_trec_qa_questions(records: Iterable[AnyRecord], sink: Sink) -> None:
    queries = [record for record in records if isinstance(record, Query)]
    sink.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    if queries and all(query.template is not None for query in queries):
        _write_ciqa(queries, sink)
    else:
        _write_series(queries, sink)


def _write_series(queries: list[Query], sink: Sink) -> None:
    root = {name: queries[0].extra[name] for name in _ROOT_ATTRIBUTES if queries and name in queries[0].extra}
    root = {name: value for name, value in root.items() if isinstance(value, str)}
    sink.write(f"<trecqa{_attributes(root, 'query.extra', sink)}>\n")
    for (target_id, target), group in groupby(
        queries, lambda query: tuple(map(query.extra.get, ("target_id", "target")))
    ):
        named = {name: value for name, value in (("id", target_id), ("text", target)) if isinstance(value, str)}
        if named:
            sink.write(f"<target{_attributes(named, 'query.extra', sink)}>\n")
        for query in group:
            if query.template is not None or query.slots:
                sink.lose("query.template", "templates can be written only if every query has one")
            _count_other_values(query, root | {"target_id": named.get("id"), "target": named.get("text")}, sink)
            kind = query.conditions.get("type")
            if kind is not None and kind != kind.lower():
                sink.lose("query.conditions", "the type is read in small letters")
            attributes = {"id": query.query_id} | ({"type": kind.upper()} if kind else {}) | _own_extra(query)
            text = xml_text(query.text, "query.text", sink)
            sink.write(f"  <qa><q{_attributes(attributes, 'query.extra', sink)}>{text}</q></qa>\n")
        if named:
            sink.write("</target>\n")
    sink.write("</trecqa>\n")


def _write_ciqa(queries: list[Query], sink: Sink) -> None:
    sink.write("<ciqa>\n")
    for query in queries:
        if query.slots != _slots(query.text):
            sink.lose("query.slots", "only slots that are in [brackets] in the text can be written")
        if query.conditions:
            sink.lose("query.conditions", "a ciQA topic has no type")
        extra = {name: value for name, value in query.extra.items() if _is_writable(name, value)}
        extra = {name: value for name, value in extra.items() if name not in ("num", "template")}
        if len(extra) != len(query.extra):
            sink.lose("query.extra", "only text under a plain name can be written")
        template = _attributes({"id": query.template or ""}, "query.template", sink)
        text = xml_text(query.text, "query.text", sink)
        sink.write(f"  <topic{_attributes({'num': query.query_id}, 'query.query_id', sink)}>\n")
        sink.write(f"    <template{template}>{text}</template>\n")
        for name, value in extra.items():
            sink.write(f"    <{name}>{xml_text(value, 'query.extra', sink)}</{name}>\n")
        sink.write("  </topic>\n")
    sink.write("</ciqa>\n")


def _own_extra(query: Query) -> dict[str, str]:
    """The attributes of <q>: what a question has besides its target."""
    return {
        name: value
        for name, value in query.extra.items()
        if name not in _NOT_OF_A_QUESTION and _is_writable(name, value)
    }


def _count_other_values(query: Query, shared: dict[str, str | None], sink: Sink) -> None:
    """Report as lost: conditions other than the type, and `extra` that neither root, target nor question can hold."""
    if set(query.conditions) - {"type"}:
        sink.lose("query.conditions", "only the type can be written")
    held = {name: value for name, value in shared.items() if value is not None} | _own_extra(query)
    if held != query.extra:
        sink.lose("query.extra", "only text under a plain name, and only one year and task per file, can be written")


def _is_writable(name: str, value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(name) is not None


def _attributes(values: dict[str, str], what: str, sink: Sink) -> str:
    return "".join(f' {name}="{xml_text(value, what, sink)}"' for name, value in values.items())
