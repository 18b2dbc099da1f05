"""A folder of shards with something wrong: it stops the work; with on_error="skip" the other shards are read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import karat
from karat.formats import open_inputs
from karat.formats.io.sink import Losses
from karat.formats.outputs.sharding import ShardSize, write_shards
from karat.model import InputError, Judgement, UnfitInput

EACH, COUNT = 10, 5


@pytest.fixture(params=["karat", "parquet"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Five shards of ten judgements each."""
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    records = [
        Judgement(query_id="q", run_id=f"r{at}", nug_id="n", degree=1.0, judge="person", status="ok")
        for at in range(EACH * COUNT)
    ]
    target = tmp_path / "shards"
    write_shards(records, target, Losses(), format=request.param, size=ShardSize(records=EACH))
    return target


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*"))


def cut(folder: Path) -> None:
    part = parts(folder)[1]
    part.write_bytes(part.read_bytes()[:-20])


def change(folder: Path) -> None:
    """The same size, other bytes."""
    part = parts(folder)[1]
    data = bytearray(part.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 20] = b"\xff" * 20
    data[-12:] = b"\x00" * 12
    part.write_bytes(bytes(data))


def remove(folder: Path) -> None:
    parts(folder)[1].unlink()


def link_to_nothing(folder: Path) -> None:
    part = parts(folder)[1]
    part.unlink()
    os.symlink("nowhere", part)


def add(folder: Path) -> None:
    (folder / f"part-00099{''.join(parts(folder)[0].suffixes)}").write_bytes(parts(folder)[0].read_bytes())


def add_folder(folder: Path) -> None:
    (folder / "part-00098").mkdir()


DAMAGES: dict[Callable[[Path], None], int] = {cut: 1, change: 1, remove: 1, link_to_nothing: 1, add: 0, add_folder: 0}
"""What is done to the folder, and how many shards are lost by it."""


CASES = [(damage, has) for damage in DAMAGES for has in (True, False) if has or damage not in (remove, add)]
"""Without a manifest nobody knows that a shard is missing, or one too many."""


@pytest.mark.parametrize(("damage", "has_manifest"), CASES)
def test_other_shards_are_read(damage: Callable[[Path], None], has_manifest: bool, folder: Path) -> None:
    if not has_manifest:
        (folder / "manifest.json").unlink()
    damage(folder)
    with pytest.raises(InputError) as raised:
        karat.load(folder)
    assert len(raised.value.problems) == 1
    assert str(folder) in raised.value.problems[0].file
    linted = karat.lint(folder).to_dicts()
    found = [row["file"] for row in linted if row["severity"] == "error"].count(raised.value.problems[0].file)
    # Of a shard that was changed, lint also says that its hash is another one, or its number of records.
    assert found == 1 or (damage is change and has_manifest)
    kept = karat.load(folder, on_error="skip")
    # Of a shard that is cut or changed, what is before the damage may be read where there is no manifest.
    expected = EACH * (COUNT - DAMAGES[damage])
    assert expected <= len(kept.judgements) <= (expected if has_manifest and damage is not change else EACH * COUNT)
    last = {judgement.run_id for judgement in kept.judgements}
    assert {f"r{at}" for at in range(2 * EACH, EACH * COUNT)} <= last
    assert len(list(karat.read(folder, on_error="skip"))) == len(kept.judgements)


def test_every_damage_is_listed(folder: Path) -> None:
    remove(folder)
    add(folder)
    add_folder(folder)
    with pytest.raises(InputError) as raised:
        karat.load(folder)
    said = [(Path(problem.file).name.split(".")[0], problem.message.split(";")[0]) for problem in raised.value.problems]
    assert said == [
        ("part-00001", "is missing: manifest.json names it"),
        ("part-00098", "is a folder, and not a file: move it elsewhere"),
        ("part-00099", "is not in manifest.json"),
    ]


def test_every_changed_shard_is_listed(folder: Path) -> None:
    for part in parts(folder)[1:3]:
        data = part.read_bytes()
        part.write_bytes(b"\xff" * len(data))
    with pytest.raises(InputError) as raised:
        karat.load(folder)
    assert [Path(problem.file).name for problem in raised.value.problems] == [each.name for each in parts(folder)[1:3]]


def test_a_folder_beside_the_shards_is_left_alone(folder: Path) -> None:
    (folder / "notes").mkdir()
    assert len(karat.load(folder).judgements) == EACH * COUNT


def test_a_folder_whose_manifest_cannot_be_read_is_not_read_in_part(folder: Path) -> None:
    (folder / "manifest.json").write_text(json.dumps({"kind": "karat-shards"}))
    with pytest.raises(InputError, match="is not a manifest of shards"):
        karat.load(folder)


def test_a_link_to_nothing_in_a_folder_of_runs_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    os.symlink("nowhere", tmp_path / "b.jsonl")
    with pytest.raises(UnfitInput, match=r"b\.jsonl: is a link to a file that is not there"):
        karat.load(tmp_path)


@pytest.mark.parametrize("name", ["part-00099.jsonl.part", "part-00099", "part-00099.txt", "part-00099.jsonl.bz2"])
def test_what_is_called_like_a_shard_and_is_none_is_named(name: str, folder: Path) -> None:
    (folder / name).write_bytes(parts(folder)[0].read_bytes())
    with pytest.raises(InputError, match=r"is not a shard that is read .* unpack it, rename it or move it"):
        karat.load(folder)


def test_documentation_beside_shards_changes_nothing(folder: Path) -> None:
    before = karat.load(folder).judgements
    (folder / "manifest.json").unlink()
    (folder / "README.md").write_text("mine")
    (folder / "notes").mkdir()
    inputs = open_inputs(folder)
    assert inputs.collection().judgements == before
    assert [warning.message.split(";")[0] for warning in inputs.warnings] == ["not read: notes/"]


def test_numbers_by_kind_of_the_whole_are_checked(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["kinds"] = {"nug": 5}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert "its numbers by kind are not those of its shards" in str(karat.lint(folder).to_dicts())
