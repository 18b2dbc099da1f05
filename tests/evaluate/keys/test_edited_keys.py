"""Keys that were edited by hand: the paraphrases were written for this test, before the matching was run on them."""

from __future__ import annotations

import pytest

import karat
from builders.records import nug
from karat.language.encoder import load_encoder
from karat.model import Nug
from karat.model.errors import MissingExtra

# Old text and new text; several texts are the parts of one.
REWORDED = [
    (
        "The bridge was closed in March 2019 after cracks were found.",
        "In March 2019, cracks were discovered and the bridge was shut.",
    ),
    (
        "Honeybees dance to show their nestmates where food is.",
        "By dancing, honeybees tell nestmates where to find food.",
    ),
    ("The company dismissed 300 workers.", "300 employees were laid off by the company."),
    ("Tea came to Europe with Dutch traders.", "Dutch merchants brought tea to Europe."),
    (
        "The lake froze completely for the first time in decades.",
        "For the first time in decades, the lake was entirely frozen.",
    ),
    ("Children under five travel free of charge.", "Kids younger than five do not pay for the journey."),
    ("The vaccine must be kept cold.", "The vaccine has to be stored at low temperature."),
    ("The novel sold over two million copies.", "More than two million copies of the novel were sold."),
    ("Whales come up to breathe air.", "To breathe, whales rise to the surface."),
    ("The mayor resigned after the scandal.", "Following the scandal, the mayor stepped down."),
    ("The old theatre was turned into a library.", "The former theatre became a library."),
    ("Doctors advise pregnant women against alcohol.", "Pregnant women are told by physicians not to drink alcohol."),
]
SPLIT = [
    (
        "The museum opened in 1950 and shows Roman coins.",
        ("The museum opened in 1950.", "The museum shows Roman coins."),
    ),
    (
        "The storm cut power to the island and sank three boats.",
        ("The storm cut power to the island.", "Three boats were sunk by the storm."),
    ),
    (
        "Olive oil is pressed from fresh fruit and must not be heated.",
        ("Olive oil is pressed from fresh fruit.", "Olive oil must not be heated."),
    ),
]
MERGED = [
    (
        ("The tower is 90 metres high.", "The tower was built by monks."),
        "The tower is 90 metres high and was built by monks.",
    ),
    (
        ("Saffron comes from crocus flowers.", "Saffron is picked by hand."),
        "Saffron comes from crocus flowers, which are picked by hand.",
    ),
]
CORRECTED = [
    ("The marathon is run in April 1987.", "The marathon is run in April 1986."),
    ("The ferry leaves from Bergen at noon.", "The ferry leaves from Oslo at noon."),
    ("The treaty was signed by both countries.", "The treaty was not signed by both countries."),
]
REMOVED = ["Penguins cannot fly.", "The recipe needs two eggs.", "Gold does not rust.", "The choir sings in Latin."]
ADDED = ["Bamboo grows fast.", "The castle has a moat.", "Snails sleep in winter.", "The train runs on diesel."]
SAME = ["Copper conducts electricity.", "The poet died young.", "Mushrooms are not plants."]


def made() -> tuple[list[Nug], list[Nug], set[tuple[str, frozenset[str], frozenset[str]]]]:
    """The old and the new key (all ids are new), and the edits: kind, old ids and new ids."""
    old: list[Nug] = []
    new: list[Nug] = []
    edits = set()

    def put(kind: str, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        ids = [f"o{len(old) + at}" for at in range(len(before))], [f"n{len(new) + at}" for at in range(len(after))]
        old.extend(nug(name, text) for name, text in zip(ids[0], before, strict=True))
        new.extend(nug(name, text) for name, text in zip(ids[1], after, strict=True))
        edits.add((kind, frozenset(ids[0]), frozenset(ids[1])))

    for text in SAME:
        put("renamed", (text,), (text,))
    for before, after in REWORDED:
        put("reworded", (before,), (after,))
    for whole, parts in SPLIT:
        put("split", (whole,), parts)
    for parts, whole in MERGED:
        put("merged", parts, (whole,))
    for before, after in CORRECTED:
        put("corrected", (before,), (after,))
    for text in REMOVED:
        put("removed", (text,), ())
    for text in ADDED:
        put("added", (), (text,))
    return old, new, edits


def figures(by: str) -> dict[str, tuple[int, int, int]]:
    """For each kind: edits, named, and rightly named."""
    old, new, edits = made()
    named = {
        (change.kind, frozenset(each.nug_id for each in change.old), frozenset(each.nug_id for each in change.new))
        for change in karat.key_diff(old, new, by=by).changes
    }
    kinds = sorted({kind for kind, _, _ in edits | named})
    return {
        kind: (
            sum(edit[0] == kind for edit in edits), sum(name[0] == kind for name in named),
            sum(name[0] == kind for name in named & edits),
        )
        for kind in kinds
    }  # fmt: skip


def shares(found: dict[str, tuple[int, int, int]]) -> tuple[float, float]:
    edits, named, right = (sum(column) for column in zip(*found.values(), strict=True))
    return right / named, right / edits


def test_edits_by_hand_are_named_by_words() -> None:
    found = figures("words")
    precision, recall = shares(found)
    assert precision >= 0.6, found
    assert recall >= 0.6, found


def test_edits_by_hand_are_named_by_meaning() -> None:
    try:
        load_encoder()
    except MissingExtra:
        pytest.skip("the semantic extra is not installed")
    found = figures("meaning")
    precision, recall = shares(found)
    assert precision >= 0.8, found
    assert recall >= 0.8, found


if __name__ == "__main__":
    for way in ("words", "meaning"):
        print(way, shares(figures(way)), figures(way))
