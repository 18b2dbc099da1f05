"""What a user reads when something went wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from karat.cli.codes import Code
from karat.cli.printing import echo
from karat.model import InputError, KaratError, Problem, Unfinished, UnfitInput
from karat.model.wording import FEW, folded
from karat.reports.results.tables import printable, visible

SHOWN = 200
"""How many problems are printed in full; the rest are counted."""


def report(error: Exception) -> Code:
    """Print on stderr what went wrong; returns the exit code."""
    code = code_of(error)
    if isinstance(error, InputError):
        say_problems(error.problems, unlisted=error.unlisted)
        echo("Fix the file, or leave out the bad parts with --on-error skip.", error=True)
    elif isinstance(error, KaratError):
        echo(f"Error: {error}", error=True)
    elif isinstance(error, OSError):
        echo(f"Error: {error.filename or 'standard output'}: {error.strerror or error}", error=True)
    elif isinstance(error, MemoryError):
        echo("Error: there is not enough memory for this file; split it, or use a larger machine", error=True)
    else:
        echo(f"This is a bug in Karat: {type(error).__name__}: {error}", error=True)
        echo("Please report it, with the output of the same command after `karat --traceback`.", error=True)
    return code


def code_of(error: Exception) -> Code:
    """What an error means for whoever called the command: `cli/codes.py` says it in words."""
    match error:
        case FileExistsError() | NotADirectoryError() | IsADirectoryError():
            return Code.USAGE
        case InputError() | UnfitInput() | FileNotFoundError():
            return Code.INPUT
        case Unfinished() | OSError() | MemoryError():
            return Code.UNFINISHED
        case KaratError():
            return Code.USAGE
        case _:
            return Code.BUG


def say_problems(problems: Sequence[Problem], *, unlisted: int = 0) -> None:
    """Print every problem on its own line, many of a kind as some lines and a count, then how many there are."""
    lines = list(folded_problems(problems))
    for line in lines[:SHOWN]:
        echo(printable(line), error=True)
    left = len(lines) - SHOWN + unlisted if len(lines) > SHOWN else unlisted
    if left:
        echo(f"... and {left:,} more", error=True)
    if len(lines) < len(problems):
        echo("`karat lint` lists each of them.", error=True)
    total = len(problems) + unlisted
    files = len({problem.file for problem in problems})
    echo(f"{total:,} problem{'s' * (total != 1)} in {files} file{'s' * (files != 1)}.", error=True)


def folded_problems(problems: Sequence[Problem]) -> Iterator[str]:
    """Each problem as a line; of more than FEW that say the same of a file, the first ones and where the others are."""
    kinds: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(_kind(problem), []).append(problem)
    told: Counter[tuple[str, str, str]] = Counter()
    for problem in problems:
        kind = _kind(problem)
        alike = kinds[kind]
        told[kind] += 1
        if len(alike) <= FEW + 1 or told[kind] <= FEW:
            yield str(problem)
        elif told[kind] == FEW + 1:
            places = list(dict.fromkeys(each.line for each in alike[FEW:]))
            named = ", ".join(map(str, places[:FEW])) + (f", ... {places[-1]}" if len(places) > FEW else "")
            where = f" ({'line' if len(places) == 1 else 'lines'} {named})" if places[0] else ""
            yield f"{problem.file}: {len(alike) - FEW:,} more like this{where}: {problem.message}"


def _kind(problem: Problem) -> tuple[str, str, str]:
    """What problems that differ only in place, quoted texts and numbers share."""
    varying = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.]*")
    return problem.file, varying.sub("#", problem.path), problem.code + varying.sub("#", problem.message)


NOTED = ("unknown-column", "replaced-response", "named-assessors", "matched-query", "misspelt-field")


def say_noted(warnings: Sequence[Problem]) -> None:
    """Print what a user should know though it is no error: unknown columns, and responses that replace others."""
    noted = [warning for warning in warnings if warning.code in NOTED]
    for line in folded(map(str, noted)):
        echo(printable(f"note: {line}"), err=True)


def say_skipped(problems: Sequence[Problem], *, unlisted: int = 0) -> None:
    """Print what --on-error skip left out: the first problems of each file, then the counts."""
    by_file: dict[str, list[Problem]] = {}
    for problem in problems:
        by_file.setdefault(problem.file, []).append(problem)
    for file, in_file in by_file.items():
        for problem in in_file[:3]:
            echo(printable(f"skipped: {problem}"), err=True)
        counts = ", ".join(
            f"{count} {code}" for code, count in Counter(problem.code for problem in in_file).most_common()
        )
        echo(f"skipped in {file}: {counts}", err=True)
    if unlisted:
        echo(f"skipped: {unlisted:,} more problems", err=True)


def say_notes(notes: Iterable[str]) -> None:
    """Print the notes, one per line; many of a kind as one line with a count. None is cut."""
    from karat.cli.outputs import known_names
    from karat.reports.results.query_names import with_names

    for note in folded(notes):
        echo(visible(with_names(note, known_names())), err=True)
