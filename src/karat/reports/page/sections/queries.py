"""One page per query: the question, and each run's answer with the nugs that were found in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.measures.cases.case import Case
from karat.model import Judgement, Snippet
from karat.model.wording import number_of, safe
from karat.reports.page.contents.gather import Contents
from karat.reports.page.contents.places import Place, places_of, reason_of
from karat.reports.page.sections.parts import Section, listed, number

COLOURS = 6
HOW = (
    "Text that a judge named as proof is coloured and has the nug's name; hover over it, or tap it, to see why. "
    "Text without colour may still say something: a judge need not name a place."
)
FULL, HALF, SAME = 1 - 1e-9, 0.5, 1e-9


@dataclass(frozen=True)
class QueryPage:
    """The page of a query as HTML; everything from files is escaped."""

    query_id: str
    title: str
    html: str


@dataclass(frozen=True)
class QueryPages:
    pages: Sequence[QueryPage]


def section(contents: Contents, *, only: str | None = None) -> Section | None:
    """only: with the answers of this run alone."""
    cases = contents.cases
    if cases is None or not cases.responses:
        return None
    by_cell = {
        (score.query_id, score.run_id): score.value
        for score in contents.scoring.by_query()
        if score.measure == contents.table.name
    }
    pages = [_page(contents, query_id, by_cell, (only,) if only else contents.run_ids) for query_id in cases.query_ids]
    return Section(
        "queries", "Queries", _lead(contents), [QueryPages(pages)],
        [HOW],
    )  # fmt: skip


def _lead(contents: Contents) -> str:
    values = contents.table.values
    means = {}
    for column, query_id in enumerate(contents.table.query_ids):
        known = [value for value in values[:, column].tolist() if value == value]
        if known:
            means[query_id] = sum(known) / len(known)
    if len(means) < 2:
        return "The answers, with what was found in them."
    sign = -1 if contents.table.less_is_better else 1
    order = sorted(means, key=lambda query_id: sign * means[query_id])
    if abs(means[order[0]] - means[order[-1]]) < SAME:
        return (
            f"All queries are equally hard: the mean {contents.table.name} over the runs is {number(means[order[0]])}."
        )
    return (
        f"{_named(contents, order[0])} was the hardest query (mean {contents.table.name} over the runs "
        f"{number(means[order[0]])}), {_named(contents, order[-1])} the easiest ({number(means[order[-1]])})."
    )


def _named(contents: Contents, query_id: str) -> str:
    query = contents.queries.get(query_id)
    named = query is not None and contents.name_of(query_id) != query_id
    return query_id if query is None else f"“{query.text}”" if named else f"{query_id} (“{query.text}”)"


def _page(
    contents: Contents, query_id: str, values: Mapping[tuple[str, str], float | None], run_ids: Sequence[str]
) -> QueryPage:
    cases = contents.cases
    assert cases is not None
    query = contents.queries.get(query_id)
    named = query is not None and contents.name_of(query_id) != query_id
    title = query_id if query is None else query.text if named else f"{query_id}: {query.text}"
    lines = contents.nug_lines_of.get(query_id, [])
    descriptions = {line.nug_id: line.description for line in lines}
    order = {line.nug_id: at for at, line in enumerate(lines)}
    html = []
    if query is not None and query.conditions:
        conditions = ", ".join(f"{name}: {value}" for name, value in query.conditions.items())
        html.append(f'<p class="soft conditions">{_text(conditions)}</p>')
    for run_id in run_ids:
        case = cases.case(run_id, query_id)
        if case is not None:
            html.append(_answer(contents, case, values.get((query_id, run_id)), descriptions, order))
    return QueryPage(query_id, title, "".join(html))


def _answer(
    contents: Contents, case: Case, value: float | None, descriptions: Mapping[str, str], order: Mapping[str, int]
) -> str:
    """A run's answer: the text with marks, what was found and why, and what is missing."""
    credits = case.lenient.credits
    found = [nug_id for nug_id in order if credits.get(nug_id, 0.0) >= HALF]
    missing = [nug_id for nug_id in order if nug_id in credits and credits[nug_id] < HALF]
    full = sum(credits[nug_id] >= FULL for nug_id in found)
    unjudged = [nug_id for nug_id in order if nug_id not in credits]
    judgements = contents.best_judgements(case)
    places = {
        nug_id: places_of(judgements[nug_id], case.response)
        for nug_id in found
        if nug_id in judgements and case.response is not None
    }
    score = "" if value is None else f" · {_text(contents.table.name)} {number(value)}"
    some = f", {len(found) - full} in part" if len(found) > full else ""
    counted = f"{full} of {number_of(len(order) - len(unjudged), 'nug')} in full{some}{score}"
    if case.judgements and any(map(is_uncertain, case.judgements)):
        # A program's degrees are expectations: none is full.
        counted = f"{len(found)} of {number_of(len(order) - len(unjudged), 'nug')} probable{score}"
    head = f'<h4>{_text(case.run_id)}<span class="soft"> · {counted}</span></h4>'
    parts = [f'<article class="answer" data-run="{_text(case.run_id)}">', head]
    if case.response is None:
        parts.append('<p class="soft">The text of this answer is not among the files.</p>')
    elif case.silent:
        parts.append('<p class="soft">There is no answer.</p>')
    else:
        support = _support(case)
        for at, snippet in enumerate(case.response.snippets):
            here = [(nug_id, place) for nug_id, of_nug in places.items() for place in of_nug if place.snippet == at]
            marked = _marked(snippet.text, here, descriptions, judgements, order)
            parts.append(f'<p dir="auto">{marked}{_citations(snippet, support)}</p>')
    if found:
        parts.append(f"<details><summary>found: {number_of(len(found), 'nug')}</summary><ul>")
        parts += [
            _nug(
                nug_id,
                descriptions,
                judgements.get(nug_id),
                order,
                degree=credits[nug_id],
                named=bool(places.get(nug_id)),
            )
            for nug_id in found
        ]
        parts.append("</ul></details>")
    if missing:
        parts.append(f"<details open><summary>missing: {number_of(len(missing), 'nug')}</summary><ul>")
        parts += [
            _nug(nug_id, descriptions, judgements.get(nug_id), order, degree=credits[nug_id]) for nug_id in missing
        ]
        parts.append("</ul></details>")
    if unjudged:
        parts.append(f'<p class="soft">not judged: {_text(listed(unjudged, most=20))}</p>')
    return "".join([*parts, "</article>"])


def _marked(
    text: str, here: Sequence[tuple[str, Place]], descriptions: Mapping[str, str], judgements: Mapping[str, Judgement],
    order: Mapping[str, int],
) -> str:  # fmt: skip
    """The text with its marks. It is cut at every end of a mark, so that marks may overlap."""
    cuts = sorted({0, len(text), *(end for _, place in here for end in (place.start, place.end))})
    html = []
    for start, end in pairwise(cuts):
        over = [nug_id for nug_id, place in here if place.start <= start and end <= place.end]
        piece = _text(text[start:end])
        if over:
            shown = "\n".join(
                f"{nug_id}: {descriptions.get(nug_id, '')} ({reason_of(judgements[nug_id])})" for nug_id in over
            )
            classes = f"m{order[over[0]] % COLOURS}" + (" many" if len(over) > 1 else "")
            piece = (
                f'<mark class="{classes}" data-nugs="{_text(json.dumps(over))}" title="{_text(shown)}">{piece}</mark>'
            )
        ends = [nug_id for nug_id, place in here if place.end == end]
        html.append(piece + "".join(f'<sup class="tag">{_text(nug_id)}</sup>' for nug_id in ends))
    return "".join(html)


def _nug(
    nug_id: str, descriptions: Mapping[str, str], judgement: Judgement | None, order: Mapping[str, int], *,
    degree: float, named: bool = True,
) -> str:  # fmt: skip
    reason = (
        ""
        if judgement is None
        else f' <small class="soft">{_text(reason_of(judgement))}{"" if named else "; the place was not found"}</small>'
    )
    sure = "" if judgement is None or not is_uncertain(judgement) else ' class="unsure"'
    tag = f'<span class="tag m{order[nug_id] % COLOURS}">{_text(nug_id)}</span>'
    part = f' <span class="importance">degree {degree:.2g}</span>' if 0 < degree < FULL else ""
    return f"<li{sure}>{tag}{part} {_text(descriptions.get(nug_id, ''))}{reason}</li>"


def _support(case: Case) -> dict[tuple[str, str], str]:
    return {(each.snippet_id, each.doc_id): each.support for each in case.citation_judgements}


def _citations(snippet: Snippet, support: Mapping[tuple[str, str], str]) -> str:
    said = []
    for citation in snippet.citations:
        judged = support.get((snippet.snippet_id, citation.doc_id)) or citation.support
        said.append(f"{citation.doc_id}{f': {judged} support' if judged else ''}")
    return f" <cite>[{_text('; '.join(said))}]</cite>" if said else ""


def _text(text: str) -> str:
    return escape(safe(text), quote=True)
