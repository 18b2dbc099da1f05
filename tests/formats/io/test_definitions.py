from __future__ import annotations

from builders.records import nug
from karat.formats import Source
from karat.formats.io.definitions import Once


def test_a_definition_is_given_out_once() -> None:
    once = Once(source := Source("x", b""))
    assert [*once(nug(importance="vital")), *once(nug(importance="vital")), *once(nug())] == [nug(importance="vital")]
    assert source.problems == []


def test_a_contradiction_is_a_problem_that_names_both_accounts() -> None:
    source = Source("x", b"")
    once = Once(source)
    source.line = 2
    list(once(nug(importance="vital")))
    source.line = 7
    assert list(once(nug(importance="okay"))) == []
    assert [str(problem) for problem in source.problems] == [
        "x:7: importance: is 'okay' here, but 'vital' on line 2, for the same nug (query_id 'q', nug_id 'n')"
    ]
