"""karat cache"""

from __future__ import annotations

import os

import click

from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo


@click.command("cache")
@click.argument("action", type=click.Choice(["show", "clear"]), default="show", metavar="[show|clear]")
@output_format()
@prints_result
def command(action: str, output_format: str) -> None:
    """Show what is kept so that nothing is judged twice.

    Karat keeps what is dear to compute: raw scores of `semantic` (one entry per query), vectors of sentences, and what
    its reader said. A command that was stopped goes on where it was, and a second command about the same texts is fast.
    Results are the same with and without the cache. The file holds no readable text.

    What was not used for longest is removed when the cache is full (1 GB). The environment variable KARAT_CACHE_SIZE
    sets another size (500MB, 2GB), KARAT_CACHE another folder; KARAT_CACHE=off, or --no-cache, turns it off.

    \b
    Example:
      karat cache
      karat cache clear
    """
    from karat.cli.computing.cache_options import FOLDER, cache_folder, cache_limit
    from karat.engines.cache import Cache
    from karat.reports.results.tables import printable
    from karat.reports.show import cache_result, size_text

    folder = cache_folder(os.environ)
    if folder is None:
        echo(f"the cache is off ({FOLDER} is off, or there is no home folder)", err=True)
        return
    cache = Cache(folder, limit=cache_limit(os.environ), say=lambda text: echo(printable(text), err=True))
    try:
        state = cache.state()
        if action == "clear":
            if not cache.clear():
                raise click.ClickException(f"{state.file} could not be cleared; is another karat at work? Try again.")
            what = f"{state.entries:,} entries, {size_text(state.file_bytes)}"
            echo(f"cleared {printable(str(state.file))}: {what}", err=True)
            return
        print_result(cache_result(state), output_format)
    finally:
        cache.close()
