"""Two views of older evaluations: right, wrong, missing and redundant (GALE), and layers of votes (pyramids)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from karat.measures.cases.cases import ALL_QUERIES
from karat.model import KaratError, Score
from karat.reports.page.charts.bars import stacked_chart
from karat.reports.page.contents.gather import Contents
from karat.reports.page.contents.nug_means import mean_degrees
from karat.reports.page.sections.parts import Chart, Section, Switch, Table, csv_text, degree_text, value_text

COUNTS = {"right": "good", "wrong": "bad", "redundant": "warn", "missing": "pale"}
LAYERS = ("accent", "good", "warn", "bad", "soft", "pale")


def contingency_section(contents: Contents) -> Section | None:
    """What each run has right, wrong, redundant and missing (White et al. 2008), where nuggets were marked."""
    contingency = contents.contingency
    if contingency is None:
        return None
    rows = [row for row in contingency.rows if row.query_id == ALL_QUERIES]
    cells = [
        {"name": row.run_id, "kind": kind, "value": getattr(row, kind)} for row in rows for kind in COUNTS
    ]  # fmt: skip
    names = (*COUNTS, "estimated")
    data = csv_text(("run", *names), ((row.run_id, *(getattr(row, name) for name in names)) for row in rows))
    table = [[row.run_id, *(f"{getattr(row, name):.2f}" for name in names)] for row in rows]
    most = max(rows, key=lambda row: row.right)
    parts: list[object] = [
        Chart(
            stacked_chart(cells, axis="nuggets", colours=COUNTS),
            "nuggets that are right, wrong, redundant and missing, per run",
            data,
            "contingency",
        ),
        Table(["run", *names], table, data, "contingency", right=names),
    ]
    below = [
        "Rightness is right / (right + wrong + missing); proficiency is the share of the information on relevance that "
        "the answer carries. The Bayesian prior adds 1 to right, wrong and missing.",
    ]
    rules = () if contingency.rules == "2008" else (f"rules={contingency.rules}",)
    plain, with_prior = _scores(contents, rules, below), _scores(contents, ("prior=bayes", *rules), below)
    choices = [
        (caption, _measures_table(contents, scores, caption))
        for caption, scores in (("Without a prior", plain), ("With the Bayesian prior", with_prior))
        if scores
    ]
    if choices:
        parts.append(Switch("Prior", "prior", choices))
    lead = (
        f"{most.run_id} has most right: {most.right:.1f}, with {most.wrong:.1f} wrong and {most.missing:.1f} missing."
    )
    return Section("contingency", "Right, wrong, missing", lead, parts, list(dict.fromkeys(below)))


def _scores(contents: Contents, settings: Sequence[str], below: list[str]) -> list[Score]:
    """The scores with these settings; where there are none, a line below the section says why."""
    given = f"({','.join(settings)})" if settings else ""
    names = f"rightness{given},proficiency{given}"
    try:
        return contents.scored(names)
    except KaratError as error:
        below.append(f"There are no scores with intervals: {error}")
        return []


def _measures_table(contents: Contents, scores: list[Score], caption: str) -> Table:
    measures = list(dict.fromkeys(score.measure for score in scores))
    by_run = {(score.run_id, score.measure): score for score in scores}
    rows = [[run_id, *(value_text(by_run.get((run_id, name))) for name in measures)] for run_id in contents.run_ids]
    data = csv_text(
        ("run", "measure", "value", "low", "high"), ((s.run_id, s.measure, s.value, s.low, s.high) for s in scores)
    )
    return Table(["run", *measures], rows, data, caption.lower().replace(" ", "-"), right=measures, caption=caption)


def pyramid_section(contents: Contents) -> Section | None:
    """The layers of the pyramid, nugs by how many assessors call them vital, and how much of each every run reaches."""
    votes = Counter(
        (vote.query_id, vote.nug_id) for vote in contents.collection.votes if vote.value == "vital" or vote.value == 1
    )
    voters = {vote.assessor for vote in contents.collection.votes}
    if len(voters) < 2 or not contents.nug_lines:
        return None
    layers = sorted({votes[line.query_id, line.nug_id] for line in contents.nug_lines}, reverse=True)
    of_layer = {
        layer: [line for line in contents.nug_lines if votes[line.query_id, line.nug_id] == layer] for layer in layers
    }
    names = {layer: f"{layer} of {len(voters)} votes" for layer in layers}
    cells, rows = [], []
    reached = {layer: mean_degrees(of_layer[layer], contents.run_ids, seed=contents.seed) for layer in layers}
    for run_id in contents.run_ids:
        for layer in layers:
            known = [
                cell.degree for line in of_layer[layer] if (cell := line.cells.get(run_id)) and cell.degree is not None
            ]
            cells.append({"name": run_id, "kind": names[layer], "value": sum(known)})
        rows.append([run_id, *(degree_text(reached[layer][run_id]) for layer in layers)])
    columns = [f"{names[layer]} ({len(of_layer[layer])} nugs)" for layer in layers]
    data = csv_text(("run", "layer", "nugs_found"), ((cell["name"], cell["kind"], cell["value"]) for cell in cells))
    means = csv_text(
        ("run", "layer", "mean_degree", "low", "high", "queries"),
        (
            (run_id, names[layer], mean.value, mean.low, mean.high, mean.queries)
            for run_id in contents.run_ids
            for layer in layers
            for mean in (reached[layer][run_id],)
        ),
    )
    colours = {names[layer]: LAYERS[at % len(LAYERS)] for at, layer in enumerate(layers)}
    top = layers[0]
    lead = (
        f"{len(of_layer[top])} of {len(contents.nug_lines)} nugs have the most votes ({names[top]}); a run should have "
        f"these first. The mean degree is {rows[0][1]} in {rows[0][0]}, and {rows[-1][1]} in {rows[-1][0]}."
    )
    parts = [
        Chart(
            stacked_chart(cells, axis="nugs found (by degree)", colours=colours),
            "nugs found per run, by the number of votes they have",
            data,
            "pyramid",
        ),
        Table(["run", *columns], rows, means, "pyramid-degrees", right=columns),
    ]
    return Section("pyramid", "Pyramid", lead, parts, [
        "The bars count nugs. The table has the mean degree per query, with the 95 % interval for other queries.",
    ])  # fmt: skip
