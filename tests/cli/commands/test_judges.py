from __future__ import annotations

import pytest

from cli.running import karat_here
from karat.demo import demo_files
from karat.judges.measured import USES, figures_of_page, measured
from karat.judges.registry import JUDGES


def test_judges_are_listed_and_one_is_explained() -> None:
    listed = karat_here("judges")
    assert {"nuggeteer", "pourpre", "qaviar", "rouge"} <= {line.split(" ")[0] for line in listed.lines if line}
    shown = karat_here("judges", "rouge(variant=L)")
    assert "variant=L" in shown.text
    assert "longest common subsequence" in shown.text
    wrong = karat_here("judges", "nobody")
    assert wrong.code == 2
    assert "no judge is called 'nobody'; choose from" in wrong.err


def test_the_list_says_when_to_use_each_and_how_good_it_was() -> None:
    assert list(USES) == list(JUDGES)
    listed = karat_here("judges")
    assert max(map(len, listed.lines)) <= 80
    row = next(line for line in listed.lines if line.startswith("nuggeteer") and "0." in line)
    on_rag = next(each for each in measured() if (each.collection, each.judge) == ("TREC RAG 2024", "nuggeteer"))
    assert row.split()[1] == f"{on_rag.figures['kappa']:.2f}"
    assert "the judge learned from this very set" in listed.err
    assert "*" in next(line for line in listed.lines if line.startswith("lexical") and "0." in line)


def test_figures_are_taken_from_the_page_for_judges_as_they_are_by_default() -> None:
    page = (
        "## How good they are\n\n| set | judge | kappa | rmse |\n|---|---|---|---|\n"
        "| A | `rouge` | 0.482 (0.45-0.51) |  |\n| A | `rouge(variant=2)` | 0.1 | 0.2 |\n"
        "| A | `pourpre` | 0.3 | 0.1 |\n| A | `pourpre(credit=probability)` | 0.4 | 0.1 |\n"
        "| B | `rouge(unit=snippet)` | 0.5 | 0.25 (0.1-0.3) |\n\n### More\n\n| C | `rouge` | 0.9 | 0.9 |\n"
    )
    assert figures_of_page(page) == (
        "set\tjudge\tkappa\trmse\nA\trouge\t0.482\t\nA\tpourpre\t0.3\t0.1\nB\trouge\t0.5\t0.25\n"
    )


@pytest.mark.parametrize("command", ["score", "compare", "stability"])
def test_a_wrong_name_is_corrected_with_and_without_judgements(command: str) -> None:
    key, judgements, runs = map(str, demo_files())
    without = karat_here(command, key, runs, "--judge", "lexicl")
    assert (without.code, "(did you mean lexical?)" in without.err) == (2, True), without.err
    judged = karat_here(command, key, judgements, "--on-error", "skip", "--judge", "persn")
    assert (judged.code, "(did you mean person?)" in judged.err) == (2, True), judged.err
    unnamed = karat_here(command, key, runs)
    assert (unnamed.code, "add --judge auto" in unnamed.err) == (3, True), unnamed.err


def test_stability_lets_a_program_judge() -> None:
    key, _, runs = map(str, demo_files())
    done = karat_here("stability", key, runs, "--judge", "rouge", "--trials", "5", "--measures", "strict_vital")
    assert (done.code, "judge:rouge" in done.err) == (0, True), done.err
