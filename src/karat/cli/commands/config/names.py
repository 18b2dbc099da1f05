"""Names of judges and measures in the file: `karat config` looks them up; other commands do when they use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karat.cli.commands.config.files import ConfigError
from karat.cli.commands.config.values import Config, Default, long_name

IN_FILES = "NAME|all"
"""How an option says that its judge may be a program or one whose judgements are in the files."""


def check_names(config: Config) -> list[str]:
    """ConfigError with every name that cannot be right; what may be right with some files, as notes."""
    problems: dict[str, None] = {}
    doubts: dict[str, None] = {}
    for default in config.defaults:
        check = _CHECKS.get(long_name(default.option))
        if check is not None:
            wrong, doubtful = check(default)
            problems |= {config.file.problem(default.place, what): None for what in wrong}
            doubts |= {config.file.problem(default.place, what): None for what in doubtful}
    if problems:
        raise ConfigError(*problems)
    return list(doubts)


Found = tuple[list[str], list[str]]
"""What is wrong, and what is only right if the files have it."""


def _judges(default: Default) -> Found:
    from karat.judges.registry import is_judge, parse_judge
    from karat.measures.registry import split_names
    from karat.model import MissingExtra, UsageError

    wrong, doubtful = [], []
    metavar = default.option.metavar or ""
    for name in split_names(default.value):
        if metavar == IN_FILES and name == "all":
            continue
        try:
            parse_judge(name)
        except MissingExtra:
            # The name is right; whether the extra is installed depends on the machine.
            continue
        except UsageError as error:
            if metavar == IN_FILES and not is_judge(name):
                doubtful.append(f"{_short(error)}; it is right only if your files have judgements by a judge {name!r}")
            else:
                wrong.append(str(error))
    return wrong, doubtful


def _measures(default: Default) -> Found:
    from karat.measures.registry import entry_of, parse_measure, split_names
    from karat.model import UsageError

    wrong, doubtful = [], []
    for name in split_names(default.value):
        try:
            entry_of(name)
        except UsageError as error:
            doubtful.append(f"{_short(error)}; it is right only if your files have scores by {name!r}")
            continue
        try:
            parse_measure(name)
        except UsageError as error:
            wrong.append(str(error))
    return wrong, doubtful


def _short(error: Any) -> str:
    """What is wrong and the nearest name, without the list of all."""
    return str(error).partition(";")[0]


_CHECKS: dict[str, Callable[[Default], Found]] = {"judge": _judges, "measures": _measures, "measure": _measures}
