"""Every command of the tutorials prints what their pages show."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parent.parent / "docs"


def _tutorials() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tutorials", DOCS / "tutorials.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


tutorials = _tutorials()
PAGES: list[Path] = tutorials.pages()


def test_there_is_a_tutorial_for_each_of_the_three() -> None:
    assert [page.name for page in PAGES] == ["tutorial-campaign.md", "tutorial-rag.md", "tutorial-research.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    ran = 0
    text = page.read_text("utf-8")
    for step, printed in tutorials.regenerate(text, folder):
        again = "If the new output is right, `make docs` writes it into the page; then read the text around it again."
        assert printed == step.output, f"{page.name} shows another output of\n{step.shown}{again}"
        ran += 1
    if lacking := {name for block in tutorials.BLOCK.finditer(text) for name in tutorials.missing(block["needs"])}:
        pytest.skip(f"{ran} commands are right; the others need {', '.join(sorted(lacking))}")
    assert ran >= 15, "there are too few commands"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_nothing_in_a_console_block_is_left_unchecked(page: Path) -> None:
    for block in tutorials.BLOCK.finditer(page.read_text("utf-8")):
        assert "".join(step.shown + step.output for step in tutorials.steps_of(block["body"])) == block["body"]
    assert page.read_text("utf-8").count("```console\n") == len(tutorials.BLOCK.findall(page.read_text("utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_needs_no_file_of_the_repository(page: Path) -> None:
    for block in tutorials.BLOCK.finditer(page.read_text("utf-8")):
        assert not re.search(r"(?<![\w.])/(?:tmp|home|work|root)/|\.\./", block["body"])


def test_a_command_that_prints_something_else_is_found(tmp_path: Path) -> None:
    text = "```console\n$ echo one\none\n$ cat > a <<EOF\n> two\n> EOF\n$ cat a; false\nthree\n```\n"
    steps = list(tutorials.regenerate(text, tmp_path))
    assert [(step.output, printed) for step, printed in steps] == [
        ("one\n", "one\n"), ("", ""), ("three\n", "two\n[exit code 1]\n"),
    ]  # fmt: skip
    assert tutorials.rewritten(text, tmp_path) == text.replace("three\n", "two\n[exit code 1]\n")


def test_a_block_whose_extra_is_missing_stays_as_it_is(tmp_path: Path) -> None:
    text = "<!-- needs: no_such_module -->\n```console\n$ echo one\ntwo\n```\n"
    assert list(tutorials.regenerate(text, tmp_path)) == []
    assert tutorials.rewritten(text, tmp_path) == text


def test_what_is_written_over_or_random_is_not_shown(tmp_path: Path) -> None:
    printed = tutorials.run(
        r"printf 'judging  [##--]  50%%\rjudging  [####]  100%%\r\nhttp://a/invitation/x_Y-1\n'", tmp_path
    )
    assert printed == "http://a/invitation/...\n"
    assert tutorials.run(f"echo {'word ' * 20}", tmp_path) == f"{'word ' * 15}word\n{'word ' * 3}word\n"
