from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

import karat as package
from cli.running import karat
from karat.cli.computing.cache_options import cache_folder, cache_limit
from karat.engines.cache import FILE, Cache, name_of

KEY, _, RUNS = package.demo_files()
JUDGE = ("judge", KEY, RUNS, "--judge", "semantic")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KARAT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_shows_what_is_kept_and_where(folder: Path) -> None:
    with package.cache(folder) as cache:
        cache.put("vectors", {name_of("x"): bytes(2880)})
    shown = karat("cache")
    assert shown.code == 0
    assert next(line.split() for line in shown.lines if line.startswith("vectors"))[-3:] == ["1", "3.0", "kB"]
    assert str(folder / FILE) in shown.err
    assert "of at most 1.0 GB" in shown.err
    rows = [json.loads(line) for line in karat("cache", "--format", "jsonl").lines]
    assert {row["kind"]: row["entries"] for row in rows} == {"vectors": 1, "readings": 0, "scores": 0}


def test_clear_empties_it(folder: Path) -> None:
    with package.cache(folder) as cache:
        cache.put("vectors", {name_of("x"): bytes(2880)})
    assert f"cleared {folder / FILE}: 1 entries" in karat("cache", "clear").err
    assert Cache(folder).state().entries == 0


def test_looking_makes_no_folder(folder: Path) -> None:
    assert karat("cache").code == 0
    assert karat("cache", "clear").code == 0
    assert not folder.exists()


def test_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_CACHE", "off")
    assert "the cache is off" in karat("cache").err


def test_bad_size_says_how_to_write_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_CACHE_SIZE", "large")
    shown = karat("cache")
    assert shown.code == 2
    assert "KARAT_CACHE_SIZE=large is not a size from 1MB on; write it like 500MB or 2GB." in shown.err


@pytest.mark.parametrize(
    ("text", "size"),
    [("", 10**9), ("500MB", 500 * 10**6), ("2 gb", 2 * 10**9), ("1.5G", 15 * 10**8), ("1000000", 10**6)],
)
def test_sizes(text: str, size: int) -> None:
    assert cache_limit({"KARAT_CACHE_SIZE": text}) == size


@pytest.mark.parametrize("text", ["0", "-1", "1e9", "5XB", "999999", "nan"])
def test_bad_sizes(text: str) -> None:
    with pytest.raises(click.UsageError):
        cache_limit({"KARAT_CACHE_SIZE": text})


def test_folder_by_the_rules_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/ada"))
    assert cache_folder({}, platform="linux") == Path("/ada/.cache/karat")
    assert cache_folder({"XDG_CACHE_HOME": "/fast"}, platform="linux") == Path("/fast/karat")
    assert cache_folder({"XDG_CACHE_HOME": "not/absolute"}, platform="linux") == Path("/ada/.cache/karat")
    assert cache_folder({}, platform="darwin") == Path("/ada/Library/Caches/karat")
    assert cache_folder({"LOCALAPPDATA": "/local"}, platform="win32") == Path("/local/karat/Cache")
    assert cache_folder({"KARAT_CACHE": "/mine", "XDG_CACHE_HOME": "/fast"}, platform="linux") == Path("/mine")
    assert cache_folder({"KARAT_CACHE": "OFF"}, platform="linux") is None


def test_no_cache_touches_nothing(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    assert karat("explain", KEY, RUNS, "--query", "q1", "--judge", "semantic", "--no-cache").code == 0
    assert not folder.exists()


WAITING = """
import time
from karat.__main__ import main
from karat.engines.cache import Cache, store

flush, store._EVERY = Cache.flush, 0.0

def flush_and_wait(cache):
    flush(cache)
    if cache.stored >= 20:
        Cache.flush = flush
        print("kept", flush=True)
        time.sleep(600)

Cache.flush = flush_and_wait
main()
"""
"""The command; once it has kept some vectors it says so, and waits to be stopped."""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_stopped_command_says_what_is_kept_and_goes_on(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    wanted, output = tmp_path / "wanted.jsonl", tmp_path / "output.jsonl"
    assert karat(*JUDGE, "--no-cache", "-o", wanted).code == 0
    command = [sys.executable, "-c", WAITING, *map(str, JUDGE), "-o", str(output)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "is kept (see `karat cache`): give the same command again to go on." in said
    assert not output.exists()
    assert Cache(folder).state().kinds["vectors"][0] >= 20
    for _ in range(2):
        assert karat(*JUDGE, "-o", output).code == 0
        assert output.read_bytes() == wanted.read_bytes()
