from __future__ import annotations

from karat.model.wording import FEW, folded


def test_distinct_notes_all_appear_however_many_there_are() -> None:
    words = [f"{first}{second} was left out" for first in "abcdefgh" for second in "uvwxyz"]
    assert folded(words) == words


def test_notes_of_a_kind_are_one_line_with_a_count_and_names() -> None:
    many = [
        f"run r{number}, query q{number}: {number} failed judgements, scored on the rest" for number in range(2, 40)
    ]
    important = "16.4 % of the zeros are rescued"
    lines = folded([*many, important])
    assert lines == [
        f"{many[0]} (and 37 more notes like this: run r3, query q3, run r4, query q4, run r5, query q5, "
        "run r6, query q6, run r7, query q7, ...)",
        important,
    ]
    assert folded(many[:FEW]) == many[:FEW]


def test_notes_about_runs_and_about_single_queries_are_of_two_kinds() -> None:
    of_runs = [f"run r{number}: 2 nugs not judged, scored on the rest" for number in range(4)]
    of_queries = [f"run r, query q{number}: 2 nugs not judged, scored on the rest" for number in range(4)]
    assert len(folded([*of_runs, *of_queries])) == 2


def test_the_same_note_twice_is_counted() -> None:
    assert folded(["a", "b", "a"]) == ["a (2 times)", "b"]


def test_what_is_said_of_several_measures_is_one_note_with_their_names() -> None:
    runs = [f"run {run}: {name} is undefined for 4 queries (no nug)" for run in "ab" for name in ("F3", "recall")]
    wide = [f"{name}: intervals from fewer than 10 queries are wide" for name in ("F3", "recall", "pyramid_F3")]
    assert folded([*runs, *wide]) == [
        "run a: F3, recall are undefined for 4 queries (no nug)",
        "run b: F3, recall are undefined for 4 queries (no nug)",
        "F3, recall, pyramid_F3: intervals from fewer than 10 queries are wide",
    ]
    assert folded([f"m{number}: few" for number in range(7)]) == ["m0, m1, m2, m3, m4 and 2 more: few"]
    assert folded(["F3: 4 labelled", "recall: 5 labelled"]) == ["F3: 4 labelled", "recall: 5 labelled"]
