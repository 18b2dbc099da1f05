"""The options of all commands that may ask a language model: where it is, what may be spent, and the log."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from karat.cli.printing import echo

KEY_VARIABLE = "OPENAI_API_KEY"
_OPTIONS = (
    click.option(
        "--llm-url", metavar="URL",
        help="The OpenAI-compatible server that the judge llm asks, such as http://127.0.0.1:8080/v1. Without it "
        "nothing is ever sent.",
    ),
    click.option("--llm-model", metavar="NAME", help="The model to ask, unless the judge names it: llm(model=NAME)."),
    click.option(
        "--llm-key-env", metavar="VARIABLE",
        help=f"The environment variable that holds the server's key.  [default: {KEY_VARIABLE}, but only for https]",
    ),
    click.option(
        "--llm-log", metavar="FILE", type=click.Path(),
        help="The SQLite file with every call; what is in it is never asked again.  [default: karat-llm.sqlite]",
    ),
    click.option(
        "--llm-price", metavar="IN,OUT", help="What a million tokens cost, in and out, for the preview and --max-cost."
    ),
    click.option(
        "--llm-timeout", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True),
        help="How long to wait for one answer.  [default: 120]",
    ),
    click.option(
        "--max-calls", metavar="N", type=click.IntRange(min=0),
        help="Make at most N calls to the language model; each attempt counts.",
    ),
    click.option(
        "--max-cost", metavar="AMOUNT", type=click.FloatRange(min=0),
        help="Stop before a call could raise the cost above this; needs --llm-price.",
    ),
    click.option(
        "--concurrency", metavar="N", type=click.IntRange(min=1),
        help="How many calls to make at the same time.  [default: 4]",
    ),
    click.option("--retry-failed", is_flag=True, help="Ask again what the log says has failed."),
    click.option("--yes", is_flag=True, help="Make the calls without asking first."),
)  # fmt: skip


def llm_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command runs inside `karat.llm(...)` where any of them is given."""

    @functools.wraps(function)
    def connected(
        *args: Any, llm_url: str | None, llm_model: str | None, llm_key_env: str | None, llm_log: str | None,
        llm_price: str | None, llm_timeout: float | None, max_calls: int | None, max_cost: float | None,
        concurrency: int | None, retry_failed: bool, yes: bool, **options: Any,
    ) -> Any:  # fmt: skip
        given = {
            "--llm-url": llm_url, "--llm-model": llm_model, "--llm-key-env": llm_key_env, "--llm-log": llm_log,
            "--llm-price": llm_price, "--llm-timeout": llm_timeout, "--max-calls": max_calls, "--max-cost": max_cost,
            "--concurrency": concurrency, "--retry-failed": retry_failed or None, "--yes": yes or None,
        }  # fmt: skip
        named = [option for option, value in given.items() if value is not None]
        if not named:
            return function(*args, **options)
        _check_use(named[0], options)
        from karat.judges.llm.budget import Prices
        from karat.judges.llm.connection import LOG, llm

        _check_log(llm_log or LOG, options)
        with llm(
            url=llm_url,
            model=llm_model,
            key=_key(llm_url, llm_key_env),
            log=llm_log or LOG,
            max_calls=max_calls,
            max_cost=max_cost,
            price=None if llm_price is None else Prices.parse(llm_price),
            concurrency=concurrency or 4,
            timeout=llm_timeout or 120.0,
            retry_failed=retry_failed,
            yes=yes,
            say=_say,
            ask=_ask if _is_terminal() else None,
        ):
            return function(*args, **options)

    for option in reversed(_OPTIONS):
        connected = option(connected)
    return connected


def _check_use(option: str, options: dict[str, Any]) -> None:
    """Refuse an option that would change nothing."""
    judges = (options.get("judge"), options.get("judges"), options.get("rules", {}).get("judge"))
    names = " ".join(name for name in judges if name)
    if "llm" not in names and not options.get("llm"):
        how = "--llm" if "llm" in options else "--judge llm"
        raise click.UsageError(f"{option}: no language model is asked here; add {how}.")


def _check_log(log: str, options: dict[str, Any]) -> None:
    """Refuse to write a result over the log: it holds answers that were paid for."""
    own = os.path.realpath(log)
    for name, value in options.items():
        if isinstance(value, str | os.PathLike) and os.path.realpath(value) == own:
            option = "-o" if name == "output" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} {value}: this is the log of calls (--llm-log); name another file.")


def _key(url: str | None, variable: str | None) -> str | None:
    """The key from the environment. The usual variable is only read for https: other servers need no key, or say so."""
    if variable is not None:
        if not os.environ.get(variable):
            raise click.UsageError(f"--llm-key-env {variable}: the environment variable is not set, or empty.")
        return os.environ[variable]
    return os.environ.get(KEY_VARIABLE) if (url or "").strip().lower().startswith("https:") else None


def _say(text: str) -> None:
    echo(text, err=True)


def _ask(question: str) -> bool:
    from karat.model.wording import safe

    return click.confirm(safe(question), err=True)


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
