from __future__ import annotations

import math
from importlib.resources import files

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.cases import cases, run_nugget, value
from builders.records import citation_judgement, nug, relevance, response
from karat.formats import load
from karat.measures.cases.case import Case
from karat.measures.distillation.contingency import Table
from karat.measures.distillation.distillation import PARTS, SETTINGS, CitationWeightedF, Distillation, TableMeasure
from karat.model import CitationJudgement, Record, Run
from strategies import moderately

AMOUNTS = st.one_of(st.just(0.0), st.floats(1e-6, 1e4))
TABLES = st.builds(
    lambda right, wrong, missing, other, chars: (right, wrong, missing, other, chars, 0.0, 1.0),
    AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS,
)  # fmt: skip
OTHERS = st.sampled_from([0.0, 1.0, 1e5, 1e9])


@pytest.fixture(scope="module")
def example() -> dict[str, list[Case]]:
    """The cases of the paper's example by run, for both queries."""
    records = list(load(str(files("karat.evaluate.reproduce") / "white2008.jsonl")))
    by_query = [cases(records, query_id=query_id) for query_id in ("q1", "q2")]
    return {run_id: [of_query[run_id] for of_query in by_query] for run_id in "ABCD"}


def of(counts: tuple[float, ...] | list[float], part: str, **settings: object) -> float:
    return float(Distillation(part=part, **settings).values(np.asarray(counts, float)))


def pooled(example: dict[str, list[Case]], run_id: str) -> list[float]:
    return np.sum([Distillation(part="recall").counts(case) for case in example[run_id]], axis=0).tolist()


@pytest.mark.parametrize(("run_id", "chars", "wrong"), [("A", 60, 1.5), ("B", 40, 1.0), ("C", 30, 0.75), ("D", 0, 0.0)])
def test_table_4_estimates_wrong_from_the_characters_of_a_run(
    example: dict[str, list[Case]], run_id: str, chars: int, wrong: float
) -> None:
    counts = np.asarray(pooled(example, run_id))
    measure = Distillation(part="precision")
    assert counts[4] == chars
    assert measure.cells(counts).wrong - counts[1] == wrong
    assert Distillation(part="precision", charge="none").cells(counts * [1, 1, 1, 1, 0, 1, 1]).wrong == counts[1]


def test_the_bundled_texts_have_as_many_irrelevant_characters_as_the_table_says(example: dict[str, list[Case]]) -> None:
    for of_queries in example.values():
        for case in of_queries:
            assert case.response is not None
            untold = msgspec.structs.replace(case.response, unnuggetized_chars=None)
            bare = Case(case.pool, case.run_id, response=untold, nuggets=case.nuggets, relevances=case.relevances)
            assert Distillation(part="recall").counts(bare) == Distillation(part="recall").counts(case)


SHOWN = ("precision", "recall", "rightness", "proficiency")
TABLE_5 = {
    "A": ["0.417", "0.500", "0.294", "0.400"],
    "B": ["0.625", "1.000", "0.625", "0.909"],
    "C": ["0.353", "0.600", "0.286", "0.473"],
    "D": ["nan", "0.000", "0.000", "0.000"],
}
TABLE_6 = {
    "A": ["0.450", "0.500", "0.310", "0.399"],
    "B": ["0.583", "0.778", "0.500", "0.665"],
    "C": ["0.400", "0.556", "0.303", "0.438"],
    "D": ["0.500", "0.222", "0.182", "0.176"],
}


@pytest.mark.parametrize(("prior", "table"), [("none", TABLE_5), ("bayes", TABLE_6)])
def test_tables_5_and_6_pooled_over_both_queries_with_c_by_the_equations(
    example: dict[str, list[Case]], prior: str, table: dict[str, list[str]]
) -> None:
    for run_id, expected in table.items():
        measures = [Distillation(part=part, prior=prior) for part in SHOWN]
        assert [f"{value(measure, *example[run_id]):.3f}" for measure in measures] == expected


@pytest.mark.parametrize(
    ("prior", "expected"),
    [("none", ["0.000", "0.000", "0.000", "0.000"]), ("bayes", ["0.211", "0.333", "0.148", "0.238"])],
)
def test_the_row_printed_for_c_follows_from_no_right_nugget(
    example: dict[str, list[Case]], prior: str, expected: list[str]
) -> None:
    _, *others = pooled(example, "C")
    assert [f"{of([0.0, *others], part, prior=prior):.3f}" for part in SHOWN] == expected


@pytest.mark.parametrize("other", [1e4, 1e6])
def test_the_example_needs_a_hundred_thousand_other_nugs(example: dict[str, list[Case]], other: float) -> None:
    assert f"{value(Distillation(part='proficiency', other=other), *example['A']):.3f}" != "0.400"


def test_a_corpus_of_characters_gives_the_number_of_other_nugs(example: dict[str, list[Case]]) -> None:
    measure = Distillation(part="proficiency", corpus=4e6)
    assert value(measure, *example["A"]) == value(Distillation(part="proficiency"), *example["A"])


def test_the_printed_formula_takes_right_off_the_estimate(example: dict[str, list[Case]]) -> None:
    measure = Distillation(part="precision", estimate="formula")
    assert value(measure, *example["A"]) == 1.25 / (1.25 + 0.25 + (1.5 - 1.25))
    assert value(measure, *example["B"]) == 2.5 / 3.0


def test_prior_and_estimate_are_added_once_to_the_pooled_table(example: dict[str, list[Case]]) -> None:
    measure = Distillation(part="recall", prior="bayes")
    first, second = example["B"]
    assert value(measure, first) == 3.0 / 4.0
    assert value(measure, second) == 1.5 / 2.5
    assert value(measure, first, second) == 3.5 / 4.5


@pytest.mark.parametrize(
    ("counts", "part", "expected"),
    [
        ((1, 0, 0, 0, 0, 0, 1), "accuracy", 1.0),
        ((1, 1, 1, 1, 0, 0, 4), "accuracy", 0.5),
        ((0, 0, 2, 0, 0, 0, 2), "precision", math.nan),
        ((0, 0, 2, 0, 0, 0, 2), "F_value", 0.0),
        ((0, 3, 0, 1, 0, 0, 2), "recall", math.nan),
        ((0, 3, 0, 1, 0, 0, 2), "F_value", math.nan),
        ((0, 0, 0, 1, 0, 0, 1), "rightness", math.nan),
        ((0, 3, 0, 1, 0, 0, 2), "proficiency", 0.0),
        ((0, 0, 0, 1, 0, 0, 1), "proficiency", 1.0),
        ((1, 0, 1, 0, 0, 0, 2), "proficiency", 0.0),
        ((0, 0, 1, 0, 0, 0, 1), "proficiency", 0.0),
        ((1, 0, 0, 0, 0, 0, 1), "proficiency", 1.0),
    ],
)
def test_the_ends_of_the_scale(counts: tuple[float, ...], part: str, expected: float) -> None:
    assert of(counts, part, other=0.0) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("prior", ["none", "bayes"])
def test_where_nothing_was_judged_everything_is_undefined_even_with_a_prior(prior: str) -> None:
    nothing = np.zeros((2, 3, len(Table.__struct_fields__)))
    for part in PARTS:
        assert np.isnan(Distillation(part=part, prior=prior).values(nothing)).all()
        assert Distillation(part=part).undefined()


def bits(table: tuple[float, ...], other: float) -> float:
    """Proficiency straight from the definitions, for tables of moderate size."""
    right, wrong, missing, rest = table[0], table[1] + table[4] / 40, table[2], table[3] + other
    cells = {(1, 1): right, (0, 1): wrong, (1, 0): missing, (0, 0): rest}
    total = sum(cells.values())
    of_x = {x: (cells[x, 0] + cells[x, 1]) / total for x in (0, 1)}
    of_y = {y: (cells[0, y] + cells[1, y]) / total for y in (0, 1)}
    shared = sum(c / total * math.log2(c / total / of_x[x] / of_y[y]) for (x, y), c in cells.items() if c)
    return shared / -sum(p * math.log2(p) for p in of_x.values() if p)


@moderately
@given(st.tuples(*[st.floats(0.01, 100.0)] * 5), st.sampled_from([0.0, 10.0, 1e5]))
def test_proficiency_is_mutual_information_over_entropy(table: tuple[float, ...], other: float) -> None:
    assert of((*table, 0, 1), "proficiency", other=other) == pytest.approx(bits(table, other), abs=1e-9)


def test_proficiency_keeps_its_digits_in_the_largest_corpora() -> None:
    # For N -> infinity, R right and M missing of few, I/H -> R/(R + M); the approach is as slow as 1/log N.
    found = [of((3, 0, 1, 0, 0, 0, 4), "proficiency", other=other) for other in (1e5, 1e9, 1e15, 1e18)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1 - (math.log(1e18) + 1) / (4 * (math.log(1e18 / 4) + 1)), rel=1e-12)


@moderately
@given(TABLES, OTHERS, st.sampled_from(["none", "bayes"]))
def test_rightness_bounds_and_the_unit_interval(table: tuple[float, ...], other: float, prior: str) -> None:
    values = {part: of(table, part, other=other, prior=prior) for part in PARTS}
    for found in values.values():
        assert math.isnan(found) or 0 <= found <= 1
    for part in ("precision", "recall"):
        assert not values["rightness"] > values[part] + 1e-12
    assert not math.isnan(values["proficiency"])


@moderately
@given(TABLES.filter(lambda table: table[0] + table[2] > 0), OTHERS)
def test_an_empty_response_never_beats_another(table: tuple[float, ...], other: float) -> None:
    right, _, missing, rest, *_ = table
    empty = (0.0, 0.0, right + missing, rest, 0.0, 0.0, 1.0)
    for part in ("recall", "F_value", "rightness", "proficiency"):
        assert of(empty, part, other=other) == 0.0 <= of(table, part, other=other)


@moderately
@given(st.floats(1e-3, 1e4), AMOUNTS, st.sampled_from([1.0, 1e5, 1e9]))
def test_a_perfect_response_scores_one(right: float, rest: float, other: float) -> None:
    for part in PARTS:
        assert of((right, 0, 0, rest, 0, 0, 1), part, other=other) == 1.0


@moderately
@given(st.lists(TABLES, min_size=1, max_size=5))
def test_many_tables_at_once_score_as_each_by_itself(tables: list[tuple[float, ...]]) -> None:
    for part in PARTS:
        together = Distillation(part=part).values(np.asarray([tables]))
        assert together.shape == (1, len(tables))
        np.testing.assert_array_equal(together[0], [of(table, part) for table in tables])


def parsed(name: str) -> TableMeasure:
    base, _, settings = name.rstrip(")").partition("(")
    said = dict(pair.split("=") for pair in settings.split(",") if pair)
    kind, fixed = (CitationWeightedF, {}) if base == "CW_F_value" else (Distillation, {"part": base})
    return msgspec.convert({**fixed, **said}, kind, strict=False)


@moderately
@given(
    st.one_of(
        st.fixed_dictionaries({"part": st.sampled_from(PARTS)}), st.just({})
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "prior": st.sampled_from(["none", "bayes"]),
            "other": st.floats(0.0, 1e12),
            "corpus": st.floats(1.0, 1e15),
            "density": st.floats(0.5, 500.0),
            "estimate": st.sampled_from(["table", "formula"]),
            "charge": st.sampled_from(["irrelevant", "outside", "none"]),
            "words": st.integers(0, 1000),
            "rules": st.sampled_from(["2008", "2012"]),
        },
    ),
)  # fmt: skip
def test_names_parse_back(fixed: dict[str, str], settings: dict[str, object]) -> None:
    measure = Distillation(**fixed, **settings) if fixed else CitationWeightedF(**settings)
    assert parsed(str(measure)) == measure
    assert set(measure.settings()) <= set(SETTINGS)


def test_names_say_only_what_differs_from_the_default() -> None:
    assert str(Distillation(part="proficiency", prior="bayes", other=1e5)) == "proficiency(prior=bayes)"
    assert str(Distillation(part="F_value", other=1e6, rules="2012")) == "F_value(other=1e6,rules=2012)"
    assert str(CitationWeightedF()) == "CW_F_value"


@pytest.mark.parametrize(
    "settings",
    [{"density": 0.0}, {"density": 9e-7}, {"other": -1.0}, {"words": -1}, {"corpus": "nan"}, {"rules": "2010"}],
)
def test_settings_out_of_range_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"part": "recall", **settings}, Distillation, strict=False)


def test_what_each_measure_needs() -> None:
    assert Distillation(part="recall").needs() == ("nugs",)
    assert Distillation(part="recall", rules="2012").needs() == ("nuggets",)
    assert Distillation(part="precision", charge="outside").needs() == ("nugs", "nuggets", "lengths")
    assert CitationWeightedF(words=500).needs() == ("nugs", "nuggets", "citations", "lengths")


def cited(nugget_id: str, doc_id: str, support: str) -> CitationJudgement:
    return citation_judgement(doc_id, support, run_id=nugget_id[0], nugget_id=nugget_id)


def weighed(*, world_knowledge: bool | None = None) -> list[Record]:
    return [
        nug("one", members={"A1": 1.0, "A2": 0.5, "B1": 1.0}),
        nug("two", members={"B2": 1.0}, world_knowledge=world_knowledge),
        *map(run_nugget, ("A1", "A2", "B1", "B2")),
        cited("A1", "d1", "full"),
        cited("A1", "d2", "none"),
        cited("B1", "d1", "full"),
        cited("B1", "d3", "full"),
        cited("B2", "d4", "full"),
        response("D"),
        Run(run_id="D"),
    ]


def test_citation_weighted_f_by_hand() -> None:
    by_run = cases(weighed())
    # A: precision 1 / 1.5; nug one has mean degree 0.75, citation precision 1/2, recall 1/2, so F 1/2; nug two has 0.
    precision, recall = 1 / 1.5, 0.75 * math.sqrt(0.5) / 2
    assert value(CitationWeightedF(), by_run["A"]) == pytest.approx(2 * precision * recall / (precision + recall))
    assert value(CitationWeightedF(), by_run["B"]) == 1.0
    assert value(CitationWeightedF(), by_run["D"]) == 0.0


def test_a_nug_that_takes_world_knowledge_is_not_missed_by_citations_either() -> None:
    precision, recall = 1 / 1.5, 0.75 * math.sqrt(0.5)
    found = value(CitationWeightedF(), cases(weighed(world_knowledge=True))["A"])
    assert found == pytest.approx(2 * precision * recall / (precision + recall))


def test_without_judged_citations_citation_weighted_f_is_undefined() -> None:
    records = [record for record in weighed() if not isinstance(record, CitationJudgement)]
    assert math.isnan(value(CitationWeightedF(), cases(records)["B"]))
    assert CitationWeightedF().undefined() == "no citation was judged"


def test_by_the_rules_of_2012_citation_weighted_f_is_undefined_where_nothing_is_labelled() -> None:
    measure = CitationWeightedF(rules="2012")
    records = weighed()
    labelled = [relevance("s1", "relevant", run_id=run_id) for run_id in "AB"]
    scored = cases([*records, *labelled])
    for run_id in "ABD":
        assert math.isnan(value(measure, cases(records)[run_id]))
        assert value(measure, scored[run_id], cases(records)[run_id]) == value(measure, scored[run_id])
    assert value(measure, scored["D"]) == 0.0
    assert measure.undefined() == "no citation was judged, or no nugget lies in a labelled snippet"


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("settings", [{}, {"density": 1e-6}, {"corpus": 1e18, "density": 1e-6}, {"other": 0.0}])
@pytest.mark.parametrize("chars", [10**18, 10**308, 10**400], ids=["1e18", "1e308", "1e400"])
def test_however_many_characters_are_charged_scores_are_shares(
    part: str, settings: dict[str, float], chars: int
) -> None:
    case = cases([*weighed(), response("A", "text", unnuggetized_chars=chars)])["A"]
    assert 0.0 <= value(Distillation(part=part, **settings), case) <= 1.0
