"""The `karat` command: one module per command, imported when the command is called."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from karat import __version__
from karat.cli.codes import Code

COMMANDS: dict[str, str] = {
    "score": "Score runs from a key and judgements.",
    "report": "Make one HTML file that shows scores, nugs and answers.",
    "plot": "Draw one chart of the report, for a paper or a slide.",
    "judge": "Decide which nugs each response contains.",
    "explain": "Show why a judge decides as it does.",
    "review": "Answer the questions that a judge is unsure about.",
    "validate": "Show how good a judge is, where people judged.",
    "cite": "Check whether cited documents say it, and where.",
    "judges": "Say which judge to use when, or explain one.",
    "compare": "Show which differences between runs are real.",
    "correlate": "Correlate two scorings of the same runs.",
    "agree": "Measure how much assessors agree.",
    "nuggets-compare": "Compare automatic nuggets with those of people.",
    "pyramid": "Weight nugs by the votes of assessors.",
    "plan": "Compute how many queries are needed to find a difference.",
    "stability": "Measure how stable the ranking of runs is.",
    "measures": "List the measures, or explain one.",
    "density": "Estimate how many characters there are per nug.",
    "reproduce": "Print a paper's figures beside Karat's.",
    "nuggetize": "Find the nuggets in snippets, with their types.",
    "draft-key": "Draft a key from answers or passages, for people to edit.",
    "key": "Tell versions of a key apart, and see what changed.",
    "campaign": "Run a campaign, in which people annotate.",
    "serve": "Open the workbench, where people annotate in a browser.",
    "cache": "Show what is kept so that nothing is judged twice.",
    "job": "Go on with work that was stopped.",
    "config": "Show which defaults a karat.toml gives, and where.",
    "show": "Show what is in a file.",
    "lint": "Find mistakes in the data before you score.",
    "convert": "Convert files to another format.",
    "formats": "List the file formats that Karat reads and writes.",
    "data": "List public collections that Karat can read.",
    "demo": "Score the small collection that comes with Karat.",
    "schema": "Print the JSON Schema of Karat's own records.",
    "completion": "Print the shell completion script.",
}
"""Each command with the first line of its help, so that `karat --help` imports none of them."""
NO_CONFIG = "--no-config"


class Commands(click.Group):
    """Imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(f"karat.cli.commands.{cmd_name.replace('-', '_')}").command
        _with_what_all_have(command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever read our output has stopped (`karat show x | head`), so nothing more can be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(Code.PIPE)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _be_quiet(_ctx: click.Context, _param: click.Parameter, quiet: bool) -> None:
    if quiet:
        from karat.cli.printing import be_quiet

        be_quiet(True)


def _with_what_all_have(command: click.Command) -> None:
    """Adds --quiet to a command, and to those of a group; it says which defaults came from a file."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            _with_what_all_have(below)
    elif not any(param.name == "quiet" for param in command.params):
        command.params.append(
            click.Option(
                ["-q", "--quiet"],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                callback=_be_quiet,
                help="No notes and no progress; errors and results are still printed.",
            )
        )
        # `karat score ... --no-config`: where it stands is all the same.
        command.params.append(
            click.Option(
                [NO_CONFIG], is_flag=True, expose_value=False, hidden=True, help="Take no defaults from a file."
            )
        )
        command.callback = _saying_defaults(command.callback)


def _saying_defaults(function: Callable[..., Any] | None) -> Callable[..., Any]:
    def called(*args: Any, **options: Any) -> Any:
        ctx = click.get_current_context()
        if "karat.config" in ctx.meta:
            from karat.cli.commands.config import say_defaults

            say_defaults(ctx)
        return function(*args, **options) if function is not None else None

    return called


def _take_defaults(ctx: click.Context) -> None:
    """Let the options of the command that is called have the defaults of a karat.toml."""
    from karat.cli.commands.config.values import WITHOUT, load

    if ctx.invoked_subcommand in WITHOUT or {NO_CONFIG, "-h", "--help"} & set(sys.argv):
        return
    config = load(cli, os.environ)
    if config is not None:
        ctx.meta["karat.config"] = config
        ctx.default_map = config.default_map()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message="karat %(version)s")
@click.option("--traceback", is_flag=True, help="Show the Python traceback of an error.")
@click.option(NO_CONFIG, is_flag=True, help="Take no defaults from a karat.toml (see `karat config`).")
@click.pass_context
def cli(ctx: click.Context, traceback: bool, no_config: bool) -> None:
    """Karat measures how much of what matters is in an answer.

    Start with `karat demo`, then `karat show FILE` on a file of your own.

    \b
    Example:
      karat lint key.jsonl judgements.jsonl
      karat score key.jsonl judgements.jsonl

    Exit codes: 0 fine, 1 finding, 2 usage, 3 bad input, 4 undecided, 5 unfinished.
    """
    if not no_config:
        _take_defaults(ctx)


def main() -> NoReturn:
    """Run the command line; a user's mistake ends in a message, not in a traceback."""
    if (printing := sys.modules.get("karat.cli.printing")) is not None:
        printing.be_quiet(False)
    # Records have no cycles: searching for cycles after every few hundred objects would take a tenth of the time.
    gc.set_threshold(100_000, 20, 20)
    # A SIGTERM, and a terminal that is closed, clean up temporary files, as Ctrl-C does. `nohup` ignores the latter.
    ended_by: list[Code] = []

    def end(code: Code) -> NoReturn:
        ended_by.append(code)
        sys.exit(code)

    signal.signal(signal.SIGTERM, lambda *_: end(Code.TERMINATE))
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: end(Code.HANGUP))
    # Before numpy is loaded: the last digits of results must not depend on the number of processors (one_thread.py).
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets an escape instead of an error.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(prog_name="karat", standalone_mode=False) or 0
        _flush()
        sys.exit(code)
    except click.ClickException as error:
        from karat.cli.printing import echo_error

        echo_error(error)
        sys.exit(Code.USAGE)
    except (click.Abort, KeyboardInterrupt):
        _stop()
    except SystemExit:
        if ended_by:
            # Ray, while it waits, makes another code of it.
            sys.exit(ended_by[0])
        raise
    except Exception as error:  # noqa: BLE001 - the last line of defence
        if ended_by:
            sys.exit(ended_by[0])
        if _was_stopped(error):
            _stop()
        _report(error)


def _stop() -> NoReturn:
    from karat.cli.computing.cache_options import stopped
    from karat.cli.printing import echo

    echo(stopped(), error=True)
    sys.exit(Code.INTERRUPT)


def _was_stopped(error: BaseException) -> bool:
    """Python makes an error of its own of a Ctrl-C that comes while a class is made, as modules do while they load."""
    while error.__cause__ is not None:
        error = error.__cause__
    return isinstance(error, KeyboardInterrupt)


def _flush() -> None:
    """Write out what is printed: a full disk must not be noticed only when Python ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Code.PIPE)


def _report(error: Exception) -> NoReturn:
    from karat.cli.messages import report

    if "--traceback" in sys.argv:
        raise error
    code = report(error)
    if isinstance(error, OSError) and sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError:
            # What could not be written is given up, so that Python does not try again and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
