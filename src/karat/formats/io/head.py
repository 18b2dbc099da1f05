"""Head: the beginning of a file, from which its format is recognised."""

from __future__ import annotations

import zlib
from functools import cached_property
from typing import Any

import msgspec

from karat.formats.io.json_path import OUT_OF_RANGE, TooManyValues, check_size, decode_json, loosely_decoded
from karat.formats.io.rows import is_json_lines
from karat.formats.io.source import Source
from karat.model import InputError

HEAD_BYTES = 1 << 16


class Head:
    """What the `sniff_` functions look at; nothing here reports a problem."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name.lower().removesuffix(".gz")
        self.is_directory = source.is_directory

    @cached_property
    def text(self) -> str:
        """The first 64 KiB as text."""
        if self.is_directory:
            return ""
        try:
            with self.source.open() as file:
                data = file.read(HEAD_BYTES)
        except (OSError, EOFError, zlib.error):
            return ""
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The first non-blank lines, without a last one that is cut off (unless it is the only one)."""
        lines = self.text.splitlines()
        if len(lines) > 1 and len(self.text.encode("utf-8", "replace")) >= HEAD_BYTES:
            lines.pop()
        return [line for line in lines if line.strip()]

    @cached_property
    def shape(self) -> str:
        """`lines` (one JSON value per line), `array`, `object`, or an empty string where the file is not JSON."""
        start = self.text.lstrip()[:1]
        if start not in ("{", "["):
            return ""
        try:
            if is_json_lines(self.source):
                return "lines"
        except InputError:
            return ""
        finally:
            self.source.problems.clear()
        return "object" if start == "{" else "array"

    @cached_property
    def value(self) -> Any:
        """The first JSON value: the first good line, the first member of an array, or the whole object."""
        if not self.shape:
            return None
        try:
            if self.shape == "lines":
                good = next(self.source.json_lines(), None)
                # With a number out of range in every line there is no good one, and the reader has to say why.
                return loosely_decoded(self.lines[0].encode()) if good is None else good
            data = self._document()
        except (InputError, msgspec.DecodeError, RecursionError, UnicodeDecodeError, TooManyValues):
            return None
        finally:
            self.source.problems.clear()
        if isinstance(data, list):
            # A single row that is itself a list, such as ["id", [...]], is not a list of rows.
            return data if data and isinstance(data[0], str) else next(iter(data), None)
        return data

    def _document(self) -> Any:
        data = self.source.read_bytes()
        try:
            check_size(data)
            return decode_json(data)
        except msgspec.DecodeError as error:
            if OUT_OF_RANGE not in str(error):
                raise
            return loosely_decoded(data)

    @cached_property
    def row(self) -> dict[str, Any]:
        """`value` if it is an object, otherwise an empty one."""
        return self.value if isinstance(self.value, dict) else {}

    def has(self, *names: str) -> bool:
        """Whether the first object has all these fields."""
        return all(name in self.row for name in names)

    def first(self, name: str) -> dict[str, Any]:
        """The first object of the list in a field (or the object itself); empty if there is none."""
        value = self.row.get(name)
        if isinstance(value, list):
            value = value[0] if value else None
        return value if isinstance(value, dict) else {}

    def columns(self, delimiter: str) -> list[str]:
        """The first line split into column names."""
        return [name.strip().strip('"') for name in self.lines[0].split(delimiter)] if self.lines else []

    def fields_of_lines(self, delimiter: str | None = None, most: int = 20) -> list[list[str]]:
        """The first lines split into values (at blanks, if `delimiter` is None)."""
        return [line.split(delimiter) for line in self.lines[:most]]
