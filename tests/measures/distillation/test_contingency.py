from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.cases import cases, run_nugget
from builders.records import QUERY, judgement, nug, relevance, response
from karat.measures.distillation.contingency import Table, charged_chars, contingency, nug_table, nug_tables
from karat.model import Member, Nug, Record, Relevance, Run, SpanSet
from strategies import moderately

DEGREES = st.floats(0.0, 1.0)


# White et al. 2008, tables 1 to 3, with texts of our own: garden and map are of the first query, town of the second.
EXAMPLE = [
    *(Run(run_id=run_id) for run_id in "ABCD"),
    nug("garden", members={"A1": 0.5, "B1": 1.0}, relevance=1.0),
    nug("map", members={"A1": 0.5, "B2": 1.0, "C1": 1.0, "C2": 1.0}),
    nug("town", members={"A3": 0.5, "B3": 1.0, "C3": 1.0, "C4": 0.5}, relevance=0.5),
    *map(run_nugget, ("A1", "A3", "B1", "B2", "B3", "C1", "C2", "C3", "C4")),
]


@pytest.mark.parametrize(
    ("run_id", "nug_id", "right", "wrong", "missing", "other"),
    [
        ("A", "garden", 0.50, 0.00, 0.50, 0.00),
        ("B", "garden", 1.00, 0.00, 0.00, 0.00),
        ("C", "garden", 0.00, 0.00, 1.00, 0.00),
        ("D", "garden", 0.00, 0.00, 1.00, 0.00),
        ("A", "map", 0.50, 0.00, 0.50, 0.00),
        ("B", "map", 1.00, 0.00, 0.00, 0.00),
        ("C", "map", 1.00, 1.00, 0.00, 0.00),
        ("D", "map", 0.00, 0.00, 1.00, 0.00),
        ("A", "town", 0.25, 0.25, 0.25, 0.25),
        ("B", "town", 0.50, 0.50, 0.00, 0.00),
        ("C", "town", 0.50, 1.00, 0.00, 0.00),
        ("D", "town", 0.00, 0.00, 0.50, 0.50),
    ],
)
def test_table_3_of_the_paper(
    run_id: str, nug_id: str, right: float, wrong: float, missing: float, other: float
) -> None:
    expected = Table(right=right, wrong=wrong, missing=missing, other=other, counted=1)
    assert nug_tables(cases(EXAMPLE)[run_id])[nug_id] == expected


@pytest.mark.parametrize(
    ("run_id", "right", "wrong", "missing", "other"),
    [("A", 1.25, 0.25, 1.25, 0.25), ("B", 2.5, 0.5, 0, 0), ("C", 1.5, 2.0, 1.0, 0), ("D", 0, 0, 2.5, 0.5)],
)
def test_the_partial_tables_of_the_paper_and_the_equations_for_c(
    run_id: str, right: float, wrong: float, missing: float, other: float
) -> None:
    assert contingency(cases(EXAMPLE)[run_id]) == Table(right, wrong, missing, other, counted=3)


@moderately
@given(DEGREES, st.lists(DEGREES, max_size=4), st.booleans())
def test_a_nug_adds_one_count_and_redundant_nuggets_add_only_to_wrong(
    relevance: float, degrees: list[float], knowledge: bool
) -> None:
    table = nug_table(relevance, degrees, world_knowledge=knowledge)
    best = max(degrees, default=0.0)
    without = table.right + table.wrong + table.missing + table.other
    forgiven = relevance * (1 - best) if knowledge else 0.0
    assert without + forgiven - (sum(degrees) - best) == pytest.approx(1.0)
    assert table.right == relevance * best
    assert min(table.right, table.wrong, table.missing, table.other) >= 0


@pytest.mark.parametrize("where", ["nug", "nugget"])
def test_world_knowledge_is_credited_and_never_missed(where: str) -> None:
    records = [
        nug("hard", members={"A1": 0.5, "B1": 1.0}, world_knowledge=True if where == "nug" else None),
        nug("plain", members={"B2": 1.0}),
        run_nugget("A1"),
        run_nugget("B1", world_knowledge=where == "nugget"),
        run_nugget("B2"),
        Run(run_id="C"),
    ]
    by_run = cases(records)
    assert nug_tables(by_run["A"])["hard"] == Table(right=0.5, counted=1)
    assert nug_tables(by_run["B"])["hard"] == Table(right=1.0, counted=1)
    assert contingency(by_run["C"]) == Table(missing=1.0, counted=2)


def test_without_members_the_degrees_are_the_judgements() -> None:
    partly = judgement("one", 0.5, run_id="A", judge="person")
    failed = judgement("two", None, run_id="A", judge="person")
    by_run = cases([nug("one", relevance=0.5), nug("two"), partly, failed, Run(run_id="B")])
    assert nug_tables(by_run["A"]) == {"one": Table(0.25, 0.25, 0.25, 0.25, counted=1)}
    assert contingency(by_run["B"]) == Table(), "nothing is known of a run that nobody judged"


def test_a_run_that_came_later_is_counted_by_its_judgements() -> None:
    judged = judgement("map", run_id="Z", judge="program")
    assert nug_tables(cases([*EXAMPLE, judged])["Z"]) == {"map": Table(right=1.0, counted=1)}


def test_parts_of_nugs_are_not_counted_and_a_nug_known_only_by_its_parts_is_left_out() -> None:
    records = [
        nug("whole"),
        nug("part", members={"A1": 1.0}, parent="whole"),
        nug("map", members={"A2": 1.0}),
        run_nugget("A1"),
        run_nugget("A2"),
    ]
    assert set(nug_tables(cases(records)["A"])) == {"map"}


MAP, SEA = "a map of mosses", "the sea is calm"  # 12 and 12 characters without blanks


def annotated(*labels: Relevance, unnuggetized_chars: int | None = None) -> list[Record]:
    return [
        response("A", MAP, SEA, unnuggetized_chars=unnuggetized_chars),
        nug("map", members={"A1": 1.0}),
        run_nugget("A1", end=5),
        *labels,
    ]


@pytest.mark.parametrize(
    ("records", "irrelevant", "outside"),
    [
        (annotated(), 12, 20),
        (annotated(unnuggetized_chars=70), 70, 20),
        (annotated(relevance("s2", "irrelevant", run_id="A")), 12, 20),
        (annotated(relevance("s1", "relevant", run_id="A")), 0, 20),
        (annotated(relevance("s2", "redundant", run_id="A")), 12, 20),
        (annotated(relevance("s1", "redundant", run_id="A")), 0, 20),
        (annotated(relevance("s1", "irrelevant", run_id="A")), 8, 20),
        (annotated(relevance("s1", "relevant", run_id="A", text_spans=SpanSet([(2, 8)]))), 6, 20),
        (
            annotated(
                relevance("s2", "irrelevant", run_id="A"), relevance("s2", "relevant", run_id="A", assessor="bob")
            ),
            6,
            20,
        ),
    ],
    ids="untold given irrelevant relevant redundant redundant-nuggets irrelevant-nuggets relevant-part split".split(),
)
def test_which_characters_are_charged(records: list[Record], irrelevant: float, outside: float) -> None:
    case = cases(records)["A"]
    assert charged_chars(case) == irrelevant
    assert charged_chars(case, charge="outside") == outside
    assert charged_chars(case, charge="none") == 0
    assert contingency(case) == Table(right=1.0, chars=irrelevant, counted=1)


def test_nuggets_of_irrelevant_text_that_no_nug_counts_are_charged_by_their_characters() -> None:
    records = annotated(relevance("s1", "relevant", run_id="A"), relevance("s2", "irrelevant", run_id="A"))
    assert charged_chars(cases([*records, run_nugget("A2", snippet_id="s2", end=7)])["A"]) == 12


def test_a_response_that_was_judged_and_not_nuggetized_is_not_charged_for_it() -> None:
    judged = judgement("n", run_id="A", judge="person")
    assert charged_chars(cases([response("A", MAP), nug("n"), judged])["A"]) == 0


def test_only_the_first_words_count() -> None:
    records: list[Record] = [
        response("A", "one two three", "four five six"),
        response("B", "one two three four five", "six"),
        nug("early", members={"A1": 1.0, "B1": 1.0}),
        nug("late for A", members={"A2": 1.0, "B2": 1.0}),
        nug("late for all", members={"A3": 1.0}),
        nug("nobody's"),
        run_nugget("A1", start=4, end=13),
        run_nugget("A2", start=5, end=9, snippet_id="s2"),
        run_nugget("A3", start=10, end=13, snippet_id="s2"),
        run_nugget("B1", end=3),
        run_nugget("B2", start=14, end=18),
    ]
    a, b = cases(records)["A"], cases(records)["B"]
    assert contingency(a, words=4, charge="outside") == Table(right=1, missing=2, chars=3 + 4, counted=3)
    assert contingency(b, words=4, charge="outside") == Table(right=2, missing=1, chars=8, counted=3)
    assert contingency(a, words=6).counted == 4
    assert contingency(a, words=6) == contingency(a, words=500) == contingency(a)


def test_a_nug_counts_a_nugget_once_however_often_it_is_listed() -> None:
    member = Member(nugget_id="A1", degree=1.0)
    twice = Nug(query_id=QUERY, nug_id="n", descriptions=("n",), members=(member, member))
    assert contingency(cases([twice, run_nugget("A1")])["A"]) == Table(right=1.0, counted=1)


def test_nuggets_are_distinguished_by_run() -> None:
    stranger = run_nugget("B9", run_id="A", source="auto")
    assert contingency(cases([nug("n", members={"B9": 1.0}), stranger])["A"]).right == 1.0
