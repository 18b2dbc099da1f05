"""The exit codes: each means one thing in every command."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """How a command ended. A signal ends it with 128 + its number, as programs do."""

    FINE = 0
    FINDING = 1
    USAGE = 2
    INPUT = 3
    UNDECIDED = 4
    UNFINISHED = 5
    BUG = 70
    HANGUP = 129
    INTERRUPT = 130
    PIPE = 141
    TERMINATE = 143


MEANINGS: dict[Code, tuple[str, str]] = {
    Code.FINE: ("fine", "The command did what was asked; a gate, if there was one, passed."),
    Code.FINDING: (
        "finding",
        "A gate failed, or something was found: `compare` shows a loss (`--fail-if-worse`, `--max-loss`), `lint` has "
        "findings (`--fail-on`), `convert --strict` would lose something, `reproduce` has another figure than the "
        "paper, `campaign assign` has too few people.",
    ),
    Code.USAGE: (
        "usage",
        "The command line (or `karat.toml`) has a mistake: a wrong option or value, a name that is not there (a run, "
        "a judge, a measure, a format), an output that would replace an input, an optional part that is not installed.",
    ),
    Code.INPUT: (
        "bad input",
        "A file is missing, cannot be read, is broken, or does not hold what the command needs (no key, no judgements, "
        "one run where two are compared).",
    ),
    Code.UNDECIDED: (
        "undecided",
        "A gate could not be decided either way: too few queries to test, or a loss as large as `--max-loss` is "
        "neither shown nor ruled out. A loss that is shown comes first: then the code is 1.",
    ),
    Code.UNFINISHED: (
        "unfinished",
        "Something outside stopped the work: the disk is full, standard output is closed, there is too little memory, "
        "a server or database does not answer, a limit of calls or cost is used up. The same call may succeed later.",
    ),
    Code.BUG: ("bug", "A bug in Karat. Please report it, with the output of `karat --traceback ...`."),
    Code.HANGUP: ("stopped", "The terminal was closed (SIGHUP). Nothing is left half written."),
    Code.INTERRUPT: ("stopped", "Ctrl-C (SIGINT). Nothing is left half written."),
    Code.PIPE: ("stopped", "Whoever read the output has stopped, as `head` does."),
    Code.TERMINATE: ("stopped", "SIGTERM. Nothing is left half written."),
}  # fmt: skip
"""A word for each code, and what it stands for; docs/cli.md is made from it."""
