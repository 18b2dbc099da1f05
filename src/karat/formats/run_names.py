"""NAME=FILE gives the run of a file another name: it must not become the name of two systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from karat.formats.io.rows import Batch
from karat.formats.reading import Reading
from karat.model import AnyRecord, Run, UsageError, kind_of


def check_run_names(readings: Sequence[Reading], read: Callable[[int], Iterable[Batch]]) -> None:
    """Stop where NAME=FILE gives a run the name that another system has in another file.

    The responses of one file and the judgements of another may meet under one name: that is what names are for. Two
    files with the same kind of record about it are two systems, unless both files were given that name.
    read: the records of a file, by its number among the inputs.
    """
    for number, renamed in enumerate(readings):
        name = renamed.run_name
        if name is None or renamed.run_ids() == {name}:
            continue
        own = {about for batch in read(number) for about in map(_about, batch.records)}
        for other, reading in enumerate(readings):
            if other == number or reading.run_name == name:
                continue
            seen = {about for batch in read(other) for about in map(_about, batch.records)}
            if both := sorted(about for about in seen & own if about is not None):
                kind, run_id = both[0]
                raise UsageError(
                    f"{name}={renamed.name} and {reading.name} both have {kind} records of a run {run_id}, and two "
                    f"systems would become one; choose another name: {name}-2={renamed.name}, or name both files "
                    f"{name} if they are parts of one system"
                )


def _about(record: AnyRecord) -> tuple[str, str] | None:
    """The kind of a record and the run it is about; None where it is about no run, or only names it."""
    run_id: str | None = getattr(record, "run_id", None)
    return None if run_id is None or isinstance(record, Run) else (kind_of(record), run_id)
