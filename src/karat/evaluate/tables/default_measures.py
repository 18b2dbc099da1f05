"""Which measures suit a collection, where no measure is named."""

from __future__ import annotations

from karat.measures.base import Measure
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import NO_JUDGEMENTS
from karat.measures.registry import parse_measures
from karat.model import UnfitInput

RAG_DEFAULTS = ("strict_vital", "lenient_vital", "strict_all", "lenient_all")
DISTILLATION_DEFAULTS = ("precision", "recall", "rightness", "F_value", "proficiency")
AUTOMATIC_DEFAULTS = ("precision(rules=2012)", "recall(rules=2012)", "F_value(rules=2012)")
SUPPORT_DEFAULTS = ("support_precision", "support_recall", "support_F")
TEMPORAL_DEFAULTS = ("comprehensiveness", "gain")


def default_measures(cases: Cases) -> list[Measure]:
    """The measures that suit the records.

    Updates with times: gain and comprehensiveness. Judgements of whole responses: the four RAG scores, without the
    vital ones where nothing is called vital or okay; the rubric score where an item has negative weight. Only finds
    marked in snippets, with texts: F3 (and pyramid_F3 where there are votes or weights). Nugs with members: the
    distillation scores. Nuggets and relevance labels of their snippets, but no nugs made of them: the same by the rules
    of 2012, which need no key. Only citation judgements: how well citations support.
    """
    nugs = [nug for pool in cases.pools.values() for nug in pool.whole_nugs]
    graded = any(value for pool in cases.pools.values() for value in pool.importance.values())
    weighted = any(nug.weight is not None for nug in nugs)
    voted = any(pool.votes for pool in cases.pools.values())
    names: list[str] = []
    if cases.judgements and nugs:
        texts = all(cell in cases.responses for cell in cases.judgements)
        if cases.timed:
            has_texts = any(snippet.text for response in cases.responses.values() for snippet in response.snippets)
            names = list(TEMPORAL_DEFAULTS[: 2 if has_texts else 1])
        elif any(nug.weight is not None and nug.weight < 0 for nug in nugs):
            names = ["rubric"]
        elif texts and {run for _, run in cases.judgements} == cases.only_finds and (graded or weighted or voted):
            names = ["F3"] if graded else []
            names += ["pyramid_F3"] if weighted or voted else []
        else:
            names = [name for name in RAG_DEFAULTS if graded or not name.endswith("vital")]
    elif any(nug.members for nug in nugs):
        names = list(DISTILLATION_DEFAULTS)
    elif cases.nuggets and cases.relevances:
        names = list(AUTOMATIC_DEFAULTS)
    elif cases.citations:
        names = list(SUPPORT_DEFAULTS)
    if not names:
        if not nugs and cases.nuggets:
            raise UnfitInput(
                "there are nuggets but neither relevance labels nor a key: give a file that says which snippets are "
                "relevant, irrelevant or redundant, or one with nugs"
            )
        if not nugs:
            raise UnfitInput("there is no key: give a file with nugs (see `karat show FILE`)")
        raise UnfitInput(NO_JUDGEMENTS)
    return parse_measures(names)
