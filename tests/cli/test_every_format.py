"""Every command that prints a result, in every view and every format, on the demo: complete, and well-formed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.running import Outcome, commands_with, karat_here
from karat.cli.outputs import FORMATS

DATA = ("key.jsonl", "judgements.jsonl", "runs.jsonl")
SCORED = (*DATA, "--on-error", "skip")
LEXICAL = ("key.jsonl", "runs.jsonl", "--judge", "lexical")
CALLS: dict[str, tuple[str, ...]] = {
    "score": ("score", *SCORED),
    "score-judged": ("score", *LEXICAL, "--measures", "strict_vital,lenient_all"),
    "score-query": ("score", *SCORED, "--by", "query", "--measures", "strict_vital"),
    "score-nug": ("score", *SCORED, "--by", "nug"),
    "score-relative": ("score", *SCORED, "--relative-to", "human", "--measures", "F3"),
    "score-long": ("score", *SCORED, "--layout", "long"),
    "score-wide": ("score", *SCORED, "--layout", "wide"),
    "score-contingency": ("score", "nuggetized.jsonl", "--contingency"),
    "compare": ("compare", *SCORED, "--tukey", "--nugs", "1000"),
    "compare-baseline": ("compare", *SCORED, "--baseline", "atlas", "--equivalent", "0.2", "--nugs", "1000"),
    "correlate": ("correlate", "judgements.jsonl", "judgements.jsonl", "--with", "key.jsonl", "--on-error", "skip"),
    "agree": ("agree", "key.jsonl", "--pairs"),
    "nuggets-compare": ("nuggets-compare", "nuggetized.jsonl", "nuggetized.jsonl"),
    "pyramid": ("pyramid", "key.jsonl"),
    "plan": ("plan", *SCORED, "--measures", "strict_vital"),
    "plan-numbers": ("plan", "--difference", "0.05", "--sd", "0.2"),
    "plan-review": ("plan", "key.jsonl", "runs.jsonl", "--review", "--minutes", "10", "--judge", "lexical"),
    "stability": ("stability", *SCORED, "--measures", "strict_vital", "--trials", "5"),
    **{
        f"validate-{view}": ("validate", *SCORED, "--judge", "rouge", "--view", view)
        for view in ("figures", "runs", "statistics", "systems", "thresholds", "swaps", "calibration", "models")
    },
    "validate-two": ("validate", *SCORED, "--judge", "rouge,nuggeteer", "--view", "runs"),
    "reproduce": ("reproduce",),
    "reproduce-paper": ("reproduce", "white2008"),
    "judges": ("judges",),
    "judges-name": ("judges", "lexical"),
    "measures": ("measures",),
    "measures-name": ("measures", "pyramid_F3"),
    "formats": ("formats",),
    "formats-name": ("formats", "csv"),
    "data": ("data",),
    "density": ("density", "nuggetized.jsonl", "--text", "all", "--by", "run"),
    "cite": ("cite", "runs.jsonl", "--judge", "lexical"),
    "cite-list": ("cite", "runs.jsonl", "--judge", "lexical", "--list"),
    "key-diff": ("key", "diff", "key.jsonl", "new.jsonl", "judgements.jsonl", "--on-error", "skip", "--by", "words"),
    "key-hash": ("key", "hash", "key.jsonl"),
    "config-score": ("config", "score"),
    "show": ("show", *DATA, "--on-error", "skip"),
    "lint": ("lint", *DATA, "--fail-on", "never"),
    "explain": ("explain", *LEXICAL, "--query", "q1"),
}  # fmt: skip
OTHERS = {"nuggetize", "review", "judge", "draft-key", "convert", "campaign", "cache", "plot"}
"""They write records or pictures, or ask; `karat cache` depends on the machine, `campaign status` has its own tests."""
NUGGETIZED = [
    {"kind": "query", "v": 1, "query_id": "q", "text": "What happened?"},
    {
        "kind": "response", "v": 1, "query_id": "q", "run_id": "r",
        "snippets": [{"snippet_id": "s", "text": "Ana met Bo in Rome."}],
    },
    {
        "kind": "relevance", "v": 1, "query_id": "q", "run_id": "r", "snippet_id": "s", "assessor": "a",
        "label": "relevant",
    },
    {
        "kind": "nugget", "v": 1, "nugget_id": "g1", "query_id": "q", "run_id": "r", "snippet_id": "s",
        "spans": [[0, 3]], "type": "PER", "source": "person", "assessor": "a",
    },
    {
        "kind": "nugget", "v": 1, "nugget_id": "g2", "query_id": "q", "run_id": "r", "snippet_id": "s",
        "spans": [[8, 10]], "type": "PER", "source": "person", "assessor": "a",
    },
    {
        "kind": "nug", "v": 1, "query_id": "q", "nug_id": "n1", "descriptions": ["Ana"],
        "members": [{"nugget_id": "g1", "degree": 1}],
    },
    {
        "kind": "nug", "v": 1, "query_id": "q", "nug_id": "n2", "descriptions": ["Bo"],
        "members": [{"nugget_id": "g2", "degree": 1}],
    },
]  # fmt: skip
_done: dict[tuple[str, str], Outcome] = {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo")
    assert karat_here("demo", "--copy", place).code == 0
    key = (place / "key.jsonl").read_text()
    (place / "new.jsonl").write_text(key.replace("the farther away the food is", "the nearer the food is"))
    assert (place / "new.jsonl").read_text() != key
    (place / "nuggetized.jsonl").write_text("".join(json.dumps(row) + "\n" for row in NUGGETIZED))
    return place


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("KARAT_DATA", raising=False)


def printed(call: str, output_format: str) -> Outcome:
    """Each call once: several tests look at the same output."""
    if (call, output_format) not in _done:
        _done[call, output_format] = karat_here(*CALLS[call], "--format", output_format)
    done = _done[call, output_format]
    assert done.code == 0, done.err
    assert done.out
    return done


def test_no_command_that_prints_a_result_is_forgotten() -> None:
    assert {name.split("-")[0] for name in CALLS} | {"nuggets-compare"} >= {
        name.split("-")[0] for name in commands_with("--format") if name not in OTHERS
    }


@pytest.mark.parametrize("call", CALLS)
def test_json_is_one_object_with_the_signature_once(call: str) -> None:
    found = json.loads(printed(call, "json").text)
    assert isinstance(found["notes"], list)
    assert not [place for place in _keys(found) if place == "signature"][1:]
    assert [json.loads(line) for line in printed(call, "jsonl").lines] or call == "lint"


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("output_format", ["csv", "tsv"])
def test_csv_and_tsv_are_rectangular(call: str, output_format: str) -> None:
    dialect: Any = {"delimiter": ","} if output_format == "csv" else {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    head, *rows = csv.reader(io.StringIO(printed(call, output_format).text), **dialect)
    assert len(set(head)) == len(head)
    assert {len(row) for row in rows} == {len(head)}
    if output_format == "csv":
        assert "signature" not in head


@pytest.mark.parametrize("call", CALLS)
def test_markdown_tables_are_rectangular(call: str) -> None:
    text = printed(call, "markdown").text
    if text.startswith("```"):
        # An explanation of one thing is a block of code.
        assert call.endswith("-name")
        assert text.splitlines()[-1] == "```"
        return
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert tables
    for table in tables:
        cells = [re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in table if line]
        assert {len(row) for row in cells} == {len(cells[0])}
        assert all(re.fullmatch(r" ---:? ", cell) for cell in cells[1])
    assert text.count("<sub>") == text.count("</sub>")
    assert not re.search(r"<(?!/?sub>)[A-Za-z/!?]", re.sub(r"(`+).*?\1", "", text, flags=re.DOTALL))


@pytest.mark.parametrize("call", CALLS)
def test_latex_is_balanced(call: str) -> None:
    lines = printed(call, "latex").lines
    assert sum(r"\begin{" in line for line in lines) == sum(r"\end{" in line for line in lines) > 0
    verbatim = any("verbatim" in line for line in lines)
    text = "\n".join(line for line in lines if not line.startswith("%"))
    if not verbatim:
        bare = re.sub(r"\\[{}\\]", "", text)
        assert bare.count("{") == bare.count("}")
        assert not re.search(r"(?<!\\)[%#]", text)
        for tabular in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.DOTALL):
            spec = re.sub(r"p\{[^}]*\}", "p", re.search(r"tabular\}\{(.*)\}", tabular)[1])  # type: ignore[index]
            rows = [line for line in tabular.splitlines() if line.endswith(r" \\")]
            assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(spec)}


@pytest.mark.parametrize("call", [call for call in CALLS if not call.endswith("-name")])
def test_every_number_of_the_table_is_in_json(call: str) -> None:
    table, found = printed(call, "table").text, json.loads(printed(call, "json").text)
    known = list(_numbers(found))
    texts = " ".join(_texts(found))
    # "95 %" names the intervals, and a power is never shown as 1.
    table = table.replace("95 %", "").replace(">0.999", "")
    for text in re.findall(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?%?(?![\w.]*[A-Za-z_])", table):
        plain = text.strip("%").replace(",", "").rstrip(".")
        digits = len(plain.partition(".")[2])
        value = float(plain) / (100 if text.endswith("%") else 1)
        half = 0.5000001 * 10.0**-digits / (100 if text.endswith("%") else 1)
        near = any(abs(abs(number) - abs(value)) <= half for number in known)
        share = any(abs(100 * abs(number) - abs(float(plain))) <= 0.5000001 * 10.0**-digits for number in known)
        percent = any(abs(number - float(plain)) <= 0.5000001 * 10.0**-digits for number in known)
        assert near or share or percent or text in texts or plain in texts, (
            f"{text!r} is shown, but JSON does not have it"
        )


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from _keys(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


@pytest.mark.parametrize("ending", ["csv", "md", "json", "tex", "tsv", "jsonl"])
def test_the_name_of_the_output_chooses_the_format(ending: str, tmp_path: Path) -> None:
    formats = {"md": "markdown", "tex": "latex"}
    for call in ("compare", "agree", "judges", "lint", "show", "reproduce-paper", "key-hash"):
        file = tmp_path / f"{call}.{ending}"
        assert karat_here(*CALLS[call], "-o", file).code == 0
        assert file.read_bytes() == printed(call, formats.get(ending, ending)).out


def test_all_formats_are_tried() -> None:
    assert set(FORMATS) == {"table", "markdown", "csv", "tsv", "json", "jsonl", "latex"}


@pytest.mark.parametrize("call", CALLS)
def test_latex_has_whole_environments_and_rows_of_equal_length(call: str) -> None:
    """A TeX engine is not needed: what it stumbles over is the number of cells, and what stands outside a table."""
    text = printed(call, "latex").text
    assert re.findall(r"(?m)^\\begin{(\w+)}", text) == re.findall(r"(?m)^\\end{(\w+)}", text)
    inside = None
    for line in text.splitlines():
        if opened := re.fullmatch(r"\\begin{tabular}{((?:[lr]|p{[0-9.]+\\linewidth})+)}", line):
            inside = len(re.findall(r"[lr]|p{[^}]+}", opened[1].replace("\\linewidth", "")))
        elif line == r"\begin{verbatim}":
            inside = 0
        elif line in (r"\end{tabular}", r"\end{verbatim}"):
            inside = None
        elif inside is None:
            assert not line or line.startswith("% "), line
        elif inside and line not in (r"\toprule", r"\midrule", r"\bottomrule"):
            assert line.endswith(r" \\"), line
            assert len(re.findall(r"(?<!\\)&", line)) == inside - 1, line
            assert not re.search(r"(?<!\\)[%#]|^[\[*]", line), line
