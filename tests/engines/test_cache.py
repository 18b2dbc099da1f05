from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import karat
from karat.engines.cache import FILE, Cache, code_name, current_cache, name_of
from karat.engines.cache import store as store_module
from karat.engines.mapping import map_chunks
from karat.model import UsageError


def names(count: int, of: str = "text") -> list[bytes]:
    return [name_of(of, str(at)) for at in range(count)]


def filled(folder: Path, count: int = 20, size: int = 100) -> dict[bytes, bytes]:
    values = {name: bytes([at % 256]) * size for at, name in enumerate(names(count))}
    with karat.cache(folder) as cache:
        cache.put("vectors", values)
    return values


def test_what_is_put_is_found_by_another_process_later(tmp_path: Path) -> None:
    values = filled(tmp_path / "new" / "folder")
    cache = Cache(tmp_path / "new" / "folder")
    assert cache.get("vectors", [*values, name_of("other")]) == values
    assert cache.get("scores", list(values)) == {}
    assert cache.state().kinds["vectors"][0] == 20


def test_what_waits_is_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    [name] = names(1)
    cache.put("vectors", {name: b"abc"})
    assert cache.get("vectors", [name]) == {name: b"abc"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    filled(tmp_path / "c")
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "c" / FILE).stat().st_mode & 0o777 == 0o600


def test_no_value_is_readable_in_the_file(tmp_path: Path) -> None:
    secret = b"Engineers found cracks on Monday. " * 10
    with karat.cache(tmp_path) as cache:
        cache.put("scores", {name_of("x"): secret})
    content = (tmp_path / FILE).read_bytes()
    assert b"Engineers" not in content
    assert b"cracks" not in content
    assert Cache(tmp_path).get("scores", [name_of("x")]) == {name_of("x"): secret}


def test_oldest_used_go_first_and_each_kind_has_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr(store_module.time, "time", lambda: now)
    with karat.cache(tmp_path, limit=1_000_000) as cache:
        cache.put("scores", {name_of("small"): b"1"})
        for at, name in enumerate(names(100)):
            now = 1_000_000.0 + 10_000 * at
            cache.put("vectors", {name: bytes(10_000)})
            cache.flush()
            # The first one is used again and again.
            assert cache.get("vectors", names(1))
            cache.flush()
        kept = set(cache.get("vectors", names(100)))
        assert cache.get("scores", [name_of("small")])
    assert names(100)[0] in kept
    assert names(100)[1] not in kept
    assert set(names(100)[-60:]) <= kept
    assert (tmp_path / FILE).stat().st_size < 1_000_000


def test_lower_limit_shrinks_the_file(tmp_path: Path) -> None:
    filled(tmp_path, count=200, size=10_000)
    assert (tmp_path / FILE).stat().st_size > 2_000_000
    with karat.cache(tmp_path, limit=400_000) as cache:
        cache.put("vectors", {name_of("new"): b"1"})
    assert (tmp_path / FILE).stat().st_size < 400_000


@pytest.mark.parametrize("damage", ["not a database", "cut", "zeros in the middle", "empty"])
def test_damaged_file_is_ignored_with_one_line_and_begun_anew(tmp_path: Path, damage: str) -> None:
    values = filled(tmp_path, count=300, size=1000)
    file = tmp_path / FILE
    content = file.read_bytes()
    if damage == "not a database":
        file.write_bytes(b"no database at all " * 100)
    elif damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "zeros in the middle":
        file.write_bytes(content[:8192] + bytes(100_000) + content[108_192:])
    else:
        file.write_bytes(b"")
    said: list[str] = []
    with karat.cache(tmp_path, say=said.append) as cache:
        found = cache.get("vectors", list(values))
        assert all(values[name] == value for name, value in found.items())
        assert len(found) < len(values)
        cache.put("vectors", values)
    assert len(said) == (damage != "empty")
    assert all("damaged" in line for line in said)
    with karat.cache(tmp_path, say=said.append) as cache:
        cache.get("vectors", list(values))
        cache.put("vectors", values)
    with karat.cache(tmp_path, say=said.append) as cache:
        assert cache.get("vectors", list(values)) == values
    assert len(said) == (damage != "empty")


def test_changed_value_is_never_used(tmp_path: Path) -> None:
    values = filled(tmp_path)
    db = sqlite3.connect(tmp_path / FILE)
    with db:
        db.execute("UPDATE entry SET value = zeroblob(100) WHERE rowid % 2 = 0")
    db.close()
    said: list[str] = []
    cache = Cache(tmp_path, say=said.append)
    found = cache.get("vectors", list(values))
    assert len(found) == 10
    assert all(values[name] == value for name, value in found.items())
    assert "10 damaged entries" in said[0]


def test_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / FILE)
    with db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    before = (tmp_path / FILE).read_bytes()
    said: list[str] = []
    with karat.cache(tmp_path, say=said.append) as cache:
        cache.put("vectors", {name_of("x"): b"1"})
        assert not cache.clear()
    assert (tmp_path / FILE).read_bytes() == before
    assert said == [f"the cache {tmp_path / FILE} cannot be used (the file is another program's); going on without it"]


def test_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    said: list[str] = []
    with karat.cache(tmp_path / "file", say=said.append) as cache:
        assert cache.get("vectors", names(3)) == {}
        cache.put("vectors", {name_of("x"): b"1"})
        assert cache.get("vectors", [name_of("x")]) == {}
    assert len(said) == 1
    assert "going on without it" in said[0]


def test_full_disk_is_one_line_and_what_was_kept_stays(tmp_path: Path) -> None:
    values = filled(tmp_path)
    said: list[str] = []
    cache = Cache(tmp_path, say=said.append)
    db = cache._opened()
    assert db is not None
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    for at in range(3):
        cache.put("vectors", {name_of("big", str(at)): bytes(100_000)})
        cache.flush()
    assert said == [f"the cache {tmp_path / FILE}: the disk is full; nothing more is kept"]
    assert cache.get("vectors", list(values)) == values
    cache.close()
    assert Cache(tmp_path).get("vectors", list(values)) == values


_WRITER = """
import sys
from pathlib import Path
from karat.engines.cache import Cache, name_of
cache = Cache(Path(sys.argv[1]), say=lambda text: print(text))
at = 0
while at < int(sys.argv[3]):
    cache.put("vectors", {name_of(sys.argv[2], str(at)): bytes([at % 256]) * 2000})
    if at % 20 == 0:
        cache.flush()
        print(at, flush=True)
    at += 1
cache.close()
"""


def writer(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, str(folder), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_write_at_the_same_time(tmp_path: Path) -> None:
    outputs = [process.communicate()[0] for process in [writer(tmp_path, name, 200) for name in "ab"]]
    assert all("cache" not in output for output in outputs)
    cache = Cache(tmp_path)
    for name in "ab":
        assert len(cache.get("vectors", names(200, name))) == 200


def test_killed_process_leaves_what_it_wrote(tmp_path: Path) -> None:
    process = writer(tmp_path, "a", 1_000_000)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 100:
            process.kill()
            break
    process.communicate()
    said: list[str] = []
    found = Cache(tmp_path, say=said.append).get("vectors", names(101, "a"))
    assert len(found) == 101
    assert found[names(101, "a")[100]] == bytes([100]) * 2000
    assert not said


def test_cleared_cache_is_empty_and_small(tmp_path: Path) -> None:
    values = filled(tmp_path, count=300, size=5000)
    cache = Cache(tmp_path)
    assert cache.clear()
    assert cache.state().entries == 0
    assert cache.get("vectors", list(values)) == {}
    assert (tmp_path / FILE).stat().st_size < 100_000


def test_looking_at_a_cache_that_is_not_there_makes_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "none")
    assert cache.state().entries == 0
    assert cache.clear()
    assert not (tmp_path / "none").exists()


def test_block_ends_the_use(tmp_path: Path) -> None:
    assert current_cache() is None
    with karat.cache(tmp_path) as cache:
        assert current_cache() is cache
    assert current_cache() is None


def test_limit_below_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 1"), karat.cache(tmp_path, limit=0):
        pass


def _kept_in_worker(at: int) -> bool:
    cache = current_cache()
    assert cache is not None
    cache.put("vectors", {name_of("worker", str(at)): b"1"})
    return True


def test_workers_use_the_same_cache(tmp_path: Path) -> None:
    with karat.cache(tmp_path):
        assert all(map_chunks(_kept_in_worker, range(4), jobs=2, names=list("abcd")))
    assert len(Cache(tmp_path).get("vectors", names(4, "worker"))) == 4


def test_names_differ_with_every_part_and_with_the_code() -> None:
    assert len({name_of("ab"), name_of("a", "b"), name_of("", "ab"), name_of("a", "b", "")}) == 4
    assert name_of("\ud800") != name_of("?")
    one, other = code_name(("text/words.py",), ()), code_name(("text/idf.py",), ())
    assert len({one, other, code_name(("text",), ()), code_name(("text",), ("numpy",))}) == 4
