"""Where runs fail: by condition of the queries, by kind of nug, and their worst queries."""

from __future__ import annotations

from karat.evaluate.tables.slices import field_names
from karat.model import Score
from karat.reports.page.contents.gather import Contents
from karat.reports.page.contents.nug_means import mean_degrees
from karat.reports.page.sections.parts import UNDEFINED, Section, Table, csv_text, degree_text, interval, number

WORST = 5
MOST_VALUES = 12
"""A condition with more values than this says little, and is left out."""
TITLE = 70


def section(contents: Contents) -> Section | None:
    if contents.table.query_ids == ("all",) or len(contents.table.query_ids) < 2:
        return None
    tables, left_out = _by_condition(contents)
    parts = [part for part in (*tables, _by_kind(contents), _worst(contents)) if part is not None]
    if not parts:
        return None
    return Section(
        "failures", "Where runs fail", _lead(contents), parts,
        [
            "Intervals are for other queries of the same kind. Where a program judged, its own error is in those by "
            "condition, and not in those by importance.",
            *left_out,
        ],
    )  # fmt: skip


def _lead(contents: Contents) -> str:
    values = contents.table.values
    zeros = {run_id: int((values[row] == 0).sum()) for row, run_id in enumerate(contents.table.run_ids)}
    worst = max(zeros, key=lambda run_id: zeros[run_id])
    name = contents.table.name
    if contents.table.less_is_better or not zeros[worst]:
        return f"The worst queries of each run by {name}, and what they have in common."
    often = f"has a {name} of 0 in {zeros[worst]} of {len(contents.table.query_ids)} queries"
    if sum(count == zeros[worst] for count in zeros.values()) > 1:
        return f"{worst}, like other runs, {often}; no run has more."
    return f"{worst} {often}, the most of all runs."


def _by_condition(contents: Contents) -> tuple[list[Table], list[str]]:
    """The score of each run by the values of each condition, and which conditions have no table."""
    fields: dict[str, dict[str, list[int]]] = {}
    for column, query_id in enumerate(contents.table.query_ids):
        query = contents.queries.get(query_id)
        for field, value in ({} if query is None else query.conditions).items():
            fields.setdefault(field, {}).setdefault(value, []).append(column)
    tables, left_out = [], []
    for field, values in fields.items():
        if why := _no_table(field, len(values)):
            left_out.append(f"No table by {field}: {why}.")
            continue
        columns = [f"{value} (n={len(at)})" for value, at in values.items()]
        scores = contents.by_condition(field, values)
        cells = {(run_id, value): scores.get((run_id, value)) for run_id in contents.run_ids for value in values}
        rows = [[run_id, *(_cell(cells[run_id, value]) for value in values)] for run_id in contents.run_ids]
        data = csv_text(
            ("run", field, "value", "low", "high", "queries"),
            (
                (run_id, value, *((None,) * 4 if score is None else (score.value, score.low, score.high, score.n)))
                for (run_id, value), score in cells.items()
            ),
        )  # fmt: skip
        caption = f"{contents.table.name} by {field}"
        tables.append(Table(["run", *columns], rows, data, f"by-{field}", right=columns, caption=caption))
    return tables, left_out


def _no_table(field: str, values: int) -> str:
    """Why there is no table by a condition; empty if there is one."""
    if values < 2:
        return "all queries have the same"
    if values > MOST_VALUES:
        return f"it has {values} values, which are too many to compare"
    # `karat score --by` could not name it either.
    return "" if field_names(field) == [field] else "its name has a comma, or a blank at an end"


def _cell(score: Score | None) -> str:
    if score is None:
        return ""
    return UNDEFINED if score.value is None else f"{number(score.value)} {interval(score.low, score.high)}".rstrip()


def _by_kind(contents: Contents) -> Table | None:
    """The mean degree of vital and of okay nugs, per run."""
    kinds = [kind for kind in ("vital", "okay") if any(line.importance == kind for line in contents.nug_lines)]
    if not kinds:
        return None
    means = {
        kind: mean_degrees(
            [line for line in contents.nug_lines if line.importance == kind], contents.run_ids, seed=contents.seed
        )
        for kind in kinds
    }
    rows = [[run_id, *(degree_text(means[kind][run_id]) for kind in kinds)] for run_id in contents.run_ids]
    data = csv_text(
        ("run", "kind", "mean_degree", "low", "high", "queries"),
        (
            (run_id, kind, mean.value, mean.low, mean.high, mean.queries)
            for kind in kinds
            for run_id, mean in means[kind].items()
        ),
    )
    columns = [f"{kind} nugs" for kind in kinds]
    return Table(
        ["run", *columns], rows, data, "by-importance", right=columns, caption="Mean degree by importance of the nugs"
    )


def _worst(contents: Contents) -> Table:
    """The five queries with the lowest score of each run."""
    sign = -1 if contents.table.less_is_better else 1
    rows, data = [], []
    row_of = {run_id: row for row, run_id in enumerate(contents.table.run_ids)}
    for run_id in contents.run_ids:
        values = contents.table.values[row_of[run_id]].tolist()
        known = [(sign * value, at) for at, value in enumerate(values) if value == value]
        best = max((value for value, _ in known), default=0.0)
        # A query on which the run is at its best is none of its worst, and of many equal ones only the first are named.
        worse = sorted((value, at) for value, at in known if value < best)
        for value, at in worse[:WORST]:
            query_id = contents.table.query_ids[at]
            query = contents.queries.get(query_id)
            text = "" if query is None else query.text
            rows.append(
                [
                    run_id,
                    contents.name_of(query_id),
                    number(sign * value),
                    text if len(text) <= TITLE else f"{text[: TITLE - 1]}…",
                ]
            )
            data.append((run_id, query_id, sign * value, text))
        equal = sum(value == worse[WORST - 1][0] for value, _ in worse[WORST:]) if len(worse) > WORST else 0
        if equal:
            rows.append([run_id, f"and {equal} more", number(sign * worse[WORST - 1][0]), "with the same score"])
    columns = ("run", "query", contents.table.name, "question")
    return Table(
        columns,
        rows,
        csv_text(columns, data),
        "worst-queries",
        right=[contents.table.name],
        caption="The five worst queries of each run",
    )
