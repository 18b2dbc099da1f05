"""Write the pages of the documentation that are made from the program: those in PAGES.

python docs/generate.py          writes them
tests/test_docs.py               fails if one of them is out of date
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from karat.cli import COMMANDS, cli
from karat.evaluate.lint.findings import READING, RULES
from karat.formats import all_formats
from karat.formats.registry import DATASET_NAMES, Format, about_format
from karat.measures.registry import measure_families

DOCS = Path(__file__).parent
WIDTH = 100


def cli_page() -> str:
    """The help of every command, as the program prints it."""
    parts = [
        "# The `karat` command",
        "Results go to standard output, messages to standard error. Exit codes: 0 all is well; 1 the data has "
        "problems, or there are findings; 2 the request is wrong or impossible. `-` is standard input or output; files "
        "whose names end in `.gz` are compressed.",
        "This page is made by `docs/generate.py` from the program's own help.",
        _help(cli, "karat"),
    ]
    context = click.Context(cli, info_name="karat")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        parts += [f"## karat {name}", _help(command, f"karat {name}")]
    return "\n\n".join(parts) + "\n"


def _help(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    context.help_option_names = ["-h", "--help"]
    # click keeps the help option of the first call, with the names it had then.
    command._help_option = None
    return f"```\n{command.get_help(context)}\n```"


def formats_page() -> str:
    """Every format with the description in its module."""
    parts = [
        "# File formats",
        "Karat recognises the format of a file from its content, in the order of this page; with `--from FORMAT` you "
        "choose it yourself. Reading is tolerant if the meaning is clear (a byte-order mark, CRLF, ids as numbers, "
        "`PARTIAL SUPPORT` for `partial_support`; unknown fields are kept and written back) and strict if it is not: a "
        "problem is reported as `file:line: path: what is wrong, and the choices`.",
        "This page is made by `docs/generate.py` from the format modules.",
        "## Formats",
        *(_entry(format) for format in all_formats() if format.name not in DATASET_NAMES),
        "## Labelled data sets",
        "Karat reads these, but does not write them; `karat data` prints where each is published.",
        *(_entry(format) for format in all_formats() if format.name in DATASET_NAMES),
    ]
    return "\n\n".join(parts) + "\n"


def _entry(format: Format) -> str:
    return f"### {format.name}\n\n{about_format(format)}"


def lint_page() -> str:
    """Every code that a finding can have."""
    parts = [
        "# What `karat lint` finds",
        "Give a key, or a key with its judgements and runs. Every finding has a file, a line (where there is one), a "
        "query, a code and a message; `--only CODE` and `--ignore CODE` choose the codes.",
        "This page is made by `docs/generate.py` from the program.",
        "## Rules",
        _codes(RULES),
        "## What readers report",
        "Problems that stop other commands (without `--on-error skip`), and notes.",
        _codes(READING),
    ]
    return "\n\n".join(parts) + "\n"


def _codes(codes: dict[str, str]) -> str:
    rows = [f"| `{code}` | {text} |" for code, text in codes.items()]
    return "\n".join(["| code | what it means |", "|---|---|", *rows])


def measures_page() -> str:
    """Every measure with its formula, family by family."""
    parts = [
        "# Measures",
        "A measure is named as it prints: `F3`, `strict_vital`, `proficiency(prior=bayes,other=1e5)`. It says what it "
        "counts for one query and run, and how counts become a score; so the mean over queries, the pooled score "
        "(`--average pool`), intervals and tests are the same for all. A score is undefined, never 0, where the key "
        "gives it nothing to divide by or the judge failed; an empty response scores 0, and only its precision is "
        "undefined. [statistics.md](statistics.md) explains intervals and tests.",
        "This page is made by `docs/generate.py` from the measures' own descriptions.",
    ]
    for family in measure_families():
        rows = [f"| `{name}` | {summary} | {settings} |" for name, summary, settings in family.rows]
        parts += [f"## {family.title}", "\n".join(["| name | what it is | settings |", "|---|---|---|", *rows])]
        parts += [f"```text\n{text}\n```" for text in family.texts]
    return "\n\n".join(parts) + "\n"


PAGES = {"cli.md": cli_page, "formats.md": formats_page, "lint.md": lint_page, "measures.md": measures_page}


def main() -> int:
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
