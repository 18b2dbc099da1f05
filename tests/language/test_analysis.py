from __future__ import annotations

from karat.language.analysis import Argument, Predicate, Sentence, Token

TEXT = "Ann read two books."


def token(index: int, start: int, text: str, dep: str, head: int) -> Token:
    return Token(index, start, start + len(text), text, text.lower(), "X", "X", dep, head, "")


SENTENCE = Sentence(
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
    assert SENTENCE.subtree_span(1) == (0, 5)
    assert SENTENCE.text_of(*SENTENCE.subtree_span(3)) == "two books"
    assert SENTENCE.offsets(2, 4) == (9, 18)
    assert (SENTENCE.start, SENTENCE.end, SENTENCE.text) == (0, 19, TEXT)


def test_ancestors_end_at_the_root() -> None:
    assert [above.text for above in SENTENCE.ancestors(2)] == ["books", "read"]
    assert list(SENTENCE.ancestors(1)) == []


def test_an_argument_by_its_label() -> None:
    predicate = Predicate(1, "read", False, (Argument("ARG0", 0, 1), Argument("ARG1", 2, 4)))
    assert predicate.argument("ARG1") == Argument("ARG1", 2, 4)
    assert predicate.argument("ARG2") is None
