from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from karat.evaluate.reproduce import PAPERS, PaperFigure, reproduce
from karat.evaluate.reproduce.dang2007 import are_votes
from karat.evaluate.reproduce.figures import bundled
from karat.evaluate.reproduce.white2008 import BY_EQUATIONS, CONSEQUENCE, ERRATUM
from karat.evaluate.score.score import score_collection
from karat.model import UsageError


@pytest.mark.parametrize("paper", PAPERS)
def test_no_figure_differs_without_a_known_reason(paper: str) -> None:
    reproduction = reproduce(paper)
    assert reproduction.figures
    assert reproduction.differing == []


def test_white_2008_differs_in_the_published_row_of_c_only() -> None:
    reproduction = reproduce("white2008")
    assert Counter(figure.table for figure in reproduction.figures) == {
        "Table 3": 48,
        "Table 4": 4,
        "Table 5": 24,
        "Table 6": 24,
    }
    differing = [figure for figure in reproduction.figures if not figure.same]
    assert {(figure.row, figure.remark) for figure in differing} == {("C", ERRATUM)}
    # By the equations C has 1.5 right: precision, recall, rightness, proficiency, raw and with the prior.
    assert [figure.computed for figure in differing] == [
        "0.353", "0.600", "0.286", "0.473", "0.400", "0.556", "0.303", "0.438",
    ]  # fmt: skip
    for row in (BY_EQUATIONS, CONSEQUENCE):
        assert [figure.same for figure in reproduction.figures if figure.row == row] == [True] * 8


@pytest.mark.parametrize("other", ["1e4", "1e6"])
def test_no_other_number_of_other_nugs_gives_the_printed_proficiencies(other: str) -> None:
    names = f"proficiency(other={other}),proficiency(prior=bayes,other={other})"
    scores = score_collection(bundled("white2008.jsonl"), measures=names, average="pool").of_all()
    values = [f"{score.value:.3f}" for score in scores if score.run_id in "AB"]
    assert values != ["0.400", "0.399", "0.909", "0.665"]


def test_a_figure_is_rounded_like_the_printed_one() -> None:
    figure = PaperFigure(table="t", row="r", column="c", printed="0.67", value=2 / 3)
    assert (figure.computed, figure.same) == ("0.67", True)
    assert PaperFigure(table="t", row="r", column="c", printed="NaN", value=None).same
    assert not PaperFigure(table="t", row="r", column="c", printed="0.66", value=2 / 3).same


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1.0, 0.5, 0.0], True),
        ([1.0, 5 / 9], True),
        ([1.0, 0.11], False),
        ([1.0, 1 / 7, 1 / 5], False),
        ([1.2, 0.5], False),
    ],
)
def test_weights_that_votes_can_give(weights: list[float], expected: bool) -> None:
    assert are_votes(weights) is expected


@pytest.mark.real_data
def test_all_released_weights_of_2006_are_votes(real_data: Path) -> None:
    reproduction = reproduce("dang2007", data=str(real_data / "trec-qa-nuggets" / "trec15answers_other_pyramid"))
    last = reproduction.figures[-1]
    assert (last.printed, last.computed, last.row) == ("675", "675", "75 questions")


def test_files_without_weights_and_unknown_papers_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    path.write_text('{"kind":"nug","v":1,"query_id":"q","nug_id":"1","descriptions":["fox"]}\n')
    with pytest.raises(UsageError, match="has no nugs, or nugs without weights"):
        reproduce("dang2007", data=str(path))
    with pytest.raises(UsageError, match="choose from white2008, dang2007, marton2006, babko2012"):
        reproduce("white2009")


def test_marton_2006_differs_only_in_an_f_that_is_a_mean() -> None:
    reproduction = reproduce("marton2006")
    assert Counter(figure.table for figure in reproduction.figures) == {
        "Figure 1": 2,
        "Figure 3, by hand": 9,
        "Section 2.4": 1,
        "Figures 4 and 5": 1,
        "Table 4": 1,
        "Section 4.7": 1,
        "Figure 7": 2,
    }
    assert [(figure.table, figure.computed) for figure in reproduction.figures if not figure.same] == [
        ("Section 4.7", "0.836")
    ]
    # What is not reproduced is listed with the reason.
    assert sum("not public" in note for note in reproduction.notes) == 2


def test_figures_1_and_2_of_marton_2006_are_the_published_keys(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("Qid 1.1: 'other' question for target A\n1.1 1\tvital\tone\n")
    with pytest.raises(UsageError, match="neither question 87"):
        reproduce("marton2006", data=str(key))


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "figure"), [("other", "Figure 1"), ("relationship", "Figure 2")])
def test_the_published_keys_of_2005_have_the_printed_nugs(real_data: Path, name: str, figure: str) -> None:
    path = real_data / "trec-qa-nuggets" / f"trec14answers_{name}"
    figures = [one for one in reproduce("marton2006", data=str(path)).figures if one.table.endswith("published key")]
    assert [(one.table, one.same) for one in figures] == [(f"{figure}, published key", True)] * 2
