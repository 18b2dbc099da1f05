"""Published figures beside those that Karat computes from the same data."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from karat.evaluate.reproduce.figures import PaperFigure, Reproduction
from karat.model import UsageError

PAPERS: dict[str, str] = {
    "white2008": "White et al. 2008, distillation statistics: Tables 3 to 6",
    "dang2007": "Dang & Lin 2007, nugget pyramids: Figure 3 and the weights released for TREC 2006",
    "marton2006": "Marton & Radul 2006, Nuggeteer: Figures 1 to 3 and 7, and what follows from other printed numbers",
    "babko2012": "Babko-Malaya et al. 2012, automatic nuggets: the worked precision of section 3.3",
}
"""Each paper that can be reproduced, and which parts of it."""

__all__ = ["PAPERS", "PaperFigure", "Reproduction", "reproduce"]


def reproduce(paper: str, *, data: str | None = None) -> Reproduction:
    """The figures of a paper beside Karat's; `data` is a published file that some figures need."""
    if paper not in PAPERS:
        raise UsageError(f"no paper is called {paper!r}; choose from {', '.join(PAPERS)}")
    function: Callable[[str | None], Reproduction] = import_module(f"karat.evaluate.reproduce.{paper}").reproduce
    return function(data)
