"""Whether the records of one or several files fit together: ids defined once, references that lead somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.formats.reading import OnError, Reading
from karat.model import AnyRecord


def checked(readings: Sequence[Reading], *, on_error: OnError = "stop") -> Iterator[AnyRecord]:
    for reading in readings:
        yield from reading
