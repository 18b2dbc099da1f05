"""The small collection that comes with Karat: a key, judgements and runs, one judgement broken on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class DemoFiles(NamedTuple):
    """The paths of the three files."""

    key: Path
    judgements: Path
    runs: Path


def demo_files() -> DemoFiles:
    """The files of the small collection that comes with Karat, to try things on.

    One line of the judgements is broken on purpose: read them with on_error="skip".

    >>> import karat
    >>> [path.name for path in karat.demo_files()]
    ['key.jsonl', 'judgements.jsonl', 'runs.jsonl']
    """
    folder = Path(__file__).parent
    return DemoFiles(folder / "key.jsonl", folder / "judgements.jsonl", folder / "runs.jsonl")
