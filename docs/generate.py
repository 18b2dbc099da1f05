"""Write the pages of the documentation that are made from the program: those in PAGES.

python docs/generate.py          writes them
tests/test_docs.py               fails if one of them is out of date
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from karat.cli import COMMANDS, cli
from karat.evaluate.lint.findings import READING, RULES, severity_of
from karat.formats import all_formats
from karat.formats.registry import DATASET_NAMES, Format, about_format
from karat.judges.measured import figures_of_page
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
        for below, subcommand in command.commands.items() if isinstance(command, click.Group) else ():
            parts += [f"### karat {name} {below}", _help(subcommand, f"karat {name} {below}")]
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


def _rules() -> str:
    """The keywords of everything that scores, with what the source says about each."""
    from karat.measures.cases.rules import Rules

    lines = inspect.getsource(Rules).splitlines()
    rows = []
    for line, text in pairwise(lines):
        if found := re.fullmatch(r"    (\w+): .*", line):
            rows.append(f"| `{found[1]}` | {text.strip().strip(chr(34))} |")
    return "\n".join(["| keyword | what it decides |", "|---|---|", *rows])


def lint_page() -> str:
    """Every code that a finding can have."""
    parts = [
        "# What `karat lint` finds",
        "Give a key, or a key with its judgements and runs. Every finding has a file, a line (where there is one), a "
        "query, a code, a message and a severity; `--only CODE` and `--ignore CODE` choose the codes. The exit code is "
        "1 if there are errors; `--fail-on warning` (or `style`, `never`) chooses another severity. What stops other "
        "commands is always an error.",
        "This page is made by `docs/generate.py` from the program.",
        "## Rules",
        _codes(RULES),
        "## What readers report",
        "Problems that stop other commands (without `--on-error skip`), and notes.",
        _codes(READING),
    ]
    return "\n\n".join(parts) + "\n"


def _codes(codes: dict[str, str]) -> str:
    rows = [f"| `{code}` | {severity_of(code)} | {text} |" for code, text in codes.items()]
    return "\n".join(["| code | severity | what it means |", "|---|---|---|", *rows])


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


EXAMPLES = {
    "validate": """>>> import karat
>>> validation = karat.validate(*karat.demo_files(), judge="nuggeteer", on_error="skip")
>>> validation.judge
'nuggeteer'""",
    "score_labels": """>>> import karat
>>> rows = [{"importance": "vital", "assignment": "support"}, {"importance": "okay", "assignment": "not_support"}]
>>> karat.score_labels(rows).strict_all
0.5""",
}
"""Examples that are not those of the docstring."""


def python_page() -> str:
    """Every public name with its signature, its docstring and an example."""
    import karat
    from karat.evaluate.review.review import Review
    from karat.model.result import Result
    from karat.testing import assert_not_worse

    verbs = [name for name in karat.__all__ if inspect.isfunction(getattr(karat, name))]
    classes = [name for name in karat.__all__ if inspect.isclass(getattr(karat, name))]
    parts = [
        "# Karat in Python",
        "Every input is a path, bytes, a list of Karat's records, a list of dicts, a data frame of pandas or polars, "
        "or the result of another verb; several inputs that belong together are read as one. `NAME=FILE` calls the "
        "run of a file NAME. Names are loaded at first use, so `import karat` costs next to nothing.",
        "This page is made by `docs/generate.py` from signatures and docstrings; its examples are tested.",
        "## Results",
        "What a verb returns prints as the table that the command of the same name shows. All results have:",
        *(_method(Result, name) for name in ("to_dicts", "to_frame")),
        "In a notebook they show as a table. Their fields and notes are attributes.",
        "## Verbs",
    ]
    for name in verbs:
        parts += [f"### karat.{name}", *_described(getattr(karat, name), f"karat.{name}", EXAMPLES.get(name))]
    parts += ["## Rules", "`score`, `compare`, `correlate`, `plan` and `stability` also take these as keywords."]
    parts += [_rules()]
    parts += ["## Reviews", "`karat.review` returns a Review. Loop over it for its questions; it has:"]
    parts += [_method(Review, name) for name, member in vars(Review).items() if _is_public_method(name, member)]
    parts += ["## Tests", "### karat.testing.assert_not_worse"]
    parts += _described(assert_not_worse, "karat.testing.assert_not_worse", None)
    parts += ["## Classes"]
    rows = [f"| `karat.{name}` | {(inspect.getdoc(getattr(karat, name)) or '').splitlines()[0]} |" for name in classes]
    parts += ["\n".join(["| name | what it is |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def _is_public_method(name: str, member: object) -> bool:
    return inspect.isfunction(member) and not name.startswith("_") and bool(member.__doc__)


def _method(kind: type, name: str) -> str:
    method = getattr(kind, name)
    lines = (inspect.getdoc(method) or "").splitlines()
    return "\n".join(
        [f"- `{_signature(method, name, short=True)}`: {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])]
    )


def _described(function: Callable[..., Any], name: str, example: str | None) -> list[str]:
    """The signature, what the docstring says, and its example."""
    text, _, own = (inspect.getdoc(function) or "").partition("\n>>> ")
    example = example or (f">>> {own}" if own else None)
    parts = [f"```python\n{_signature(function, name)}\n```", text.strip()]
    # An empty line ends the output of an example.
    return [*parts, *([f"```pycon\n{example}\n\n```"] if example else [])]


def _signature(function: Callable[..., Any], name: str, *, short: bool = False) -> str:
    signature = inspect.signature(function)
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    parts: list[str] = []
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parts.append(_parameter(parameter))
    if short or len(parts) < 3:
        return f"{name}({', '.join(parts)}) -> {signature.return_annotation}"
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {signature.return_annotation}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = f"{stars}{parameter.name}: {parameter.annotation}"
    return text if parameter.default is parameter.empty else f"{text} = {parameter.default!r}".replace("'", '"')


def measured_file() -> str:
    """The figures of judges.md that `karat judges` prints."""
    return figures_of_page((DOCS / "judges.md").read_text("utf-8"))


PAGES = {
    "../src/karat/judges/measured.tsv": measured_file,
    "cli.md": cli_page,
    "formats.md": formats_page,
    "lint.md": lint_page,
    "measures.md": measures_page,
    "python.md": python_page,
}


def main() -> int:
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
