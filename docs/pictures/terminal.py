"""Make the pictures of the terminal that the pages show: python docs/pictures/terminal.py

Commands run on the bundled demo in a terminal of 100 columns, and what they print becomes an SVG that needs no font and
nothing else from outside.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

FOLDER = Path(__file__).parent
WIDTH = 100
PICTURES = {
    "explain.svg": "karat explain key.jsonl runs.jsonl --query q1 --run birch",
}
"""Per picture the command whose output it shows."""
MOST_LINES = 22

SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px;
line-height: {line_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def terminal_output(command: str, folder: Path) -> str:
    """What the command prints in a terminal, without its progress bar."""
    main_end, terminal = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    words = [sys.executable, "-m", *command.split()]
    process = subprocess.Popen(words, cwd=folder, stdout=terminal, stderr=subprocess.DEVNULL, env=environment)
    os.close(terminal)
    output = b""
    while True:
        try:
            piece = os.read(main_end, 65536)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        output += piece
    process.wait()
    return output.decode().replace("\r\n", "\n").rpartition("\r")[2]


def picture(command: str, folder: Path) -> str:
    """The command and the first lines of what it prints, as an SVG."""
    lines = terminal_output(command, folder).strip("\n").splitlines()
    console = Console(record=True, width=WIDTH + 2, file=open(os.devnull, "w"), force_terminal=True)
    console.print(Text(f"$ {command}\n", style="bold"))
    console.print(Text.from_ansi("\n".join(lines[:MOST_LINES])), no_wrap=True, crop=False)
    if len(lines) > MOST_LINES:
        console.print(Text("..."))
    return console.export_svg(title="karat", code_format=SVG, unique_id="karat")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "karat", "demo", "--copy", folder], check=True, capture_output=True)
        for name, command in PICTURES.items():
            (FOLDER / name).write_text(picture(command, Path(folder)), "utf-8")


if __name__ == "__main__":
    main()
