"""benchmarks/attack.py: it has a file of every format, finds what it looks for, and finds nothing in Karat."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import karat.cli
from karat.formats import FORMAT_NAMES, open_reading

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def attacks() -> Iterator[SimpleNamespace]:
    """The modules of the benchmark, which are found only here."""
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    try:
        from attacks import calls, damage, mutations, pages, tally

        yield SimpleNamespace(calls=calls, damage=damage, mutations=mutations, pages=pages, tally=tally)
    finally:
        sys.path.remove(str(FOLDER))
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "attacks":
                del sys.modules[name]


def test_every_format_has_seeds_that_are_read_without_a_problem(attacks: Any, tmp_path: Path) -> None:
    seeds = attacks.mutations.seeds()
    assert {seed["format"] for seed in seeds} == set(FORMAT_NAMES)
    for seed in seeds:
        file, _ = attacks.mutations.placed(seed, tmp_path / "in")
        assert list(open_reading(file, format=seed["format"])), seed["format"]


def test_damage_changes_a_file_and_depends_only_on_the_draws(attacks: Any) -> None:
    data = b'{"a": [1, {"b": "c"}]}\n{"a": "x\ty"}\n'
    changed = [attacks.damage.damaged(data, random.Random(seed)) for seed in range(200)]
    assert changed == [attacks.damage.damaged(data, random.Random(seed)) for seed in range(200)]
    assert sum(each == data for each in changed) < 20
    assert len(set(changed)) > 100


def fine() -> None:
    sys.exit(0)


def crash() -> None:
    raise ZeroDivisionError


def own_up() -> None:
    print("This is a bug in Karat: x", file=sys.stderr)
    sys.exit(2)


def odd_code() -> None:
    sys.exit(77)


def end_at_once() -> None:
    os._exit(1)


def wait() -> None:
    time.sleep(5)


def grow() -> None:
    held = b"x" * (300 << 20)
    sys.exit(len(held) == 0)


def overwrite() -> None:
    Path("input").write_text("other")
    sys.exit(0)


def leave() -> None:
    Path(".karat-1.part").write_text("half")
    sys.exit(0)


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        (fine, None), (crash, "tracebacks"), (own_up, "tracebacks"), (end_at_once, "tracebacks"),
        (odd_code, "exit codes"), (wait, "hangs"), (grow, "memory"), (overwrite, "inputs changed"),
        (leave, "files left"),
    ],
)  # fmt: skip
def test_what_counts_as_a_failure_is_found(
    attacks: Any, command: Callable[[], None], failure: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rounds(rng: random.Random, folder: Path) -> Iterator[tuple[list[str], list[Path]]]:
        (folder / "input").write_text("text")
        (folder / ".karat-1.part").unlink(missing_ok=True)
        yield ["score"], [folder / "input"]

    monkeypatch.setattr(karat.cli, "main", command)
    # On a busy machine the child of a large test process may need seconds for nothing.
    monkeypatch.setattr(attacks.calls, "SECONDS", 1 if failure == "hangs" else 60)
    # The child of a large test process is large from the beginning, but for the files that are mapped.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    monkeypatch.setattr(attacks.calls, "MEMORY", int(status["RssAnon"].split()[0]) // 1024 + 200)
    monkeypatch.setattr(attacks.calls, "RENEWED", 1 << 20)
    tally = attacks.calls.attack(rounds, name="test", folder=tmp_path, rounds=2, seed=0)
    assert set(tally.failures) == ({failure} if failure else set())
    # A worker that ended is replaced, and the next round is run.
    assert tally.failures.total() == (2 if failure else 0)


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("a.html", '<p>&lt;script></p><a href="#q">q</a><script type="module">x</script></html>', ""),
        ("a.html", "<p>half", "it does not end with </html>"),
        ("a.html", "<p><script>x</script></html>", "<script {}>"),
        ("a.html", "<p onclick='x'></html>", '<p onclick="x">'),
        ("a.html", "<a href='javascript:x'></html>", '<a href="javascript:x">'),
        ("a.svg", "<svg><text>a</text></svg>", ""),
        ("a.svg", "<svg><image xlink:href='http://x'/></svg>", '<image xlink:href="http://x">'),
        ("a.json", "{}", "no spec"),
        ("a.png", "x", "no whole PNG"),
    ],
)
def test_what_is_wrong_in_a_page_or_chart_is_found(
    attacks: Any, name: str, text: str, wrong: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    assert attacks.pages.wrong_in(tmp_path / name) == wrong


def test_what_a_round_finds_is_counted_and_the_next_round_is_run(
    attacks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The child of a large test process is large from the beginning.
    monkeypatch.setattr(attacks.calls, "MEMORY", 1 << 20)
    monkeypatch.setattr(attacks.calls, "RENEWED", 1 << 20)

    def rounds(rng: random.Random, folder: Path) -> Iterator[tuple[list[str], list[Path]]]:
        yield ["formats"], []
        raise attacks.calls.Finding("half outputs", "a.html: it does not end")

    tally = attacks.calls.attack(rounds, name="test", folder=tmp_path, rounds=2, seed=0)
    assert dict(tally.failures) == {"half outputs": 2}
    assert tally.calls == {"formats": 2}


def test_a_small_attack_finds_nothing(tmp_path: Path) -> None:
    parts = [word for name in ("mutations", "collections", "options", "pages") for word in ("--only", name)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, str(FOLDER / "attack.py"), "--calls", "100", *parts]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert "tracebacks 0, hangs 0, memory 0, inputs changed 0, half outputs 0, files left 0, exit codes 0" in last
    assert int(last.removeprefix("all: ").split()[0].replace(",", "")) > 1000
