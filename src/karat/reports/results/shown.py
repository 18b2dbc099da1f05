"""A result that is ready to be read: its tables for people and for programs, notes and signatures, in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from karat.model import UsageError
from karat.model.wording import folded
from karat.reports.results.data import SIGNATURE, DataTable
from karat.reports.results.markdown import code_line, fenced, markdown_parts, noted, number_columns
from karat.reports.results.query_names import with_names
from karat.reports.results.tables import TextTable, escape_html, escape_latex, latex_table, printable, visible

FORMATS = ("table", "markdown", "csv", "tsv", "json", "jsonl", "latex")
"""The choices of --format, in every command that prints a result."""
CARRY_NOTES = ("markdown", "json")
"""The formats that have the notes and the signature in them."""
MOST_ROWS = 60
"""How many rows of a table are shown in Python; `to_dicts` and `to_frame` give all."""
WIDE = 10_000
"""Room for all columns side by side: a notebook scrolls, and so does a table in Markdown."""

Dicts = list[dict[str, Any]]
Parts = Callable[[int | None], Iterable[TextTable | str]]


class ShownResult(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a result, each made only when it is asked for.

    A command, a notebook and a workbook all get a result in this form; none of them knows which command it came from.
    """

    parts: Parts
    """The tables for people and the remarks between them, for a given width; None is the width of the terminal."""
    tables: Callable[[], Sequence[DataTable]]
    """The tables for programs. The first one is what CSV and TSV hold."""
    lines: Callable[[], Dicts] | None = None
    """The rows of JSONL where they are not those of the first table: records, as Karat reads them."""
    fields: Callable[[], dict[str, Any]] | None = None
    """What JSON has instead of the tables, where that is better nested."""
    notes: Sequence[str] = ()
    words: Sequence[str] = ()
    """What the words of the tables mean, a line each."""
    signatures: Sequence[str] = ()
    latex: Callable[[], str] | None = None
    """The tables in LaTeX, where they are more than those of `parts` in another form."""

    text_of: str | None = None
    """A text instead of tables, with its own lines."""

    def named(self, names: Mapping[str, str]) -> ShownResult:
        """The same for people, with the words of questions in place of ids that were made from them (`query_names`)."""
        if not names:
            return self
        latex = self.latex
        return msgspec.structs.replace(
            self,
            parts=lambda width: [_named(part, names) for part in self.parts(width)],
            notes=[with_names(note, names) for note in self.notes],
            latex=None if latex is None else lambda: with_names(latex(), names, shown=escape_latex),
        )

    def told_signatures(self) -> list[str]:
        """For people: signatures that differ only in the first name are one, with all their names."""
        names: dict[str, dict[str, None]] = {}
        for signature in self.signatures:
            name, _, rest = signature.partition("|")
            names.setdefault(rest, {})[name] = None
        return [f"{','.join(of_rest)}|{rest}" if rest else ",".join(of_rest) for rest, of_rest in names.items()]

    def dicts(self) -> Dicts:
        """The rows of JSONL."""
        return self.tables()[0].dicts() if self.lines is None else self.lines()

    def written(self, output_format: str) -> str:
        """The result in one of FORMATS, whole."""
        match output_format:
            case "table":
                return self.text()
            case "markdown":
                return self.markdown()
            case "csv":
                return self.tables()[0].csv()
            case "tsv":
                return self.tables()[0].tsv()
            case "json":
                return self.json()
            case "jsonl":
                return "".join(_encoded(row) + "\n" for row in self.dicts())
            case "latex":
                return self.in_latex()
        raise UsageError(f"{output_format!r} is not one of {', '.join(FORMATS)}")

    def text(self) -> str:
        """The tables, then what their words mean and the notes, one per line."""
        shown = [_text(part) for part in self.parts(None)] if self.text_of is None else [f"{self.text_of}\n"]
        notes = "".join(f"{printable(note)}\n" for note in (*self.words, *folded(self.notes)))
        return "\n".join([*shown, *([notes] if notes else [])]).rstrip("\n")

    def html(self) -> str:
        """The same for a notebook; everything that comes from a file is escaped."""
        shown = [_html(part) for part in self.parts(WIDE)]
        shown += [f"<p><small>{escape_html(note)}</small></p>" for note in (*self.words, *folded(self.notes))]
        return "\n".join(['<div class="karat">', *shown, "</div>"])

    def markdown(self) -> str:
        """For a pull request: pipe tables, words and notes below as text, each signature once as small code."""
        shown = [markdown_parts(self.parts(WIDE)) if self.text_of is None else fenced(self.text_of)]
        below = [*self.words, *folded(self.notes)]
        if below:
            shown.append("".join(f"- {noted(line)}\n" for line in below))
        shown += [f"{code_line(signature)}\n" for signature in self.told_signatures()]
        return "\n".join(part for part in shown if part)

    def json(self) -> str:
        """One object: `signature` (or `signatures`), `notes`, `remarks` of the tables, and the rows of each table."""
        found: dict[str, Any] = {}
        if len(self.signatures) == 1:
            found[SIGNATURE] = self.signatures[0]
        elif self.signatures:
            found["signatures"] = list(self.signatures)
        found["notes"] = list(self.notes)
        remarks = [part for part in self.parts(WIDE) if isinstance(part, str)]
        if remarks:
            found["remarks"] = remarks
        if self.fields is None:
            # Rows repeat the signature only where there is no other place for it.
            found |= {
                table.name: (table.without(SIGNATURE) if self.signatures else table).dicts() for table in self.tables()
            }
        else:
            found |= self.fields()
        return msgspec.json.format(_encoded(found)) + "\n"

    def in_latex(self) -> str:
        """Tabulars in booktabs style; remarks, notes and signatures are comments."""
        if self.latex is not None:
            shown = [self.latex()]
        elif self.text_of is not None:
            # A text that ends the environment itself would run as LaTeX.
            text = printable_lines(self.text_of).replace(r"\end{verbatim}", r"\end {verbatim}")
            shown = [f"\\begin{{verbatim}}\n{text}\n\\end{{verbatim}}\n"]
        else:
            shown = [_comment(part) if isinstance(part, str) else _tabular(part) for part in self.parts(WIDE)]
        below = [*self.words, *folded(self.notes), *(f"signature: {each}" for each in self.told_signatures())]
        return "\n".join(shown) + "".join(map(_comment, below))


def _named(part: TextTable | str, names: Mapping[str, str]) -> TextTable | str:
    if isinstance(part, str):
        return with_names(part, names)
    rows = [[names.get(cell.strip(), cell) for cell in row] for row in part.rows]
    return msgspec.structs.replace(part, rows=rows)


def _encoded(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=_plain_number).decode()


def _plain_number(value: Any) -> object:
    """Python's number for one of numpy's, which JSON does not know."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def printable_lines(text: str) -> str:
    """The text with control characters made visible, and its lines kept."""
    return "\n".join(map(printable, text.split("\n")))


def _comment(text: str) -> str:
    return f"% {visible(text)}\n"


LONG_TEXT = 60
"""A column with a longer cell is set as a paragraph in LaTeX."""


def _tabular(table: TextTable) -> str:
    rows = [[" ".join(cell.split()) for cell in row] for row in table.rows]
    columns = [column.strip() for column in table.columns]
    long = [at for at in range(len(columns)) if any(len(row[at]) > LONG_TEXT for row in rows)]
    share = f"p{{{0.6 / len(long):.2f}\\linewidth}}" if long else ""
    numbers = number_columns(table)
    spec = "".join(share if at in long else "r" if at in numbers else "l" for at in range(len(columns)))
    return latex_table(columns, rows, spec=spec)


def _text(part: TextTable | str) -> str:
    if isinstance(part, str):
        return f"{printable(part)}\n"
    more = len(part.rows) - MOST_ROWS
    short = msgspec.structs.replace(part, rows=part.rows[:MOST_ROWS])
    return f"{short}... and {more:,} more rows; to_dicts() and to_frame() have all\n" if more > 0 else str(short)


def _html(part: TextTable | str) -> str:
    if isinstance(part, str):
        return f"<p>{escape_html(part)}</p>"
    table = msgspec.structs.replace(part, rows=part.rows[:MOST_ROWS]).html()
    more = len(part.rows) - MOST_ROWS
    return f"{table}\n<p><small>... and {more:,} more rows; to_frame() has all</small></p>" if more > 0 else table
