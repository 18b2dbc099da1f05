from __future__ import annotations

import pytest

from builders.campaign_place import PLAIN, STORM, Small
from builders.campaigns import new, saved
from karat.campaign.results.agreement import agreement
from karat.campaign.results.progress import progress
from karat.campaign.results.sheets import sheet, to_csv
from karat.campaign.work.payloads import NuggetWork, RelevanceWork
from karat.campaign.work.steps import add_time, set_step
from karat.model import SpanSet, UsageError


def test_steps_items_and_time_per_person(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        saved(
            connection, ann, small.query, new(RelevanceWork(passage=small.passage(PLAIN), label="relevant")),
            new(NuggetWork(passage=small.passage(STORM), spans=SpanSet([(0, 9)])), "n-1"),
            new(NuggetWork(passage=small.passage(STORM), spans=SpanSet([(10, 20)])), "n-2"),
        )  # fmt: skip
        add_time(connection, ann, small.query, 1, "nuggets", seconds=30.0)
        set_step(connection, ann, small.query, 1, "nuggets", done=True, now=5.0)
        page = progress(connection)
    first, second = page.queries
    assert (page.page, page.pages, page.total, page.adjudicated) == (1, 1, 2, 0)
    assert [person.name for person in first.people] == ["ann", "ben"]
    steps = {step.step: step for step in first.people[0].steps}
    assert (steps["nuggets"].done, steps["nuggets"].items, steps["nuggets"].seconds_per_item) == (5.0, 2, 15.0)
    assert (steps["relevance"].done, steps["relevance"].items) == (None, 1)
    assert steps["nugs"].seconds_per_item is None
    assert all(step.done is None and step.items == 0 for person in second.people for step in person.steps)
    assert [step.step for step in first.adjudication.steps] == ["relevance", "nuggets", "nugs", "citations", "judging"]
    totals = {person.name: person for person in page.people}
    assert (totals["ann"].queries, totals["ann"].steps_done, totals["ann"].items, totals["ann"].seconds) == (
        2,
        1,
        3,
        30,
    )
    assert (totals["ben"].finished, totals["ben"].items) == (0, 0)


def test_agreement_without_work_says_so(small: Small) -> None:
    with small.database.read() as connection:
        found = agreement(connection)
    assert found.rows == found.worst == ()
    assert "nothing was rated by two raters" in found.notes[0]


def test_sheets_need_scores_and_a_known_run(small: Small) -> None:
    with small.database.read() as connection:
        with pytest.raises(UsageError, match="there is no key"):
            sheet(connection, "alpha")
        with pytest.raises(UsageError, match="there is no run 'omega'; choose from alpha, beta"):
            sheet(connection, "omega")


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@sum", "\tx", "\rx", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20x", " =1", "a;=1+1"]
)
def test_no_cell_is_a_formula(text: str) -> None:
    assert to_csv([[text, -1.0]]).startswith(("'", "\"'"))
    assert to_csv([["q=1", -1.0]]) == "q=1,-1\r\n"


def test_a_formula_after_a_separator_is_harmless() -> None:
    """Some spreadsheets take a semicolon for the end of a cell."""
    assert to_csv([["a;=1+1"]]) == "'a;'=1+1\r\n"
    assert to_csv([["storms; floods - 2011"]]) == "storms; floods - 2011\r\n"
