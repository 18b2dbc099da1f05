"""Snippets are read while they are nuggetized, not before; what is wrong is said before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders.rows import response
from karat.evaluate.nuggets import nuggetize
from karat.evaluate.nuggets.input_snippets import InputSnippet, Snippets, read_snippets
from karat.evaluate.nuggets.limits import within_words
from karat.evaluate.nuggets.nuggetize import nuggetize_snippets
from karat.evaluate.nuggets.plain_responses import responses_of
from karat.formats import Source
from karat.formats.io.source import BLOCK
from karat.model import InputError, Unfinished
from karat.nuggetizer.drafts import Nuggetized

BLOCKS = 20
WORDS = "word " * 100
COUNT = BLOCKS * BLOCK // len(WORDS)


class Watched(Source):
    """A file that counts how many of its blocks were taken since it was last opened."""

    taken = 0

    def raw_blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        self.taken = 0
        for block in super().raw_blocks(size):
            self.taken += 1
            yield block


def rows(*objects: dict) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in objects).encode()


INPUTS = {
    "karat": lambda: rows(*(response(f"q{number}", "r", WORDS) for number in range(COUNT))),
    "text": lambda: f"{WORDS}\n".encode() * COUNT,
    "rows": lambda: rows(*({"text": WORDS, "mark": number} for number in range(COUNT))),
    "another format": lambda: rows(
        *(
            {"run_id": "r", "topic_id": str(number), "topic": "?", "references": [], "answer": [{"text": WORDS}] * 2}
            for number in range(COUNT // 2)
        )
    ),
}


@pytest.mark.parametrize("words", [0, 10**9])
@pytest.mark.parametrize("name", INPUTS)
def test_the_first_result_comes_before_the_file_is_read_to_its_end(
    name: str, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        nuggetize._Work, "__call__", lambda work, chunk: [Nuggetized(text=each.text, nuggets=()) for each in chunk]
    )
    source = Watched("file", INPUTS[name]())
    snippets = read_snippets([source]).snippets
    assert source.taken >= BLOCKS, "all of it is checked first"
    assert len(snippets) >= COUNT - 1
    limited = within_words(snippets, words=words).snippets
    results = nuggetize_snippets(limited)
    next(results)
    assert source.taken < BLOCKS * 3 / 4
    assert 1 + sum(1 for _ in results) == len(limited)


@pytest.mark.parametrize("name", INPUTS)
def test_snippets_can_be_gone_through_again(name: str) -> None:
    snippets = read_snippets([Source("file", INPUTS[name]())]).snippets
    first = list(snippets)
    assert list(snippets) == first
    assert len(snippets) == len(first)


def test_what_is_said_after_a_response_counts_for_it() -> None:
    late = rows(
        response("q", "r", "Ana flew."),
        {"kind": "query", "query_id": "q", "text": "Where?", "template": "where_been"},
        {"kind": "relevance", "query_id": "q", "run_id": "r", "snippet_id": "1", "label": "relevant",
         "text_spans": [[0, 3]], "assessor": "ann"},
    )  # fmt: skip
    (snippet,) = read_snippets([late], relevant_only=True).snippets
    assert (snippet.template, list(snippet.portion or ())) == ("where_been", [(0, 3)])


def test_a_row_that_is_there_twice_is_found_before_the_work_begins() -> None:
    twice = rows({"text": "a", "snippet_id": "x"}, {"text": "b", "snippet_id": "y"}, {"text": "c", "snippet_id": "x"})
    with pytest.raises(InputError, match="<bytes>:3: snippet_id: 'x' appears twice"):
        read_snippets([twice])
    read = read_snippets([twice], on_error="skip")
    assert [snippet.text for snippet in read.snippets] == ["a", "b"]
    assert len(read.problems) == 1


def snippet(query_id: str, number: int) -> InputSnippet:
    return InputSnippet(snippet_id=str(number), text="x", query_id=query_id)


def test_snippets_of_plain_text_become_one_response_per_query_and_run() -> None:
    order = "aabcbbda"
    snippets = Snippets(lambda: (snippet(query_id, number) for number, query_id in enumerate(order)))
    found = [(each.query_id, [one.snippet_id for one in each.snippets]) for each in responses_of(snippets)]
    assert found == [("a", ["0", "1", "7"]), ("b", ["2", "4", "5"]), ("c", ["3"]), ("d", ["6"])]


def test_a_file_that_changes_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("One.\nTwo.\n")
    snippets = read_snippets([str(file)]).snippets
    assert len(list(snippets)) == 2
    file.write_text("One.\nTwo.\nThree.\n")
    with pytest.raises(Unfinished, match="there were 2 snippets when the files were checked, and now 3"):
        list(snippets)
