"""The values of the file -> defaults of the options of each command. All of it is checked, whichever command runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click

from karat.cli.commands.config.files import ConfigError, ConfigFile
from karat.cli.commands.config.meanings import holds_everywhere

WITHOUT = frozenset({"serve", "campaign", "cache", "job", "demo", "schema", "completion", "config"})
"""Commands that take nothing from the file: they open a server or a store, delete, or have nothing to choose."""
_WRITES = "a file that is found must not decide what is written"
_PAYS = "a file that is found must not decide what is sent to a language model, or what is paid"
REFUSED: dict[str, str] = {
    **dict.fromkeys(("output", "ask", "copy", "force", "per-run", "raw-cells", "job"), _WRITES),
    **dict.fromkeys(("llm", "yes", "max-calls", "max-cost", "concurrency", "retry-failed"), _PAYS),
    **dict.fromkeys(("llm-url", "llm-model", "llm-key-env", "llm-log", "llm-price", "llm-timeout"), _PAYS),
    "engine": "a file that is found must not decide to which machines the data go",
    "model": "a file that is found must not decide which program is loaded",
    "quiet": "a file that is found must not hide that it is used",
    **dict.fromkeys(("traceback", "no-config", "help", "version"), "it is about one call"),
}
"""What a file may not say: it may come with a repository that somebody else wrote."""
_LLM = re.compile(r"(?<![\w-])llm(?![\w-])")
Place = tuple[str, ...]


class Default(NamedTuple):
    """A default of one option of one command."""

    command: str
    option: click.Option
    value: Any
    place: Place


class Config(NamedTuple):
    """What the file gives to each command."""

    file: ConfigFile
    defaults: list[Default]

    def of(self, command: str) -> dict[str, Default]:
        """By the name of the option in Python. What is said for the command alone comes after what is said for all."""
        return {str(each.option.name): each for each in self.defaults if each.command == command}

    def default_map(self) -> dict[str, Any]:
        """As click takes it: nested by the names of commands."""
        nested: dict[str, Any] = {}
        for each in self.defaults:
            table = nested
            for name in each.command.split():
                table = table.setdefault(name, {})
            table[str(each.option.name)] = each.value
        return nested


def long_name(option: click.Option) -> str:
    """The name of an option as it is in the file: `on-error`."""
    return max(option.opts, key=len).removeprefix("--")


def commands_of(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that takes defaults, those of groups with both names."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        found = group.get_command(ctx, name)
        if prefix + name in WITHOUT or found is None:
            continue
        if isinstance(found, click.Group):
            yield from commands_of(found, f"{prefix}{name} ")
        else:
            yield prefix + name, found


def checked(file: ConfigFile, cli: click.Group) -> Config:
    """All defaults of the file; ConfigError with every mistake in it."""
    problems: list[str] = []
    commands = {
        name: {long_name(p): p for p in command.params if isinstance(p, click.Option) and not p.hidden}
        for name, command in commands_of(cli)
    }
    defaults = [*_for_all(file, commands, problems), *_for_each(file, commands, problems)]
    if problems:
        raise ConfigError(*problems)
    return Config(file, defaults)


def _twice(file: ConfigFile, values: Mapping[str, Any], place: Place, problems: list[str]) -> None:
    """Names that differ only in - and _ are the same option."""
    names: dict[str, str] = {}
    for key in values:
        first = names.setdefault(key.replace("_", "-"), key)
        if first != key:
            problems.append(file.problem((*place, key), f"is given twice: {first} is the same"))


def _for_all(
    file: ConfigFile, commands: Mapping[str, Mapping[str, click.Option]], problems: list[str]
) -> Iterator[Default]:
    """What stands at the top: it has to be right for every command that has the option."""
    known = sorted({name for options in commands.values() for name in options})
    _twice(file, file.values, (), problems)
    for key, value in file.values.items():
        name = key.replace("_", "-")
        if isinstance(value, dict):
            continue
        having = [command for command, options in commands.items() if name in options]
        fitting = [command for command in having if holds_everywhere(name, command)]
        if what := _not_an_option(name, having, known):
            is_command = name in {part for command in commands for part in command.split()}
            problems.append(file.problem((key,), f"a command has a table: [{name}]" if is_command else what))
            continue
        wrong: dict[str, str] = {}
        for command in fitting:
            try:
                yield Default(command, commands[command][name], _value(file, commands[command][name], value), (key,))
            except ValueError as error:
                wrong[command] = str(error)
        if wrong:
            command, what = next(iter(wrong.items()))
            part = "" if len(wrong) == len(fitting) else f" (in {command}: write it in the tables of other commands)"
            problems.append(file.problem((key,), what + part))
        elif not fitting:
            tables = ", ".join(f"[{command.replace(' ', '.')}]" for command in having)
            problems.append(file.problem((key,), f"means something else in each command; write it under {tables}"))


def _for_each(
    file: ConfigFile, commands: Mapping[str, Mapping[str, click.Option]], problems: list[str]
) -> Iterator[Default]:
    """What stands in the tables of commands."""
    for place, command, table in _tables(file, file.values, (), commands, problems):
        options = commands[command]
        _twice(file, table, place, problems)
        for key, value in table.items():
            name = key.replace("_", "-")
            if what := _not_an_option(name, [command] if name in options else [], list(options)):
                problems.append(file.problem((*place, key), what))
                continue
            try:
                yield Default(command, options[name], _value(file, options[name], value), (*place, key))
            except ValueError as error:
                problems.append(file.problem((*place, key), str(error)))


def _tables(
    file: ConfigFile, values: Mapping[str, Any], place: Place, commands: Mapping[str, object], problems: list[str]
) -> Iterator[tuple[Place, str, Mapping[str, Any]]]:
    """The tables of commands, those of groups (`[key.diff]`), too."""
    for key, value in values.items():
        path = (*place, key)
        name = " ".join(part.replace("_", "-") for part in path)
        inside = [command for command in commands if command.startswith(f"{name} ")]
        if name in commands and isinstance(value, dict):
            yield path, name, value
        elif inside and isinstance(value, dict):
            yield from _tables(file, value, path, commands, problems)
        elif isinstance(value, dict) or place:
            problems.append(file.problem(path, _no_command(name, path, commands)))


def _no_command(name: str, path: Place, commands: Mapping[str, object]) -> str:
    first = path[0].replace("_", "-")
    if first in WITHOUT:
        return f"{first} takes nothing from this file"
    group = [command for command in commands if command.startswith(f"{first} ")]
    return f"there is no such command{_hint(name, list(group or commands))}"


def _not_an_option(name: str, having: list[str], known: list[str]) -> str | None:
    """Why a name is no option that the file may set; None if it is."""
    if name in REFUSED:
        return f"only on the command line: {REFUSED[name]}"
    if not having:
        return f"there is no such option{_hint(name, [each for each in known if each not in REFUSED])}"
    return None


def _hint(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names, 1)
    return f" (did you mean {near[0]}?)" if near else f"; choose from {', '.join(names)}"


def _value(file: ConfigFile, option: click.Option, value: Any) -> Any:
    """The value as click takes it; ValueError where its type is wrong, or it is none of the choices."""
    several = option.multiple or ",..." in (option.metavar or "")
    if isinstance(value, list):
        if not several:
            raise ValueError("is one value, not a list")
        if not option.multiple and not value:
            raise ValueError("the list is empty; name something, or leave the line out")
        parts = [_one(file, option, each) for each in value]
        return parts if option.multiple else ",".join(map(str, parts))
    single = _one(file, option, value)
    return [single] if option.multiple else single


def _one(file: ConfigFile, option: click.Option, value: Any) -> Any:
    wanted = _wanted(option)
    of_numbers = (option.metavar or "") == "N,..."
    is_right = {
        "true or false": isinstance(value, bool),
        "a whole number": isinstance(value, int) and not isinstance(value, bool),
        "a number": isinstance(value, int | float) and not isinstance(value, bool),
        "a text in quotes": isinstance(value, str) or (of_numbers and isinstance(value, int) and value is not True),
    }[wanted]
    if not is_right:
        raise ValueError(f"{_shown(value)} is not {wanted}")
    if long_name(option) == "judge" and _LLM.search(value):
        raise ValueError(f"a judge that asks a language model is named only on the command line: {_PAYS}")
    if isinstance(option.type, click.Path) and value != "key":
        return _path(file, value)
    try:
        option.type.convert(value, option, None)
    except click.BadParameter as error:
        raise ValueError(error.message.rstrip(".")) from None
    return value


def _wanted(option: click.Option) -> str:
    if option.is_flag:
        return "true or false"
    if isinstance(option.type, click.types.IntParamType):
        return "a whole number"
    return "a number" if isinstance(option.type, click.types.FloatParamType) else "a text in quotes"


def _path(file: ConfigFile, value: str) -> str:
    """A file or NAME=FILE, relative to the folder of the configuration, which it may not leave.

    Otherwise a repository could have other files of the user's read, and parts of them printed in a log.
    """
    folder = file.path.parent
    name, equals, rest = value.partition("=")
    for part in (value, rest) if equals else (value,):
        if not (folder / part).resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{value!r} is outside the folder of {file.name}; name it on the command line")
    if equals and (folder / rest).exists() and not (folder / value).exists():
        return f"{name}={os.path.relpath(folder / rest)}"
    return os.path.relpath(folder / value)


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def load(cli: click.Group, environment: Mapping[str, str]) -> Config | None:
    """What is in force here; None where there is no file."""
    from karat.cli.commands.config.files import config_file

    file = config_file(environment)
    return None if file is None else checked(file, cli)
