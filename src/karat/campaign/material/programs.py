"""Let a program work first: automatic nuggets of all passages, or a judge's answers, as suggestions for people.

Programs take long, so they work outside the transaction that writes what they found.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from importlib.util import find_spec

import msgspec
from sqlalchemy import Connection, func, select

from karat.campaign.material.importing import Imported
from karat.campaign.material.loading import Loader
from karat.campaign.material.settings import read_settings
from karat.campaign.material.templates import campaign_templates
from karat.campaign.people.accounts import log_event
from karat.campaign.store import tables
from karat.campaign.store.database import Database
from karat.engines import Track
from karat.evaluate.nuggets.input_snippets import InputSnippet
from karat.evaluate.nuggets.nuggetize import Choices, SnippetNotes, nugget_records, nuggetize_snippets
from karat.judges.judge import judge_collection
from karat.judges.registry import parse_judge
from karat.language import load_analyzer
from karat.language.spacy.models import installed_pipelines
from karat.model import Collection, Nugget, Query, Record, SpanSet, UnfitInput, UsageError, decode_record
from karat.nuggetizer.templates import TYPES, QuestionTemplate, built_in


def check_programs(*, suggest: bool, judge: str | None) -> None:
    """Raise the error for a program that cannot work, before anything else is done."""
    if suggest:
        load_analyzer()
    if judge is not None and parse_judge(judge).works_together:
        raise UsageError(
            f"--judge {judge}: a campaign asks no language model; judge first with `karat judge KEY RUNS --judge llm "
            "--llm-url URL -o judgements.jsonl`, and import that file"
        )


def can_suggest() -> bool:
    """Whether nuggets can be found here: the language part is installed, with a model."""
    return find_spec("spacy") is not None and bool(installed_pipelines())


def suggest_nuggets(database: Database, *, jobs: int = 1, by: int | None = None) -> Imported:
    """Find the nuggets of all passages that have no suggested nuggets yet, by the rules for people who annotate.

    Only the text in scope is nuggetized, with the template of its query.
    """
    with database.read() as connection:
        snippets = _passages(connection)
        templates = _question_templates(connection)
    found = list(
        nuggetize_snippets(
            snippets, choices=Choices(rules="guidelines", paraphrase=True), templates=templates, jobs=jobs
        )
    )
    with database.write() as connection:
        loader = _loader(connection)
        for nugget in nugget_records(found):
            # The passage's number stands in for the snippet.
            loader.suggestions.suggest_nugget(loader.queries[nugget.query_id], int(nugget.snippet_id), _plain(nugget))
        return _finished(loader, connection, "suggested nuggets", tuple(SnippetNotes(found).lines()), by)


def _plain(nugget: Nugget) -> Nugget:
    """The id of a nugget is made from the passage's number, and means nothing outside the campaign."""
    return msgspec.structs.replace(nugget, nugget_id="")


def _passages(connection: Connection) -> list[InputSnippet]:
    """The passages in scope that have no suggestion."""
    passage, occurrence, suggestion = tables.passage, tables.occurrence, tables.suggestion
    scope = func.max(occurrence.c.scope).label("scope")
    rows = connection.execute(
        select(passage.c.number, passage.c.query, passage.c.text, scope)
        .join(occurrence, occurrence.c.passage == passage.c.number)
        .where(passage.c.number.not_in(select(suggestion.c.passage).where(suggestion.c.passage.is_not(None))))
        .group_by(passage.c.number, passage.c.query, passage.c.text)
        .order_by(passage.c.query, passage.c.number)
    ).all()
    queries = _queries(connection)
    return [
        InputSnippet(
            snippet_id=str(row.number),
            text=row.text,
            query_id=queries[row.query].query_id,
            run_id="",
            portion=None if row.scope >= len(row.text) else SpanSet([(0, row.scope)]),
            template=queries[row.query].template,
            asked=queries[row.query].slots.get("asked"),
        )
        for row in rows
        if row.scope
    ]


def _question_templates(connection: Connection) -> Mapping[str, QuestionTemplate]:
    """The nuggetizer's templates, and the campaign's own by the types that they name."""
    own = {
        name: QuestionTemplate(
            text=template.description, types=tuple(kind for kind in TYPES if kind in template.types) or TYPES
        )
        for name, template in campaign_templates(connection).items()
        if name not in built_in()
    }
    return {**built_in(), **own}


def suggest_judgements(
    database: Database, judge: str, *, jobs: int = 1, track: Track | None = None, by: int | None = None
) -> Imported:
    """Let a judge answer for every response and nug of the imported key.

    Raises:
        UsageError: there is no such judge, or the campaign has no key.
    """
    with database.read() as connection:
        collection = _material(connection)
    if not collection.nugs:
        raise UnfitInput("the campaign has no key for a judge; import one, or let people make the nugs")
    judging = judge_collection(collection, judge=judge, jobs=jobs, track=track)
    with database.write() as connection:
        loader = _loader(connection)
        for judgement in judging.judgements:
            loader.suggestions.add_judgement(judgement)
        return _finished(loader, connection, f"judged by {judge}", judging.notes, by)


def _material(connection: Connection) -> Collection:
    """The queries, responses and key nugs of the campaign."""
    records: list[Record] = []
    for table in (tables.query, tables.response, tables.key_nug):
        stored = connection.execute(select(table.c.record).order_by(table.c.number)).scalars()
        records += [decode_record(record.encode()) for record in stored]
    return Collection(records)


def _queries(connection: Connection) -> dict[int, Query]:
    rows = connection.execute(select(tables.query.c.number, tables.query.c.record)).all()
    decoded = {row.number: decode_record(row.record.encode()) for row in rows}
    return {number: query for number, query in decoded.items() if isinstance(query, Query)}


def _loader(connection: Connection) -> Loader:
    return Loader(connection, words=read_settings(connection).words_in_scope)


def _finished(loader: Loader, connection: Connection, what: str, notes: tuple[str, ...], by: int | None) -> Imported:
    with closing(loader.rows):
        loader.finish()
        if loader.problems:
            raise UnfitInput("\n".join(loader.problems))
        loader.rows.write_all(connection)
    log_event(connection, f"{what}: {loader.added['suggestion']:,} suggestions", by=by)
    added = {noun: count for noun, count in loader.added.items() if count}
    return Imported(added=added, present=dict(loader.present), left_out={}, notes=(*loader.notes, *notes))
