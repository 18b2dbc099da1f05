from __future__ import annotations

from karat.language.analysis import ParsedSentence, Token

TEXT = "Ann read two books."


def token(index: int, start: int, text: str, dep: str, head: int) -> Token:
    return Token(index, start, start + len(text), text, text.lower(), "X", "X", dep, head, "")


SENTENCE = ParsedSentence(
    (
        token(0, 0, "Ann", "nsubj", 1),
        token(1, 4, "read", "ROOT", 1),
        token(2, 9, "two", "nummod", 3),
        token(3, 13, "books", "dobj", 1),
        token(4, 18, ".", "punct", 1),
    ),
    source=TEXT,
)


def test_children_are_left_to_right_and_may_be_chosen_by_relation() -> None:
    assert [child.text for child in SENTENCE.children(1)] == ["Ann", "books", "."]
    assert [child.text for child in SENTENCE.children(1, "dobj", "iobj")] == ["books"]


def test_subtrees_and_their_text() -> None:
    assert SENTENCE.subtree(3) == (2, 3)
    assert SENTENCE.subtree(1) == (0, 1, 2, 3, 4)
    assert SENTENCE.text_of(2, 4) == "two books"
    assert SENTENCE.text_of(0, 5) == TEXT


def test_ancestors_end_at_the_root() -> None:
    assert [above.text for above in SENTENCE.ancestors(2)] == ["books", "read"]
    assert list(SENTENCE.ancestors(1)) == []
