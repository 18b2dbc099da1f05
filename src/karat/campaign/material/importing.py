"""Import: files of any format that Karat reads become the material of a campaign.

Files are read and checked while people go on working; then everything is written in one short transaction, so that an
import that fails leaves no trace. What the campaign has already is skipped where it is the same, and named where it is
not. People's annotation is no material: it is refused, or left out on request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, func, select

from karat.campaign.material.loading import Loader
from karat.campaign.material.rows import material_state
from karat.campaign.material.settings import Step, default_steps, fit_steps, read_settings
from karat.campaign.people.accounts import log_event
from karat.campaign.store.database import Database
from karat.formats import open_inputs
from karat.formats.inputs.reading import Input, OnError
from karat.judges.registry import is_judge
from karat.measures.cases.saved_fields import each_unfolded
from karat.model import (
    AnyRecord,
    Document,
    Judgement,
    Nug,
    Nugget,
    Problem,
    Query,
    Record,
    Response,
    Run,
    Score,
    Template,
    UnfitInput,
    UsageError,
    kind_of,
)
from karat.model.wording import number_of

LOCK = 0x696D706F7274
CACHE_KILOBYTES = 128 * 1024
LISTED = 20
"""How many things a message names; the rest are counted."""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import added, what was there already, and what to know about it."""

    added: dict[str, int]
    present: dict[str, int]
    left_out: dict[str, int]
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What `on_error="skip"` left out."""

    def lines(self) -> list[str]:
        """The summary in words."""
        lines = [f"added: {_counts(self.added) or 'nothing'}"]
        if self.present:
            lines.append(f"already in the campaign: {_counts(self.present)}")
        if self.left_out:
            lines.append(f"left out: {_counts(self.left_out)}")
        return [*lines, *self.notes]


def import_files(
    database: Database,
    *files: Input,
    format: str | None = None,
    on_error: OnError = "stop",
    ignore_annotation: bool = False,
    programs: Iterable[str] = (),
    by: int | None = None,
) -> Imported:
    """Import files that belong together. by: the account that does it, for the log.

    ignore_annotation: leave people's annotation out instead of refusing the files. programs: judges in the files that
    are programs, besides those that Karat knows as such: their judgements become suggestions.

    Raises:
        InputError: a file has problems.
        UsageError: something differs from what the campaign has, has no text, or is people's annotation.
    """
    inputs = open_inputs(*files, format=format, on_error=on_error)
    with database.importing, database.read() as reading:
        _wait_for_other_imports(reading)
        prepared = _prepare(reading, inputs, ignore_annotation=ignore_annotation, programs=programs)
        # New rows refer to each other and to what stands, which the state below answers for.
        with (
            closing(prepared.loader.rows),
            database.write(check_references=False) as connection,
            _large_cache(connection),
        ):
            if material_state(connection) != prepared.state:
                raise UsageError(
                    "somebody else imported something, or changed the settings, while the files were read; nothing was "
                    "imported: do it again"
                )
            done = _write(connection, prepared, by)
    notes = (*done.notes, *(str(warning) for warning in inputs.warnings))
    return msgspec.structs.replace(done, notes=notes, problems=tuple(inputs.problems))


@contextmanager
def _large_cache(connection: Connection) -> Iterator[None]:
    """Random numbers put rows all over the tables: with SQLite's usual 2 MB, pages are written again and again."""
    if connection.dialect.name != "sqlite":
        yield
        return
    usual = connection.exec_driver_sql("PRAGMA cache_size").scalar()
    connection.exec_driver_sql(f"PRAGMA cache_size=-{CACHE_KILOBYTES}")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"PRAGMA cache_size={usual}")


def import_records(
    connection: Connection,
    records: Iterable[AnyRecord],
    *,
    ignore_annotation: bool = False,
    programs: Iterable[str] = (),
    by: int | None = None,
) -> Imported:
    """The same for records, inside the caller's transaction: an error must end it."""
    _wait_for_other_imports(connection)
    prepared = _prepare(connection, records, ignore_annotation=ignore_annotation, programs=programs)
    return _write(connection, prepared, by)


class _Prepared(NamedTuple):
    """Everything that is to be written, and the state of the campaign for which it is right."""

    loader: Loader
    state: tuple[object, ...]
    left_out: Counter[str]
    before: tuple[Step, ...]
    """The steps that the campaign would have by itself."""


def _wait_for_other_imports(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # Two imports at once would both add what they have in common.
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))


def _prepare(
    connection: Connection, records: Iterable[AnyRecord], *, ignore_annotation: bool, programs: Iterable[str]
) -> _Prepared:
    """Read and check everything, and draw its numbers; nothing is written."""
    state, before = material_state(connection), default_steps(connection)
    sorter = _Sorter(Loader(connection, words=read_settings(connection).words_in_scope), frozenset(programs))
    try:
        left_out = _collected(sorter, records, ignore_annotation=ignore_annotation)
    except BaseException:
        sorter.loader.rows.close()
        raise
    return _Prepared(sorter.loader, state, left_out, before)


def _collected(sorter: _Sorter, records: Iterable[AnyRecord], *, ignore_annotation: bool) -> Counter[str]:
    """Give all records to the loader, and raise what stands against it; returns what was left out."""
    for record in each_unfolded(records):
        sorter.add(record)
    sorter.finish()
    if sorter.annotation and not ignore_annotation:
        raise UnfitInput(
            f"the files have people's annotation ({_counts(sorter.annotation)}), and a campaign makes its own: leave "
            f"it out with --ignore-annotation{sorter.about_judges()}; nothing was imported"
        )
    loader = sorter.loader
    loader.finish()
    if loader.problems:
        raise UnfitInput(f"nothing was imported:\n{_listed(loader.problems)}")
    return sorter.annotation + sorter.scores


def _write(connection: Connection, prepared: _Prepared, by: int | None) -> Imported:
    loader = prepared.loader
    loader.rows.write_all(connection)
    loader.notes += fit_steps(connection, prepared.before)
    added = {noun: count for noun, count in loader.added.items() if count}
    if added:
        log_event(connection, f"imported {_counts(added)}", by=by)
    return Imported(
        added=added, present=dict(loader.present), left_out=dict(prepared.left_out), notes=tuple(loader.notes)
    )


class _Sorter:
    """Gives material to the loader, and counts what is none."""

    def __init__(self, loader: Loader, programs: frozenset[str]) -> None:
        self.loader = loader
        self.annotation: Counter[str] = Counter()
        self.scores: Counter[str] = Counter()
        self._programs = programs
        self._unsure: set[str] = set()
        self._undecided: dict[str, list[Judgement]] = {}
        """Judgements of a judge who may be a person: one that is ever unsure is a program."""
        self._people: set[str] = set()

    def add(self, record: Record) -> None:
        match record:
            case Query():
                self.loader.add_query(record)
            case Run():
                self.loader.add_run(record)
            case Response():
                self.loader.add_response(record)
            case Document():
                self.loader.add_document(record)
            case Template():
                self.loader.add_template(record)
            case Nug() if record.assessor is None:
                self.loader.add_nug(record)
            case Nugget() if record.source == "auto" and record.assessor is None:
                self.loader.suggestions.add_nugget(record)
            case Judgement() if record.assessor is None and not record.adjudicated and "known" not in record.extra:
                self._judgement(record)
            case Score():
                self.scores["score"] += 1
            case _:
                self.annotation[kind_of(record).replace("_", " ")] += 1

    def _judgement(self, record: Judgement) -> None:
        judge = record.judge
        if any(0.0 < share < 1.0 for share in record.probabilities.values()):
            self._unsure.add(judge)
        if judge in self._programs or judge in self._unsure or is_judge(judge):
            self.loader.suggestions.add_judgement(record)
        else:
            self._undecided.setdefault(judge, []).append(record)

    def finish(self) -> None:
        """Decide about the judges who may be people."""
        for judge, judgements in self._undecided.items():
            if judge in self._unsure:
                for judgement in judgements:
                    self.loader.suggestions.add_judgement(judgement)
            else:
                self._people.add(judge)
                self.annotation["judgement"] += len(judgements)

    def about_judges(self) -> str:
        names = ", ".join(sorted(self._people))
        return f", or say with --program NAME which of its judges are programs ({names})" if names else ""


def _counts(counts: dict[str, int] | Counter[str]) -> str:
    return ", ".join(number_of(count, noun) for noun, count in counts.items() if count)


def _listed(problems: Sequence[str]) -> str:
    """The first problems, one per line, and how many more there are."""
    more = f"\n... and {len(problems) - LISTED:,} more" if len(problems) > LISTED else ""
    return "\n".join(problems[:LISTED]) + more
