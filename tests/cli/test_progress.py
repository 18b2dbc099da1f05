from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest

from karat.cli.progress import Remaining, counted, tracked


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_the_rest_is_estimated_from_the_work_done_without_the_start() -> None:
    clock = Clock()
    rest = Remaining(101, now=clock)
    clock.time += 60
    # A minute went by until the first item was done, for loading: times a hundred that would be 100 minutes.
    assert rest.seconds(1) is None
    clock.time += 1
    assert rest.seconds(2) is None
    clock.time += 3
    assert rest.seconds(5) == pytest.approx(96.0)
    assert rest.text(5) == "about 2 min left"
    clock.time += 46
    assert rest.text(51) == "about 50 s left"
    clock.time += 50
    assert rest.text(101) is None
    assert Remaining(3, now=clock).text(0) is None


@pytest.mark.parametrize(
    ("left", "shown"),
    [(1, "about 4 s left"), (10, "about 40 s left"), (60, "about 4 min left"), (5000, "about 5.6 h left")],
)
def test_long_and_short_times(left: int, shown: str) -> None:
    clock = Clock()
    rest = Remaining(left + 2, now=clock)
    rest.seconds(1)
    clock.time += 4
    assert rest.text(2) == shown


def test_a_bar_is_full_when_the_work_is_done_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    seen = []

    def work() -> Iterator[str]:
        for name in tracked("judging")(["a", "b", "c", "d"]):
            seen.append("100%" in terminal.getvalue())
            yield name

    assert list(work()) == ["a", "b", "c", "d"]
    assert seen == [False] * 4
    assert "100%" in terminal.getvalue()
    assert terminal.getvalue().endswith("\n")


def test_without_a_terminal_there_is_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(counted("reading", range(100), total=100)) == list(range(100))
    assert list(tracked("judging")(["a", "b"])) == ["a", "b"]
    assert capsys.readouterr().err == ""
