"""karat config: the defaults of options that a karat.toml gives, and where each came from."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo

if TYPE_CHECKING:
    from karat.cli.commands.config.values import Config

ALL = "all"
"""What stands for every command in the table."""


@click.command("config")
@click.argument("name", required=False, metavar="[COMMAND]...", nargs=-1)
@click.option("--example", is_flag=True, help="Print a karat.toml to begin with; all its lines are comments.")
@output_format()
@prints_result
def command(name: tuple[str, ...], example: bool, output_format: str) -> None:
    """Show which defaults a karat.toml gives, and where.

    Options that you always give can be in a file: `karat.toml`, or `[tool.karat]` in `pyproject.toml`, in this folder
    or the nearest one above it, up to the root of the repository. Values at the top hold for every command that has
    the option, those under `[score]` for that command; the command line wins. With a COMMAND, all its options are
    listed, with the values in force. `karat --no-config ...` leaves the file out; the environment variable
    KARAT_CONFIG names another file, or is `off`.

    A file cannot say what is written, what a language model is asked, or which program is loaded, and its paths stay
    in its own folder: it may come with a repository that somebody else wrote.

    \b
    Example:
      karat config --example > karat.toml
      karat config
      karat config score
    """
    from karat.cli import NO_CONFIG, cli
    from karat.cli.commands.config.example import EXAMPLE
    from karat.cli.commands.config.names import check_names
    from karat.cli.commands.config.values import load

    if example and name:
        raise click.UsageError("--example is for all commands: give no COMMAND with it.")
    if example:
        echo(EXAMPLE, nl=False)
        return
    config = None if NO_CONFIG in sys.argv else load(cli, os.environ)
    doubts = [] if config is None else check_names(config)
    rows, columns = (_options(config, " ".join(name)), ()) if name else (_defaults(config), _COLUMNS)
    _print(rows, columns, [*_notes(config), *doubts], output_format)


_COLUMNS = ("command", "option", "value", "from")


def _defaults(config: Config | None) -> list[dict[str, Any]]:
    """One row per value of the file."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for each in config.defaults if config is not None else ():
        assert config is not None
        where = ALL if len(each.place) == 1 else each.command
        row = (where, _named(each.option), _value(each.value), config.file.place(*each.place))
        rows.setdefault(each.place, dict(zip(_COLUMNS, row, strict=True)))
    return list(rows.values())


def _options(config: Config | None, name: str) -> list[dict[str, Any]]:
    """One row per option of a command: the file's value, or the command's own."""
    from difflib import get_close_matches

    from karat.cli import cli
    from karat.cli.commands.config.values import WITHOUT, commands_of

    commands = dict(commands_of(cli))
    if name not in commands:
        if name.split()[0] in WITHOUT:
            raise click.UsageError(f"{name.split()[0]} takes nothing from a karat.toml.")
        near = get_close_matches(name, commands, 1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Choose from {', '.join(commands)}."
        raise click.UsageError(f"There is no command {name!r}.{hint}")
    given = config.of(name) if config is not None else {}
    rows = []
    for option in commands[name].params:
        if not isinstance(option, click.Option) or option.hidden:
            continue
        found = given.get(str(option.name))
        own = option.to_info_dict().get("default")
        rows.append({
            "option": _named(option),
            "value": _value(own if found is None else found.value),
            "from": "default" if found is None or config is None else config.file.place(*found.place),
        })  # fmt: skip
    return rows


def _named(option: click.Option) -> str:
    from karat.cli.commands.config.values import long_name

    return long_name(option)


def _value(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or None
    return value if isinstance(value, str | int | float) else None


def _notes(config: Config | None) -> list[str]:
    from karat.cli import NO_CONFIG
    from karat.cli.commands.config.files import NAME, OFF, VARIABLE

    if config is not None:
        return [f"file: {config.file.path}"]
    if NO_CONFIG in sys.argv:
        return [f"no file is used: {NO_CONFIG}"]
    if (os.environ.get(VARIABLE) or "").lower() == OFF:
        return [f"no file is used: {VARIABLE} is {OFF}"]
    return [f"there is no {NAME} here or above; `karat config --example > {NAME}` begins one"]


def _print(rows: list[dict[str, Any]], columns: tuple[str, ...], notes: list[str], output_format: str) -> None:
    from karat.reports.results.data import DataTable
    from karat.reports.results.shown import ShownResult

    table = DataTable.of("config", rows, columns)
    shown = ShownResult(
        parts=lambda _: [table.text_table()] if rows or output_format != "table" else [],
        tables=lambda: [table],
        notes=notes,
    )
    print_result(shown, output_format)


def say_defaults(ctx: click.Context) -> None:
    """Say once which file gave defaults, and for which options of this command."""
    config: Config | None = ctx.meta.get("karat.config")
    if config is None:
        return
    source = click.core.ParameterSource.DEFAULT_MAP
    used = [param for param in ctx.command.params if ctx.get_parameter_source(str(param.name)) is source]
    if used:
        names = ", ".join(_named(param) for param in used if isinstance(param, click.Option))
        echo(f"defaults from {config.file.name}: {names}", err=True)
