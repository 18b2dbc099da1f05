from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.measures.base import Measure
from karat.measures.entries import ENTRIES
from karat.measures.nugget_f import MacroF, NuggetF
from karat.measures.rag import RAG_MEASURES, Rubric
from karat.measures.registry import parse_measure, parse_measures, split_names
from karat.measures.temporal.temporal import Gain, TemporalHM
from karat.model import UsageError
from strategies import moderately

FS = {"": NuggetF(), "pyramid_": NuggetF("pyramid"), "macro_": MacroF()}


def refused(*names: str, beta: float | None = None) -> str:
    with pytest.raises(UsageError) as error:
        parse_measures(names, beta=beta)
    return str(error.value)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_name_parses_and_prints(name: str) -> None:
    measure = parse_measure(name)
    assert type(measure) is ENTRIES[name].kind
    assert str(measure) == (f"{name}3" if name in ("F", "pyramid_F", "macro_F") else name)
    assert parse_measure(str(measure)) == measure


def test_no_two_names_are_the_same_measure() -> None:
    assert len({parse_measure(name) for name in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("name", ENTRIES)
def test_settings_are_fields_that_the_name_leaves_open(name: str) -> None:
    entry = ENTRIES[name]
    fields = {field.name for field in msgspec.structs.fields(entry.kind)}
    assert fields >= {*entry.settings, *entry.fixed}
    assert not set(entry.settings) & set(entry.fixed)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("strict_vital", RAG_MEASURES["strict_vital"]),
        ("F", NuggetF(beta=3.0)),
        ("F3", NuggetF(beta=3.0)),
        ("F3.0", NuggetF(beta=3.0)),
        ("F0.5", NuggetF(beta=0.5)),
        ("F1e5", NuggetF(beta=1e5)),
        ("pyramid_F", NuggetF("pyramid", beta=3.0)),
        ("pyramid_F5", NuggetF("pyramid", beta=5.0)),
        ("macro_F1", MacroF(beta=1.0)),
        ("nugget_recall", NuggetF(part="recall")),
        ("pyramid_recall", NuggetF("pyramid", "recall")),
        ("rubric(clip=none)", Rubric(clip="none")),
        ("rubric(clip=query)", Rubric()),
        ("rubric()", Rubric()),
        (" rubric ( clip = none ) ", Rubric(clip="none")),
        ("gain(importance=binary,per=update)", Gain(importance="binary", per="update")),
        ("temporal_HM(per=update, importance=binary)", TemporalHM("binary", "update")),
    ],
)
def test_names(name: str, measure: Measure) -> None:
    assert parse_measure(name) == measure


@pytest.mark.parametrize("prefix", FS)
def test_beta_is_taken_where_the_name_says_none(prefix: str) -> None:
    half = msgspec.structs.replace(FS[prefix], beta=0.5)
    assert parse_measure(f"{prefix}F", beta=0.5) == half
    assert parse_measure(f"{prefix}F3", beta=0.5) == FS[prefix]
    assert parse_measures([f"{prefix}F", f"{prefix}F0.5"], beta=0.5) == [half]


def test_beta_does_not_touch_other_measures() -> None:
    assert parse_measure("nugget_recall", beta=1.0) == parse_measure("nugget_recall")


@moderately
@given(st.sampled_from(list(FS)), st.floats(1e-18, 1e18))
def test_whatever_beta_the_name_parses_back(prefix: str, beta: float) -> None:
    measure = parse_measure(f"{prefix}F", beta=beta)
    assert measure == msgspec.structs.replace(FS[prefix], beta=beta)
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize("beta", [0.0, -1.0, math.inf, math.nan, 1e200])
def test_a_beta_that_is_none(beta: float) -> None:
    assert refused("F", beta=beta).startswith("'F': beta is a number above 0, at most 1e+18, not ")


def test_a_beta_of_zero_in_the_name() -> None:
    assert refused("macro_F0") == "'macro_F0': beta is a number above 0, at most 1e+18, not 0"


@pytest.mark.parametrize(
    ("name", "near"),
    [("strict_vitl", "strict_vital"), ("pyramid_recal", "pyramid_recall"), ("rubrik(clip=none)", "rubric")],
)
def test_a_name_that_is_nearly_right(name: str, near: str) -> None:
    base = name.partition("(")[0]
    assert refused(name) == (
        f"no measure is called {base!r} (did you mean {near}?); choose from {', '.join(ENTRIES)}"
    )  # fmt: skip


@pytest.mark.parametrize("name", ["zzz", "F-1", "3"])
def test_a_name_that_is_like_no_other(name: str) -> None:
    assert refused(name) == f"no measure is called {name!r}; choose from {', '.join(ENTRIES)}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rubric(klip=none)", "there is no setting 'klip'; it has clip"),
        ("gain(clip=none)", "there is no setting 'clip'; it has importance, per"),
        ("F3(beta=2)", "there is no setting 'beta'; it has none"),
        ("strict_vital(strict=true)", "there is no setting 'strict'; it has none"),
        ("gain(latency=true)", "there is no setting 'latency'; it has importance, per"),
        ("rubric(clip=often)", "clip=often is not one of query, none"),
        ("gain(importance=binary,per=word)", "per=word is not one of verbosity, update"),
        ("rubric(clip)", "'clip' is not setting=value"),
        ("rubric(clip=)", "'clip=' is not setting=value"),
        ("rubric(clip=none,clip=none)", "'clip' is set twice"),
    ],
)
def test_wrong_settings(name: str, message: str) -> None:
    assert refused(name) == f"{name!r}: {message}"


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [
        ("other=-1", "is below 0"),
        ("other=nan", "is not a number"),
        ("density=0", "is below 1e-06"),
        ("density=1e-320", "is below 1e-06"),
        ("density=nan", "is not a number"),
        ("density=x", "is not a number"),
        ("corpus=0", "is not above 0"),
        ("corpus=inf", "is above 1e+18"),
        ("corpus=x", "is not a number"),
        ("words=-1", "is below 0"),
        ("words=1.5", "is not a whole number"),
    ],
)
def test_a_number_out_of_bounds(setting: str, wrong: str) -> None:
    assert refused(f"precision({setting})") == f"'precision({setting})': {setting} {wrong}"


@pytest.mark.parametrize(
    "name", ["rubric(clip=none", "rubric)", "rubric(clip=none))", "rubric((clip=none)", "(clip=none)", "rubric()x"]
)
def test_unbalanced_brackets(name: str) -> None:
    assert f"{name!r} is not NAME or NAME(setting=value,...)" in refused(name)


@pytest.mark.parametrize("names", ["", " , ", []])
def test_an_empty_list(names: str | list[str]) -> None:
    with pytest.raises(UsageError, match=f"^no measure is named; choose from {', '.join(ENTRIES)}$"):
        parse_measures(names)


def test_all_that_is_wrong_is_reported_at_once() -> None:
    message = refused("strict_vitl,F3", "rubric(clip=often)", "F0")
    assert message.count("; ") == 3
    for part in ("'strict_vitl' (did you mean strict_vital?)", "clip=often is not one of", "'F0': beta"):
        assert part in message


@pytest.mark.parametrize(
    ("names", "split"),
    [
        ("F3,pyramid_F3", ["F3", "pyramid_F3"]),
        (" F3 ,, macro_F ", ["F3", "macro_F"]),
        ("gain(importance=binary,per=update),F3", ["gain(importance=binary,per=update)", "F3"]),
        (["F3", "rubric(clip=none),macro_F3"], ["F3", "rubric(clip=none)", "macro_F3"]),
        ("gain(importance=binary,F3", ["gain(importance=binary", "F3"]),
        ([], []),
    ],
)
def test_commas_in_brackets_belong_to_a_name(names: str | list[str], split: list[str]) -> None:
    assert split_names(names) == split


def test_several_names_in_their_order_each_once() -> None:
    found = parse_measures("macro_F,F3,rubric(clip=query),F,rubric,gain(importance=binary,per=update),F3.0")
    assert [str(one) for one in found] == ["macro_F3", "F3", "rubric", "gain(importance=binary,per=update)"]
