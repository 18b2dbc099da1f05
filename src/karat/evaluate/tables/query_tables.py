"""Tables of at least two runs and two queries, for studies of how reliable they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from karat.evaluate.tables.score_table import Average, ScoreTable
from karat.evaluate.tables.tabulating import Tabulated, tabulated
from karat.measures.cases.rules import Rules
from karat.measures.cases.saved_fields import IDF
from karat.model import Collection, UnfitInput, UsageError
from karat.model.identity import KEY_SETTING
from karat.model.wording import number_of
from karat.stats.reliability.variance import VarianceComponents, variance_components


def tabulated_queries(
    collection: Collection,
    *,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    **rules: Unpack[Rules],
) -> Tabulated:
    """Tables of at least two runs and two queries; for one measure where none is named."""
    if average != "query":
        raise UsageError(
            f"this works with means over queries only, not with average={average!r}; choose --average query"
        )
    scored = tabulated(collection, measures=measures, beta=beta, most=1, **rules)
    notes = list(scored.notes)
    for table in scored.tables:
        if len(table.run_ids) < 2:
            raise UnfitInput(f"there is only one run, {table.run_ids[0]}: give two or more")
        if len(table.query_ids) < 2:
            raise UnfitInput(
                f"{table.name} is known for only one query ({table.query_ids[0]}), which says nothing about others: "
                "give judgements or scores by query, of two queries or more"
            )
        if undefined := int(np.isnan(table.values[~table.skipped]).sum()):
            why = f" ({table.measure.undefined()})" if table.measure else ""
            notes.append(f"{table.name} is undefined for {number_of(undefined, 'response')}{why}, left out")
    return replace(scored, notes=tuple(notes))


def origin_of(scored: Tabulated) -> dict[str, str]:
    """Where the scores come from, for the signature."""
    if scored.cases is None:
        return {"from": "scores"} | ({KEY_SETTING: "+".join(scored.keys)} if scored.keys else {})
    judges = "+".join(scored.cases.judges) or "none"
    idf = scored.cases.idf
    return {"judge": judges, **({IDF: idf} if idf else {}), **scored.cases.rules.settings(), **scored.cases.key_setting}


def components_of(table: ScoreTable, notes: list[str]) -> VarianceComponents | None:
    """How much scores vary with runs and queries; adds to `notes` what is left out."""
    components = variance_components(table.values)
    if components is None:
        notes.append(f"{table.name}: no variance components: they need two runs with values for the same two queries")
    elif components.method != "mean squares":
        used = f"{components.runs} runs and {number_of(components.queries, 'query')}"
        notes.append(f"{table.name}: variance components by {components.method} from {components.cells} values of "
                     f"{used}; some runs lack values")  # fmt: skip
    return components
