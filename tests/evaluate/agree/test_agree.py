from __future__ import annotations

from pathlib import Path

import pytest

from builders.records import citation_judgement, judgement, nug, nugget, relevance, response, vote
from karat.evaluate.agree.agree import Agreement, AgreementRow, agree, input_names
from karat.formats import load
from karat.model import (
    CitationJudgement,
    InputError,
    Nugget,
    Query,
    Record,
    Score,
    Signature,
    UsageError,
)


def votes(assessor: str, values: str, *, query_id: str = "q", occasion: str | None = None) -> list[Record]:
    """A letter a nug: v vital, o okay, - no vote."""
    names = {"v": "vital", "o": "okay"}
    return [
        vote(f"n{number}", names[letter], assessor, query_id=query_id, occasion=occasion)
        for number, letter in enumerate(values)
        if letter != "-"
    ]


def judgements(judge: str, *degrees: float) -> list[Record]:
    return [judgement(f"n{number}", degree, judge=judge) for number, degree in enumerate(degrees)]


def row(found: Agreement, coefficient: str, *, what: str | None = None, **wanted: str) -> AgreementRow:
    rows = [
        row for row in found.rows
        if row.coefficient == coefficient
        and (what is None or row.what == what)
        and all(getattr(row, name) == value for name, value in wanted.items())
    ]  # fmt: skip
    assert len(rows) == 1
    return rows[0]


def test_votes_of_two_assessors() -> None:
    """3 of 4 agree; ann calls 2 of 4 vital, ben 3: chance agreement is 1/2."""
    agreement = agree([*votes("ann", "vvoo"), *votes("ben", "vvov")])
    assert {(row.what, row.pair, row.part, row.units, row.raters) for row in agreement.rows} == {
        ("votes", "ann ~ ben", "all", 4, 2)
    }
    assert [row.coefficient for row in agreement.rows] == [
        "percent_agreement", "cohen_kappa", "krippendorff_alpha(level=nominal)", "gwet_ac1",
    ]  # fmt: skip
    assert row(agreement, "percent_agreement").value == 0.75
    assert row(agreement, "cohen_kappa").value == pytest.approx(0.5)


def test_raters_in_one_file_or_in_several_are_the_same() -> None:
    ann, ben = votes("ann", "vvoo"), votes("ben", "vvov")
    assert agree(ann, ben) == agree([*ann, *ben])


def test_three_assessors_and_their_pairs() -> None:
    records = [*votes("ann", "vvoo"), *votes("ben", "vvov"), *votes("cho", "vo--")]
    agreement = agree(records)
    assert {row.pair for row in agreement.rows} == {"all"}
    assert row(agreement, "fleiss_kappa").raters == 3
    pairs = agree(records, pairs=True)
    assert pairs.rows[: len(agreement.rows)] == agreement.rows
    assert row(pairs, "cohen_kappa", pair="ann ~ ben").value == pytest.approx(0.5)
    assert row(pairs, "percent_agreement", pair="ben ~ cho").units == 2


def test_an_assessor_who_votes_twice_is_compared_with_others_and_with_oneself() -> None:
    records = [*votes("ann", "vvoo", occasion="1"), *votes("ann", "vooo", occasion="2"), *votes("ben", "vvvv")]
    agreement = agree(records)
    assert row(agreement, "percent_agreement", what="votes").raters == 3
    within = row(agreement, "percent_agreement", what="votes_within_assessor")
    assert (within.value, within.units, within.raters) == (0.75, 4, 2)


def test_files_that_use_the_same_name_are_the_raters(tmp_path: Path) -> None:
    first, second = judgements("gpt", 1, 0, 1), judgements("gpt", 1, 0, 0)
    agreement = agree(first, second)
    assert {row.pair for row in agreement.rows} == {"<list>#1 ~ <list>#2"}
    assert row(agreement, "percent_agreement").value == pytest.approx(2 / 3)
    assert (
        "judgements: several files have the same rater for the same thing, so each file counts as a rater"
        in agreement.notes
    )


def test_names_of_inputs() -> None:
    assert input_names(["x/a.jsonl", "b.jsonl", "-"]) == ["a.jsonl", "b.jsonl", "-"]
    assert input_names(["a", "a", "x/a"]) == ["a#1", "a#2", "x/a"]


def test_grades_have_an_order() -> None:
    agreement = agree([*judgements("a", 0, 0.5, 1, 1), *judgements("b", 0, 1, 1, 0.5)])
    names = [row.coefficient for row in agreement.rows]
    assert [name for name in names if name.startswith("cohen")] == [
        "cohen_kappa", "cohen_kappa(weights=linear)", "cohen_kappa(weights=quadratic)",
    ]  # fmt: skip
    assert [name for name in names if name.startswith("krippendorff")] == [
        f"krippendorff_alpha(level={level})" for level in ("nominal", "ordinal", "interval")
    ]


def citation(assessor: str, doc_id: str, support: str) -> CitationJudgement:
    return citation_judgement(doc_id, support, assessor=assessor)


def test_citations() -> None:
    agreement = agree(
        [
            citation("ann", "d1", "full"), citation("ann", "d2", "partial"), citation("ann", "d3", "missing"),
            citation("ben", "d1", "full"), citation("ben", "d2", "none"), citation("ben", "d3", "none"),
        ]
    )  # fmt: skip
    percent = row(agreement, "percent_agreement", what="citations")
    assert (percent.value, percent.units) == (0.5, 2)
    assert row(agreement, "krippendorff_alpha(level=ordinal)", what="citations").value is not None


def relevances(assessor: str, *labels: str) -> list[Record]:
    return [relevance(f"s{number}", label, assessor=assessor) for number, label in enumerate(labels)]


def test_redundant_is_relevant_and_yet_another_label() -> None:
    agreement = agree([*relevances("ann", "relevant", "irrelevant"), *relevances("ben", "redundant", "irrelevant")])
    assert row(agreement, "relevance_agreement").value == 1
    assert row(agreement, "percent_agreement").value == 0.5
    assert not any("ordinal" in row.coefficient for row in agreement.rows)


RESPONSE = response("r", *["abcd efgh"] * 3, first=0)


def marked(assessor: str, snippet_id: str, *span: int) -> Nugget:
    return nugget(f"{assessor}-{snippet_id}-{span}", span, snippet_id=snippet_id, assessor=assessor)


def test_nuggets_and_the_relevance_they_imply() -> None:
    """Ann marks s0 and s1, ben s0 and more of it: one snippet of three is disputed."""
    agreement = agree([RESPONSE, marked("ann", "s0", 0, 4), marked("ann", "s1", 0, 4), marked("ben", "s0", 0, 9)])
    assert row(agreement, "relevance_agreement").value == pytest.approx(2 / 3)
    assert any(note.startswith("relevance: a snippet with a nugget counts as relevant") for note in agreement.notes)
    overlap = row(agreement, "nugget_overlap")
    assert (overlap.value, overlap.units, overlap.raters) == (pytest.approx(4 / (4 + 2)), 1, 2)
    assert row(agreement, "span_f1(match=exact)").value == 0
    assert row(agreement, "span_f1(match=partial)").value == pytest.approx(2 * (8 / 12) / 3)
    assert row(agreement, "krippendorff_alpha_u").units == 3


def test_the_text_may_be_in_a_separate_file() -> None:
    ann, ben = [marked("ann", "s0", 0, 4)], [marked("ben", "s0", 0, 4)]
    apart, together = agree(ann, ben, [RESPONSE]), agree([RESPONSE, *ann, *ben])
    assert apart == together
    untold = agree(ann, ben, kind="nuggets")
    assert row(untold, "nugget_overlap").reason == "the text of the snippets is not among the files"
    assert row(untold, "span_f1(match=exact)").value == 1
    assert any("nuggets.nugget_overlap (ann ~ ben) is undefined: the text of" in note for note in untold.notes)


def test_files_with_different_texts_are_reported() -> None:
    other = response("r", "abcd xyz!", first=0)
    agreement = agree([RESPONSE, marked("ann", "s0", 0, 4)], [other, marked("ben", "s0", 0, 4)])
    assert "the files have different texts for 1 snippet; the text of the first file is used" in agreement.notes


def test_nugs_of_two_files_are_compared_by_their_members() -> None:
    agreement = agree(
        [nug("x", members=["1", "2"]), nug("y", members=["3", "4", "5"])],
        [nug("a", members=["3", "4"]), nug("b", members=["1", "2", "9"])],
    )
    assert [row.coefficient for row in agreement.rows] == [
        "b_cubed_f", "ceaf_f(phi=3)", "ceaf_f(phi=4)", "adjusted_rand", "masi_alpha",
    ]  # fmt: skip
    assert {(row.value, row.units) for row in agreement.rows} == {(1.0, 4)}


def test_three_partitions_are_compared_two_at_a_time() -> None:
    files = (
        [nug("x", members=["1", "2"]), nug("y", members=["3"])],
        [nug("a", members=["1", "2", "3"])],
        [nug("k", members=["1"]), nug("l", members=["2", "3"])],
    )
    agreement = agree(*files)
    assert [row.coefficient for row in agreement.rows if row.pair == "all"] == ["masi_alpha"]
    assert sum(row.coefficient == "b_cubed_f" for row in agreement.rows) == 3


def test_by_a_field_of_the_conditions() -> None:
    queries = [
        Query(query_id=query_id, text="?", conditions={"language": language})
        for query_id, language in (("q", "en"), ("p", "fr"), ("o", "fr"), ("z", "de"))
    ]
    records: list[Record] = [*queries]
    for query_id, ann, ben in (("q", "vvoo", "vvoo"), ("p", "vo", "ov"), ("o", "vv", "vo"), ("z", "v", "-")):
        records += [*votes("ann", ann, query_id=query_id), *votes("ben", ben, query_id=query_id)]
    agreement = agree(records, by="language")
    values = {row.part: row.value for row in agreement.rows if row.coefficient == "percent_agreement"}
    assert values == {"all": 5 / 8, "language=en": 1, "language=fr": 0.25}
    assert "votes (language=de): nothing was rated by two raters" in agreement.notes
    assert agreement.settings["by"] == "language"
    with pytest.raises(UsageError, match="no query has a field 'medium'; choose from language"):
        agree(records, by="medium")
    with pytest.raises(UsageError, match="the queries have no conditions"):
        agree(votes("ann", "v"), votes("ben", "v"), by="medium")


def test_undefined_is_reported_with_its_reason() -> None:
    agreement = agree([*votes("ann", "vv"), *votes("ben", "vv")])
    assert row(agreement, "percent_agreement").value == 1
    assert row(agreement, "gwet_ac1").value == 1
    kappa = row(agreement, "cohen_kappa")
    assert kappa.value is None
    assert kappa.reason is not None
    assert any(
        note.startswith("votes.cohen_kappa (ann ~ ben) is undefined: only one category") for note in agreement.notes
    )


def test_queries_are_left_out_in_turn_and_units_where_there_is_one() -> None:
    """Two queries that differ as much as can be: the interval runs from the one to the other."""
    one = [*votes("ann", "vovo"), *votes("ben", "vovo")]
    other = [*votes("ann", "vovo", query_id="p"), *votes("ben", "ovov", query_id="p")]
    percent = row(agree([*one, *other]), "percent_agreement")
    assert (percent.value, percent.low, percent.high) == (0.5, pytest.approx(0), pytest.approx(1))
    assert row(agree([*votes("ann", "vovo"), *votes("ben", "vovv")]), "percent_agreement").low is not None


def test_scores_are_records_with_a_signature() -> None:
    agreement = agree([*votes("ann", "vvoo"), *votes("ben", "vvov")], seed=7)
    first = agreement.scores()[0]
    assert isinstance(first, Score)
    assert (first.run_id, first.query_id, first.measure) == ("ann ~ ben", "all", "votes.percent_agreement")
    assert (first.value, first.n, first.undefined) == (0.75, 4, 0)
    signature = Signature.parse(first.signature or "")
    assert (signature.name, signature.settings["seed"]) == ("votes.percent_agreement", "7")
    assert load(agreement.scores()).scores == agreement.scores()


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
    agreement = agree(good + good.replace(b"ann", b"ben") + bad, on_error="skip")
    assert row(agreement, "percent_agreement").value == 1


@pytest.mark.real_data
def test_crowd_votes_of_realsumm(real_data: Path) -> None:
    agreement = agree(real_data / "realsumm-crowd")
    assert {row.what for row in agreement.rows} == {"judgements"}
    assert {(row.units, row.raters) for row in agreement.rows} == {(26_400, 4)}
    values = {row.coefficient: round(row.value or 0, 3) for row in agreement.rows}
    assert values == {
        "percent_agreement": 0.859,
        "fleiss_kappa": 0.716,
        "krippendorff_alpha(level=nominal)": 0.720,
        "gwet_ac1": 0.718,
    }


@pytest.mark.real_data
def test_propositions_of_propsegment(real_data: Path) -> None:
    agreement = agree(real_data / "propsegment")
    values = {(row.what, row.coefficient): (round(row.value or 0, 3), row.units) for row in agreement.rows}
    assert values["judgements", "krippendorff_alpha(level=nominal)"] == (0.808, 1059)
    assert values["relevance", "relevance_agreement"] == (0.990, 387)
    assert values["nuggets", "nugget_overlap"] == (0.963, 381)
    assert values["nuggets", "span_f1(match=exact)"] == (0.194, 382)
    assert values["nuggets", "span_f1(match=partial)"] == (0.720, 382)
    assert values["nuggets", "krippendorff_alpha_u"] == (0.665, 387)


def test_a_note_says_where_the_rarest_label_has_too_few_units_for_its_intervals() -> None:
    said = "the rarest label has only 3 units; below 10, 95 % intervals of kappa and alpha"
    rare = agree([*votes("ann", "vvv" + "o" * 30), *votes("ben", "vvo" + "o" * 30)])
    assert any(note.startswith(f"votes: {said}") for note in rare.notes)
    common = agree([*votes("ann", "v" * 12 + "o" * 20), *votes("ben", "v" * 11 + "o" * 21)])
    assert not any("rarest label" in note for note in common.notes)
