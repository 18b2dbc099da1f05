"""Run the commands of the tutorials, and write what they print into the pages.

python docs/tutorials.py         writes the pages (`make docs` does it, too)
tests/test_tutorials.py          fails if a command prints something else than its page shows

A tutorial is docs/tutorial-*.md. Its ```console blocks have commands (`$ ` before the first line, `> ` before the
further lines of one command), each followed by what it prints on a terminal of 80 columns without colour. All commands
of a page run one after the other in one folder, which is empty at first. `<!-- needs: MODULE ... -->` before a block
names the modules of an extra that its commands need: where one is missing, the block stays as it is.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
WIDTH = 80
BLOCK = re.compile(r"(?:<!-- needs: (?P<needs>[\w ]+) -->\n)?```console\n(?P<body>.*?)```\n", re.DOTALL)
SECRETS = (re.compile(r"(?<=/invitation/)[\w-]+"), re.compile(r"(?<=password )[\w-]{10,}"))
"""What is drawn at random, and so is another one on every machine: shown as dots."""


class Step(NamedTuple):
    """A command as it stands in a page, and what the page says that it prints."""

    shown: str
    output: str

    @property
    def command(self) -> str:
        """What the shell gets: without the marks of the prompt."""
        return re.sub(r"^[$>] ?", "", self.shown, flags=re.MULTILINE)


def pages() -> list[Path]:
    return sorted(DOCS.glob("tutorial-*.md"))


def steps_of(body: str) -> Iterator[Step]:
    """The commands of a block with their outputs."""
    for shown, output in re.findall(r"(^\$ .*\n(?:^> ?.*\n)*)((?:^(?!\$ ).*\n)*)", body, re.MULTILINE):
        yield Step(shown, output)


def regenerate(text: str, folder: Path) -> Iterator[tuple[Step, str]]:
    """Every command of a page that can run here, and what it prints now."""
    for block in BLOCK.finditer(text):
        if not missing(block["needs"]):
            for step in steps_of(block["body"]):
                yield step, run(step.command, folder)


def missing(needs: str | None) -> list[str]:
    """The modules among those needed that are not installed."""
    return [name for name in (needs or "").split() if importlib.util.find_spec(name) is None]


def rewritten(text: str, folder: Path) -> str:
    """The page with what its commands print now."""

    def block(found: re.Match[str]) -> str:
        if missing(found["needs"]):
            return found[0]
        body = "".join(step.shown + run(step.command, folder) for step in steps_of(found["body"]))
        return found[0][: found.start("body") - found.start()] + body + "```\n"

    return BLOCK.sub(block, text)


def run(command: str, folder: Path) -> str:
    """What a command prints on a terminal, and a last line with its exit code where that is not 0."""
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    process = subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL,
        stdout=terminal, stderr=terminal, start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    printed = b""
    while piece := _read(screen):
        printed += piece
    os.close(screen)
    code = process.wait()
    lines = [_as_shown(line) for line in re.split(r"\r*\n", printed.decode())]
    text = "\n".join(lines).strip("\n")
    ending = f"[exit code {code}]" if code else ""
    return "".join(f"{part}\n" for part in (text, ending) if part)


def _environment(folder: Path) -> dict[str, str]:
    """The same on every machine, with a `karat` and a `python` that are those of this program."""
    programs = folder.parent / f"{folder.name}-programs"
    programs.mkdir(exist_ok=True)
    for name, words in (("karat", "-m karat"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', "utf-8")
        (programs / name).chmod(0o755)
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "COVERAGE_PROCESS_START") if name in os.environ}
    return kept | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(programs), "USER": "you", "TZ": "UTC",
        "LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": str(WIDTH), "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1", "KARAT_CONFIG": "off",
    }  # fmt: skip


def _read(screen: int) -> bytes:
    try:
        return os.read(screen, 65536)
    except OSError:  # the command has ended, and nobody writes to the terminal any more
        return b""


def _as_shown(line: str) -> str:
    """A line as it stands on the screen at the end: without what was written over, broken where it is too long."""
    line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line.rpartition("\r")[2]).rstrip()
    for secret in SECRETS:
        line = secret.sub("...", line)
    is_table = re.search(r"\S {2,}\S|\u2500", line)
    if len(line) <= WIDTH or is_table:
        # How far a progress bar comes before the line is written over depends on the machine.
        return "" if re.fullmatch(r"\w[\w ]* +\[#*-*\] +\d+%.*", line) else line
    return "\n".join(textwrap.wrap(line, WIDTH, break_on_hyphens=False))


def main() -> int:
    for page in pages():
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "work"
            folder.mkdir()
            page.write_text(rewritten(page.read_text("utf-8"), folder), "utf-8")
            sys.stderr.write(f"{page.name} is written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
