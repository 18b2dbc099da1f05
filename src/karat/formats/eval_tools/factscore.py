"""FActScore: biographies, and the atomic facts people found in them.

Input: `{"topic", "output"}`. Labelled: `{"input", "output", "topic", "cat", "annotations": [{"text", "is-relevant",
"model-atomic-facts": [{"text"}], "human-atomic-facts": [{"text", "label": "S|NS|IR"}]}]}`.

A fact is something the answer states, so it is a nug that the sentence contains: its judgement has degree 1. The
label says whether the fact is *true* (S supported by Wikipedia, NS not, IR irrelevant); that is another question,
and it is kept as `label` in the judgement's `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from karat.formats.eval_tools.answer_rows import run_of_file
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug, Query, Response, Run, Snippet
from karat.model.default_names import GIVEN

TITLE = "FActScore answers and atomic facts"
_LABELS = {"s": "S", "ns": "NS", "ir": "IR"}
_FACTS = "human-atomic-facts"
_UNSEEN = re.compile(r"\[\d+\]|\s+")


def sniff_factscore(head: Head) -> bool:
    if not head.has("topic", "output"):
        return False
    if not head.row.get("annotations"):
        return head.row.keys() <= {"topic", "output", "input", "cat", "annotations"}
    return not {_FACTS, "model-atomic-facts"}.isdisjoint(head.first("annotations"))


def read_factscore(source: Source) -> Iterator[AnyRecord]:
    """The topic is the query, the file's name the run, and each annotated sentence a snippet of the response.

    The sentences are searched in the output in their order; citation markers and blanks between their characters are
    ignored. If one is not found, the output is one snippet and the facts belong to the whole response.
    """
    once = Once(source)
    run_id = run_of_file(source)
    answered: set[str] = set()
    for row in json_rows(source):
        with row.unit():
            topic = source.query_id = row.id("topic")
            text, output = row.optional_text("input"), row.text("output")
            if topic in answered:
                row.bad("topic", f"run {run_id!r} has already answered query {topic!r}", code="duplicate-id")
            answered.add(topic)
            sentences = row.optional_items("annotations")
            extra = {} if row.get("cat") is None else {"cat": row.get("cat")}
            yield from once(Query(query_id=topic, text=topic if text is None else text, extra=extra))
            yield from once(Run(run_id=run_id))
            yield from _read_answer(row, sentences, output, topic, run_id, once)


def _read_answer(
    row: Fields, sentences: list[Fields], output: str, query_id: str, run_id: str, once: Once
) -> Iterator[AnyRecord]:
    places = _places(output, sentences)
    extra = row.rest()
    if sentences and places is not None:
        snippets = [
            _snippet(sentence, str(number), output[start:end])
            for number, (sentence, (start, end)) in enumerate(zip(sentences, places, strict=True), 1)
        ]
        if _squeezed(output)[0] != "".join(_squeezed(snippet.text)[0] for snippet in snippets):
            extra["output"] = output
    else:
        snippets = [Snippet(snippet_id="1", text=output)] if output else []
        if sentences:
            extra["annotations"] = row.data["annotations"]
    yield Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets), extra=extra)
    ids = ContentIds()
    for number, sentence in enumerate(sentences, 1):
        # The same fact in two sentences is one nug; twice in a sentence, the second gets a number.
        if places is not None:
            ids = ContentIds()
        for item in sentence.optional_items(_FACTS):
            with item.unit():
                text = item.text("text")
                item.label("label", _LABELS)
                nug_id = ids.next(text)
                yield from once(Nug(query_id=query_id, nug_id=nug_id, descriptions=(text,)))
                yield Judgement(
                    query_id=query_id,
                    run_id=run_id,
                    snippet_id=None if places is None else str(number),
                    nug_id=nug_id,
                    degree=1.0,
                    judge=GIVEN,
                    extra={name: value for name, value in item.data.items() if name != "text" and value is not None},
                )


def _snippet(sentence: Fields, number: str, text: str) -> Snippet:
    """A sentence as it is in the output; the annotated form is kept, too, if the two differ."""
    extra: dict[str, Any] = sentence.rest("text", _FACTS)
    annotated = sentence.data["text"]
    return Snippet(snippet_id=number, text=text, extra=extra if annotated == text else extra | {"annotated": annotated})


def _places(output: str, sentences: list[Fields]) -> list[tuple[int, int]] | None:
    """Where in the output each sentence is, in order; None if one is not found."""
    haystack, positions = _squeezed(output)
    places: list[tuple[int, int]] = []
    reached = 0
    for sentence in sentences:
        text = sentence.data.get("text")
        needle = _squeezed(text)[0] if isinstance(text, str) else ""
        start = haystack.find(needle, reached) if needle else -1
        if start < 0:
            sentence.source.warn(f"{sentence.path}.text", "is not in the output, or not in order", code="not-in-output")
            return None
        reached = start + len(needle)
        places.append((positions[start], positions[reached - 1] + 1))
    return places


def _squeezed(text: str) -> tuple[str, list[int]]:
    """The text without markers such as [1] and without blanks, and the original position of each character."""
    hidden = {position for match in _UNSEEN.finditer(text) for position in range(*match.span())}
    positions = [position for position in range(len(text)) if position not in hidden]
    return "".join(text[position] for position in positions), positions
