from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.measures.distillation.contingency import Table, charged_chars, contingency, nug_table, nug_tables
from karat.model import Judgement, Member, Nug, Nugget, Record, Relevance, Run, SpanSet
from measures.casework import QUERY, cases, nugget, response
from strategies import moderately

DEGREES = st.floats(0.0, 1.0)


def nug(nug_id: str, members: dict[str, float] | None = None, **fields: object) -> Nug:
    of_nug = tuple(Member(nugget_id=nugget_id, degree=degree) for nugget_id, degree in (members or {}).items())
    return Nug(query_id=QUERY, nug_id=nug_id, descriptions=(nug_id,), members=of_nug, **fields)


def label(run_id: str, snippet_id: str, label: str, *, assessor: str = "ann", **fields: object) -> Relevance:
    return Relevance(
        query_id=QUERY, run_id=run_id, snippet_id=snippet_id, assessor=assessor, label=label, **fields
    )  # fmt: skip


# White et al. 2008, tables 1 to 3, with texts of our own: garden and map are of the first query, town of the second.
EXAMPLE = [
    *(Run(run_id=run_id) for run_id in "ABCD"),
    nug("garden", {"A1": 0.5, "B1": 1.0}, relevance=1.0),
    nug("map", {"A1": 0.5, "B2": 1.0, "C1": 1.0, "C2": 1.0}),
    nug("town", {"A3": 0.5, "B3": 1.0, "C3": 1.0, "C4": 0.5}, relevance=0.5),
    *map(nugget, ("A1", "A3", "B1", "B2", "B3", "C1", "C2", "C3", "C4")),
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
def test_a_nug_adds_one_count_and_redundant_nuggets_add_to_wrong_alone(
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
        nug("hard", {"A1": 0.5, "B1": 1.0}, world_knowledge=True if where == "nug" else None),
        nug("plain", {"B2": 1.0}),
        nugget("A1"),
        nugget("B1", world_knowledge=where == "nugget"),
        nugget("B2"),
        Run(run_id="C"),
    ]
    found = cases(records)
    assert nug_tables(found["A"])["hard"] == Table(right=0.5, counted=1)
    assert nug_tables(found["B"])["hard"] == Table(right=1.0, counted=1)
    assert contingency(found["C"]) == Table(missing=1.0, counted=2)


def test_without_members_the_degrees_are_the_judgements() -> None:
    judged = Judgement(query_id=QUERY, run_id="A", nug_id="one", degree=0.5, judge="person")
    failed = Judgement(query_id=QUERY, run_id="A", nug_id="two", judge="person", status="failed")
    found = cases([nug("one", relevance=0.5), nug("two"), judged, failed, Run(run_id="B")])
    assert nug_tables(found["A"]) == {"one": Table(0.25, 0.25, 0.25, 0.25, counted=1)}
    assert contingency(found["B"]) == Table(), "nothing is known of a run that nobody judged"


def test_a_run_that_came_later_is_counted_by_its_judgements() -> None:
    judged = Judgement(query_id=QUERY, run_id="Z", nug_id="map", degree=1.0, judge="program")
    assert nug_tables(cases([*EXAMPLE, judged])["Z"]) == {"map": Table(right=1.0, counted=1)}


def test_parts_of_nugs_are_not_counted_and_a_nug_known_only_by_its_parts_is_left_out() -> None:
    records = [
        nug("whole"),
        nug("part", {"A1": 1.0}, parent="whole"),
        nug("map", {"A2": 1.0}),
        nugget("A1"),
        nugget("A2"),
    ]
    assert set(nug_tables(cases(records)["A"])) == {"map"}


MAP, SEA = "a map of mosses", "the sea is calm"  # 12 and 12 characters without blanks


def annotated(*labels: Relevance, unnuggetized_chars: int | None = None) -> list[Record]:
    return [
        response("A", MAP, SEA, unnuggetized_chars=unnuggetized_chars),
        nug("map", {"A1": 1.0}),
        nugget("A1", end=5),
        *labels,
    ]


@pytest.mark.parametrize(
    ("records", "irrelevant", "outside"),
    [
        (annotated(), 12, 20),
        (annotated(unnuggetized_chars=70), 70, 20),
        (annotated(label("A", "s2", "irrelevant")), 12, 20),
        (annotated(label("A", "s1", "relevant")), 0, 20),
        (annotated(label("A", "s2", "redundant")), 12, 20),
        (annotated(label("A", "s1", "redundant")), 0, 20),
        (annotated(label("A", "s1", "irrelevant")), 8, 20),
        (annotated(label("A", "s1", "relevant", text_spans=SpanSet([(2, 8)]))), 6, 20),
        (annotated(label("A", "s2", "irrelevant"), label("A", "s2", "relevant", assessor="bob")), 6, 20),
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
    records = annotated(label("A", "s1", "relevant"), label("A", "s2", "irrelevant"))
    assert charged_chars(cases([*records, nugget("A2", snippet_id="s2", end=7)])["A"]) == 12


def test_a_response_that_was_judged_and_not_nuggetized_is_not_charged_for_it() -> None:
    judged = Judgement(query_id=QUERY, run_id="A", nug_id="n", degree=1.0, judge="person")
    assert charged_chars(cases([response("A", MAP), nug("n"), judged])["A"]) == 0


def test_only_the_first_words_count() -> None:
    records: list[Record] = [
        response("A", "one two three", "four five six"),
        response("B", "one two three four five", "six"),
        nug("early", {"A1": 1.0, "B1": 1.0}),
        nug("late for A", {"A2": 1.0, "B2": 1.0}),
        nug("late for all", {"A3": 1.0}),
        nug("nobody's"),
        nugget("A1", start=4, end=13),
        nugget("A2", start=5, end=9, snippet_id="s2"),
        nugget("A3", start=10, end=13, snippet_id="s2"),
        nugget("B1", end=3),
        nugget("B2", start=14, end=18),
    ]
    a, b = cases(records)["A"], cases(records)["B"]
    assert contingency(a, words=4, charge="outside") == Table(right=1, missing=2, chars=3 + 4, counted=3)
    assert contingency(b, words=4, charge="outside") == Table(right=2, missing=1, chars=8, counted=3)
    assert contingency(a, words=6).counted == 4
    assert contingency(a, words=6) == contingency(a, words=500) == contingency(a)


def test_a_nug_counts_a_nugget_once_however_often_it_is_listed() -> None:
    twice = Nug(
        query_id=QUERY, nug_id="n", descriptions=("n",),
        members=(Member(nugget_id="A1", degree=1.0), Member(nugget_id="A1", degree=1.0)),
    )  # fmt: skip
    assert contingency(cases([twice, nugget("A1")])["A"]) == Table(right=1.0, counted=1)


def test_nuggets_are_told_apart_by_run() -> None:
    stranger = Nugget(
        nugget_id="B9", query_id=QUERY, run_id="A", snippet_id="s1", spans=SpanSet([(0, 1)]), source="auto"
    )
    assert contingency(cases([nug("n", {"B9": 1.0}), stranger])["A"]).right == 1.0
