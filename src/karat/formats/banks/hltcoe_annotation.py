"""Files of the HLTCOE annotation tool; each is one JSON object of one of five shapes:

nuggets     {"nugget_dict": {question: {answer: [document]}}, "group_assignment": {question: group}}, one topic per
            file, named `nuggets_{topic}.preload.json`; also `nugget_list` with pairs [question, answers]
reports     {topic: {run: {sentence id: text}}}
cited       {topic: {document: {run: {sentence id: text}}}}
pool        {topic: [document]}
questions   {topic: [question]}; unlike the documents of a pool, questions contain blanks
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.banks.question_nugs import question_nugs, topic_of_file
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.source import BadUnit, Source
from karat.model import AnyRecord, Citation, ContentIds, Nug, Response, Run, Snippet
from karat.model.default_names import POOL

TITLE = "HLTCOE annotation tool"
_NUGGETS = ("nugget_dict", "nugget_list")


def sniff_hltcoe_annotation(head: Head) -> bool:
    if len(head.lines) > 1 and head.shape == "lines":
        return False
    # The ids of topics have digits; without this condition any object of lists or objects would be accepted.
    topics = all(any(character.isdigit() for character in topic) for topic in head.row)
    shape = _shape(head.row, head.name)
    return shape in ("nuggets", "bare nuggets") or (topics and shape != "")


def _shape(data: dict[str, Any], name: str) -> str:
    """The shape that most of the file has; an empty string for none."""
    if any(isinstance(data.get(field), dict | list) for field in _NUGGETS):
        return "nuggets"
    if name.rpartition("/")[2].startswith("nuggets_") and _leaves(data, 2, list):
        return "bare nuggets"
    if _leaves(data, 1, list):
        members = [member for members in data.values() if isinstance(members, list) for member in members]
        if not _most([isinstance(member, str) for member in members]):
            return ""
        return "questions" if _most([" " in str(member).strip() for member in members]) else "pool"
    if _leaves(data, 3, str):
        return "reports"
    return "cited" if _leaves(data, 4, str) else ""


def _leaves(data: Any, depth: int, kind: type) -> bool:
    """Whether nested objects end at this depth in this kind of value; only the first hundred per level are checked."""
    level = [data]
    for step in range(1, depth + 1):
        level = [value for members in level[:100] if isinstance(members, dict) for value in members.values()]
        if not _most([isinstance(value, kind if step == depth else dict) for value in level]):
            return False
    return True


def _most(facts: list[bool]) -> bool:
    return 2 * sum(facts) > len(facts)


def read_hltcoe_annotation(source: Source) -> Iterator[AnyRecord]:
    """Nuggets and questions become Nugs; reports and cited sentences become Runs and Responses (cited sentences with
    Citations); a pool becomes a Response of the run "pool", with one snippet without text per document."""
    data = source.document()
    if not isinstance(data, dict):
        source.fail(f"the file must be an object, not {type_name(data)}", code="wrong-type", line=1)
    shape = _shape(data, source.name)
    whole = Fields(source, data)
    if shape in ("nuggets", "bare nuggets"):
        yield from _read_nuggets(whole if shape == "nuggets" else Fields(source, {"nugget_dict": data}))
    elif shape == "questions":
        yield from _read_questions(whole)
    elif shape == "pool":
        yield from _read_pool(whole)
    elif shape == "reports":
        yield from _read_reports(whole)
    elif shape == "cited":
        yield from _read_cited(whole)
    else:
        source.fail("must be one of nuggets, questions, pool, reports, cited sentences", code="bad-shape", line=1)


def _read_nuggets(whole: Fields) -> Iterator[AnyRecord]:
    topic = topic_of_file(whole.source, users=True)
    if topic is None:
        return
    whole.source.query_id = topic.query_id
    field = next(name for name in _NUGGETS if whole.has(name))
    groups: dict[str, Any] = {}
    with whole.unit():
        groups = dict(whole.optional_entries("group_assignment"))
    creator = {"creator": [{"is_human": True, "assessor_id": topic.user}]} if topic.user else {}
    ids = ContentIds()
    questions = whole.inside(field, {})
    for question, answers in _pairs(whole, field):
        extra: dict[str, Any] = dict(creator)
        if question in groups:
            extra["group"] = groups.pop(question)
        yield from question_nugs(questions, question, answers, topic.query_id, ids, extra=extra)
    for question in groups:
        path = join("group_assignment", question)
        whole.source.report(path, "no nugget has this question", code="dangling-reference")
    for name in whole.rest(*_NUGGETS):
        whole.source.warn(name, "belongs to no nugget, so it is left out", code="left-out")


def _pairs(whole: Fields, field: str) -> Iterator[tuple[str, Any]]:
    value = whole.data[field]
    if isinstance(value, dict):
        yield from value.items()
        return
    for index, pair in enumerate(value):
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
            yield pair[0], pair[1]
        else:
            whole.complain(join(field, index), "must be [question, answers]", code="wrong-type")


def _read_questions(whole: Fields) -> Iterator[AnyRecord]:
    for topic in whole.data:
        whole.source.query_id = topic
        ids = ContentIds()
        with whole.unit():
            for question in whole.strings(topic):
                yield Nug(query_id=topic, nug_id=ids.next(question), descriptions=(question,))


def _read_pool(whole: Fields) -> Iterator[AnyRecord]:
    yield Run(run_id=POOL)
    for topic in whole.data:
        whole.source.query_id = topic
        snippets: dict[str, Snippet] = {}
        with whole.unit():
            for doc_id in whole.strings(topic):
                if doc_id in snippets:
                    whole.complain(topic, f"document {doc_id!r} appears twice", code="duplicate-id")
                snippets[doc_id] = Snippet(snippet_id=doc_id, text="", citations=(Citation(doc_id=doc_id),))
            yield Response(query_id=topic, run_id=POOL, snippets=tuple(snippets.values()))


def _read_reports(whole: Fields) -> Iterator[AnyRecord]:
    known: set[str] = set()
    for topic, runs in _objects(whole):
        whole.source.query_id = topic
        for run_id, sentences in _objects(runs):
            if run_id not in known:
                known.add(run_id)
                yield Run(run_id=run_id)
            snippets = tuple(Snippet(snippet_id=number, text=text) for number, text in _texts(sentences))
            yield Response(query_id=topic, run_id=run_id, snippets=snippets)


def _read_cited(whole: Fields) -> Iterator[AnyRecord]:
    known: set[str] = set()
    for topic, documents in _objects(whole):
        whole.source.query_id = topic
        texts: dict[str, dict[str, str]] = {}
        citations: dict[tuple[str, str], list[Citation]] = {}
        for doc_id, runs in _objects(documents):
            if not runs.data:
                whole.source.warn(runs.path, "no sentence cites this document", code="uncited-document")
            for run_id, sentences in _objects(runs):
                for number, text in _texts(sentences):
                    if texts.setdefault(run_id, {}).setdefault(number, text) != text:
                        sentences.complain(
                            number, "the sentence has a different text in another place", code="conflicting-text"
                        )
                    citations.setdefault((run_id, number), []).append(Citation(doc_id=doc_id))
        for run_id, sentences_of_run in texts.items():
            if run_id not in known:
                known.add(run_id)
                yield Run(run_id=run_id)
            snippets = tuple(
                Snippet(snippet_id=number, text=sentences_of_run[number], citations=tuple(citations[run_id, number]))
                for number in sorted(sentences_of_run, key=_sentence_order)
            )
            yield Response(query_id=topic, run_id=run_id, snippets=snippets)


def _sentence_order(number: str) -> tuple[int, str]:
    return (int(number) if number.isascii() and number.isdigit() else 0, number)


def _objects(parent: Fields) -> Iterator[tuple[str, Fields]]:
    for name in parent.data:
        with parent.unit():
            yield name, parent.child(name)


def _texts(sentences: Fields) -> Iterator[tuple[str, str]]:
    for number in sentences.data:
        try:
            text = sentences.text(number)
        except BadUnit:
            continue
        yield number, text
