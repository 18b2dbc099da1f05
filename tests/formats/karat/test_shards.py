from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.evaluate.lint import lint
from karat.formats import load, read, write
from karat.formats.karat.manifest import MANIFEST, read_manifest
from karat.formats.outputs.sharding import ShardSize, shard_size
from karat.model import AnyRecord, InputError, Judgement, Nug, Query, Run, UsageError

NUGS = [Nug(query_id="q", nug_id=f"n{at}", descriptions=(f"fact {at}",), importance="vital") for at in range(4)]
JUDGED = [
    Judgement(query_id="q", run_id=run_id, nug_id=f"n{at}", degree=at % 3 / 2, judge="person")
    for run_id in ("a", "b")
    for at in range(4)
]
RECORDS: list[AnyRecord] = [*NUGS, *JUDGED]
FORMATS = ("karat", "parquet")


@pytest.mark.parametrize("format", FORMATS)
def test_a_folder_of_shards_is_one_file(tmp_path: Path, format: str) -> None:
    folder = tmp_path / "all"
    write(RECORDS, f"{folder}/", format=format, shards=5)
    manifest = read_manifest(folder)
    assert [shard.records for shard in manifest.shards] == [5, 5, 2]
    assert manifest.kinds == {"nug": 4, "judgement": 8}
    assert manifest.shards[0].kinds == {"nug": 4, "judgement": 1}
    assert list(read(folder)) == RECORDS
    assert list(load(folder)) == RECORDS
    assert list(lint(folder)) == []


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(RECORDS, f"{tmp_path / name}/", shards=5)
    first, second = ([path.read_bytes() for path in sorted((tmp_path / name).iterdir())] for name in ("one", "two"))
    assert first == second


def test_what_a_shard_defines_is_known_in_all_others(tmp_path: Path) -> None:
    # In one file, a query that is not defined is an error where others are.
    defined = [Run(run_id="a"), Run(run_id="b"), Query(query_id="q", text="Why?")]
    write([*JUDGED, *NUGS, *defined], f"{tmp_path}/all/", shards=1)
    assert len(load(tmp_path / "all").judgements) == len(JUDGED)
    write([*JUDGED, *defined[:1]], f"{tmp_path}/less/", shards=3)
    with pytest.raises(InputError) as caught:
        load(tmp_path / "less")
    first = caught.value.problems[0]
    assert (Path(first.file).name, first.line) == ("part-00001.jsonl.gz", 2)
    assert first.message == "'b' is not a run of this file"


def test_a_definition_that_is_there_twice_names_its_shard(tmp_path: Path) -> None:
    write([*NUGS, NUGS[0]], f"{tmp_path}/all/", shards=3)
    with pytest.raises(InputError, match=r"part-00001.jsonl.gz:2: .* is already on line 1 of .*part-00000.jsonl.gz"):
        load(tmp_path / "all")


def test_without_a_manifest_shards_are_read_in_natural_order(tmp_path: Path) -> None:
    for at in range(12):
        write([JUDGED[at % 8]], tmp_path / f"part-{at}.jsonl{'.gz' * (at % 2)}")
    assert list(read(tmp_path, format="karat-shards")) == [JUDGED[at % 8] for at in range(12)]
    assert len(load(tmp_path).judgements) == 12


def broken(folder: Path, how: str) -> str:
    """Damage a folder; the name of the file that the message must name."""
    first, second = folder / "part-00000.jsonl.gz", folder / "part-00001.jsonl.gz"
    if how == "missing":
        second.unlink()
    elif how == "cut off":
        second.write_bytes(second.read_bytes()[:-9])
    elif how == "longer":
        second.write_bytes(second.read_bytes() + b"\0")
    elif how == "not in":
        second = folder / "part-00009.jsonl.gz"
        second.write_bytes(first.read_bytes())
    return second.name


@pytest.mark.parametrize("how", ["missing", "cut off", "longer", "not in"])
def test_a_damaged_folder_is_refused_by_name(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "all"
    write(RECORDS, f"{folder}/", shards=5)
    name = broken(folder, how)
    with pytest.raises(InputError, match=rf"{name}: .*{how}"):
        load(folder)
    assert "bad-shard" in {finding.code for finding in lint(folder)}


@pytest.mark.parametrize("left", [b"", b"{", b'{"kind": "karat-shards", "v": 1', b'{"kind": "another"}'])
def test_a_damaged_manifest_is_no_missing_one(tmp_path: Path, left: bytes) -> None:
    folder = tmp_path / "all"
    write(RECORDS, f"{folder}/", shards=5)
    (folder / MANIFEST).write_bytes(left)
    (folder / "part-00002.jsonl.gz").unlink()
    with pytest.raises(
        InputError, match=r"manifest\.json: is not a manifest of shards: .*; if it is another program's"
    ):
        load(folder)
    assert "bad-shard" in {finding.code for finding in lint(folder)}


@pytest.mark.parametrize("format", FORMATS)
def test_a_shard_without_a_byte_was_cut_off(tmp_path: Path, format: str) -> None:
    folder = tmp_path / "all"
    write(RECORDS, f"{folder}/", format=format, shards=5)
    (folder / MANIFEST).unlink()
    last = max(folder.iterdir())
    last.write_bytes(b"")
    with pytest.raises(InputError, match=f"{last.name}: is empty: it was cut off"):
        load(folder)
    # Plain text may well be empty.
    last.rename(folder / "part-00009.jsonl")
    assert len(load(folder)) == 10


def test_lint_notices_a_shard_that_was_changed(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    write(JUDGED, f"{folder}/", shards=5)
    shard = folder / "part-00000.jsonl.gz"
    lines = gzip.decompress(shard.read_bytes()).splitlines(keepends=True)
    shard.write_bytes(gzip.compress(b"".join(lines[:4]), mtime=0))
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["shards"][0]["bytes"] = shard.stat().st_size
    (folder / MANIFEST).write_text(json.dumps(manifest))
    assert len(load(folder).judgements) == 7
    found = [finding.message for finding in lint(folder) if finding.code == "bad-shard"]
    assert found == [
        "was changed: its SHA-256 is not that of manifest.json",
        "has 4 records, but 5 by manifest.json",
    ]


@pytest.mark.parametrize("name", ["../key.jsonl", "/etc/passwd", "..", ""])
def test_a_manifest_cannot_point_elsewhere(tmp_path: Path, name: str) -> None:
    write(NUGS, tmp_path / "key.jsonl")
    folder = tmp_path / "all"
    write(JUDGED, f"{folder}/")
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["shards"][0]["file"] = name
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="is not the name of a file in the folder"):
        load(folder)


def test_a_shard_that_a_manifest_names_twice_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    write(RECORDS, f"{folder}/", shards=5)
    manifest = json.loads((folder / MANIFEST).read_bytes())
    first, second, third = manifest["shards"]
    manifest["shards"] = [first, second, third, third, second]
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=rf"'{second['file']}' is named twice"):
        load(folder)


def test_a_manifest_that_hides_definitions_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    write(RECORDS, f"{folder}/")
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["shards"][0]["kinds"] = {"judgement": 12}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"has a nug, and manifest.json says that there is none in it"):
        load(folder)


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    def stops() -> Iterator[AnyRecord]:
        yield from JUDGED
        raise RuntimeError("no more")

    write(NUGS, f"{tmp_path}/all/")
    with pytest.raises(RuntimeError):
        write(stops(), f"{tmp_path}/all/", shards=2)
    with pytest.raises(RuntimeError):
        write(stops(), f"{tmp_path}/new/", shards=2)
    assert [path.name for path in tmp_path.iterdir()] == ["all"]
    assert list(read(tmp_path / "all")) == NUGS


def test_only_what_karat_wrote_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    write(NUGS, f"{folder}/", shards=1)
    write(JUDGED, f"{folder}/", format="parquet")
    assert list(read(folder)) == JUDGED
    (folder / "notes.md").write_text("mine")
    with pytest.raises(UsageError, match=r"files that Karat did not write \(such as notes.md\)"):
        write(NUGS, f"{folder}/")
    assert (folder / "notes.md").read_text() == "mine"
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="is not a folder"):
        write(NUGS, f"{tmp_path}/file/")


def test_no_records_are_a_folder_too(tmp_path: Path) -> None:
    write([], f"{tmp_path}/all/")
    assert list(read(tmp_path / "all")) == []


def test_only_formats_that_hold_everything(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds karat or parquet, not csv"):
        write(JUDGED, f"{tmp_path}/all/", format="csv")


def test_sizes() -> None:
    assert shard_size("64KiB") == ShardSize(None, 65536)
    assert shard_size(7) == ShardSize(7, None)
    for wrong in ("0", "many", "-3", "2TB"):
        with pytest.raises(UsageError, match=f"--shards {wrong}"):
            shard_size(wrong)


def test_a_size_bounds_the_bytes_of_a_shard(tmp_path: Path) -> None:
    write(JUDGED * 5, f"{tmp_path}/all/", shards="1KB")
    assert [shard.records for shard in read_manifest(tmp_path / "all").shards] == [9, 9, 9, 9, 4]
