"""One meaning per option name: the same help text in every command, or a difference that is stated with its reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import click
import pytest

from karat.cli import cli
from karat.cli.commands.config.meanings import DIFFERENCES
from karat.cli.commands.config.values import long_name


def every_option(group: click.Group = cli, prefix: str = "") -> Iterator[tuple[str, click.Option]]:
    """Every option that help shows, with the command that has it."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        found = group.get_command(ctx, name)
        if isinstance(found, click.Group):
            yield from every_option(found, f"{prefix}{name} ")
        elif found is not None:
            yield from ((prefix + name, p) for p in found.params if isinstance(p, click.Option) and not p.hidden)


def by_name() -> dict[str, dict[str, click.Option]]:
    options: dict[str, dict[str, click.Option]] = defaultdict(dict)
    for command, option in every_option():
        options[long_name(option)][command] = option
    return options


OPTIONS = by_name()


@pytest.mark.parametrize("name", OPTIONS)
def test_a_name_means_one_thing(name: str) -> None:
    stated = DIFFERENCES.get(name, {})
    meanings = defaultdict(list)
    for command, option in OPTIONS[name].items():
        if command not in stated:
            meanings[option.help, option.metavar, option.multiple, option.is_flag].append(command)
    assert len(meanings) == 1, dict(meanings)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_stated_difference_is_one(name: str) -> None:
    """The table has no line for what is the same by now, or is gone."""
    common = {option.help for command, option in OPTIONS[name].items() if command not in DIFFERENCES[name]}
    assert common
    for command, difference in DIFFERENCES[name].items():
        assert OPTIONS[name][command].help not in common, command
        assert difference.why


def test_a_short_name_stands_for_one_long_name() -> None:
    short: dict[str, set[str]] = defaultdict(set)
    for _, option in every_option():
        for one in option.opts:
            if not one.startswith("--"):
                short[one].add(long_name(option))
    assert {one: names for one, names in short.items() if len(names) > 1} == {}


def test_no_option_has_two_long_names() -> None:
    """An old spelling is an option of its own, which is hidden."""
    assert [option.opts for _, option in every_option() if sum(one.startswith("--") for one in option.opts) > 1] == []
