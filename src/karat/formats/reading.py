"""Reading any file as records: here the format is chosen, and problems stop the work or are skipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from karat.formats.io.rows import Batch
from karat.formats.io.source import Source
from karat.formats.karat.jsonl import read_batches
from karat.formats.registry import Format, get_format, sniff
from karat.model import AnyRecord, Collection, InputError

if TYPE_CHECKING:
    from karat.formats.inputs import Inputs


from collections.abc import Iterable, Mapping

import msgspec

from karat.model import Record, UsageError, encode_record


def source_of_dicts(items: Any, name: str = "<list>") -> Source:
    """A Source made from records, dicts or rows of a data frame; line N in a message is item N of the list.

    A pandas or polars data frame counts as the list of its rows.
    """
    if hasattr(items, "to_dicts"):
        items = items.to_dicts()
    elif hasattr(items, "to_dict"):
        items = items.to_dict("records")
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
                raise UsageError(f"{name}:{index + 1}: cannot be read as JSON: {error}") from None
        else:
            raise UsageError(f"{name}:{index + 1}: must be a record or a dict, not {type(item).__name__}")
    return Source(name, b"\n".join(lines))


OnError = Literal["stop", "skip"]
BATCH = 512
Input = str | Path | bytes | Source | Sequence[Any]


class Reading:
    """One input being read: iterate to get its records; afterwards `source.problems` lists what is wrong.

    With `on_error="stop"` (the default) an InputError with everything that is wrong in the file is raised at its end;
    with "skip" the smallest unit that holds the problem is left out.
    """

    def __init__(self, source: Source, *, format: str | None = None, on_error: OnError = "stop") -> None:
        self.source = source
        self.on_error = on_error
        self.format: Format = get_format(format) if format else sniff(source)

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def line(self) -> int:
        """The line of the record given out last."""
        return self.source.line

    def __iter__(self) -> Iterator[AnyRecord]:
        self.source.forget()
        try:
            yield from self.format.read(self.source)
        except InputError:
            # The file itself is broken (not JSON, not UTF-8, ...): nothing after this place can be read.
            if self.on_error == "stop":
                raise
        if self.on_error == "stop" and self.source.problems:
            raise InputError(self.source.problems, unlisted=self.source.unlisted)

    def batches(self) -> Iterator[Batch]:
        """The same records, some hundreds at a time; problems are only collected, whatever `on_error` is."""
        if self.format.name != "karat":
            skipping = Reading(self.source, format=self.format.name, on_error="skip")
            records = iter(skipping)
            while some := list(islice(records, BATCH)):
                yield Batch(some, ())
            return
        self.source.forget()
        # If the file itself is broken, the problem is among the problems of the source.
        with suppress(InputError):
            yield from read_batches(self.source)


def open_reading(item: Input, *, format: str | None = None, on_error: OnError = "stop") -> Reading:
    """A Reading of a path, `-` (standard input), bytes, or a list of records or dicts."""
    if isinstance(item, Source):
        return Reading(item, format=format, on_error=on_error)
    if isinstance(item, bytes):
        return Reading(Source("<bytes>", item), format=format, on_error=on_error)
    if isinstance(item, str | Path):
        return Reading(Source(item), format=format, on_error=on_error)

    return Reading(source_of_dicts(item), format=format, on_error=on_error)


def read(item: Input, *, format: str | None = None, on_error: OnError = "stop") -> Iterator[AnyRecord]:
    """The records of a file, one at a time.

    item: a path, `-` for standard input, bytes, or a list of dicts or records.
    format: a name from `karat formats`; if it is not given, it is recognised from the content.
    on_error: "stop" raises InputError with all problems at the end of the file; "skip" leaves bad units out.
    """
    return iter(open_reading(item, format=format, on_error=on_error))


def load(*items: Input, format: str | None = None, on_error: OnError = "stop") -> Collection:
    """The records of one or several files that belong together, all in memory and checked against each other."""
    return Collection(open_inputs(*items, format=format, on_error=on_error))


def open_inputs(*items: Input, format: str | None = None, on_error: OnError = "stop") -> Inputs:
    """Files that belong together; iterate to get their records, checked against each other."""
    from karat.formats.inputs import Inputs

    return Inputs([open_reading(item, format=format) for item in items], on_error=on_error)
