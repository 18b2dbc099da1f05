"""--jobs gives the same result, and runs no Python file that lies in the current folder."""

from __future__ import annotations

import json
import random
import sys
from itertools import product
from pathlib import Path

import pytest

from cli.running import commands_with, karat, karat_here

EXAMPLES: dict[str, tuple[str, ...]] = {
    "score": ("key.jsonl", "runs.jsonl", "--judge", "nuggeteer", "--format", "jsonl"),
    "report": ("key.jsonl", "runs.jsonl", "--judge", "nuggeteer", "--made", "", "-o", "-"),
    "plot": ("leaderboard", "key.jsonl", "runs.jsonl", "--judge", "nuggeteer"),
    "judge": ("key.jsonl", "runs.jsonl", "--judge", "nuggeteer"),
    "compare": ("key.jsonl", "runs.jsonl", "--judge", "nuggeteer", "--format", "jsonl"),
    "plan": ("key.jsonl", "runs.jsonl", "--judge", "nuggeteer", "--format", "jsonl"),
    "stability": ("key.jsonl", "judgements.jsonl", "--format", "jsonl"),
    "validate": ("key.jsonl", "runs.jsonl", "judgements.jsonl", "--judge", "nuggeteer", "--format", "jsonl"),
    "nuggetize": ("texts.txt", "--format", "jsonl"),
    "draft-key": ("responses.jsonl",),
}
"""Of each command that has --jobs: a call that starts processes with it."""

TRAP = """
import sys
with open({marker!r}, "a") as marker:
    print(__name__, sys.orig_argv, file=marker)
"""
SHIM = """
import sys
if "-c" in sys.orig_argv:
    with open({marker!r}, "a") as marker:
        print(__name__, sys.orig_argv, file=marker)
with open({real!r}) as real:
    exec(compile(real.read(), {real!r}, "exec"))
"""
"""A trap that works like the real module, for a process that has the folder on its path by Python's own rule."""

OTHERS = ("sitecustomize", "usercustomize", "karat", "msgspec", "numpy", "scipy", "click", "spacy", "thinc", "cupy")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.chdir(folder)
    karat_here("demo", "--copy", ".")
    for name in ("key.jsonl", "runs.jsonl", "judgements.jsonl"):
        lines = Path(name).read_text().splitlines(keepends=True)
        # Few queries are enough for two processes; one judgement of the demo is broken on purpose.
        few = [line for line in lines if "suport" not in line and _query(line) in (None, "q1", "q2", "q3", "q4")]
        Path(name).write_text("".join(few))
    Path("texts.txt").write_text("".join(f"Wei fell in {year}.\n" for year in range(1900, 2030)))
    snippets = [{"snippet_id": str(at), "text": f"Lin Wei saw {at} birds in Kyoto."} for at in range(3)]
    response = {"kind": "response", "v": 1, "query_id": "q1", "run_id": "a", "snippets": snippets}
    Path("responses.jsonl").write_text(json.dumps(response) + "\n")
    return folder


def _query(line: str) -> object:
    row = json.loads(line)
    return row.get("query_id", row.get("topic_id"))


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "marker"


@pytest.fixture
def traps(data: Path, marker: Path) -> None:
    """A Python file for every module that could be asked for."""
    for name in (*sys.stdlib_module_names, *OTHERS):
        (data / f"{name}.py").write_text(TRAP.format(marker=str(marker)))


@pytest.fixture
def console_script(tmp_path: Path) -> tuple[str, str]:
    """What an installer makes of the entry point: its folder, and not the current one, is on the path."""
    script = tmp_path / "bin" / "karat"
    script.parent.mkdir()
    script.write_text("import sys\nfrom karat.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n")
    return sys.executable, str(script)


@pytest.mark.parametrize("command", commands_with("--jobs"))
def test_workers_run_nothing_from_the_current_folder_and_find_the_same(
    command: str, traps: None, marker: Path, console_script: tuple[str, str]
) -> None:
    assert command in EXAMPLES, f"karat {command} has --jobs: add a call that starts processes to EXAMPLES"
    alone = karat(command, *EXAMPLES[command], command=console_script)
    together = karat(command, *EXAMPLES[command], "--jobs", "2", command=console_script)
    assert not marker.exists(), marker.read_text()
    assert (together.code, alone.code) == (0, 0), together.err
    assert together.out == alone.out
    assert together.err == alone.err
    assert alone.out


def test_workers_of_python_m_start_with_nothing_from_the_current_folder(data: Path, marker: Path) -> None:
    # `python -m` itself has the folder on its path; its workers must not look there before they get that path.
    import threading

    (data / "threading.py").write_text(SHIM.format(marker=str(marker), real=threading.__file__))
    alone = karat("judge", *EXAMPLES["judge"])
    together = karat("judge", *EXAMPLES["judge"], "--jobs", "2")
    assert not marker.exists(), marker.read_text()
    assert (together.code, together.out) == (0, alone.out), together.err


def test_workers_of_a_python_program_run_nothing_from_the_current_folder(
    traps: None, marker: Path, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, karat\n"
        "if __name__ == '__main__':\n"
        "    found = karat.draft_key(karat.load('responses.jsonl'), jobs=2)\n"
        "    print(len(found.nuggets), os.environ.get('PYTHONSAFEPATH'))\n"
    )
    done = karat(command=(sys.executable, program))
    assert not marker.exists(), marker.read_text()
    assert done.code == 0, done.err
    nuggets, left = done.text.split()
    assert int(nuggets) > 0
    assert left == "None"


def test_digits_do_not_depend_on_the_number_of_processors(tmp_path: Path) -> None:
    """Libraries divide products of more than some 10,000 numbers among threads, and add up in another order."""
    draw = random.Random(1)
    with (tmp_path / "judged.jsonl").open("w") as file:
        for query, run in product(range(220), range(50)):
            row = {"v": 1, "query_id": f"q{query}", "nug_id": "n"}
            if run == 0:
                nug = row | {"kind": "nug", "descriptions": ["x"], "importance": "vital"}
                file.write(json.dumps(nug) + "\n")
            sure = round(draw.random(), 3)
            row |= {"kind": "judgement", "run_id": f"r{run}", "degree": float(sure > 0.5), "judge": "m", "status": "ok"}
            file.write(json.dumps(row | {"probabilities": {"1": sure, "0": 1 - sure}}) + "\n")
    call = ("compare", "judged.jsonl", "--baseline", "r3", "--measures", "strict_vital", "--format", "jsonl")
    one, two = (karat(*call, folder=tmp_path, env={"OPENBLAS_NUM_THREADS": threads}) for threads in ("1", "2"))
    assert one.code == 0, one.err
    assert one.out == two.out
