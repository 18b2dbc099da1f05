from __future__ import annotations

from karat.evaluate.validate.figures import FIGURES, PAIR_FIGURES, RUN_FIGURES
from karat.evaluate.validate.validate import Figure, ValidatedMeasure, Validation
from karat.reports.validate import validation_table


def validated(judge: str, **known: Figure) -> Validation:
    of_pairs, of_runs = (
        {name: known.get(name, Figure(0.5)) for name in names} for names in (PAIR_FIGURES, RUN_FIGURES)
    )
    measure = ValidatedMeasure(measure="strict_vital", figures=of_runs, runs=())
    return Validation(judge=judge, pairs=of_pairs, measures=(measure,), signature="s")


def test_one_row_per_figure_and_one_column_per_judge() -> None:
    first = validated("rouge", pairs=Figure(12345.0), auc=Figure(0.79912, 0.7, 0.9))
    table = validation_table([first, validated("nuggeteer(n=1)", kappa=Figure(None))])
    head, _, *rows = [line for line in str(table).splitlines() if line]
    assert head.split() == ["figure", "rouge", "nuggeteer(n=1)"]
    assert len(rows) == len(FIGURES)
    assert rows[0].split() == ["pairs", "12,345", "0"]
    assert rows[1].split("  ")[0] == "AUC"
    assert "0.80 [0.70, 0.90]" in rows[1]
    assert rows[FIGURES.index("kappa")].split() == ["kappa", "0.500", "undefined"]
    assert [row.split("  ")[0] for row in rows[-2:]] == ["official scores inside", "width of the interval"]
