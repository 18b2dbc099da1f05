"""Every rule fires where it should and keeps still where it must."""

from __future__ import annotations

import pytest

from karat.nuggetizer.drafts import FoundNugget
from karat.nuggetizer.nuggetizer import Nuggetizer, RuleSet
from karat.nuggetizer.rules import auto, guidelines
from nuggetizer.rule_cases import AUTO, GUIDELINES, Case


def _is(nugget: FoundNugget, text: str, wanted: str) -> bool:
    kind, _, words = wanted.partition("=")
    if nugget.type != kind or not words:
        return nugget.type == kind
    if words.startswith("@"):
        return nugget.anchor is not None and nugget.anchor.text(text) == words[1:]
    return nugget.text == words


def _check(case: Case, rules: RuleSet, analyzer) -> None:
    nuggets = Nuggetizer(analyzer, rules=rules).nuggetize(case.text).nuggets
    listed = [(nugget.type, nugget.text, nugget.rule) for nugget in nuggets]
    for wanted in case.there.split(";"):
        assert any(_is(nugget, case.text, wanted) for nugget in nuggets), (wanted, listed)
    for unwanted in filter(None, case.absent.split(";")):
        assert not any(_is(nugget, case.text, unwanted) for nugget in nuggets), (unwanted, listed)


@pytest.mark.parametrize("case", AUTO, ids=lambda case: f"{case.rule}: {case.text}")
def test_automatic_rules(case, analyzer):
    _check(case, "auto", analyzer)


@pytest.mark.parametrize("case", GUIDELINES, ids=lambda case: f"{case.rule}: {case.text}")
def test_guidelines(case, analyzer):
    _check(case, "guidelines", analyzer)


@pytest.mark.parametrize("rules", [auto.RULES, guidelines.RULES])
def test_every_rule_says_what_it_is(rules):
    assert all(rule.__doc__ for rule in rules)
