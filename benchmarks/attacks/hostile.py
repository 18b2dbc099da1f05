"""Hostile collections (valid, mostly, and awkward) and hostile values of options, given to every analysis."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from attacks.calls import Call
from attacks.mutations import ENGLISH, ENGLISH_SHARE, SKIP

NAMES = (
    "", " ", "a", "a b", "[/a]", "\x1b[2J", "\x9b", "a\tb\n", "=1", "é", "\u202ex", "all", "/etc", "-o", "q" * 300,
    "{}", "0", "None", "\u0000", "human", "reference", "r,s", '"', "\\",
    '"><img src=x onerror=x>', "</script><script>x</script>",
)  # fmt: skip
TEXTS = (
    *NAMES, "Bees dance to tell the way [1].", "In 2004, 35 people died in Kabul.", "3,5 % . . . ?", "。。", "ا ب ج",
    "She said: “no”.", "x" * 2000, "A. B. C. D.", "https://a.b/c?d=[1]", "1 2 3 4 5 6 7 8 9", "The the the the.",
)  # fmt: skip
FILES = ("a.jsonl", "[b].jsonl", "a b\u202e.jsonl", "-x.jsonl", "é=1.jsonl", "\x1b[2J.jsonl")
NUMBERS = ("0", "-1", "1", "2", "0.5", "nan", "inf", "-inf", "1e308", "1e-308", "99999999999999999999", "", "x", "1e9")
ANALYSES = ("score", "compare", "agree", "pyramid", "stability", "plan", "density", "show", "lint")
LEFT_ALONE = ("serve", "campaign", "reproduce", "data", "demo", "completion", "report", "plot")
"""Commands that open a server, need data that is not here, or take no input; `pages.py` attacks report and plot."""
UNTRIED = ("--llm", "--jobs", "--help", "--model", "--yes", "--trials")
"""Options that name a server, start processes, or ask for more work of the same kind."""


def records(rng: random.Random) -> Iterator[dict[str, Any]]:
    """The records of a collection with awkward names and few, equal or missing values."""
    runs, queries = ([f"{rng.choice(NAMES)}{at}" for at in range(rng.randint(1, 5))] for _ in range(2))
    # With several judges most analyses only ask which one is meant.
    judges = [rng.choice(NAMES) for _ in range(rng.choice((1, 1, 1, 1, 2)))]
    for query in queries:
        conditions = {rng.choice(NAMES): rng.choice(NAMES[:4]) for _ in range(rng.randrange(3))}
        yield {"kind": "query", "v": 1, "query_id": query, "text": rng.choice(TEXTS), "conditions": conditions}
        for number in range(rng.randint(0, 3)):
            of = {"v": 1, "query_id": query, "nug_id": f"{rng.choice(NAMES)}{number}"}
            grade = rng.choice(["vital", "okay", None])
            yield {"kind": "nug", **of, "descriptions": [rng.choice(TEXTS)], **({"importance": grade} if grade else {})}
            for assessor in ("a", rng.choice(NAMES)):
                yield {"kind": "vote", **of, "assessor": assessor, "value": rng.choice(["vital", "okay", 0.5])}
            for run in runs:
                if rng.random() < 0.9:
                    label = {"degree": rng.choice([0, 1, 0.5, 1e-300]), "judge": rng.choice(judges), "status": "ok"}
                    yield {"kind": "judgement", **of, "run_id": run, **label}
        for run in runs:
            snippets = [
                {"snippet_id": str(at), "text": rng.choice(TEXTS), "citations": [{"doc_id": rng.choice(NAMES)}]}
                for at in range(rng.randint(0, 2))
            ]
            yield {"kind": "response", "v": 1, "query_id": query, "run_id": run, "snippets": snippets}
            for snippet in snippets:
                at = {"v": 1, "query_id": query, "run_id": run, "snippet_id": snippet["snippet_id"]}
                at["assessor"] = rng.choice(("a", "b", rng.choice(NAMES)))
                yield {"kind": "relevance", **at, "label": rng.choice(["relevant", "irrelevant", "redundant"])}
                cited = {
                    "doc_id": snippet["citations"][0]["doc_id"],
                    "support": rng.choice(["full", "partial", "none"]),
                }
                yield {"kind": "citation_judgement", **at, **cited}
                name = rng.choice(NAMES) + str(rng.random())
                yield {"kind": "nugget", **at, "nugget_id": name, "spans": [[0, 1]], "source": "person"}
    yield from ({"kind": "document", "v": 1, "doc_id": name, "text": rng.choice(TEXTS)} for name in set(NAMES[2:6]))


def hostile_collection(rng: random.Random, folder: Path) -> tuple[Path, str]:
    """A file with a hostile collection, and one of its queries."""
    rows = list(records(rng))
    query = str(rows[0]["query_id"])
    rng.shuffle(rows)
    for old in folder.iterdir():
        if old.is_file():
            old.unlink()
    path = folder / rng.choice(FILES)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path, query.replace("\0", "")


def collections(rng: random.Random, folder: Path) -> Iterator[Call]:
    """Every analysis on a hostile collection, in every way to show it."""
    path, query = hostile_collection(rng, folder)
    file = str(path)
    shapes = ("table", "tsv", "jsonl")
    calls = [[name, file, *(SKIP if name != "lint" else [])] for name in ANALYSES]
    for arguments in calls:
        if arguments[0] in ("score", "compare", "agree", "pyramid", "stability", "plan"):
            arguments += ["--format", rng.choice(shapes)]
    lexical = [*SKIP, "--judge", "lexical"]
    zeros = [*SKIP, "--missing", "zero", "--unjudged", "zero"]
    calls += [
        ["score", file, *lexical, "--by", rng.choice(["run", "query", "nug"]), "--missing", "zero"],
        ["score", file, *zeros, "--measures", rng.choice(["F3", "pyramid", "strict_vital", "x"])],
        ["score", file, *SKIP, "--format", "latex", "--missing", "skip", "--unjudged", "skip"],
        ["compare", file, *zeros, "--baseline", rng.choice(NAMES[2:]).replace("\0", "") + "0", "--tukey"],
        ["compare", file, *lexical, "--missing", "zero", "--unjudged", "zero", "--fail-if-worse", "--baseline", "a0"],
        ["agree", file, *SKIP, "--pairs", "--of", rng.choice(["votes", "judgements", "relevance", "nuggets"])],
        ["key", "hash", file, *SKIP],
        ["key", "diff", file, file, *SKIP],
        ["validate", file, *lexical, "--format", "jsonl"],
        ["judge", file, file, *lexical, "-o", "-"],
        ["explain", file, file, *lexical, "--query", query],
        ["review", file, file, *lexical, "-o", str(folder / "review.jsonl")],
        ["cite", file, file, *lexical, "--list"],
        ["correlate", file, file, *SKIP, "--unjudged", "zero", "--missing", "zero"],
        ["nuggets-compare", file, file, *SKIP],
        ["convert", file, *SKIP, "--to", rng.choice(["csv", "tsv", "nuggetizer-bank", "qrels", "brat"]), "-o", "-"],
        ["convert", file, *SKIP, "-o", file],
        ["plan", file, *lexical, "--review", "3", "-o", str(folder / "plan.json")],
        ["score", f"[/x]={file}", *SKIP],
    ]  # fmt: skip
    if rng.random() < ENGLISH_SHARE / 2:
        calls += [["draft-key", file, *SKIP, "-o", "-"], ["nuggetize", file, *SKIP, "--format", "jsonl"]]
    for arguments in calls:
        yield arguments, [path]


def options(rng: random.Random, folder: Path) -> Iterator[Call]:
    """Hostile values for every option of every command; what a command writes may not be what it reads."""
    from karat.cli import COMMANDS

    path, _ = hostile_collection(rng, folder)
    left = LEFT_ALONE if rng.random() < ENGLISH_SHARE / 2 else LEFT_ALONE + ENGLISH
    names = [name for name in COMMANDS if name not in left]
    for _ in range(60):
        yield from option_calls(rng, path, folder, names)


def option_calls(
    rng: random.Random, path: Path, folder: Path, names: Sequence[str], *, first: Sequence[str] = ()
) -> Iterator[Call]:
    """A call of one of the commands with hostile values of some of its options.

    first: what the first argument may be where a command takes several.
    """
    from karat.cli import cli

    context = click.Context(cli)
    name = rng.choice(names)
    command = cli.get_command(context, name)
    assert command is not None
    words = [name]
    if isinstance(command, click.Group):
        words.append(rng.choice(command.list_commands(context)))
        command = command.get_command(context, words[-1])
        assert command is not None
    choices = [each for each in command.params if isinstance(each, click.Option) and not _is_left(each)]
    for option in rng.sample(choices, min(len(choices), rng.randint(1, 3))):
        words += _option(option, path, folder, rng)
    takes = sum(isinstance(each, click.Argument) for each in command.params)
    inputs = [path] * takes
    given = [rng.choice(first), *map(str, inputs[1:])] if first and takes > 1 else [*map(str, inputs)]
    yield [*words, *SKIP * ("--on-error" in _names(command)), *given], inputs[:1]


def _is_left(option: click.Option) -> bool:
    return any(name.startswith(UNTRIED) for name in option.opts)


def _names(command: click.Command) -> set[str]:
    return {name for each in command.params for name in each.opts}


def _option(option: click.Option, path: Path, folder: Path, rng: random.Random) -> list[str]:
    """An option with a value: mostly one of its kind, sometimes any."""
    name = rng.choice(option.opts)
    if option.is_flag:
        return [name]
    values: list[str] = []
    for _ in range(option.nargs):
        if isinstance(option.type, click.Choice) and rng.random() < 0.9:
            values.append(str(rng.choice(list(option.type.choices))))
        elif isinstance(option.type, click.Path | click.File) or name in ("-o", "--output"):
            # Never a name outside the folder: some options write.
            values.append(rng.choice((str(path), str(folder / "new.jsonl"), str(folder / "no" / "x"), str(folder))))
        elif name in ("--judge",):
            values.append(
                rng.choice(("lexical", "lexical(a=1)", "nuggeteer", "pourpre", "rouge", "lexicl", "(", "", "auto"))
            )
        elif name == "--sizes":
            values.append(rng.choice(("1", "2,3", "0", "x", "-1", "1e9")))
        else:
            values.append(rng.choice(NUMBERS if rng.random() < 0.7 else tuple(n.replace("\0", "") for n in NAMES)))
    return [name, *values]
