from __future__ import annotations

import pytest

from builders.rows import Row, judgement, nug, response, run, score_rows
from karat.formats import load
from karat.measures.cases.cases import Cases, is_silent
from karat.measures.registry import parse_measures
from karat.model import Response, Snippet, UsageError
from karat.model.wording import natural, number_of


def cases(*rows: Row, missing: str = "skip") -> Cases:
    return Cases(load(rows), missing=missing)  # type: ignore[arg-type]


def require(measures: str, *rows: Row) -> str:
    """What is said where the files do not have what the measures need."""
    with pytest.raises(UsageError) as raised:
        cases(*rows).require(parse_measures(measures))
    return str(raised.value)


def test_runs_are_in_the_order_of_the_files_and_queries_in_natural_order() -> None:
    table = cases(run("s"), run("r"), nug("q"), nug("p"), judgement("p", "r", 1.0), judgement("q", "s", 1.0))
    assert (table.run_ids, table.query_ids, table.judges) == (["s", "r"], ["p", "q"], ["j"])


def test_without_a_key_the_queries_are_those_with_responses() -> None:
    table = cases(response("p", "r"), response("q", "r"))
    assert (table.has_key, table.query_ids) == (False, ["p", "q"])


def test_a_query_that_is_not_in_the_key_is_left_out_and_noted() -> None:
    table = cases(nug("q"), judgement("q", "r", 1.0), judgement("z", "r", 1.0), response("y", "r"))
    assert table.query_ids == ["q"]
    assert table.notes == ["query y: not in the key, left out", "query z: not in the key, left out"]


def test_of_repeated_judgements_the_first_counts() -> None:
    table = cases(
        nug("q"), judgement("q", "r", 0.0), judgement("q", "r", 1.0), judgement("q", "r", 0.5, assessor="ann")
    )
    case = table.case("r", "q")
    assert case is not None
    assert [judgement.degree for judgement in case.judgements] == [0.0, 0.5]
    assert table.notes == ["1 repeated judgement left out, 1 that contradicts it: the first counts (see `karat lint`)"]


def test_repeated_judgements_are_counted_and_so_are_those_that_say_otherwise() -> None:
    rows = [nug("q"), *(judgement("q", "r", degree) for degree in (0.5, 0.5, 1.0, 0.5))]
    assert cases(*rows).notes == [
        "3 repeated judgements left out, 1 that contradicts it: the first counts (see `karat lint`)"
    ]
    assert cases(*rows[:3]).notes == ["1 repeated judgement left out: the first counts (see `karat lint`)"]


def test_a_run_that_is_known_only_by_its_scores_is_not_scored() -> None:
    rows = [nug("q0"), judgement("q0", "r", 1.0), *score_rows({"r": [0.5], "z": [0.5]})]
    assert cases(*rows).run_ids == ["r"]
    assert cases(*rows, *map(run, ("z", "r", "silent"))).run_ids == ["r", "silent"]


def test_a_missing_response_is_silent_or_no_case_at_all() -> None:
    rows = (nug("q"), nug("p"), judgement("q", "r", 1.0))
    silent = cases(*rows, missing="zero").case("r", "p")
    assert silent is not None
    assert (silent.silent, silent.lenient.credits) == (True, {"1": 0.0})
    assert cases(*rows, missing="skip").case("r", "p") is None


@pytest.mark.parametrize(
    ("missing", "note"),
    [("zero", "2 missing responses, counted as zero: r 2"), ("skip", "2 missing responses, left out: r 2")],
)
def test_missing_responses_are_counted(missing: str, note: str) -> None:
    table = cases(nug("q"), nug("p"), nug("o"), judgement("q", "r", 1.0), missing=missing)
    table.check_missing()
    assert table.notes == [note]


@pytest.mark.parametrize(("runs", "more"), [("stu", ""), ("stuv", ", and 1 more run"), ("stuvw", ", and 2 more runs")])
def test_of_many_runs_with_missing_responses_three_are_named(runs: str, more: str) -> None:
    table = cases(nug("q"), nug("p"), *(judgement("q", run, 1.0) for run in runs), missing="zero")
    table.check_missing()
    assert table.notes == [f"{len(runs)} missing responses, counted as zero: s 1, t 1, u 1{more}"]


def test_missing_responses_are_an_error_that_names_the_first() -> None:
    with pytest.raises(UsageError) as raised:
        cases(nug("q"), nug("p"), nug("o"), judgement("q", "r", 1.0), missing="error").check_missing()
    assert str(raised.value) == (
        "run r has no response to query o (2 are missing: r 2); "
        "count missing responses as zero or leave them out with --missing zero|skip"
    )


def test_where_nothing_is_missing_nothing_is_said() -> None:
    table = cases(nug("q"), judgement("q", "r", 1.0), missing="error")
    table.check_missing()
    assert table.notes == []


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(UsageError, match="missing='drop' is not one of error, zero, skip"):
        cases(nug("q"), missing="drop")


def test_a_query_cannot_have_the_name_of_the_mean() -> None:
    with pytest.raises(UsageError, match="a query is called 'all', which is the name of the mean"):
        cases(nug("all"), judgement("all", "r", 1.0))


def test_a_response_with_words_that_nobody_judged_is_not_silent() -> None:
    table = cases(nug("q"), judgement("q", "r", 1.0), response("q", "s"), response("q", "t", " \n"))
    credits = {run_id: table.case(run_id, "q").lenient for run_id in "st"}  # type: ignore[union-attr]
    assert (credits["s"].credits, credits["s"].unjudged) == ({}, 1)
    assert (credits["t"].credits, credits["t"].unjudged) == ({"1": 0.0}, 0)


def test_a_run_of_which_only_finds_were_marked_holds_nothing_elsewhere() -> None:
    rows = [nug("q"), nug("p"), judgement("q", "r", 1.0, snippet_id="1"), response("q", "r"), response("p", "r")]
    table = cases(*rows)
    case = table.case("r", "p")
    assert table.only_finds == {"r"}
    assert case is not None
    assert case.strict.credits == {"1": 0.0}


def test_what_a_measure_needs_is_asked_for() -> None:
    marks = [nug("q"), judgement("q", "r", 1.0)]
    assert require("strict_all", marks[1]) == "there is no key: give a file with nugs (see `karat show FILE`)"
    assert require("strict_all", marks[0], response("q", "r")) == (
        "there are no judgements, and no program was named that makes them: add --judge auto (`karat judges` says "
        "which to use when), or give a file that says which nugs each response contains"
    )
    assert require("CW_F_value", *marks) == "CW_F_value counts nuggets, and there are none: give a file that marks them"
    assert require("support_F", *marks) == "support_F needs citation judgements, and there are none"


def test_a_length_needs_the_texts_of_the_runs() -> None:
    marks = [nug("q"), nug("p"), judgement("q", "r", 1.0), judgement("p", "r", 1.0), response("p", "r")]
    asked = "F3 needs the texts of the responses (it counts their length): run r has none for query q"
    assert require("strict_all,F3", *marks) == f"{asked}; give the run files, too"
    assert require("F3", *marks[:4]) == f"{asked} (and 1 more); give the run files, too"
    cases(*marks, response("q", "r")).require(parse_measures("F3"))


def test_silence_has_no_word_in_any_snippet() -> None:
    def told(*texts: str) -> Response:
        return Response(
            query_id="q", run_id="r", snippets=tuple(Snippet(snippet_id=str(at), text=t) for at, t in enumerate(texts))
        )

    assert is_silent(told())
    assert is_silent(told(" ", "\n\t"))
    assert not is_silent(told(" ", "fox"))


@pytest.mark.parametrize(
    ("count", "noun", "told"),
    [(1, "query", "1 query"), (2, "query", "2 queries"), (0, "nug", "0 nugs"), (1234, "nug", "1,234 nugs")],
)
def test_numbers_come_with_their_plural(count: int, noun: str, told: str) -> None:
    assert number_of(count, noun) == told


def test_names_are_sorted_by_their_numbers() -> None:
    names = ["10", "9", "a", "q", "q1", "q1b9", "q1b10", "q02", "q2", "q10", "q\u0663", "q\u00b2", ""]
    assert sorted(names, key=natural) == [
        "", "9", "10", "a", "q", "q1", "q1b9", "q1b10", "q02", "q2", "q10", "q\u00b2", "q\u0663",
    ]  # fmt: skip
    endless = ["q" + "9" * 5000, "q1" + "0" * 5000, "q2"]
    assert sorted(endless, key=natural) == [endless[2], endless[0], endless[1]]


def test_queries_are_in_the_order_of_their_numbers_with_a_key_and_without() -> None:
    ids = ("q10", "q2", "q1")
    assert cases(*(nug(one) for one in ids)).query_ids == ["q1", "q2", "q10"]
    assert cases(*(response(one, "r") for one in ids)).query_ids == ["q1", "q2", "q10"]
