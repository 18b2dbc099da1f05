"""Which file has the defaults: karat.toml, or [tool.karat] in pyproject.toml, here or above; and what is in it."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from karat.cli.commands.config.lines import lines_of, nearest_line

VARIABLE, OFF = "KARAT_CONFIG", "off"
NAME, PROJECT = "karat.toml", "pyproject.toml"
MOST_BYTES = 1_000_000
ENDING = "Fix the file, or leave it out with `karat --no-config ...`."


class ConfigError(click.ClickException):
    """What is wrong in the file, a line each; the command ends with the code of a usage mistake."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))

    def show(self, file: Any = None) -> None:
        file.write(f"{self.message}\n{ENDING}\n")


class ConfigFile:
    """The values of a file, and where each is."""

    def __init__(self, path: Path, text: str, values: Mapping[str, Any], table: tuple[str, ...]) -> None:
        self.path, self.text, self.values, self.table = path, text, values, table

    @property
    def name(self) -> str:
        return shown(self.path)

    @functools.cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        return lines_of(self.text)

    def place(self, *path: str) -> str:
        """`karat.toml:3`, for a value by the names that lead to it."""
        line = nearest_line(self._lines, (*self.table, *path))
        return self.name if line is None else f"{self.name}:{line}"

    def problem(self, path: tuple[str, ...], what: str) -> str:
        return f"{self.place(*path)}: {'.'.join((*self.table, *path))}: {what}"


def shown(path: Path) -> str:
    """The path as a person here would type it."""
    try:
        return os.path.relpath(path)
    except ValueError:
        return str(path)


def config_file(environment: Mapping[str, str]) -> ConfigFile | None:
    """The file that KARAT_CONFIG names, else the nearest one; None where there is none, or KARAT_CONFIG is `off`."""
    if named := environment.get(VARIABLE):
        if named.lower() == OFF:
            return None
        path = Path(named).expanduser().absolute()
        if not path.is_file():
            raise ConfigError(f"{VARIABLE}={named}: there is no such file; name one, or `{OFF}`.")
        table = ("tool", "karat") if path.name == PROJECT else ()
        return _read(path, table) or ConfigFile(path, "", {}, table)
    for folder in _folders(Path.cwd()):
        for name, table in ((NAME, ()), (PROJECT, ("tool", "karat"))):
            path = folder / name
            if path.is_file() and (found := _read(path, table)) is not None:
                if folder == Path.cwd() or _is_ours(path):
                    return found
                _say_left_out(path)
                return None
    return None


def _folders(start: Path) -> Iterator[Path]:
    """The folder and those above it, up to the root of the repository, else to the user's own folder or the top."""
    try:
        home = Path.home()
    except RuntimeError:
        home = None
    for folder in (start, *start.parents):
        yield folder
        if folder == home or (folder / ".git").exists():
            return


def _is_ours(path: Path) -> bool:
    """Whether the file belongs to the user, or to the system: others can write to folders above, such as /tmp."""
    return not hasattr(os, "geteuid") or path.stat().st_uid in (os.geteuid(), 0)


def _say_left_out(path: Path) -> None:
    from karat.cli.printing import echo

    echo(f"note: {shown(path)} is not used: it belongs to another user ({VARIABLE}={path} uses it)", err=True)


def _read(path: Path, table: tuple[str, ...]) -> ConfigFile | None:
    """The file; None if it is a pyproject.toml that does not name Karat."""
    import tomllib

    name = shown(path)
    with path.open("rb") as stream:
        data = stream.read(MOST_BYTES + 1)
    if table and b"karat" not in data:
        return None
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{name}: has more than {MOST_BYTES:,} bytes; defaults need a few lines.")
    try:
        text = data.decode().replace("\r\n", "\n")
        values: Any = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"{name}:{line}: this is not UTF-8; save the file in that encoding.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if table and not re.search(r"^\s*\[\s*tool\s*\.\s*karat\b", text, re.MULTILINE):
            return None
        raise ConfigError(f"{name}{_syntax(error, text)}") from None
    for step in table:
        values = values.get(step) if isinstance(values, dict) else None
    if table and values is None:
        return None
    found = ConfigFile(path, text, values if isinstance(values, dict) else {}, table)
    if not isinstance(values, dict):
        raise ConfigError(found.problem((), "must be a table: [tool.karat]"))
    return found


def _syntax(error: Exception, source: str) -> str:
    """`:3: what is wrong`, from tomllib's message."""
    if isinstance(error, RecursionError):
        return ": is nested too deeply; defaults need a few lines."
    text = str(error)
    if place := re.search(r" \(at line (\d+), column (\d+)\)$", text):
        return f":{place[1]}: this is not TOML: {text[: place.start()]} (column {place[2]})"
    last = source.rstrip().count("\n") + 1
    return f":{last}: this is not TOML: {text.removesuffix(' (at end of document)')}, where the file ends"
