"""One person's view of one step of one query."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from karat.campaign.material.settings import STEPS, Settings, defaults, read_settings
from karat.campaign.material.templates import template_of
from karat.campaign.store import tables
from karat.campaign.work.annotations import PARTS, decode_work, layer, of_type
from karat.campaign.work.errors import CurrentAnnotation, NotAllowed
from karat.campaign.work.payloads import JudgementWork, NuggetWork, NugWork
from karat.campaign.work.permissions import ADJUDICATED, Person, check_may_change, check_may_see, query_row
from karat.campaign.work.query_key import KeyNug, query_key
from karat.campaign.work.steps import states, votes_wait, when_votes_open
from karat.campaign.work.task_data.judging import judge_suggestions, judging_pairs
from karat.campaign.work.task_data.passages import in_order, task_answers, task_passages
from karat.campaign.work.task_data.records import (
    SimilarNuggets,
    TaskAnswer,
    TaskData,
    TaskPair,
    TaskQuery,
    TaskStep,
    TaskSuggestion,
    TaskTemplate,
)
from karat.campaign.work.task_data.similar import similar_nuggets
from karat.model import Query, Template, decode_record

PASSAGES_PER_PAGE = 50
PAIRS_PER_PAGE = 100
KINDS_OF_STEP = {
    "relevance": ("relevance", "nug", "reviewed"),
    "nuggets": ("nugget", "nug", "rejection", "citation", "relevance", "reviewed"),
    "nugs": ("nugget", "nug", "citation", "relevance", "reviewed"),
    "citations": ("nugget", "nug", "citation", "relevance", "reviewed"),
    "votes": ("vote", "reviewed"),
    "judging": ("judgement", "reviewed"),
}


def task_data(
    connection: Connection, person: Person, query_number: int, step: str, owner: int | None = None, page: int = 1
) -> TaskData:
    """What the page of a step shows. `owner`: whose layer; the own one (an adjudicator's: the adjudicated) by default.

    Raises NotAllowed where the person may not see the layer, or there is no such query or step.
    """
    if owner is None:
        owner = person.number if person.role == "assessor" else ADJUDICATED
    row = query_row(connection, query_number)
    check_may_see(connection, person, query_number, owner)
    if step not in STEPS:
        raise NotAllowed
    settings = read_settings(connection)
    record = decode_record(row.record.encode())
    assert isinstance(record, Query)
    step_states = states(connection, query_number, owner)
    done = step in step_states and step_states[step].done is not None
    waiting = "votes" in step_states and bool(votes_wait(connection, [query_number]))
    waits = when_votes_open(connection) if waiting and step == "votes" else None
    kinds = KINDS_OF_STEP[step] + (("decision",) if owner == ADJUDICATED else ())
    annotations = layer(connection, query_number, owner, kinds)
    answers = task_answers(connection, query_number)
    key = (
        tuple(query_key(connection, query_number, owner).values()) if step in ("votes", "judging") and not waits else ()
    )
    pairs, suggestions = _judging(connection, query_number, annotations, answers, key, settings, step)
    shown, page, pages = _shown(step, annotations, answers, pairs, page)
    if step == "judging":
        pairs = pairs[(page - 1) * PAIRS_PER_PAGE : page * PAIRS_PER_PAGE]
        wanted = {(pair.response, pair.nug) for pair in pairs}
        suggestions = [each for each in suggestions if _pair(each) in wanted]
        of_pairs = {pair.response for pair in pairs}
        answers = tuple(answer for answer in answers if answer.number in of_pairs)
        shown = in_order(answers)
    if step == "nuggets" and settings.show_suggestion != "never":
        suggestions = _suggested_nuggets(connection, shown)
    passages = task_passages(connection, shown, campaign_language=settings.language)
    template = template_of(connection, record.template)
    types = _types(settings, () if template is None else template.types)
    return TaskData(
        query=TaskQuery(
            number=query_number, query_id=record.query_id, text=record.text, template=record.template,
            slots=record.slots, conditions=record.conditions, language=row.language,
        ),
        step=step, owner=owner, done=done,
        editable=not (done or waits) and step in step_states and _may_change(connection, person, query_number, owner),
        waits=waits,
        steps=tuple(
            TaskStep(step=name, done=state.done is not None, waits=waiting and name == "votes")
            for name, state in step_states.items()
        ),
        pages=pages, page=page, answers=answers if step != "votes" else (), passages=passages,
        annotations=tuple(annotations), suggestions=tuple(suggestions), key=_without_importance(key, step),
        pairs=tuple(pairs),
        similar=_similar(annotations, {passage.number: passage.text for passage in passages}, step),
        guideline=settings.guidelines[step],
        template=None if template is None else TaskTemplate(
            template_id=template.template_id, description=template.description, categories=template.categories,
            types=template.types,
        ),
        types=types, type_meanings=_meanings(types, template), words_in_scope=settings.words_in_scope,
        vote_scale=settings.vote_scale, show_suggestion=settings.show_suggestion,
    )  # fmt: skip


def _shown(
    step: str, annotations: Sequence[CurrentAnnotation], answers: Sequence[TaskAnswer], pairs: list[TaskPair], page: int
) -> tuple[list[int], int, int]:
    """The passages of the page, the page and the number of pages. The board of nugs needs all of its nuggets."""
    if step == "votes":
        return [], 1, 1
    ordered = in_order(answers)
    if step == "nugs":
        marked = {nugget.passage for nugget in of_type(annotations, NuggetWork).values()}
        return [number for number in ordered if number in marked], 1, 1
    length = len(pairs) if step == "judging" else len(ordered)
    size = PAIRS_PER_PAGE if step == "judging" else PASSAGES_PER_PAGE
    pages = max(1, -(-length // size))
    page = min(max(page, 1), pages)
    return ordered[(page - 1) * size : page * size], page, pages


def _judging(
    connection: Connection,
    query_number: int,
    annotations: Sequence[CurrentAnnotation],
    answers: Sequence[TaskAnswer],
    key: Sequence[KeyNug],
    settings: Settings,
    step: str,
) -> tuple[list[TaskPair], list[TaskSuggestion]]:
    """All pairs to judge, and of the program's answers those that the assessor may see now."""
    if step != "judging":
        return [], []
    suggestions, uncertainties = judge_suggestions(connection, query_number)
    pairs = judging_pairs(suggestions, uncertainties, [answer.number for answer in answers], [nug.key for nug in key])
    if settings.show_suggestion == "never":
        return pairs, []
    if settings.show_suggestion == "before":
        return pairs, suggestions
    answered = {(record.response, record.nug) for record in of_type(annotations, JudgementWork).values()}
    return pairs, [suggestion for suggestion in suggestions if _pair(suggestion) in answered]


def _pair(suggestion: TaskSuggestion) -> tuple[int, str] | None:
    record = suggestion.record
    return (record.response, record.nug) if isinstance(record, JudgementWork) else None


def _suggested_nuggets(connection: Connection, passages: list[int]) -> list[TaskSuggestion]:
    """Automatic nuggets: they are there to be accepted, corrected or rejected, so they are shown from the start."""
    columns, found = tables.suggestion.c, []
    for start in range(0, len(passages), PARTS):
        rows = connection.execute(
            select(columns.number, columns.kind, columns.record)
            .where(columns.passage.in_(passages[start : start + PARTS]), columns.kind == "nugget")
            .order_by(columns.number)
        )
        found += [TaskSuggestion(number=row.number, kind=row.kind, record=decode_work(row.record)) for row in rows]
    return found


def _similar(annotations: Sequence[CurrentAnnotation], texts: dict[int, str], step: str) -> tuple[SimilarNuggets, ...]:
    if step != "nugs":
        return ()
    return similar_nuggets(of_type(annotations, NuggetWork), of_type(annotations, NugWork), texts)


def _without_importance(key: Sequence[KeyNug], step: str) -> tuple[KeyNug, ...]:
    """Who votes is not told what others think of a nug."""
    if step != "votes":
        return tuple(key)
    return tuple(KeyNug(key=nug.key, descriptions=nug.descriptions) for nug in key)


def _types(settings: Settings, of_template: Sequence[str]) -> tuple[str, ...]:
    """The template's types first."""
    return tuple(dict.fromkeys((*of_template, *settings.types)))


def _meanings(types: Sequence[str], template: Template | None) -> dict[str, str]:
    """What the types mean: as the template says, whose categories may be types, else as Karat's defaults say."""
    known = {**defaults().types, **({} if template is None else template.categories)}
    return {name: known[name] for name in types if known.get(name)}


def _may_change(connection: Connection, person: Person, query_number: int, owner: int) -> bool:
    try:
        check_may_change(connection, person, query_number, owner)
    except NotAllowed:
        return False
    return True
