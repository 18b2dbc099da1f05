"""Inputs: one or several files read as one body of records that fit together.

Reading goes twice over what a file defines, so that a reference may stand before what it refers to. Karat's own
files are streamed both times; files of other formats are small and held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.formats.definitions import Definitions, Place
from karat.formats.karat_jsonl import read_definitions
from karat.formats.reading import OnError, Reading
from karat.formats.references import References
from karat.formats.source import MAX_PROBLEMS
from karat.model import AnyRecord, InputError, Problem, Run
from karat.model.identity import DEFINITIONS, identity


class Inputs:
    """Iterate for the records that can be kept, definitions merged and references checked.

    on_error "stop" raises InputError with the problems of all files when the last record has been given out;
    "skip" leaves bad units out and keeps the account in `problems`.
    """

    def __init__(self, readings: Sequence[Reading], *, on_error: OnError = "stop") -> None:
        self.readings = list(readings)
        self.on_error = on_error
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.unlisted = 0
        self.definitions = Definitions()
        self.reading = self.readings[0] if self.readings else None
        """The file being read."""
        self.line = 0
        """The line of the record given out last."""
        self.flagged = False
        """Whether something was reported about that record, which was mended or cut down to be kept."""
        self._held: dict[int, list[tuple[AnyRecord, int, bool]]] = {}

    @property
    def file(self) -> str:
        """The name of the file being read."""
        return self.reading.name if self.reading is not None else ""

    def __iter__(self) -> Iterator[AnyRecord]:
        self._gather()
        references = References(self.definitions)
        for number, reading in enumerate(self.readings):
            self.reading = reading
            if number in self._held:
                yield from self._given(self._held.pop(number), number, references)
            else:
                yield from self._streamed(reading, number, references)
                self._take_problems(reading)
        if self.on_error == "stop" and self.problems:
            raise InputError(self.problems, unlisted=self.unlisted)

    def _gather(self) -> None:
        for number, reading in enumerate(self.readings):
            reading.on_error = "skip"
            if reading.format.name == "karat":
                for definition in read_definitions(reading.source):
                    self.definitions.add(definition, Place(number, reading.line))
                continue
            held = self._held[number] = []
            before = 0
            for record in reading:
                # Foreign files give several definitions a line: a place is a position in the file.
                self.definitions.add(record, Place(number, len(held)))
                now = len(reading.source.problems)
                held.append((record, reading.line, now > before))
                before = now
            self._take_problems(reading)

    def _streamed(self, reading: Reading, number: int, references: References) -> Iterator[AnyRecord]:
        source = reading.source
        check = references.checker(number)
        problems = source.problems
        before = 0
        for record in reading:
            self.flagged = len(problems) > before
            before = len(problems)
            problem = check(record)
            if type(record) in DEFINITIONS:
                kept, wrong = self._defined(record, Place(number, source.line))
                if wrong:
                    source.report("", wrong, code="duplicate-id")
                if kept is None:
                    continue
                record = kept
            if problem is not None:
                source.query_id = getattr(record, "query_id", None)
                source.report(problem.path, problem.message, code=problem.code)
                continue
            self.line = source.line
            yield record

    def _given(self, held: list[tuple[AnyRecord, int, bool]], number: int, references: References) -> Iterator[AnyRecord]:
        check = references.checker(number)
        for position, (record, line, flagged) in enumerate(held):
            self.line, self.flagged = line, flagged
            problem = check(record)
            if type(record) in DEFINITIONS:
                kept, wrong = self._defined(record, Place(number, position))
                if wrong:
                    self._report(record, "", wrong, "duplicate-id")
                if kept is None:
                    continue
                record = kept
            if problem is not None:
                self._report(record, problem.path, problem.message, problem.code)
                continue
            yield record

    def _defined(self, record: AnyRecord, place: Place) -> tuple[AnyRecord | None, str]:
        """The definition to give out here (None: it was, or will be, given out elsewhere) and what is wrong."""
        wrong = self.definitions.conflicts.get(place, "")
        if wrong or not self.definitions.stands(record, place):
            return None, wrong
        return self.definitions.kept.get((type(record), *identity(record)), record), ""

    def _report(self, record: AnyRecord, path: str, message: str, code: str) -> None:
        query_id = None if isinstance(record, Run) else record.query_id
        self._keep([Problem(file=self.file, line=self.line, path=path, code=code, message=message, query_id=query_id)])

    def _take_problems(self, reading: Reading) -> None:
        self._keep(reading.source.problems)
        self.unlisted += reading.source.unlisted
        self.warnings.extend(reading.source.warnings)

    def _keep(self, problems: Sequence[Problem]) -> None:
        room = max(0, MAX_PROBLEMS - len(self.problems))
        self.problems.extend(problems[:room])
        self.unlisted += len(problems[room:])
