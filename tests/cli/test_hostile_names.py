"""Names from data are never markup and never commands to the terminal: every command, view and format."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import click
import pytest

import karat
from cli.running import Outcome, karat_here
from karat.cli import COMMANDS, cli
from karat.cli.printing import echo
from karat.model.wording import safe

RUNS = ("[/atlas]", "[bold]b\x1b[2J\x9b31m", "c\td\ne\r\x07", "\u202e=1+1")
QUERIES = ("[red]q1", "q2\x1b]0;title\x07", "-q\t3\n", "=q4", "q5", "q6\x7f")
OUR_COLOURS = re.compile("\x1b\\[[0-9;]*m")
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
FILES = ("key.jsonl", "runs.jsonl", "[/file]\x1b[1m.jsonl")
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "score": (
        FILES, (*FILES, "--by", "query"), (*FILES, "--by", "nug"), (*FILES, "--by", "language"),
        (*FILES, "--relative-to", RUNS[1]), (*FILES, "--contingency"),
        ("key.jsonl", "runs.jsonl", "--judge", "lexical"),
    ),
    "report": ((*FILES, "--per-run", "pages"), (*FILES, "--baseline", RUNS[1], "--title", "t\x1b[1m")),
    "plot": (("leaderboard", *FILES), ("differences", *FILES, "--baseline", RUNS[0]), ("[/x]\x1b[1m", "key.jsonl")),
    "judge": ((*FILES, "--judge", "lexical"),),
    "explain": tuple((*FILES, "--judge", "lexical", "--query", query_id) for query_id in QUERIES[:3]),
    "review": ((*FILES, "--judge", "lexical", "-o", "[/mine]\x1b.jsonl"),),
    "validate": ((*FILES, "--judge", "lexical"),),
    "cite": (("cited.jsonl", "docs.jsonl"), ("cited.jsonl", "docs.jsonl", "--list")),
    "judges": ((), ("lexical",)),
    "compare": (FILES, (*FILES, "--baseline", RUNS[1]), (*FILES, "--baseline", RUNS[0], "--tukey", "--nugs", "3")),
    "correlate": ((FILES[2], FILES[2], "--with", "key.jsonl"),),
    "agree": (FILES,),
    "nuggets-compare": (("nuggets.jsonl", "nuggets.jsonl"),),
    "pyramid": (("key.jsonl",),),
    "plan": (FILES, (*FILES, "--review", "3", "--judge", "lexical"), ("--difference", "0.1", "--sd", "0.2")),
    "stability": (FILES,),
    "measures": ((), ("F3",)),
    "density": (("nuggets.jsonl", "--text", "all", "--by", "run"),),
    "reproduce": (("dang2007",),),
    "nuggetize": (("nuggets.jsonl",),),
    "draft-key": (("runs.jsonl",),),
    "key diff": (("key.jsonl", "key2.jsonl"), ("key.jsonl", "key2.jsonl", "runs.jsonl", FILES[2])),
    "key hash": (("key.jsonl",),),
    "config": ((), ("score",), ("[/x]\x1b[1m",)),
    "show": (FILES, ("nuggets.jsonl",), ("no\x1b[1mfile",)),
    "lint": (FILES, ("broken\x1b[1m.jsonl",)),
    "convert": ((*FILES, "--to", "karat"), (*FILES, "--to", "tsv"), ("key.jsonl", "--to", "ranking")),
    "formats": ((), ("ragas",), ("[/x]\x1b[1m",)),
    "data": ((), ("[/x]\x1b[1m",)),
    "demo": ((),),
    "cache": ((), ("clear",)),
    "job status": (("job.d",), ("[/x]\x1b[1m",)),
    "job resume": (("job.d",), ("[/x]\x1b[1m",)),
    "job clean": (("[/x]\x1b[1m",),),
    "schema": ((),),
    "completion": (("bash",),),
}  # fmt: skip
WRONG = {("[/x]\x1b[1m", "key.jsonl"), ("no\x1b[1mfile",), ("[/x]\x1b[1m",)}
"""They name what is not there, and the message repeats the name."""
ELSEWHERE = {"serve", "campaign"}
"""They open a server or a store: their names are tested with them."""
VARIED = ("--format", "--view", "--of", "--by", "--level", "--source")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("[").mkdir()
    texts = ["Paris is \x1b[31mthe capital.", "[/b] The river is [link]long.", "Nobody knows\x9b."]
    key: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    judgements: list[dict[str, Any]] = []
    nuggets: list[dict[str, Any]] = []
    for q, query_id in enumerate(QUERIES):
        key.append(record("query", query_id=query_id, text=f"[/i] what? {q}\x1b", conditions={"language": "[/en]\x1b"}))
        for n, text in enumerate(texts):
            nug_id = f"[n{n}]\x1b{q}"
            key.append(record("nug", query_id=query_id, nug_id=nug_id, descriptions=[text], importance="vital"))
            for at, assessor in enumerate(("[ann]\x1b", "ben")):
                value = "vital" if (n + at + q) % 3 else "okay"
                key.append(record("vote", query_id=query_id, nug_id=nug_id, assessor=assessor, value=value))
            for r, run_id in enumerate(RUNS):
                place = {"query_id": query_id, "run_id": run_id}
                degree = float((r * q + n) % 2)
                judgements.append(record("judgement", **place, nug_id=nug_id, degree=degree, judge="[/j]\x1b"))
        for r, run_id in enumerate(RUNS):
            place = {"query_id": query_id, "run_id": run_id}
            snippets = [{"snippet_id": f"[s]{n}\x1b", "text": text} for n, text in enumerate(texts) if (r * q + n) % 2]
            responses.append(record("response", **place, snippets=snippets))
            for snippet in snippets:
                of = {**place, "snippet_id": snippet["snippet_id"], "spans": [[0, 5]], "assessor": "[ann]\x1b"}
                nuggets.append(
                    record("nugget", nugget_id=f"{snippet['snippet_id']}{q}{r}", type="LOC", source="person", **of)
                )
    changed = [
        {**row, "descriptions": [f"{row['descriptions'][0]} Now."]} if "descriptions" in row else row for row in key
    ]
    begun = ["judge", "key.jsonl", "runs.jsonl", "--judge", "nuggeteer", "-o", "[/x]\x1b[1m.jsonl"]
    Path("job.d").mkdir()
    about = {"kind": "karat-job", "command": begun, "folder": str(tmp_path), "version": "[/x]\x1b[1m"}
    Path("job.d/job.json").write_text(json.dumps(about))
    write("key.jsonl", key)
    write("key2.jsonl", changed)
    write("runs.jsonl", responses)
    write(FILES[2], judgements)
    write("nuggets.jsonl", [*responses, *nuggets])
    cited = {"run_id": RUNS[1], "topic_id": QUERIES[1], "topic": "[/why]\x1b", "references": ["[/d]\x1b", "d2"]}
    sentences = [{"text": texts[0], "citations": [0]}, {"text": texts[1], "citations": [0, 1]}]
    write("cited.jsonl", [{**cited, "answer": sentences}])
    write("docs.jsonl", [{"doc_id": "[/d]\x1b", "text": texts[0]}, {"doc_id": "d2", "text": texts[1]}])
    Path("broken\x1b[1m.jsonl").write_text('{"kind": "nug", "query_id": "[/q]\\u001b", "importance": "[/x]\\u001b"}\n{')


def record(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "v": 1, **fields}


def write(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def leaves(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command, those of groups with both names."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        found = group.get_command(ctx, name)
        assert found is not None
        if prefix + name in ELSEWHERE:
            continue
        if isinstance(found, click.Group):
            yield from leaves(found, f"{prefix}{name} ")
        else:
            yield prefix + name, found


def variants(command: click.Command) -> list[tuple[str, ...]]:
    """Every choice of view and format; the views of a command that names no choices are in CALLS."""
    choices = [
        [(param.opts[-1], str(choice)) for choice in param.type.choices]
        for param in command.params
        if isinstance(param.type, click.Choice) and param.opts[-1] in VARIED
    ]
    return [tuple(part for pair in chosen for part in pair) for chosen in product(*choices)]


def check(done: Outcome, arguments: tuple[str, ...], *, terminal: bool) -> None:
    # A file of records has its bytes as they are; on a terminal nothing has.
    text = "" if done.out.startswith(b"\x89PNG") else done.text
    shown = OUR_COLOURS.sub("", text) * (terminal or not is_file(text)) + done.err
    assert "This is a bug" not in done.err, (arguments, done.err)
    assert "Traceback" not in done.err, (arguments, done.err)
    assert "Warning" not in done.err, (arguments, done.err)
    assert not BAD.search(shown), (arguments, [line for line in shown.split("\n") if BAD.search(line)][:3])
    # Colours that came from data would be the ones of RUNS and of the texts.
    assert "\x1b[2J" not in shown
    assert terminal <= ("\x1b[31mthe" not in text), arguments
    assert done.code in (0, 1, 2, 3, 4), arguments
    if "tsv" in arguments and done.code in (0, 1) and done.text:
        # A tab or a line break in a name never makes a cell or a row.
        assert len({line.count("\t") for line in done.lines}) == 1, (arguments, done.text[:500])


def is_file(text: str) -> bool:
    return text.startswith(("{", "query_id", "T1"))


def test_every_command_is_called() -> None:
    assert {name for name, _ in leaves(cli)} == set(CALLS)
    assert set(COMMANDS) >= {name.split()[0] for name in CALLS}


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
@pytest.mark.parametrize("name", CALLS)
def test_names_from_data_are_only_text(name: str, terminal: bool) -> None:
    for arguments in CALLS[name]:
        codes, said = set(), ""
        for variant in variants(dict(leaves(cli))[name]):
            done = karat_here(*name.split(), *arguments, *variant, stdin=b"ynu?rq", terminal=terminal)
            check(done, (name, *arguments, *variant), terminal=terminal)
            codes.add(done.code)
            said = said or done.err * (done.code != 0)
        assert arguments in WRONG or codes & {0, 1}, f"no format comes to an end: {arguments}: {said}"


def test_names_in_folds_by_run_are_only_text() -> None:
    """In one format: all formats of `validate` are called above, and each takes long."""
    call = (*FILES, "--judge", "lexical", "--cv", "run")
    done = karat_here("validate", *call, terminal=True)
    check(done, ("validate", *call), terminal=True)
    assert done.code in (0, 1)


def test_no_module_prints_past_the_one_function() -> None:
    """`click.echo`, `click.secho` and `print` are called by cli/printing.py (and by the tables) only."""
    found = []
    for path in (Path(karat.__file__).parent / "cli").rglob("*.py"):
        if path.name == "printing.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("click.echo", "click.secho", "print"):
                found.append(f"{path.name}:{node.lineno}")
    assert found == []


def test_json_stays_json_and_means_the_same() -> None:
    value = {"run_id": "a\x1b\x9b\x7f\u202e\n"}
    text = json.dumps(value, ensure_ascii=False)
    assert json.loads(safe(text)) == value
    assert not BAD.search(safe(text))


def test_colours_of_karat_pass_and_those_of_data_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    echo("\x1b[1mbold\x1b[0m", styled=True)
    echo("\x1b[1mbold", err=True)
    assert capsys.readouterr() == ("\x1b[1mbold\x1b[0m\n", "\\u001b[1mbold\n")
    assert sys.stdout is not None
