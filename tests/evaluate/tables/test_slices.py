from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.rows import Matrix, Row, judged_rows, judgement, nug, query
from karat.evaluate.score.score import Scoring, score
from karat.evaluate.tables.slices import fields_of, slices_by
from karat.formats import load
from karat.measures.cases.cases import Cases
from karat.model import Query, UsageError

LANGUAGES = ("en", "de", "en", None, "de", "en")
MATRIX: Matrix = {"r": [1.0, 0.0, 0.5, 1.0, 0.5, 0.0], "s": [0.0, 0.5, 0.5, 0.0, 1.0, 1.0]}


def asked(languages: tuple[str | None, ...] = LANGUAGES) -> list[Row]:
    return [query(f"q{at}", **({"language": one} if one else {})) for at, one in enumerate(languages)]


def totals(scoring: Scoring) -> dict[tuple[str, str, str], tuple[object, ...]]:
    return {
        (score.run_id, score.measure, score.query_id): (score.value, score.low, score.high, score.n, score.undefined)
        for score in scoring.of_all()
    }


def test_queries_are_grouped_by_the_value_of_their_field() -> None:
    cases = Cases(load([*asked(), *judged_rows(MATRIX)]))
    assert slices_by(cases, "language") == {
        "language=(none)": [3], "language=de": [1, 4], "language=en": [0, 2, 5],
        "all": [0, 1, 2, 3, 4, 5],
    }  # fmt: skip
    assert slices_by(cases, None) == {"all": [0, 1, 2, 3, 4, 5]}


def test_the_template_is_a_field_like_the_conditions() -> None:
    asked_for = Query(query_id="q", text="Who?", template="info_person", conditions={"language": "en"})
    assert fields_of(asked_for) == {"template": "info_person", "language": "en"}
    assert fields_of(Query(query_id="q", text="Who?")) == fields_of(None) == {}


def test_an_unknown_field_is_answered_with_the_choices() -> None:
    with pytest.raises(UsageError) as raised:
        score([*asked(), *judged_rows(MATRIX)], by="langauge")
    assert str(raised.value) == "no query has a field 'langauge'; choose from language"
    with pytest.raises(UsageError) as raised:
        score(judged_rows(MATRIX), by="language")
    assert str(raised.value) == "no query has a field 'language'; the queries have no conditions"


def test_a_slice_scores_as_a_collection_of_only_its_queries() -> None:
    rows = judged_rows(MATRIX)
    sliced = totals(score([*asked(), *rows], by="language"))
    for language, wanted in (("en", {"q0", "q2", "q5"}), ("de", {"q1", "q4"}), ("(none)", {"q3"})):
        alone = totals(score([row for row in rows if row["query_id"] in wanted]))
        part = {key[:2]: value for key, value in sliced.items() if key[2] == f"language={language}"}
        assert part == {key[:2]: value for key, value in alone.items()}
    assert len(sliced) == 2 * 4 * (3 + 1)


def test_slices_are_next_to_the_scores_per_query_and_not_among_them() -> None:
    scoring = score([*asked(), *judged_rows(MATRIX)], by="language", measures="lenient_vital")
    assert scoring.by == "language"
    assert {score.query_id for score in scoring.by_query()} == {f"q{at}" for at in range(6)}
    assert {score.query_id for score in scoring.of_all()} == {"language=en", "language=de", "language=(none)", "all"}


def test_tie_groups_are_of_the_slice() -> None:
    languages = ("en",) * 8 + ("de",) * 8
    values = {"r": [1.0] * 8 + [0.5] * 8, "s": [0.0] * 8 + [0.5] * 8}
    scoring = score([*asked(languages), *judged_rows(values)], by="language", measures="lenient_vital")
    ties = {(score.query_id, score.run_id): score.extra.get("tie") for score in scoring.of_all()}
    assert ties == {
        ("language=en", "r"): "a", ("language=en", "s"): "b",
        ("language=de", "r"): "a", ("language=de", "s"): "a",
        ("all", "r"): "a", ("all", "s"): "b",
    }  # fmt: skip


def test_pooled_slices_pool_their_own_counts() -> None:
    rows = [query("p", medium="news"), query("q", medium="news"), query("o", medium="web")]
    rows += [nug("p"), judgement("p", "r", 1.0), nug("o"), judgement("o", "r", 1.0)]
    for number in "123":
        rows += [nug("q", number), judgement("q", "r", 0.0, number)]
    scoring = score(rows, by="medium", average="pool", measures="strict_vital")
    assert {score.query_id: score.value for score in scoring.of_all()} == {
        "medium=news": 0.25,
        "medium=web": 1.0,
        "all": 0.4,
    }


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=7))
def test_slices_together_hold_every_query_once(cells: list[tuple[str, float]]) -> None:
    rows = [*asked(tuple(name for name, _ in cells)), *judged_rows({"r": [degree for _, degree in cells]})]
    scores = score(rows, by="language", measures="lenient_all").of_all()
    assert sum(one.n or 0 for one in scores if one.query_id != "all") == len(cells)
    weighed = sum((one.value or 0.0) * (one.n or 0) for one in scores if one.query_id != "all")
    assert weighed == pytest.approx(sum(degree for _, degree in cells))


def test_a_score_of_a_slice_says_by_which_field() -> None:
    scoring = score([*asked(), *judged_rows(MATRIX)], by="language", measures="lenient_vital")
    for one in scoring.scores:
        assert one.extra.get("by") == ("language" if one.query_id.startswith("language=") else None)


def test_a_query_may_have_the_name_of_a_slice() -> None:
    rows = [query("language=en", language="en"), query("q2", language="en"), nug("language=en"), nug("q2")]
    rows += [judgement("language=en", "r", 1.0), judgement("q2", "r", 0.0)]
    scoring = score(rows, by="language", measures="strict_vital")
    assert [(score.query_id, score.value) for score in scoring.by_query()] == [("language=en", 1.0), ("q2", 0.0)]
    assert [(score.query_id, score.value) for score in scoring.of_all()] == [("language=en", 0.5), ("all", 0.5)]
    plain = score(rows, measures="strict_vital")
    assert [score.query_id for score in plain.by_query()] == ["language=en", "q2"]


def test_what_was_scored_by_a_field_is_no_table_of_queries() -> None:
    """Read again, the total alone is left: two slices are not two queries."""
    scoring = score([*asked(), *judged_rows(MATRIX)], by="language", measures="lenient_vital")
    again = score(scoring.of_all())
    assert {score.run_id: (score.query_id, score.value) for score in again.scores} == {
        "r": ("all", 0.5),
        "s": ("all", 0.5),
    }


def test_the_total_is_next_to_the_ratios_of_slices() -> None:
    scoring = score([*asked(), *judged_rows(MATRIX)], by="language", measures="lenient_vital", relative_to="s")
    ratios = {
        score.query_id: (score.value, score.extra) for score in scoring.of_all() if score.measure == "lenient_vital/s"
    }
    assert ratios["language=en"] == (1.0, {"by": "language"})
    assert ratios["all"] == (1.0, {})
