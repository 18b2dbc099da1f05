from __future__ import annotations

from pathlib import Path

import pytest

import karat
from cli.running import karat_here
from karat.formats.karat.manifest import read_manifest

KEY, JUDGED, RUNS = map(str, karat.demo_files())


def called(*args: str) -> tuple[int, str]:
    """The exit code, and what was printed; of a call that fails, its message."""
    outcome = karat_here(*args)
    return outcome.code, outcome.text if outcome.code == 0 else outcome.err


@pytest.mark.parametrize(("options", "ending"), [((), ".jsonl.gz"), (("--to", "parquet"), ".parquet")])
def test_convert_judge_and_score_work_on_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert called("convert", KEY, RUNS, "-o", "all/", "--shards", "50", *options)[0] == 0
    assert read_manifest(Path("all")).shards[0].file == f"part-00000{ending}"
    assert called("judge", KEY, RUNS, "--judge", "lexical", "-o", "one.jsonl")[0] == 0
    assert called("judge", "all", "--judge", "lexical", "-o", "judged/", *options)[0] == 0
    expected = called("score", KEY, RUNS, "one.jsonl", "--format", "jsonl")
    assert expected[0] == 0
    assert called("score", "all", "judged", "--format", "jsonl") == expected


def test_an_input_folder_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    called("convert", KEY, "-o", "key/")
    code, output = called("convert", "key", "-o", "key/")
    assert code == 2
    assert "is one of the inputs; name another file" in output
    code, output = called("convert", KEY, "-o", "key/", "--shards", "many")
    assert code == 2
    assert "--shards many: give records per shard (100000) or a size (256MB)" in output


def test_a_folder_of_shards_holds_records_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = called("convert", KEY, "--to", "tsv", "-o", "key/")
    assert (code, Path("key").exists()) == (2, False)
    assert "a folder of shards holds karat or parquet, not tsv" in output
    assert called("convert", KEY, "--to", "parquet")[0] == 2


@pytest.mark.parametrize(
    ("target", "why"), [("-", "standard output is not a folder"), ("key.jsonl", "key.jsonl is the name of a file")]
)
def test_shards_need_a_folder(target: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = karat_here("convert", KEY, "-o", target, "--shards", "50")
    assert done.code == 2
    assert f"{why}, and --shards writes several files: name a folder with -o, such as -o shards/" in done.err
    assert list(tmp_path.iterdir()) == []
