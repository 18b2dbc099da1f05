"""Write the pages of the documentation that are made from the program: those in PAGES.

python docs/generate.py          writes them
tests/test_docs.py               fails if one of them is out of date
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import click

from karat.cli import COMMANDS, cli
from karat.cli.codes import MEANINGS
from karat.evaluate.lint.findings import READING, RULES, severity_of
from karat.formats import all_formats
from karat.formats.registry import DATASET_NAMES, Format, about_format
from karat.judges.measured import figures_of_page

DOCS = Path(__file__).parent
# A test loads this file from elsewhere.
sys.path.insert(0, str(DOCS))
from measure_pages import FAMILIES, family_page, measures_page  # noqa: E402

WIDTH = 100


def cli_page() -> str:
    """The help of every command, as the program prints it."""
    parts = [
        "# The `karat` command",
        "Results go to standard output, messages to standard error. `-` is standard input or output; files whose names "
        "end in `.gz` are compressed.",
        "This page is made by `docs/generate.py` from the program's own help.",
        _help(cli, "karat"),
        "## Exit codes",
        "Each means one thing in every command, so that a script can tell a loss from a broken file:",
        "| code | | when |\n|---|---|---|\n"
        + "\n".join(f"| {code} | {word} | {text} |" for code, (word, text) in MEANINGS.items()),
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
        _list_of_formats(),
        "## Formats",
        *(_entry(format) for format in all_formats() if format.name not in DATASET_NAMES),
        "## Labelled data sets",
        "Karat reads these, but does not write them; `karat data` prints where each is published.",
        *(_entry(format) for format in all_formats() if format.name in DATASET_NAMES),
    ]
    return "\n\n".join(parts) + "\n"


def _list_of_formats() -> str:
    rows = [
        f"| [{format.name}](#{format.name}) | {'read, write' if format.write else 'read'} | {_escaped(format.title)} |"
        for format in all_formats()
    ]
    return "\n".join(["| format | Karat can | what it is |", "|---|---|---|", *rows])


def _entry(format: Format) -> str:
    title, _, about = about_format(format).partition("\n\n")
    about, _, written = about.partition("Can be written: ")
    parts = [f"### {format.name}", _escaped(title)]
    for is_prose, paragraphs in groupby(about.strip().split("\n\n"), key=_is_prose):
        text = "\n\n".join(paragraphs)
        parts.append(_escaped(text) if is_prose else f"```text\n{text}\n```")
    if written:
        kinds = (kind.partition(": ") for kind in written.rstrip(".").split("; "))
        rows = (
            f"| `{kind}` | {', '.join(f'`{field}`' for field in fields.split(', '))} |" for kind, _, fields in kinds
        )
        parts += ["Can be written:", "\n".join(["| record | fields |", "|---|---|", *rows])]
    return "\n\n".join(parts)


def _is_prose(paragraph: str) -> bool:
    """Whether a paragraph is sentences; if not, it shows the shape of a file, which Markdown must leave as it is."""
    sentence = re.match(r"[A-Z`]|\w+(?:'s|-\w+)? (?!\w+ \w+$)", paragraph) and paragraph.rstrip()[-1] in ".:)"
    shape = re.search(r"<TAB>|\S {3,}\S|^[\[{<#]|^ {4}|^\d", paragraph, re.MULTILINE)
    return paragraph.startswith(("| ", "- ")) or (bool(sentence) and not shape)


def _escaped(text: str) -> str:
    """Text in which tags stay visible; those in backquotes are so anyway."""
    return "".join(part if part.startswith("`") else part.replace("<", "\\<") for part in re.split("(`[^`]*`)", text))


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
        *(_method(Result, f"to_{form}") for form in ("dicts", "frame", "json", "markdown", "csv", "tsv", "latex")),
        "In a notebook they show as a table. Their fields and notes are attributes.",
        "## Verbs",
        "\n".join(["| verb | what it does |", "|---|---|", *(_verb(name) for name in verbs)]),
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


def _verb(name: str) -> str:
    """A row of the list of verbs."""
    import karat

    summary = (inspect.getdoc(getattr(karat, name)) or "").partition("\n\n")[0]
    return f"| [karat.{name}](#karat{name}) | {' '.join(summary.split())} |"


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
    parts = [f"```python\n{_signature(function, name)}\n```", _with_list(text.strip(), inspect.signature(function))]
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


def _with_list(text: str, signature: inspect.Signature) -> str:
    """A docstring in which what is said of the parameters (`runs: only these. seed: ...`) is a list."""
    from karat.measures.cases.rules import Rules

    known = [*signature.parameters, *(Rules.__annotations__ if "rules" in signature.parameters else ())]
    name = f"(?:{'|'.join(known)})"
    said = re.compile(rf"(?:^|(?<=[.;)] )){name}(?:, {name})*: ")
    paragraphs = []
    for paragraph in text.split("\n\n"):
        joined = " ".join(paragraph.split())
        starts = [found.start() for found in said.finditer(joined)]
        if not starts or starts[0] != 0:
            paragraphs.append(paragraph)
            continue
        items = []
        for start, end in pairwise([*starts, len(joined)]):
            names, _, about = joined[start:end].strip().partition(": ")
            items.append(f"- {', '.join(f'`{one}`' for one in names.split(', '))}: {about}")
        paragraphs.append("\n".join(items))
    return "\n\n".join(paragraphs)


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
    **{f"measures/{page}.md": partial(family_page, page) for page in FAMILIES},
    "python.md": python_page,
}


def main() -> int:
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
