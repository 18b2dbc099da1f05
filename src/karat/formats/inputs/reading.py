"""Reading any file as records: here the format is chosen, and problems stop the work or are skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from karat.formats.inputs.query_matching import with_query_ids
from karat.formats.io.assessors import PREFIX, AssessorFile
from karat.formats.io.definitions import DefinedAt
from karat.formats.io.rows import Batch
from karat.formats.io.source import Source
from karat.formats.registry import Format, get_format, sniff
from karat.model import AnyRecord, Collection, InputError, Problem, Query, Record, UnfitInput, UsageError, encode_record
from karat.model.collection import with_run_name
from karat.model.default_names import REFERENCE

if TYPE_CHECKING:
    from karat.formats.inputs.inputs import Inputs
    from karat.formats.karat.plain import Codes

OnError = Literal["stop", "skip"]
BATCH = 512


class Tabular(Protocol):
    """What gives its rows as dicts: a result of Karat, or a data frame of polars."""

    def to_dicts(self) -> list[dict[str, Any]]: ...


Input = str | Path | bytes | Source | Iterable[Any] | Tabular


def source_of_dicts(items: Any, name: str = "<list>") -> Source:
    """A Source made from records, dicts or rows of a data frame; line N in a message is item N of the list.

    A pandas or polars data frame, or a result of Karat, counts as the list of its rows.
    """
    if hasattr(items, "to_dicts"):
        items = map(_frame_row, items.to_dicts())
    elif hasattr(items, "to_dict"):
        # A single column of a data frame has no rows to give, and is read as a list.
        with suppress(TypeError):
            items = map(_frame_row, items.to_dict("records"))
    if not isinstance(items, Iterable):
        raise UsageError(f"an input must be a path, bytes, a list of dicts or records, or a data frame, not {items!r}")
    lines: list[bytes] = []
    for index, item in enumerate(items):
        if isinstance(item, Record):
            lines.append(encode_record(item))
        elif isinstance(item, Mapping):
            try:
                lines.append(msgspec.json.encode(dict(item)))
            except (TypeError, RecursionError) as error:
                raise UnfitInput(f"{name}:{index + 1}: cannot be read as JSON: {error}") from None
        else:
            raise UnfitInput(f"{name}:{index + 1}: must be a record or a dict, not {type(item).__name__}")
    return Source(name, b"\n".join(lines))


def _frame_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a data frame. In one of Karat's records, cells that only other kinds of records have are left out."""
    if isinstance(row.get("kind"), str):
        return {name: _without_empty(cell) for name, cell in row.items() if not _is_empty(cell)}
    return {name: None if _is_empty(cell) else cell for name, cell in row.items()}


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_empty(part) for name, part in value.items() if not _is_empty(part)}
    return [_without_empty(part) for part in value] if isinstance(value, list) else value


def _is_empty(cell: object) -> bool:
    """None, or what pandas has in its place: NaN, NA or NaT."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ in ("NAType", "NaTType")


class Reading:
    """One input being read: iterate to get its records; afterwards `source.problems` lists what is wrong.

    With `on_error="stop"` (the default) an InputError with everything that is wrong in the file is raised at its end;
    with "skip" the smallest unit that holds the problem is left out.
    """

    def __init__(
        self,
        source: Source,
        *,
        format: str | None = None,
        on_error: OnError = "stop",
        run_name: str | None = None,
        assessor: str | None = None,
    ) -> None:
        self.source = source
        self.on_error = on_error
        self.format: Format = get_format(format) if format else sniff(source)
        self.run_name = run_name
        """What to call the run of this file instead of the name in it (see `with_run_name`)."""
        self.assessor = assessor
        """Whose annotation this file is, where it does not say so itself."""
        self.query_ids: Mapping[str, Query] = {}
        """By their ids here, queries that have another id in the key."""

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def line(self) -> int:
        """The line of the record given out last."""
        return self.source.line

    @property
    def file(self) -> str:
        """The file of that record: of a folder of shards, the shard."""
        return self.source.file

    @property
    def is_streamed(self) -> bool:
        """Whether the file is never in memory as a whole."""
        return self.format.batches is not None and not (self.run_name or self.assessor or self.query_ids)

    def __iter__(self) -> Iterator[AnyRecord]:
        # A file of one system with the answers to compare with: the name is the system's.
        systems = self.run_ids() if self.run_name is not None else set()
        only = systems - {REFERENCE} if len(systems) == 2 else systems
        # The file is read once more for its ids, because the first record needs to know them.
        sheet = None if self.assessor is None else AssessorFile(self.assessor, self._again())
        self.source.forget()
        records = self.format.read(self.source)
        if sheet is not None:
            self._check_names(sheet)
            records = map(sheet.named, records)
        if self.run_name is not None:
            name, several = self.run_name, len(only) > 1
            records = (
                record
                if len(only) < len(systems) and getattr(record, "run_id", None) == REFERENCE
                else with_run_name(record, name, several=several)
                for record in records
            )
        if self.query_ids:
            records = (with_query_ids(record, self.query_ids) for record in records)
        try:
            yield from records
        except InputError:
            # The file itself is broken (not JSON, not UTF-8, ...): nothing after this place can be read.
            if self.on_error == "stop":
                raise
        if self.on_error == "stop" and self.source.problems:
            raise InputError(self.source.problems, unlisted=self.source.unlisted)

    def _check_names(self, sheet: AssessorFile) -> None:
        """Say whose name is used where the file names other people than the user does."""
        if not sheet.others:
            return
        names = ", ".join(sheet.others)
        if not sheet.is_unnamed:
            raise UsageError(
                f"{PREFIX}{sheet.name}={self.name}: the file says itself whose its records are ({names}); give it "
                "without a name, or change the names in it"
            )
        self.source.warn(
            "", f"records by {names} keep the name; the others are {sheet.name}'s", code="named-assessors", line=1
        )  # fmt: skip

    def run_ids(self) -> set[str]:
        """The runs of the file; it is read once more for them, because the first record needs to know."""
        return {run_id for record in self._again() if (run_id := getattr(record, "run_id", None)) is not None}

    def _again(self) -> Reading:
        return Reading(self.source, format=self.format.name, on_error="skip")

    def batches(self, *, plain: Codes | None = None) -> Iterator[Batch]:
        """The same records, some hundreds at a time; problems are only collected, whatever `on_error` is.

        plain: judgements may come as columns of these codes (`PlainBatch`): faster where no records are needed.
        """
        if not self.is_streamed:
            skipping = Reading(self.source, format=self.format.name, on_error="skip")
            skipping.run_name, skipping.assessor, skipping.query_ids = self.run_name, self.assessor, self.query_ids
            records = iter(skipping)
            while some := list(islice(records, BATCH)):
                yield Batch(some, ())
            return
        self.source.forget()
        # If the file itself is broken, the problem is among the problems of the source.
        assert self.format.batches is not None
        with suppress(InputError):
            if plain is not None and self.format.plain is not None:
                yield from self.format.plain(self.source, plain)
            else:
                yield from self.format.batches(self.source)

    def whole_problems(self) -> Iterator[Problem]:
        """Problems that only reading every byte shows: a shard that was changed. Others are reported as it is read."""
        if self.format.name == "karat-shards":
            from karat.formats.karat.shards import shard_problems

            yield from shard_problems(self.source)

    def definitions(self) -> Iterator[tuple[AnyRecord, DefinedAt]]:
        """Of a streamed file: only the records that others refer to."""
        assert self.format.definitions is not None
        return self.format.definitions(self.source)


def run_and_file(item: str) -> tuple[str | None, str]:
    """NAME=FILE in its two parts, where FILE exists; any other text is the name of a file."""
    name, equals, path = item.partition("=")
    if equals and name and Path(path).exists() and not Path(item).exists():
        return name, path
    return None, item


def open_reading(item: Input, *, format: str | None = None, on_error: OnError = "stop") -> Reading:
    """A Reading of a path, NAME=FILE, assessor:NAME=FILE, `-`, bytes, a list of records or dicts, or a data frame."""
    if isinstance(item, Source):
        return Reading(item, format=format, on_error=on_error)
    if isinstance(item, bytes):
        return Reading(Source("<bytes>", item), format=format, on_error=on_error)
    if isinstance(item, str):
        name, path = run_and_file(item)
        if name == PREFIX:
            raise UsageError(f"{item}: whose file is it? write {PREFIX}NAME={path}")
        if name is not None and name.startswith(PREFIX):
            return Reading(Source(path), format=format, on_error=on_error, assessor=name.removeprefix(PREFIX))
        return Reading(Source(path), format=format, on_error=on_error, run_name=name)
    if isinstance(item, Path):
        return Reading(Source(item), format=format, on_error=on_error)
    return Reading(source_of_dicts(item), format=format, on_error=on_error)


def listed(items: Input | Sequence[Input]) -> Sequence[Input]:
    """Several inputs as they are, one as a list of one: a list of dicts or of records is one input."""
    if isinstance(items, list | tuple) and items and not isinstance(items[0], Mapping | Record):
        return items
    return [items]


def read(item: Input, *, format: str | None = None, on_error: OnError = "stop") -> Iterator[AnyRecord]:
    """The records of a file, one at a time.

    item: a path, `-` for standard input, bytes, a list of dicts or records, or a data frame (pandas or polars).
    "NAME=FILE" calls the run of the file NAME; where it has several runs, NAME/RUN. "assessor:NAME=FILE" says whose
    annotation it is, where the file does not.
    format: a name from `karat formats`; if it is not given, it is recognised from the content.
    on_error: "stop" raises InputError with all problems at the end of the file; "skip" leaves bad units out.

    >>> import karat
    >>> next(karat.read(karat.demo_files().key)).query_id
    'q1'
    """
    return iter(open_reading(item, format=format, on_error=on_error))


def load(
    *items: Input, format: str | None = None, on_error: OnError = "stop", runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None,
) -> Collection:  # fmt: skip
    """The records of one or several files that belong together, all in memory and checked against each other.

    items, format, on_error: as in `read`. runs, queries: only these, as if the files held no others; patterns work.

    >>> import karat
    >>> key, _, runs = karat.demo_files()
    >>> karat.load(key, runs)
    <Collection: 12 Query, 5 Run, 60 Response, 77 Nug, 231 Vote>
    >>> karat.load(key, runs, runs=["atlas", "b*"], queries=["q1"])
    <Collection: 1 Query, 2 Run, 2 Response, 6 Nug, 18 Vote>
    """
    return load_light(*items, format=format, on_error=on_error, runs=runs, queries=queries)


def load_light(
    *items: Input, format: str | None = None, on_error: OnError = "stop", runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None, unread: frozenset[str] = frozenset(),
) -> Collection:  # fmt: skip
    """The same as `load`, with judgements held without what nobody will read (`JudgementColumns.add`)."""
    collection = open_inputs(*items, format=format, on_error=on_error).collection(unread=unread)
    if runs is None and queries is None:
        return collection
    from karat.formats.inputs.selection import selected_together

    return selected_together([collection], runs=runs, queries=queries)[0]


def open_inputs(*items: Input, format: str | None = None, on_error: OnError = "stop") -> Inputs:
    """Files that belong together; iterate to get their records, checked against each other."""
    from karat.formats.inputs.inputs import Inputs

    return Inputs([reading for item in items for reading in open_readings(item, format=format)], on_error=on_error)


def open_readings(item: Input, *, format: str | None = None, on_error: OnError = "stop") -> list[Reading]:
    """The Reading of an input; of a folder of a data set or of runs, one per file."""
    from karat.formats.inputs.folders import files_of, unread_beside

    if format is None and isinstance(item, str | Path) and str(item) not in ("", "-") and Path(item).is_dir():
        files = files_of(Path(item))
        readings = [open_reading(path, format=known, on_error=on_error) for path, known in files]
        readings[0].source.beside = unread_beside(Path(item), files)
        return readings
    return [open_reading(item, format=format, on_error=on_error)]
