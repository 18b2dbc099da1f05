"""Babko-Malaya et al. 2012: the worked precision of section 3.3."""

from __future__ import annotations

from karat.evaluate.reproduce.figures import PaperFigure, Reproduction, bundled
from karat.evaluate.score.score import score_collection

MEASURE = "precision(rules=2012)"


def reproduce(data: str | None) -> Reproduction:
    """Two relevant nuggets and an irrelevant one give a precision of 2/3."""
    scores = score_collection(bundled("babko2012.jsonl"), measures=MEASURE).of_all()
    (total,) = (score for score in scores if score.run_id == "system")
    figure = PaperFigure(table="Section 3.3", row="system", column="precision", printed="0.667", value=total.value)
    return Reproduction(
        paper="babko2012",
        figures=(figure,),
        commands=(f"karat score babko2012.jsonl --measures '{MEASURE}'",),
        notes=("Tables 4 and 5 need the nuggets of 7,061 snippets, which are not public",),
    )
