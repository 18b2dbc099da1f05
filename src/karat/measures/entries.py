"""The table of measures: each base name, the kind of measure behind it, and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from karat.measures.base import Measure
from karat.measures.citation_support import Support
from karat.measures.distillation.distillation import PARTS, SETTINGS, CitationWeightedF, Distillation
from karat.measures.distillation.nug_citations import NugCitation
from karat.measures.nugget_f import MacroF, NuggetF
from karat.measures.rag import RAG_MEASURES, RagMeasure, Rubric
from karat.measures.temporal.temporal import Comprehensiveness, Gain, PerUpdate, TemporalHM


class Entry(msgspec.Struct, frozen=True):
    """A base name: the kind of measure behind it, and the fields that the name itself sets."""

    kind: type[Measure]
    fixed: Mapping[str, object] = {}
    settings: tuple[str, ...] = ()
    """The fields that may be set in brackets."""
    summary: str = ""
    """What it is, in one line."""


ENTRIES: dict[str, Entry] = {}


def _add(name: str, summary: str, kind: type[Measure], settings: tuple[str, ...] = (), **fixed: Any) -> None:
    ENTRIES[name] = Entry(kind, fixed, settings, summary)


_OVER = {"vital": "the vital nugs", "all": "all nugs", "weighted": "all nugs, okay ones at half weight,"}
for _name, _one in RAG_MEASURES.items():
    _how = "in full" if _one.strict else "by degree"
    _add(_name, f"share of {_OVER[_one.over]} contained {_how}", RagMeasure, strict=_one.strict, over=_one.over)
_add("rubric", "weighted rubric items, faults with negative weight", Rubric, ("clip",))

_add("F", "F(beta) of vital recall and length-based precision, as in TREC; F3 where no beta is given", NuggetF)
_add("pyramid_F", "F(beta) with weights from the votes of assessors", NuggetF, weighing="pyramid")
_add("macro_F", "mean of the F(beta) by each assessor's own votes", MacroF)
_add("nugget_recall", "share of the vital nugs found", NuggetF, part="recall")
_add("nugget_precision", "length allowance over length", NuggetF, part="precision")
_add("pyramid_recall", "share of the pyramid's weight found", NuggetF, part="recall", weighing="pyramid")

_DISTILLATION = {
    "precision": "right / (right + wrong), by relevance weights and degrees of membership",
    "recall": "right / (right + missing)",
    "rightness": "right / (right + wrong + missing)",
    "accuracy": "(right + other) / all",
    "F_value": "balanced F of precision and recall",
    "proficiency": "share of the information on relevance that the response carries",
}
for _part in PARTS:
    _add(_part, _DISTILLATION[_part], Distillation, SETTINGS, part=_part)
_add("CW_F_value", "F of precision and citation-weighted recall", CitationWeightedF, SETTINGS)
_add("citation_precision", "documents cited for a nug that support it", NugCitation, part="precision")
_add("citation_recall", "documents supporting a nug that are cited for it", NugCitation, part="recall")
_add("citation_F", "F of the two", NugCitation, part="F")
_add("support_precision", "how well citations support their sentences", Support, ("partial",), part="precision")
_add("support_recall", "how well sentences are supported by citations", Support, ("partial",), part="recall")
_add("support_F", "F of the two", Support, ("partial",), part="F")

_GAIN = ("importance", "per")
_add("comprehensiveness", "share of the nugs' importance that updates say", Comprehensiveness, ("importance",))
_add(
    "latency_comprehensiveness", "the same, discounted for being late", Comprehensiveness, ("importance",), latency=True
)
_add("gain", "importance of what updates say first, for their length", Gain, _GAIN)
_add("normalized_gain", "gain over the ideal", Gain, _GAIN, normalized=True)
_add("latency_gain", "gain, discounted for being late", Gain, _GAIN, latency=True)
_add("normalized_latency_gain", "the same over the ideal", Gain, _GAIN, normalized=True, latency=True)
_add("temporal_HM", "harmonic mean of normalized_latency_gain and latency_comprehensiveness", TemporalHM, _GAIN)
_add("verbosity", "mean length of updates; less is better", PerUpdate, part="verbosity")
_add("timeliness", "how early it is said what updates say first", PerUpdate, part="timeliness")
