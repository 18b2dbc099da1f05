"""Option names that several commands have: one meaning in all of them, and where it is another one, the reason.

A test demands one help text per name, or a line here. A default at the top of karat.toml holds for every command that
has the option, except where `everywhere` is False: there it needs the table of the command.
"""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """How an option of a command differs from the one of the same name elsewhere."""

    why: str
    everywhere: bool = False
    """Whether a default for all commands holds here, too: the same thing, said in other words."""


_PROGRAM = Difference("the program that judges, which has a default here", everywhere=True)
_ALL_READ = Difference("the judge reads the other ones, too, and only these are shown", everywhere=True)

DIFFERENCES: dict[str, dict[str, Difference]] = {
    "assessor": {
        "review": Difference("the user's own name, which is saved with every answer"),
        "agree": Difference("one side of each pair; nothing is left out"),
        "nuggets-compare": Difference("the same, of the gold file", everywhere=True),
        "campaign export": Difference("the same, of a campaign", everywhere=True),
    },
    "assessors": {"campaign create": Difference("a number of people: how many annotate a query")},
    "by": {
        "agree": Difference("agreement has no rows per run: only fields of queries"),
        "nuggets-compare": Difference("fields of rows, too; never per nug"),
        "density": Difference("only per run"),
        "key diff": Difference("how nugs are matched: there are no rows to choose"),
    },
    "format": {
        "cite": Difference("the same; jsonl holds records that can be scored", everywhere=True),
        "nuggetize": Difference("formats of annotated text, not of a table"),
        "plot": Difference("formats of a picture, not of a table"),
    },
    "from": {"nuggetize": Difference("the same, and `text` for plain lines", everywhere=True)},
    "judge": {
        **dict.fromkeys(("judge", "explain", "review"), _PROGRAM),
        "correlate": Difference("only judges in the files: no program judges here"),
        "validate": Difference("programs, one or several, that are compared with people", everywhere=True),
        "cite": Difference("what looks for passages, not for nugs"),
        "campaign import": Difference("a program whose judgements are suggestions"),
    },
    "limit": {"cite": Difference("rows of a list, not questions")},
    "measures": {
        "validate": Difference("the same, with another default", everywhere=True),
        "correlate": Difference("one, or one for each side"),
    },
    "missing": {
        "review": Difference("a review never stops for a missing response, so `error` is no choice"),
        "nuggets-compare": Difference("snippets that only one file has, not responses"),
    },
    "one-sided": {"correlate": Difference("limits of intervals, not a test")},
    "output": {
        "review": Difference("the file is read at the next start, too, and never standard output"),
        "report": Difference("a page, which has a name by default"),
    },
    "queries": {"review": _ALL_READ},
    "runs": {
        **dict.fromkeys(("explain", "review"), _ALL_READ),
        "plan": Difference("exactly two runs, in an order that --one-sided obeys"),
    },
    "threshold": {
        "review": Difference("a probability from which on to ask, not one to decide by"),
        "draft-key": Difference("how alike two sentences of one nug are"),
    },
    "to": {"judge": Difference("the same, without tables", everywhere=True)},
    "url": {"serve": Difference("the server's own address, not one in a link")},
    "words": {"campaign create": Difference("a setting of the campaign; 0 is all in both", everywhere=True)},
    "title": {"campaign create": Difference("the name of a campaign, not of a page")},
}
"""Name of the option (without --) -> command -> the difference."""


def holds_everywhere(option: str, command: str) -> bool:
    """Whether a default for all commands holds for this one."""
    difference = DIFFERENCES.get(option, {}).get(command)
    return difference is None or difference.everywhere
