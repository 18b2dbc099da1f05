"""Exit codes mean one thing in every command: a good call, a usage mistake, a broken file, and the gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from cli.running import karat_here
from cli.test_hostile_names import leaves
from karat.cli import cli
from karat.cli.codes import MEANINGS, Code

KEY, JUDGEMENTS, RUNS = "key.jsonl", "judged.jsonl", "runs.jsonl"
ALL = (KEY, JUDGEMENTS, RUNS)
LEXICAL = ("--judge", "lexical")
GOOD: dict[str, tuple[str, ...]] = {
    "score": ALL, "judge": (KEY, RUNS, *LEXICAL), "explain": (KEY, RUNS, *LEXICAL, "--query", "q0"),
    "review": (KEY, RUNS, *LEXICAL, "-o", "mine.jsonl"), "validate": (*ALL, "--judge", "rouge"),
    "cite": ("cited.jsonl", "docs.jsonl"), "judges": (), "compare": ALL,
    "correlate": (JUDGEMENTS, JUDGEMENTS, "--with", KEY, "--with", RUNS), "agree": ("votes.jsonl",),
    "nuggets-compare": ("nuggets.jsonl", "nuggets.jsonl"), "pyramid": ("votes.jsonl",), "plan": ALL, "stability": ALL,
    "measures": (), "density": ("nuggets.jsonl", "--text", "all"), "reproduce": ("white2008",),
    "nuggetize": ("nuggets.jsonl",), "draft-key": (RUNS, "-o", "draft.jsonl"), "key diff": (KEY, KEY),
    "key hash": (KEY,), "campaign create": ("new", "--title", "T", "--organiser", "Ana"),
    "campaign import": ("facts", KEY, RUNS), "campaign invite": ("facts", "Bo"), "campaign assign": ("facts",),
    "campaign status": ("facts",), "campaign export": ("facts",), "campaign backup": ("facts", "saved"),
    "campaign restore": ("facts.gz", "back"), "config": (), "show": (KEY,), "lint": (KEY, "--fail-on", "never"),
    "convert": (KEY, "--to", "karat"), "formats": (), "data": (), "demo": (), "schema": (), "completion": ("bash",),
    "cache": (), "job status": ("job.d",), "job resume": ("job.d",), "job clean": ("job.d",),
    "campaign demo": ("tried",), "report": ALL, "plot": ("leaderboard", *ALL),
}  # fmt: skip
"""A call of each command that ends well."""
ENDLESS = {"serve"}
"""It does not end by itself."""
NO_FILES = {
    "judges", "measures", "reproduce", "formats", "data", "demo", "schema", "completion", "campaign create", "serve",
    "cache", "campaign demo",
    "config",
}  # fmt: skip
"""Commands that read no file of the user's."""
FOUND = {"lint": Code.FINDING}
"""`lint` reads what is broken: that is what it looks for."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["Red foxes swim.", "Blue whales sing.", "Green frogs jump."]
    key: list[dict[str, Any]] = []
    votes, judged, runs, nuggets = [], [], [], []
    for q in range(6):
        key.append({"kind": "query", "query_id": f"q{q}", "text": "What of animals?"})
        for n, text in enumerate(words):
            nug = {"query_id": f"q{q}", "nug_id": f"n{q}{n}"}
            key.append({"kind": "nug", **nug, "descriptions": [text], "importance": "vital"})
            for at, assessor in enumerate(("ann", "ben")):
                votes.append(
                    {"kind": "vote", **nug, "assessor": assessor, "value": ("vital", "okay")[(n + at + q) % 2]}
                )
            for r, run_id in enumerate(("a", "b", "c")):
                degree = float((r * q + n) % 2)
                judged.append({"kind": "judgement", **nug, "run_id": run_id, "degree": degree, "judge": "ann"})
        for r, run_id in enumerate(("a", "b", "c")):
            texts = [text for n, text in enumerate(words) if (r * q + n) % 2] or ["Nothing is known."]
            place = {"query_id": f"q{q}", "run_id": run_id}
            snippets = [{"snippet_id": f"s{n}", "text": text} for n, text in enumerate(texts)]
            runs.append({"kind": "response", **place, "snippets": snippets})
            of = {**place, "snippet_id": "s0", "spans": [[0, 5]], "type": "LOC", "source": "person", "assessor": "ann"}
            nuggets.append({"kind": "nugget", "nugget_id": f"{q}{r}", **of})
    write(KEY, key)
    write(JUDGEMENTS, judged)
    write(RUNS, runs)
    write("votes.jsonl", [*key, *votes])
    write("nuggets.jsonl", [*runs, *nuggets])
    cited = {"run_id": "a", "topic_id": "1", "topic": "Why?", "references": ["d"]}
    Path("cited.jsonl").write_text(json.dumps({**cited, "answer": [{"text": words[0], "citations": [0]}]}) + "\n")
    Path("docs.jsonl").write_text(json.dumps({"doc_id": "d", "text": words[0]}) + "\n")
    begun = ["judge", KEY, RUNS, *LEXICAL, "-o", "judged-again.jsonl"]
    for job in ("job.d", "other.d"):
        Path(job).mkdir()
        Path(job, "job.json").write_text(json.dumps({"kind": "karat-job", "command": begun, "folder": str(tmp_path)}))
    Path("broken.jsonl").write_text('{"kind": "nug", "v": 1, "query_id": "q0"}\n{\n')


def write(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps({"v": 1, **row}) + "\n" for row in rows))


def with_campaign(name: str) -> None:
    if name.startswith("campaign") and name != "campaign create":
        assert karat_here("campaign", "create", "facts", "--title", "Facts", "--organiser", "Ana").code == 0
        assert karat_here("campaign", "backup", "facts", "facts.gz").code == 0


def every_command() -> list[str]:
    from karat.cli.commands.campaign import command

    below = [f"campaign {name}" for name in command.commands]
    return [*(name for name, _ in leaves(cli)), *below, *ENDLESS]


def call(name: str, *arguments: str) -> Code:
    with_campaign(name)
    done = karat_here(*name.split(), *arguments, stdin=b"q")
    assert "Traceback" not in done.err
    assert done.code == 0 or done.err.strip(), "a command that does not end well says why"
    return Code(done.code)


@pytest.mark.parametrize("name", [name for name in every_command() if name not in ENDLESS])
def test_a_good_call_ends_with_0(name: str) -> None:
    assert call(name, *GOOD[name]) is Code.FINE


@pytest.mark.parametrize("name", every_command())
def test_a_wrong_option_ends_with_2(name: str) -> None:
    assert call(name, *GOOD.get(name, ()), "--no-such-option") is Code.USAGE


@pytest.mark.parametrize("name", [name for name in every_command() if name not in NO_FILES])
@pytest.mark.parametrize("bad", ["broken.jsonl", "absent.jsonl"])
def test_a_broken_or_missing_file_ends_with_3(name: str, bad: str) -> None:
    changed = [bad if "." in argument or argument == "facts" else argument for argument in GOOD[name]]
    if "-o" in GOOD[name]:
        changed[changed.index("-o") + 1] = "out.jsonl"
    expected = FOUND.get(name, Code.INPUT) if bad == "broken.jsonl" else Code.INPUT
    if name == "lint":
        changed = [bad]
    assert call(name, *changed) is expected


@pytest.mark.parametrize("name", ["score", "compare", "stability", "judge", "explain", "validate"])
def test_a_name_that_is_not_there_ends_with_2(name: str) -> None:
    arguments = [argument for argument in GOOD[name] if argument not in ("--judge", "lexical", "rouge")]
    assert call(name, *arguments, "--judge", "nobody") is Code.USAGE


@pytest.mark.parametrize(
    ("losing", "gate", "code"),
    [
        ([0.0] * 20, ("--fail-if-worse",), Code.FINDING),
        ([0.0] * 20, ("--max-loss", "0.1"), Code.FINDING),
        ([1.0] * 20, ("--fail-if-worse",), Code.FINE),
        ([1.0] * 40, ("--max-loss", "0.1"), Code.FINE),
        ([1.0] * 3, ("--max-loss", "0.01"), Code.UNDECIDED),
        ([0.0] * 2, ("--fail-if-worse",), Code.UNDECIDED),
        ([0.9, 1.0] * 20, ("--max-loss", "0.2", "--fail-if-worse"), Code.FINDING),
    ],
)
def test_a_gate_says_worse_or_undecided(losing: list[float], gate: tuple[str, ...], code: Code) -> None:
    rows = [
        {"kind": "score", "run_id": run_id, "query_id": f"q{q}", "measure": "strict_all", "value": value}
        for run_id, values in (("main", [1.0] * len(losing)), ("new", losing))
        for q, value in enumerate(values)
    ]
    write("scores.jsonl", rows)
    assert call("compare", "scores.jsonl", "--baseline", "main", *gate) is code


def test_a_loss_that_is_shown_comes_before_what_is_undecided() -> None:
    rows = [
        {"kind": "score", "run_id": run_id, "query_id": f"q{q}", "measure": "strict_all", "value": value}
        for run_id, value, count in (("main", 1.0, 20), ("worse", 0.0, 20), ("short", 1.0, 2))
        for q in range(count)
    ]
    write("scores.jsonl", rows)
    gate = ("--baseline", "main", "--max-loss", "0.01", "--missing", "skip")
    assert call("compare", "scores.jsonl", *gate) is Code.FINDING


def test_lint_and_strict_conversions_are_gates() -> None:
    assert call("convert", "votes.jsonl", "--to", "nuggetizer-bank", "--strict", "-o", "bank.jsonl") is Code.FINDING
    assert call("lint", "broken.jsonl") is Code.FINDING
    assert call("lint", "broken.jsonl", "--fail-on", "never") is Code.FINE


def test_every_code_is_in_the_table_and_in_the_help() -> None:
    assert set(MEANINGS) == set(Code)
    page = (Path(karat.__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    shown = " ".join(karat_here("--help").text.split())
    for code, (word, _) in MEANINGS.items():
        assert f"| {code.value} | {word} |" in page
        assert code > 5 or f"{code.value} {word}" in shown


@pytest.mark.parametrize("name", [name for name in every_command() if name not in ENDLESS])
def test_quiet_leaves_out_notes_and_keeps_results(name: str) -> None:
    with_campaign(name)
    arguments = [*name.split(), *GOOD[name]]
    again = (
        [*arguments[:-1], "other"] if name in ("campaign backup", "campaign restore", "campaign demo") else arguments
    )
    talking = karat_here(*arguments, stdin=b"q")
    for left in ("draft.jsonl", "mine.jsonl"):
        Path(left).unlink(missing_ok=True)
    if name == "campaign create":
        again = [*name.split(), "other", *GOOD[name][1:]]
    elif name == "campaign invite":
        again = [*name.split(), "facts", "Cy"]
    elif name == "job clean":
        again = [*name.split(), "other.d"]
    quiet = karat_here(*again, "--quiet", stdin=b"q")
    assert (quiet.code, quiet.err) == (0, "")
    assert name.startswith("campaign") or quiet.out == talking.out


@pytest.mark.parametrize("name", [name for name in every_command() if name not in NO_FILES])
def test_quiet_keeps_errors(name: str) -> None:
    with_campaign(name)
    changed = ["absent.jsonl" if "." in argument or argument == "facts" else argument for argument in GOOD[name]]
    if "-o" in GOOD[name]:
        changed[changed.index("-o") + 1] = "out.jsonl"
    done = karat_here(*name.split(), *changed, "-q")
    assert (done.code, "absent.jsonl" in done.err) == (3, True)


def test_quiet_keeps_the_verdict_of_a_gate_that_fails() -> None:
    rows = [
        {"kind": "score", "run_id": run_id, "query_id": f"q{q}", "measure": "strict_all", "value": value}
        for run_id, value in (("main", 1.0), ("new", 0.0))
        for q in range(20)
    ]
    write("scores.jsonl", rows)
    done = karat_here("compare", "scores.jsonl", "--baseline", "main", "--fail-if-worse", "--quiet")
    assert (done.code, done.err.startswith("worse: new is 1.000 worse than main")) == (1, True)
    assert len(done.err.splitlines()) == 1
