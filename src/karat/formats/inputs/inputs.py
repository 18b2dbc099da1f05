"""Inputs: one or several files, read together as records that fit together.

Each file is read twice, first for what it defines, so that a reference may come before what it refers to. Karat's own
files are streamed both times; files of other formats are small and kept in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, get_args

from karat.formats.inputs.query_matching import matched_by_text, matches_text
from karat.formats.inputs.reading import OnError, Reading
from karat.formats.inputs.run_names import check_run_names
from karat.formats.io.assessors import UnnamedSheets
from karat.formats.io.definitions import Definitions, Fault, InputPlace
from karat.formats.io.references import References
from karat.formats.io.rows import Batch, in_pieces, judgements_apart
from karat.formats.io.source import MAX_PROBLEMS
from karat.model import (
    AnyRecord,
    Collection,
    Document,
    InputError,
    Judgement,
    Problem,
    Query,
    Response,
    Run,
    Template,
    UsageError,
)
from karat.model.identity import DEFINITIONS, identity
from karat.model.wording import natural

if TYPE_CHECKING:
    from karat.formats.karat.plain import Codes


class Inputs:
    """Iterate to get the records that can be kept, with definitions merged and references checked.

    on_error "stop" raises InputError with the problems of all files after the last record;
    "skip" leaves bad units out and lists the problems in `problems`.
    """

    def __init__(self, readings: Sequence[Reading], *, on_error: OnError = "stop") -> None:
        if on_error not in get_args(OnError):
            raise UsageError(f"on_error={on_error!r} is not one of {', '.join(get_args(OnError))}")
        self.readings = list(readings)
        self.on_error = on_error
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.unlisted = 0
        self.definitions = Definitions()
        self._sheets = UnnamedSheets()
        self.file = ""
        """The name of the file being read; of a folder of shards, that of the shard."""
        self.given = ""
        """What the user named: the file, or the folder."""
        self._streams = False
        """Whether it is one of Karat's own formats."""
        self._held: dict[int, Batch] = {}
        self._reference_problems: list[Problem] = []
        """The problems with references in the file being read."""

    def __iter__(self) -> Iterator[AnyRecord]:
        return chain.from_iterable(batch.records for batch in self.batches())

    def batches(self, *, plain: Codes | None = None) -> Iterator[Batch]:
        """The same records in batches, with their lines; `file` names the file they are from. plain: see `Reading`."""
        self._gather()
        yield from self._gathered(plain)

    def _gathered(self, plain: Codes | None = None) -> Iterator[Batch]:
        """The records in batches, when what all files define is known."""
        references = References(self.definitions)
        for number, reading in enumerate(self.readings):
            self.file, self.given, self._streams = reading.name, reading.name, reading.is_streamed
            if not reading.is_streamed:
                check = references.checker(None)
                for first, batch in self._whole(number):
                    yield self._checked(batch, number, check, references, first=first)
            else:
                check = references.checker(number)
                for batch in reading.batches(plain=plain):
                    self.file = batch.file or reading.name
                    yield self._checked(batch, number, check, references)
            self._take_problems(reading)
        for place, message in self.definitions.replaced:
            name = place.part or self.readings[place.file].name
            self.warnings.append(
                Problem(file=name, line=place.line, path="", code="replaced-response", message=message)
            )
        if self.on_error == "stop" and self.problems:
            raise InputError(self.problems, unlisted=self.unlisted)

    def collection(self, *, unread: frozenset[str] = frozenset()) -> Collection:
        """All records, with the judgements as columns.

        unread: fields of judgements that nobody will read (see `JudgementColumns.add`).
        """
        from karat.formats.karat.judgement_columns import JudgementColumns
        from karat.formats.karat.plain import PlainBatch

        judgements = JudgementColumns()
        others: list[AnyRecord] = []
        for batch in self.batches(plain=judgements.codes):
            if isinstance(batch, PlainBatch):
                judgements.add_plain(batch)
                continue
            records = batch.records
            if not batch.holds_only(Judgement):
                others += [record for record in records if type(record) is not Judgement]
                records = [record for record in records if type(record) is Judgement]
            judgements.add(records, packed=self._streams, unread=unread)  # type: ignore[arg-type]
        return Collection(others, judgements=judgements)

    def _gather(self) -> None:
        """Collect what all files define; where ids of key and runs differ, but questions do not, use the key's ids."""
        self._gather_as_named()
        if (of_key := matched_by_text(self.definitions)) and not any(reading.query_ids for reading in self.readings):
            for number, reading in enumerate(self.readings):
                reading.query_ids = self._own(number, of_key)
            self._gather_as_named()
        check_run_names(self.readings, self._read)
        for clash in self._sheets.clashes([reading.name for reading in self.readings]):
            name = self.readings[clash.file].name
            self.problems.append(
                Problem(
                    file=name, line=clash.line, path="", code="unnamed-assessors", message=clash.message,
                    query_id=clash.query_id,
                )
            )  # fmt: skip

    def _own(self, number: int, of_key: dict[str, Query]) -> dict[str, Query]:
        """Of the queries with other ids in the key, those of one file."""
        own = {getattr(record, "query_id", None) for batch in self._read(number) for record in batch.records}
        return {old: query for old, query in of_key.items() if old in own}

    def _read(self, number: int) -> Iterable[Batch]:
        """The records of one file as they are, for a look at them."""
        return [self._held[number]] if number in self._held else self.readings[number].batches()

    def _gather_as_named(self) -> None:
        self.definitions = self._no_definitions()
        self._sheets = UnnamedSheets()
        self.problems.clear()
        self.warnings.clear()
        self.unlisted = 0
        for number, reading in enumerate(self.readings):
            reading.on_error = "skip"
            if reading.is_streamed:
                try:
                    for definition, at in reading.definitions():
                        self.definitions.add(definition, at.among(number))
                        self._sheets.add(definition, number, at.line)
                except InputError:
                    # The same error is raised, and reported, when the records are read.
                    continue
            else:
                self._take_whole(reading, number)

    def _no_definitions(self) -> Definitions:
        return Definitions([reading.name for reading in self.readings])

    def _take_whole(self, reading: Reading, number: int) -> None:
        """Read a file that is not streamed, for what it defines; it is held until its records are given out."""
        for batch in in_pieces(reading, reading.source, size=None):
            self._held[number] = batch
            self._note(batch, number)

    def _whole(self, number: int) -> Iterable[tuple[int, Batch]]:
        """The records of a file that is not streamed, each batch with the position of its first record."""
        return judgements_apart(self._held.pop(number))

    def _note(self, batch: Batch, number: int, *, first: int = 0) -> None:
        """Take what records of a file that is not streamed define."""
        # Where no other file can have sheets, no judgement can differ from that of another sheet.
        several = sum(not each.is_streamed for each in self.readings) > 1
        for at, (record, line) in enumerate(zip(batch.records, batch.lines, strict=True)):
            if type(record) in DEFINITIONS:
                # Files of other formats can give several definitions per line: the position keeps them apart.
                part = batch.files[at] if batch.files else ""
                self.definitions.add(record, InputPlace(number, first + at, line, part))
                self._sheets.add(record, number, line)
            elif several:
                self._sheets.add(record, number, line)

    def _checked(
        self,
        batch: Batch,
        number: int,
        check: Callable[[AnyRecord], Fault | None],
        references: References,
        *,
        first: int = 0,
    ) -> Batch:
        """The records of a batch that can be kept. first: the position of the first one in a file that is held."""
        if references.are_sound_judgements(batch, number):
            return batch
        streamed = self.readings[number].is_streamed
        kept: list[AnyRecord] = []
        lines: list[int] = []
        repaired: list[int] = []
        for position, (record, line) in enumerate(zip(batch.records, batch.lines, strict=True)):
            part = batch.files[position] if batch.files else batch.file
            self.file = part or self.readings[number].name
            if type(record) in DEFINITIONS:
                place = InputPlace(number, batch.before + line if streamed else first + position, line, part)
                definition, conflict = self._defined(record, place)
                if conflict is not None:
                    self._report(record, line, conflict)
                if definition is None or self._sheets.is_left_out(record, number):
                    continue
                record = definition
            whole = self._without_faults(record, line, check)
            if whole is None:
                continue
            record = whole
            if position in batch.repaired:
                repaired.append(len(kept))
            kept.append(record)
            lines.append(line)
        return Batch(kept, lines, frozenset(repaired), file=batch.file, before=batch.before)

    def _without_faults(
        self, record: AnyRecord, line: int, check: Callable[[AnyRecord], Fault | None]
    ) -> AnyRecord | None:
        """What can be kept of a record: all of it, all except the parts that are wrong, or nothing (None)."""
        kept: AnyRecord | None = record
        while kept is not None and (fault := check(kept)) is not None:
            self._report(kept, line, fault)
            kept = fault.repaired
        return kept

    def _defined(self, record: AnyRecord, place: InputPlace) -> tuple[AnyRecord | None, Fault | None]:
        """The definition to give out here (None if it is given out at another place), and what is wrong with it."""
        conflict = self.definitions.conflicts.get(place)
        if conflict is not None or not self.definitions.is_given_out_at(record, place):
            return None, conflict
        if isinstance(record, Response):
            return self.definitions.completed(record), None
        return self.definitions.kept.get((type(record), *identity(record)), record), None

    def _report(self, record: AnyRecord, line: int, fault: Fault) -> None:
        query_id = None if isinstance(record, Run | Template | Document) else record.query_id
        self._reference_problems.append(
            Problem(
                file=self.file, line=line, path=fault.path, code=fault.code, message=fault.message, query_id=query_id
            )
        )

    def _take_problems(self, reading: Reading) -> None:
        """Add the problems and warnings of a file to the lists, in the order of its lines."""
        problems = [*reading.source.problems, *self._reference_problems]
        # Those of a folder of shards are from several files.
        problems.sort(key=lambda problem: (natural(problem.file), problem.line))
        self._reference_problems.clear()
        room = max(0, MAX_PROBLEMS - len(self.problems))
        self.problems.extend(problems[:room])
        self.unlisted += len(problems[room:]) + reading.source.unlisted
        self.warnings.extend(reading.source.warnings)
        if reading.query_ids:
            message = matches_text(reading.query_ids)
            self.warnings.append(Problem(file=reading.name, line=0, path="", code="matched-query", message=message))
