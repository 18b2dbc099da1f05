"""The wheel works where nothing of development is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KARAT"))}
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        list(map(str, command)), capture_output=True, text=True, env=environment, **options
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", folder, ROOT)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("karat-*.whl")
    venv.create(folder / "venv", with_pip=True)
    binaries = folder / "venv" / "bin"
    done = run(binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    assert done.returncode == 0, done.stderr
    return binaries


def test_demo_lint_and_convert_run_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    demo = run(installed / "karat", "demo", "--copy", "demo", cwd=tmp_path)
    assert demo.returncode == 0, demo.stderr
    assert "librarian" in demo.stdout
    lint = run(installed / "karat", "lint", "demo/key.jsonl", cwd=tmp_path)
    assert lint.returncode in (0, 1), lint.stderr
    bank = run(
        installed / "karat", "convert", "demo/key.jsonl", "--to", "nuggetizer-bank", "-o", "b.jsonl", cwd=tmp_path
    )
    assert bank.returncode == 0, bank.stderr
    assert len((tmp_path / "b.jsonl").read_text().splitlines()) == 12
    listed = run(installed / "karat", "data", cwd=tmp_path)
    assert "trec-rag-2024" in listed.stdout


def test_the_wheel_brings_no_development_tools(installed: Path) -> None:
    code = (
        "import importlib.util as u; print([n for n in ('pytest', 'hypothesis', 'sklearn', 'spacy') if u.find_spec(n)])"
    )
    assert run(installed / "python", "-c", code).stdout.strip() == "[]"
