"""Figures of a large campaign come from a process of their own, and are the same as computed here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from builders.workbench import Browser, Workbench
from karat.campaign.results.agreement import agreement
from karat.campaign.results.sheets import sheet
from karat.model import UsageError
from karat.web import separate
from karat.web.separate import compute_apart

LABELS = {"ann": ("relevant", "relevant"), "ben": ("relevant", "irrelevant")}


@pytest.fixture
def judged(workbench: Workbench, browser: Callable[..., Browser], monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """Two assessors labelled two passages, and agree on one; every campaign counts as large."""
    monkeypatch.setattr(separate, "SMALL", 0)
    passages = [*workbench.passages("q1").values()][:2]
    for name, labels in LABELS.items():
        changes = [
            {"kind": "relevance", "key": str(passage), "version": 0, "record": {"passage": passage, "label": label}}
            for passage, label in zip(passages, labels, strict=True)
        ]
        path = f"/api/queries/{workbench.queries['q1']}/changes"
        answer = browser(name).post(path, {"request": f"of-{name}", "changes": changes})
        assert answer.status_code == 200
    return workbench


def test_it_is_another_process_unless_there_is_little_to_do(judged: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    began = []
    real = separate.subprocess.run
    monkeypatch.setattr(separate.subprocess, "run", lambda *args, **more: began.append(1) or real(*args, **more))
    compute_apart(judged.campaign.database, agreement)
    assert len(began) == 1
    monkeypatch.setattr(separate, "SMALL", 1_000)
    compute_apart(judged.campaign.database, agreement)
    assert len(began) == 1


def test_the_result_is_the_same(judged: Workbench) -> None:
    database = judged.campaign.database
    with database.read() as connection:
        here = agreement(connection)
    assert here.rows
    assert compute_apart(database, agreement) == here


def test_errors_come_back(judged: Workbench) -> None:
    with pytest.raises(UsageError, match="there is no run 'nobody'"):
        compute_apart(judged.campaign.database, sheet, "nobody")


def test_the_page_shows_the_figures(judged: Workbench, browser: Callable[..., Browser]) -> None:
    page = browser("olga").get("/agreement").text
    assert "Same answer to: relevant or not" in page
    assert "Where they differ most" in page


def test_exports_are_written_by_the_other_process(judged: Workbench, browser: Callable[..., Browser]) -> None:
    assert '"kind":"relevance"' in browser("olga").get("/export/karat").text
