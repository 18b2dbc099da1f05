"""NAME=FILE gives the run of a file another name: it must not become the name of two systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from karat.formats.inputs.reading import Reading
from karat.formats.io.rows import Batch
from karat.model import AnyRecord, Run, UsageError, kind_of

About = tuple[str, str]
"""The kind of a record, and the run it is about."""


def check_run_names(readings: Sequence[Reading], read: Callable[[int], Iterable[Batch]]) -> None:
    """Stop where NAME=FILE gives a run the name that another system has in another file.

    The responses of one file and the judgements of another may meet under one name: that is what names are for. Two
    files with the same kind of record about it are two systems, unless both files were given that name.
    read: the records of a file, by its number among the inputs; each file is read once.
    """
    renamed = [
        number
        for number, reading in enumerate(readings)
        if reading.run_name is not None and reading.run_ids() != {reading.run_name}
    ]
    if not renamed:
        return
    abouts = [
        {about for batch in read(number) for about in map(_about, batch.records) if about is not None}
        for number in range(len(readings))
    ]
    # Files of one name count once: a system in a thousand parts must not be compared part by part.
    first_of: dict[About, dict[str | None, int]] = {}
    for number, reading in enumerate(readings):
        for about in abouts[number]:
            first_of.setdefault(about, {}).setdefault(reading.run_name, number)
    for number in renamed:
        name, file = readings[number].run_name, readings[number].name
        clashes = [
            (other, about)
            for about in abouts[number]
            for other_name, other in first_of[about].items()
            if other_name != name
        ]
        if clashes:
            other, (kind, run_id) = min(clashes)
            raise UsageError(
                f"{name}={file} and {readings[other].name} both have {kind} records of a run {run_id}, and two systems "
                f"would become one; choose another name: {name}-2={file}, or name both files {name} if they are parts "
                "of one system"
            )


def _about(record: AnyRecord) -> About | None:
    """None where the record is about no run, or only names it."""
    run_id: str | None = getattr(record, "run_id", None)
    return None if run_id is None or isinstance(record, Run) else (kind_of(record), run_id)
