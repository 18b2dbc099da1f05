from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.running import karat_here

NEWS, BLOG = "Lin Wei went to Kyoto in March.", "An aide fell ill on a trip to Osaka."
PLACE, MONTH = {"type": "LOC", "spans": [[13, 21]]}, {"type": "TMP", "spans": [[22, 30]]}
OSAKA = {"type": "LOC", "spans": [[27, 35]]}


def write(name: str, *rows: dict[str, Any]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def row(snippet_id: str, text: str, *nuggets: Any, **fields: Any) -> dict[str, Any]:
    return {"snippet_id": snippet_id, "text": text, "nuggets": [*nuggets], **fields}


def label(run_id: str, snippet_id: str, said: str) -> dict[str, Any]:
    place = {"query_id": "where", "run_id": run_id, "snippet_id": snippet_id}
    return {"kind": "relevance", "v": 1, **place, "assessor": "ann", "label": said}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("auto.jsonl", row("1", NEWS, PLACE), row("2", BLOG, OSAKA))
    person = {"source": "person"}
    write("gold.jsonl", row("1", NEWS, PLACE, MONTH, style="news", **person), row("2", BLOG, style="blog", **person))


def test_the_tables_have_one_row_per_part() -> None:
    done = karat_here("nuggets-compare", "auto.jsonl", "gold.jsonl", "--by", "style")
    assert done.code == 0
    counts, matches = done.text.strip().split("\n\n")
    parts = ["all", "style=blog", "style=news", "type=LOC", "type=TMP"]
    assert [line.split()[0] for line in counts.splitlines()[2:]] == parts
    assert [line.split()[0] for line in matches.splitlines()[2:]] == parts
    assert counts.splitlines()[4].split()[:6] == ["style=news", "1", "2", "1", "50.0%", "1.000"]
    assert counts.splitlines()[3].split()[4] == "undefined"
    assert done.err.startswith("signature: nuggets-compare|match:overlap|missing:error|by:style|")


def test_jsonl_has_one_object_per_part() -> None:
    done = karat_here("nuggets-compare", "auto.jsonl", "gold.jsonl", "--match", "jaccard:0.8", "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    first, *others = map(json.loads, done.lines)
    assert [comparison["part"] for comparison in others] == ["type=LOC", "type=TMP"]
    assert (first["gold"], first["auto"], first["matched"], first["f1"]) == (2, 2, 1, 0.5)
    assert first["difference"] == first["mean_difference"] == 0.0
    assert first["p"] == 1.0
    assert len(first["f1_interval"]) == 2


@pytest.mark.parametrize("order", ["auto.jsonl gold.jsonl", "gold.jsonl auto.jsonl", "both.jsonl"])
def test_a_corrected_row_without_nuggets_overrides_the_automatic_ones(order: str) -> None:
    ids = {"query_id": "where", "run_id": "a"}
    auto, gold = row("1", NEWS, PLACE, MONTH, **ids), row("2", BLOG, OSAKA, **ids)
    none = row("1", NEWS, source="corrected", **ids)
    write("auto.jsonl", auto, gold)
    write("gold.jsonl", none)
    write("both.jsonl", auto, gold, none)
    write("rel.jsonl", label("a", "1", "irrelevant"), label("a", "2", "relevant"))
    before = karat_here("score", "rel.jsonl", "auto.jsonl", "--format", "jsonl")
    assert json.loads(before.lines[0])["value"] == pytest.approx(1 / 3)
    done = karat_here("score", "rel.jsonl", *order.split(), "--format", "jsonl")
    assert (done.code, json.loads(done.lines[0])["measure"]) == (0, "precision(rules=2012)")
    assert json.loads(done.lines[0])["value"] == 1.0
    assert "left out" not in done.err
    assert karat_here("convert", *order.split(), "--to", "karat", "-o", "out.jsonl").code == 0
    assert json.loads(karat_here("score", "rel.jsonl", "out.jsonl", "--format", "jsonl").lines[0])["value"] == 1.0


def test_karat_records_are_read_as_well() -> None:
    assert karat_here("convert", "auto.jsonl", "--to", "karat", "-o", "records.jsonl").code == 0
    records = karat_here("nuggets-compare", "records.jsonl", "gold.jsonl", "--format", "jsonl")
    other = karat_here("nuggets-compare", "auto.jsonl", "gold.jsonl", "--format", "jsonl")
    assert (records.code, records.out) == (0, other.out)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["auto.jsonl", "short.jsonl"], 3, "or --missing skip to leave them out"),
        (["auto.jsonl", "gold.jsonl", "--match", "exact"], 2, "'exact' is neither overlap nor jaccard:X"),
        (["auto.jsonl", "gold.jsonl", "--by", "colour"], 2, "choose from query, run, style"),
        (["auto.jsonl", "bad.jsonl"], 3, "bad.jsonl:2: nuggets[0].spans: ends at 99, but the text has 36 characters"),
        (["auto.jsonl", "nowhere.jsonl"], 3, "nowhere.jsonl: no such file"),
        (["auto.jsonl"], 2, "Missing argument 'GOLD'"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(arguments: list[str], code: int, message: str) -> None:
    write("short.jsonl", row("1", NEWS, PLACE))
    write("bad.jsonl", row("1", NEWS, PLACE), row("2", BLOG, {"type": "LOC", "spans": [[27, 99]]}))
    done = karat_here("nuggets-compare", *arguments)
    assert (done.code, done.out) == (code, b"")
    assert message in done.err
    assert "Traceback" not in done.err


def test_the_other_commands_read_the_format() -> None:
    assert "Nuggetized snippets" in karat_here("show", "auto.jsonl").text
    assert karat_here("lint", "auto.jsonl").code == 0
    assert karat_here("agree", "auto.jsonl", "gold.jsonl", "--of", "nuggets", "--with-programs").code == 0
    Path("types.jsonl").write_text(Path("auto.jsonl").read_text().replace("LOC", "PLACE"))
    assert karat_here("lint", "types.jsonl").code == 0
    noted = karat_here("lint", "types.jsonl", "--fail-on", "warning")
    assert (noted.code, "[unknown-type]" in noted.text) == (1, True)


def values(*arguments: str) -> dict[tuple[str, str], float | None]:
    done = karat_here("score", *arguments, "--format", "jsonl")
    assert done.code == 0, done.err
    scores = map(json.loads, done.lines)
    return {(score["run_id"], score["measure"].partition("(")[0]): score["value"] for score in scores}


def test_relevance_labels_and_automatic_nuggets_are_scored_by_the_rules_of_2012() -> None:
    """Section 3.3 of Babko-Malaya et al. 2012: two relevant nuggets and an irrelevant one have precision 2/3."""
    write("nuggets.jsonl", row("1", NEWS, PLACE, MONTH, query_id="where", run_id="a"),
          row("2", BLOG, OSAKA, query_id="where", run_id="a"))  # fmt: skip
    write("labels.jsonl", label("a", "1", "relevant"), label("a", "2", "irrelevant"))
    assert values("labels.jsonl", "nuggets.jsonl") == {
        ("a", "precision"): pytest.approx(2 / 3), ("a", "recall"): 1.0, ("a", "F_value"): pytest.approx(0.8),
    }  # fmt: skip


def test_recall_is_over_the_right_nuggets_of_all_runs_and_redundant_snippets_are_wrong() -> None:
    of_b = [
        row("1", "He came to Kyoto.", {"type": "LOC", "spans": [[8, 16]]}, query_id="where", run_id="b"),
        row("2", "He was in Nara.", {"type": "LOC", "spans": [[7, 14]]}, query_id="where", run_id="b"),
        row("3", NEWS, PLACE, MONTH, query_id="where", run_id="b"),
    ]
    write("nuggets.jsonl", row("1", NEWS, PLACE, MONTH, query_id="where", run_id="a"), *of_b)
    labels = [label("a", "1", "relevant"), label("b", "1", "relevant"), label("b", "2", "relevant")]
    write("labels.jsonl", *labels, label("b", "3", "redundant"))
    scores = values("labels.jsonl", "nuggets.jsonl")
    # Right in the pool: to Kyoto, in March, in Nara.
    assert (scores["a", "precision"], scores["a", "recall"]) == (1.0, pytest.approx(2 / 3))
    assert (scores["b", "precision"], scores["b", "recall"]) == (0.5, pytest.approx(2 / 3))
    write("few.jsonl", *labels)
    assert values("few.jsonl", "nuggets.jsonl")["b", "precision"] == 1.0
    notes = karat_here("score", "few.jsonl", "nuggets.jsonl").err
    assert "2 nuggets in 1 snippet without a relevance label left out: the first is snippet 3 of run b" in notes


def test_nuggets_without_labels_or_key_cannot_be_scored() -> None:
    done = karat_here("score", "auto.jsonl")
    assert (done.code, done.out) == (3, b"")
    assert "there are nuggets but neither relevance labels nor a key" in done.err
