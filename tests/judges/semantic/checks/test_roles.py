"""Exchanged roles and order, with and without an analysis."""

from __future__ import annotations

import pytest

from karat.judges.semantic.checks import find_conflicts, read_text
from karat.language.analysis import Analysis, Argument, ParsedSentence, Predicate, Token


def kinds(nug: str, text: str) -> set[str]:
    return {conflict.kind for conflict in find_conflicts(read_text(nug), read_text(text))}


@pytest.mark.parametrize(
    ("nug", "text", "kind"),
    [
        ("Jones defeated Smith in the final.", "Smith defeated Jones in the final.", "roles"),
        ("Jones defeated Smith in the final.", "In the final, Jones was defeated by Smith.", "roles"),
        ("The dog bit the old postman.", "The old postman bit the dog.", "roles"),
        ("The bank bought the insurer.", "The bank was bought by the insurer last week.", "roles"),
        ("Prussia's defeat of Austria", "the defeat of Prussia by Austria", "roles"),
        ("Gold is heavier than lead.", "Lead is heavier than gold.", "order"),
        ("Copper melts before iron.", "Copper melts after iron.", "order"),
        ("Jupiter has a ring of dust.", "A ring of dust has Jupiter.", "roles"),
    ],
)
def test_an_exchange_is_a_conflict(nug: str, text: str, kind: str) -> None:
    assert kinds(nug, text) == {kind}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("Jones defeated Smith in the final.", "In the final, Smith was defeated by Jones."),
        ("Austria's defeat by Prussia", "the defeat of Austria by Prussia"),
        ("Gold is heavier than lead.", "Lead is less heavy than gold, so gold is heavier than lead."),
        ("Oil is less dense than water.", "Water is more dense than oil."),
        ("Anna met Bert in Rome.", "Bert met Anna in Rome."),
        ("On Monday the queen spoke in Rome.", "In Rome the queen spoke on Monday."),
        ("Lima is the capital of Peru.", "The capital of Peru is Lima."),
        ("Cats and dogs are pets.", "Dogs and cats are pets."),
        ("The girls rested by the river.", "Some girls rest along the river."),
    ],
)
def test_the_same_in_another_order_is_none(nug: str, text: str) -> None:
    assert kinds(nug, text) == set()


def analysed(text: str, doer: int, predicate: int, done: int) -> Analysis:
    """An analysis of a text in which one word does something to another one."""
    tokens, start = [], 0
    for index, word in enumerate(text.split()):
        start = text.index(word, start)
        head, pos = (predicate, "PROPN") if index in (doer, done) else (index, "VERB")
        tokens.append(Token(index, start, start + len(word), word, word, pos, "", "", head, ""))
    arguments = (Argument("ARG0", doer, doer + 1), Argument("ARG1", done, done + 1))
    found = Predicate(predicate, "defeat", False, arguments)
    return Analysis(text, (ParsedSentence(tuple(tokens), predicates=(found,), source=text),))


def test_an_analysis_finds_roles_that_the_order_hides() -> None:
    nug = "Jones easily defeated the young Smith"
    text = "Jones , it is said , was easily defeated by Smith the young"
    ours, theirs = analysed(nug, 0, 2, 5), analysed(text, 10, 8, 0)
    assert not find_conflicts(read_text(nug), read_text(text))
    [conflict] = find_conflicts(read_text(nug, ours), read_text(text, theirs))
    assert conflict.kind == "roles"
    assert conflict.nug_words == nug
    same = analysed(text, 0, 8, 10)
    assert not find_conflicts(read_text(nug, ours), read_text(text, same))
