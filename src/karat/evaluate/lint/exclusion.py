"""Answers to one question that exclude each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, combinations, islice, product
from typing import TypeVar

from karat.text import content_words, is_negated, negates, words

K = TypeVar("K", bound=Hashable)
Places = list[int]

_NUMBER = re.compile(r"[\d.]*\d")
_YES, _NO = {"yes", "true"}, {"no", "false"}


def excluding_pairs(answers: Sequence[str], *, most: int) -> list[tuple[int, int]]:
    """The positions (i < j, in order) of all pairs that cannot both be right: yes/no, X/not X, two different numbers.

    Where there are more than `most` pairs, more than `most` of them, but not all.

    >>> excluding_pairs(["Yes, often", "in 1990", "no", "in 1992", "in spring"], most=10)
    [(0, 2), (1, 3)]
    """
    said = {place: spoken for place, answer in enumerate(answers) if (spoken := words(answer))}
    yes = [place for place, spoken in said.items() if spoken[0] in _YES]
    no = [place for place, spoken in said.items() if spoken[0] in _NO]
    found = chain(product(yes, no), _negated(answers, said), _other_numbers(said))
    # One pair may be found in three ways.
    return sorted({(min(pair), max(pair)) for pair in islice(found, 3 * most + 1)})


def _negated(answers: Sequence[str], places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The pairs with the same content words, of which one is negated."""
    for alike in _grouped(places, lambda place: _unnegated(answers[place])):
        negated = _grouped(alike, lambda place: is_negated(answers[place]))
        yield from _across(negated)


def _other_numbers(said: dict[int, list[str]]) -> Iterator[tuple[int, int]]:
    """The pairs with the same words, but different numbers."""
    numbers = {place: tuple(filter(_NUMBER.fullmatch, spoken)) for place, spoken in said.items()}
    with_numbers = [place for place, named in numbers.items() if named]
    rest = {place: tuple(word for word in said[place] if not _NUMBER.fullmatch(word)) for place in with_numbers}
    for alike in _grouped(with_numbers, rest.__getitem__):
        yield from _across(_grouped(alike, numbers.__getitem__))


def _grouped(places: Iterable[int], key: Callable[[int], K]) -> list[Places]:
    groups: dict[K, Places] = {}
    for place in places:
        groups.setdefault(key(place), []).append(place)
    return list(groups.values())


def _across(groups: Iterable[Places]) -> Iterator[tuple[int, int]]:
    """All pairs of members of different groups."""
    return chain.from_iterable(product(one, other) for one, other in combinations(groups, 2))


def _unnegated(text: str) -> frozenset[str]:
    return frozenset(word for word in content_words(text) if not negates(word))
