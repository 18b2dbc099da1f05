"""Babko-Malaya et al. 2012: the worked precision of section 3.3, and the differences of Table 4."""

from __future__ import annotations

from karat.evaluate.reproduce.figures import Figure, Reproduction, bundled
from karat.evaluate.scoring import score_collection

TABLE_4 = {
    "structured audio": (3308, 2971, "10"), "structured text": (7766, 7700, "1"),
    "unstructured audio": (3108, 2795, "10"), "unstructured text": (4944, 4780, "3"),
    "overall": (19126, 18246, "5"),
}  # fmt: skip
"""Nuggets after correction, nuggets made automatically, and how much fewer those are, in percent."""
MEASURE = "precision(rules=2012)"


def reproduce(data: str | None) -> Reproduction:
    """Two relevant nuggets and an irrelevant one give a precision of 2/3; totals give the printed differences."""
    (total,) = (
        one for one in score_collection(bundled("babko2012.jsonl"), measures=MEASURE).of_all() if one.run_id == "system"
    )
    figures = [Figure(table="Section 3.3", row="system", column="precision", printed="0.667", value=total.value)]
    figures += [
        Figure(
            table="Table 4", row=row, column="difference in percent", printed=printed,
            value=100 * (corrected - automatic) / corrected,
        )
        for row, (corrected, automatic, printed) in TABLE_4.items()
    ]  # fmt: skip
    return Reproduction(
        paper="babko2012",
        figures=tuple(figures),
        commands=(f"karat score babko2012.jsonl --measures '{MEASURE}'",),
        notes=("Table 5 needs the nuggets of each of 7,061 snippets, which are not public",),
    )
