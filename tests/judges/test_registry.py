from __future__ import annotations

import pytest

from karat.judges.base import Judge
from karat.judges.overlap.nuggeteer import Nuggeteer
from karat.judges.overlap.qaviar import Pourpre, Qaviar
from karat.judges.overlap.rouge import Rouge
from karat.judges.registry import JUDGES, default_judge, is_judge, parse_judge
from karat.model import UsageError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nuggeteer", Nuggeteer()),
        (
            " nuggeteer( n=3 , weights=count,positions=true) ",
            Nuggeteer(n=3, weights="count", positions=True),
        ),
        ("nuggeteer(normalize=false,unit=sentence)", Nuggeteer(normalize=False, unit="sentence")),
        ("qaviar(stop=keep)", Qaviar(stop="keep")),
        ("pourpre(weights=count)", Pourpre(weights="count")),
        ("rouge(variant=L,stem=none)", Rouge(variant="L", stem="none")),
        ("rouge()", Rouge()),
    ],
)
def test_parse(name: str, expected: Judge) -> None:
    judge = parse_judge(name)
    assert judge == expected
    assert type(judge) is type(expected)
    assert parse_judge(str(judge)) == judge


@pytest.mark.parametrize("name", [name for name in JUDGES if name != "cascade"])
def test_every_judge_has_its_name_prints_and_parses_back(name: str) -> None:
    judge = parse_judge(name)
    assert judge.name == name
    assert parse_judge(str(judge)) == judge
    assert list(judge.settings()) == list(judge.__struct_fields__)
    assert is_judge(name)
    assert is_judge(f"{name}(x=1)")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nugeteer", r"no judge is called 'nugeteer' \(did you mean nuggeteer\?\); choose from "),
        ("xyzzy", "no judge is called 'xyzzy'; choose from"),
        ("nuggeteer(n=4)", "n=4 is above 3"),
        ("nuggeteer(n=0)", "n=0 is below 1"),
        ("nuggeteer(n=two)", "n=two is not a whole number"),
        ("nuggeteer(positions=often)", "positions=often is not true or false"),
        ("nuggeteer(weights=tf)", "weights=tf is not one of idf, count"),
        ("nuggeteer(unit=page)", "unit=page is not one of snippet, response"),
        ("rouge(variant=3)", "variant=3 is not one of 1, 2, L"),
        ("rouge(n=3)", "there is no setting 'n'; it has "),
        ("nuggeteer(n)", "'n' is not setting=value"),
        ("nuggeteer(n=1,n=2)", "'n' is set twice"),
        ("nuggeteer(n=1", "is not NAME or NAME"),
        ("", "is not NAME or NAME"),
    ],
)
def test_what_is_wrong_is_reported_with_the_choices(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_judge(name)


def test_what_is_no_judge() -> None:
    assert not is_judge("F3")
    assert not is_judge("")


def test_auto_is_semantic_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse_judge("auto").name == default_judge() == "lexical"
    monkeypatch.setattr("karat.language.wordpieces.is_installed", lambda: True)
    assert parse_judge("auto").name == default_judge() == "semantic"


def test_auto_is_no_name_of_a_judge() -> None:
    """Somebody's labels may be called that."""
    assert not is_judge("auto")
