from __future__ import annotations

from cli.running import karat_here


def test_judges_are_listed_and_one_is_explained() -> None:
    listed = karat_here("judges")
    assert {"nuggeteer", "pourpre", "qaviar", "rouge"} <= {line.split(" ")[0] for line in listed.lines if line}
    shown = karat_here("judges", "rouge(variant=L)")
    assert "variant=L" in shown.text
    assert "longest common subsequence" in shown.text
    wrong = karat_here("judges", "nobody")
    assert wrong.code == 2
    assert "no judge is called 'nobody'; choose from" in wrong.err
