"""Where the cache is, how large it may become, and --no-cache."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from karat.engines.cache import Cache

FOLDER, SIZE = "KARAT_CACHE", "KARAT_CACHE_SIZE"
OFF = "off"
_in_use: list[Cache] = []
"""The cache of this command, from its start on."""


def cache_folder(environment: Mapping[str, str], *, platform: str = sys.platform) -> Path | None:
    """The user's folder for the cache; None where KARAT_CACHE is `off`, or there is no home folder.

    KARAT_CACHE, else the place of the system: $XDG_CACHE_HOME/karat or ~/.cache/karat, on macOS ~/Library/Caches/karat,
    on Windows %LOCALAPPDATA%\\karat\\Cache.
    """
    if named := environment.get(FOLDER):
        return None if named.lower() == OFF else Path(named).expanduser().absolute()
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "karat" / "Cache"
    if platform == "darwin":
        return home / "Library" / "Caches" / "karat"
    general = Path(environment.get("XDG_CACHE_HOME", ""))
    # A path that is not absolute does not count, by the rules of XDG.
    return (general if general.is_absolute() else home / ".cache") / "karat"


def cache_limit(environment: Mapping[str, str]) -> int:
    """The most bytes in the cache, from KARAT_CACHE_SIZE."""
    from karat.engines.cache import LIMIT

    if not (text := environment.get(SIZE, "").strip()):
        return LIMIT
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?) ?([KMGT]?)B?", text.upper())
    size = int(float(found[1]) * 1000 ** " KMGT".index(found[2] or " ")) if found else 0
    if size < 10**6:
        raise click.UsageError(f"{SIZE}={text} is not a size from 1MB on; write it like 500MB or 2GB.")
    return size


def _use(ctx: click.Context, _param: click.Parameter, is_off: bool) -> None:
    if ctx.resilient_parsing:
        return
    folder = None if is_off else cache_folder(os.environ)
    if folder is None:
        return
    from karat.cli.printing import echo
    from karat.engines.cache import cache
    from karat.reports.results.tables import printable

    used = cache(folder, limit=cache_limit(os.environ), say=lambda text: echo(printable(text), err=True))
    _in_use[:] = [ctx.with_resource(used)]


no_cache = click.option(
    "--no-cache", is_flag=True, expose_value=False, callback=_use,
    help="Compute everything anew: take nothing from the cache and keep nothing in it (see `karat cache`).",
)  # fmt: skip


def stopped() -> str:
    """What is said after Ctrl-C."""
    if _in_use and _in_use[0].stored:
        return "Stopped. What was judged so far is kept (see `karat cache`): give the same command again to go on."
    return "Stopped."
