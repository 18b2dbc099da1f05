"""What people said about the same citations, and how far the ledger agrees with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from karat.evaluate.cite.cited import Cited
from karat.evaluate.cite.ledger import Finding
from karat.judges.registry import is_judge
from karat.measures.distillation.nug_citations import CREDITS
from karat.model import Collection
from karat.model.records import Support
from karat.model.wording import number_of
from karat.stats.agreement.coefficients import cohen_kappa
from karat.stats.intervals.unit_resampling import Coefficient

Place = tuple[str | None, ...]
"""Query, run, snippet, nugget, document, citation."""


@dataclass(frozen=True)
class Compared:
    """How far findings agree with people."""

    kappa: Coefficient | None = None
    agreed: int = 0
    compared: int = 0
    notes: tuple[str, ...] = ()


def said_by_people(collection: Collection) -> dict[Place, tuple[Support, ...]]:
    """The support that people gave, by citation; adjudicated judgements go before those of single assessors."""
    said: dict[Place, tuple[Support, ...]] = {}
    decided: dict[Place, tuple[Support, ...]] = {}
    for judgement in collection.citation_judgements:
        if is_judge(judgement.assessor):
            continue
        place = (
            judgement.query_id, judgement.run_id, judgement.snippet_id, judgement.nugget_id, judgement.doc_id,
            judgement.citation_id,
        )  # fmt: skip
        kept = decided if judgement.adjudicated else said
        kept[place] = (*kept.get(place, ()), judgement.support)
    return said | decided


def people_on(cited: Cited, said: Mapping[Place, tuple[Support, ...]]) -> tuple[Support, ...]:
    """What people said about one cited text, in judgements and in the citation itself."""
    citation = cited.citation
    place = cited.query_id, cited.run_id, cited.snippet_id, cited.nugget_id, citation.doc_id
    found = said.get((*place, citation.citation_id)) or said.get((*place, None), ())
    own = (citation.support,) if citation.support is not None and cited.nugget_id is None else ()
    return (*found, *own)


def compare_with_people(findings: Sequence[Finding]) -> Compared:
    """Cohen's kappa of three degrees (none, partial, full), over every judgement of a person; queries are drawn.

    Citations whose document is missing, for the ledger or for people, are left out.
    """
    rows = [
        (CREDITS[finding.support], CREDITS[support], finding.query_id)
        for finding in findings
        for support in finding.people
        if "missing" not in (finding.support, support)
    ]
    if not rows:
        return Compared()
    queries = {query_id: at for at, query_id in enumerate(dict.fromkeys(query_id for _, _, query_id in rows))}
    groups = [queries[query_id] for _, _, query_id in rows] if len(queries) > 1 else None
    kappa = cohen_kappa([[ours, theirs] for ours, theirs, _ in rows], groups=groups)
    agreed = sum(ours == theirs for ours, theirs, _ in rows)
    value = "undefined" if kappa.value is None else f"{kappa.value:.2f}"
    interval = "" if kappa.low is None else f" [{kappa.low:.2f}, {kappa.high:.2f}]"
    note = (
        f"people judged {number_of(len(rows), 'citation')} of these: {agreed:,} agree ({agreed / len(rows):.0%}), "
        f"kappa {value}{interval}; their judgements are not changed"
    )
    return Compared(kappa, agreed, len(rows), (note,))
