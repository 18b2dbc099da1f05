from __future__ import annotations

from cli.running import karat_here
from karat.measures.entries import ENTRIES


def test_measures_are_listed_and_explained() -> None:
    done = karat_here("measures")
    assert done.code == 0
    assert {line.split()[0] for line in done.lines[2:] if line.strip()} == set(ENTRIES)
    for name in ENTRIES:
        shown = karat_here("measures", name)
        assert shown.code == 0
        assert "Undefined where" in shown.out.decode()
    assert "prior=none" in karat_here("measures", "proficiency(prior=bayes)").out.decode()
    wrong = karat_here("measures", "profficiency")
    assert wrong.code == 2
    assert "did you mean proficiency?" in wrong.err
