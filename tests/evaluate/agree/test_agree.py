from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.evaluate.agree.agree import Agreement, AgreementRow, agree, input_names
from karat.formats import load
from karat.model import (
    CitationJudgement,
    InputError,
    Judgement,
    Member,
    Nug,
    Nugget,
    Query,
    Record,
    Relevance,
    Response,
    Score,
    Signature,
    Snippet,
    SpanSet,
    UsageError,
    Vote,
)


def votes(assessor: str, values: str, *, query_id: str = "q", occasion: str | None = None) -> list[Record]:
    """A letter a nug: v vital, o okay, - no vote."""
    names = {"v": "vital", "o": "okay"}
    return [
        Vote(query_id=query_id, nug_id=f"n{number}", assessor=assessor, occasion=occasion, value=names[one])  # type: ignore[arg-type]
        for number, one in enumerate(values)
        if one != "-"
    ]


def judged(judge: str, *degrees: float, query_id: str = "q") -> list[Record]:
    return [
        Judgement(query_id=query_id, run_id="r", nug_id=f"n{number}", degree=degree, judge=judge)
        for number, degree in enumerate(degrees)
    ]


def row(found: Agreement, coefficient: str, *, what: str | None = None, **wanted: str) -> AgreementRow:
    rows = [
        one for one in found.rows
        if one.coefficient == coefficient
        and (what is None or one.what == what)
        and all(getattr(one, name) == value for name, value in wanted.items())
    ]  # fmt: skip
    assert len(rows) == 1
    return rows[0]


def test_votes_of_two_assessors() -> None:
    """3 of 4 agree; ann calls 2 of 4 vital, ben 3: chance agreement is 1/2."""
    found = agree([*votes("ann", "vvoo"), *votes("ben", "vvov")])
    assert {(one.what, one.pair, one.part, one.units, one.raters) for one in found.rows} == {
        ("votes", "ann ~ ben", "all", 4, 2)
    }
    assert [one.coefficient for one in found.rows] == [
        "percent_agreement", "cohen_kappa", "krippendorff_alpha(level=nominal)", "gwet_ac1",
    ]  # fmt: skip
    assert row(found, "percent_agreement").value == 0.75
    assert row(found, "cohen_kappa").value == pytest.approx(0.5)


def test_raters_in_one_file_or_in_several_are_the_same() -> None:
    ann, ben = votes("ann", "vvoo"), votes("ben", "vvov")
    assert agree(ann, ben) == agree([*ann, *ben])


def test_three_assessors_and_their_pairs() -> None:
    records = [*votes("ann", "vvoo"), *votes("ben", "vvov"), *votes("cho", "vo--")]
    found = agree(records)
    assert {one.pair for one in found.rows} == {"all"}
    assert row(found, "fleiss_kappa").raters == 3
    pairs = agree(records, pairs=True)
    assert pairs.rows[: len(found.rows)] == found.rows
    assert row(pairs, "cohen_kappa", pair="ann ~ ben").value == pytest.approx(0.5)
    assert row(pairs, "percent_agreement", pair="ben ~ cho").units == 2


def test_an_assessor_who_votes_twice_is_compared_with_others_and_with_oneself() -> None:
    records = [*votes("ann", "vvoo", occasion="1"), *votes("ann", "vooo", occasion="2"), *votes("ben", "vvvv")]
    found = agree(records)
    assert row(found, "percent_agreement", what="votes").raters == 3
    within = row(found, "percent_agreement", what="votes_within_assessor")
    assert (within.value, within.units, within.raters) == (0.75, 4, 2)


def test_files_that_use_the_same_name_are_the_raters(tmp_path: Path) -> None:
    first, second = judged("gpt", 1, 0, 1), judged("gpt", 1, 0, 0)
    found = agree(first, second)
    assert {one.pair for one in found.rows} == {"<list>#1 ~ <list>#2"}
    assert row(found, "percent_agreement").value == pytest.approx(2 / 3)
    assert (
        "judgements: several files have the same rater for the same thing, so each file counts as a rater"
        in found.notes
    )


def test_names_of_inputs() -> None:
    assert input_names(["x/a.jsonl", "b.jsonl", "-"]) == ["a.jsonl", "b.jsonl", "-"]
    assert input_names(["a", "a", "x/a"]) == ["a#1", "a#2", "x/a"]


def test_grades_have_an_order() -> None:
    found = agree([*judged("a", 0, 0.5, 1, 1), *judged("b", 0, 1, 1, 0.5)])
    names = [one.coefficient for one in found.rows]
    assert [name for name in names if name.startswith("cohen")] == [
        "cohen_kappa", "cohen_kappa(weights=linear)", "cohen_kappa(weights=quadratic)",
    ]  # fmt: skip
    assert [name for name in names if name.startswith("krippendorff")] == [
        f"krippendorff_alpha(level={level})" for level in ("nominal", "ordinal", "interval")
    ]


def citation(assessor: str, doc_id: str, support: Any) -> CitationJudgement:
    return CitationJudgement(
        query_id="q", run_id="r", snippet_id="s", doc_id=doc_id, support=support, assessor=assessor
    )


def test_citations() -> None:
    found = agree(
        [
            citation("ann", "d1", "full"), citation("ann", "d2", "partial"), citation("ann", "d3", "missing"),
            citation("ben", "d1", "full"), citation("ben", "d2", "none"), citation("ben", "d3", "none"),
        ]
    )  # fmt: skip
    percent = row(found, "percent_agreement", what="citations")
    assert (percent.value, percent.units) == (0.5, 2)
    assert row(found, "krippendorff_alpha(level=ordinal)", what="citations").value is not None


def relevance(assessor: str, *labels: Any) -> list[Record]:
    return [
        Relevance(query_id="q", run_id="r", snippet_id=f"s{number}", assessor=assessor, label=label)
        for number, label in enumerate(labels)
    ]


def test_redundant_is_relevant_and_yet_another_label() -> None:
    found = agree([*relevance("ann", "relevant", "irrelevant"), *relevance("ben", "redundant", "irrelevant")])
    assert row(found, "relevance_agreement").value == 1
    assert row(found, "percent_agreement").value == 0.5
    assert not any("ordinal" in one.coefficient for one in found.rows)


RESPONSE = Response(
    query_id="q", run_id="r", snippets=tuple(Snippet(snippet_id=f"s{number}", text="abcd efgh") for number in range(3))
)


def nugget(assessor: str, snippet_id: str, *span: int) -> Nugget:
    return Nugget(
        nugget_id=f"{assessor}-{snippet_id}-{span}", query_id="q", run_id="r", snippet_id=snippet_id,
        spans=SpanSet([span]), source="person", assessor=assessor,
    )  # fmt: skip


def test_nuggets_and_the_relevance_they_imply() -> None:
    """Ann marks s0 and s1, ben s0 and more of it: one snippet of three is disputed."""
    found = agree([RESPONSE, nugget("ann", "s0", 0, 4), nugget("ann", "s1", 0, 4), nugget("ben", "s0", 0, 9)])
    assert row(found, "relevance_agreement").value == pytest.approx(2 / 3)
    assert any(note.startswith("relevance: a snippet with a nugget counts as relevant") for note in found.notes)
    overlap = row(found, "nugget_overlap")
    assert (overlap.value, overlap.units, overlap.raters) == (pytest.approx(4 / (4 + 2)), 1, 2)
    assert row(found, "span_f1(match=exact)").value == 0
    assert row(found, "span_f1(match=partial)").value == pytest.approx(2 * (8 / 12) / 3)
    assert row(found, "krippendorff_alpha_u").units == 3


def test_the_text_may_stand_in_a_file_of_its_own() -> None:
    ann, ben = [nugget("ann", "s0", 0, 4)], [nugget("ben", "s0", 0, 4)]
    apart, together = agree(ann, ben, [RESPONSE]), agree([RESPONSE, *ann, *ben])
    assert apart == together
    untold = agree(ann, ben, kind="nuggets")
    assert row(untold, "nugget_overlap").reason == "the text of the snippets is not among the files"
    assert row(untold, "span_f1(match=exact)").value == 1
    assert any("nuggets.nugget_overlap (ann ~ ben) is undefined: the text of" in note for note in untold.notes)


def test_files_with_different_texts_are_told_of() -> None:
    other = Response(query_id="q", run_id="r", snippets=(Snippet(snippet_id="s0", text="abcd xyz!"),))
    found = agree([RESPONSE, nugget("ann", "s0", 0, 4)], [other, nugget("ben", "s0", 0, 4)])
    assert "the files have different texts for 1 snippet; the text of the first file is used" in found.notes


def nug(nug_id: str, *members: str, query_id: str = "q") -> Nug:
    return Nug(
        query_id=query_id, nug_id=nug_id, descriptions=("x",), members=tuple(Member(nugget_id=one) for one in members)
    )


def test_nugs_of_two_files_are_compared_by_their_members() -> None:
    found = agree([nug("x", "1", "2"), nug("y", "3", "4", "5")], [nug("a", "3", "4"), nug("b", "1", "2", "9")])
    assert [one.coefficient for one in found.rows] == [
        "b_cubed_f", "ceaf_f(phi=3)", "ceaf_f(phi=4)", "adjusted_rand", "masi_alpha",
    ]  # fmt: skip
    assert {(one.value, one.units) for one in found.rows} == {(1.0, 4)}


def test_three_partitions_are_compared_two_at_a_time() -> None:
    files = [nug("x", "1", "2"), nug("y", "3")], [nug("a", "1", "2", "3")], [nug("k", "1"), nug("l", "2", "3")]
    found = agree(*files)
    assert [one.coefficient for one in found.rows if one.pair == "all"] == ["masi_alpha"]
    assert sum(one.coefficient == "b_cubed_f" for one in found.rows) == 3


def test_by_a_field_of_the_conditions() -> None:
    queries = [
        Query(query_id=query_id, text="?", conditions={"language": language})
        for query_id, language in (("q", "en"), ("p", "fr"), ("o", "fr"), ("z", "de"))
    ]
    records: list[Record] = [*queries]
    for query_id, ann, ben in (("q", "vvoo", "vvoo"), ("p", "vo", "ov"), ("o", "vv", "vo"), ("z", "v", "-")):
        records += [*votes("ann", ann, query_id=query_id), *votes("ben", ben, query_id=query_id)]
    found = agree(records, by="language")
    values = {one.part: one.value for one in found.rows if one.coefficient == "percent_agreement"}
    assert values == {"all": 5 / 8, "language=en": 1, "language=fr": 0.25}
    assert "votes (language=de): nothing was rated by two raters" in found.notes
    assert found.settings["by"] == "language"
    with pytest.raises(UsageError, match="no query has a field 'medium'; choose from language"):
        agree(records, by="medium")
    with pytest.raises(UsageError, match="the queries have no conditions"):
        agree(votes("ann", "v"), votes("ben", "v"), by="medium")


def test_undefined_is_told_with_its_reason() -> None:
    found = agree([*votes("ann", "vv"), *votes("ben", "vv")])
    assert row(found, "percent_agreement").value == 1
    assert row(found, "gwet_ac1").value == 1
    kappa = row(found, "cohen_kappa")
    assert kappa.value is None
    assert kappa.reason is not None
    assert any(note.startswith("votes.cohen_kappa (ann ~ ben) is undefined: only one category") for note in found.notes)


def test_queries_are_resampled_and_units_where_there_is_one() -> None:
    """Two queries that differ as much as can be: the interval runs from the one to the other."""
    one = [*votes("ann", "vovo"), *votes("ben", "vovo")]
    other = [*votes("ann", "vovo", query_id="p"), *votes("ben", "ovov", query_id="p")]
    percent = row(agree([*one, *other]), "percent_agreement")
    assert (percent.value, percent.low, percent.high) == (0.5, 0, 1)
    assert row(agree([*votes("ann", "vovo"), *votes("ben", "vovv")]), "percent_agreement").low is not None


def test_scores_are_records_with_a_signature() -> None:
    found = agree([*votes("ann", "vvoo"), *votes("ben", "vvov")], seed=7)
    first = found.scores()[0]
    assert isinstance(first, Score)
    assert (first.run_id, first.query_id, first.measure) == ("ann ~ ben", "all", "votes.percent_agreement")
    assert (first.value, first.n, first.undefined) == (0.75, 4, 0)
    signature = Signature.parse(first.signature or "")
    assert (signature.name, signature.settings["seed"]) == ("votes.percent_agreement", "7")
    assert load(found.scores()).scores == found.scores()


def test_what_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="kind='vote' is not one of votes, judgements"):
        agree(votes("ann", "v"), kind="vote")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"nothing was rated by two raters \(votes: only by ann\)"):
        agree(votes("ann", "v"), kind="votes")
    with pytest.raises(UsageError, match="votes: 2 raters without a unit in common; judgements: none"):
        agree(votes("ann", "v-"), votes("ben", "-v"))
    with pytest.raises(UsageError, match="nothing was rated by two raters"):
        agree()


def test_bad_input_stops_or_is_left_out() -> None:
    good = b'{"kind":"vote","v":1,"query_id":"q","nug_id":"n","assessor":"ann","value":"vital"}\n'
    bad = good.replace(b"vital", b"grand")
    with pytest.raises(InputError, match="grand"):
        agree(good, bad)
    found = agree(good + good.replace(b"ann", b"ben") + bad, on_error="skip")
    assert row(found, "percent_agreement").value == 1


@pytest.mark.real_data
def test_crowd_votes_of_realsumm(real_data: Path) -> None:
    found = agree(real_data / "realsumm-crowd")
    assert {one.what for one in found.rows} == {"judgements"}
    assert {(one.units, one.raters) for one in found.rows} == {(26_400, 4)}
    values = {one.coefficient: round(one.value or 0, 3) for one in found.rows}
    assert values == {
        "percent_agreement": 0.859,
        "fleiss_kappa": 0.716,
        "krippendorff_alpha(level=nominal)": 0.720,
        "gwet_ac1": 0.718,
    }


@pytest.mark.real_data
def test_propositions_of_propsegment(real_data: Path) -> None:
    found = agree(real_data / "propsegment")
    values = {(one.what, one.coefficient): (round(one.value or 0, 3), one.units) for one in found.rows}
    assert values["judgements", "krippendorff_alpha(level=nominal)"] == (0.808, 1059)
    assert values["relevance", "relevance_agreement"] == (0.990, 387)
    assert values["nuggets", "nugget_overlap"] == (0.963, 381)
    assert values["nuggets", "span_f1(match=exact)"] == (0.194, 382)
    assert values["nuggets", "span_f1(match=partial)"] == (0.720, 382)
    assert values["nuggets", "krippendorff_alpha_u"] == (0.665, 387)
