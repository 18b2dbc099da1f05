from __future__ import annotations

import re
from pathlib import Path

import karat
from karat.evaluate.lint import CODES


def test_every_code_that_the_program_gives_is_explained() -> None:
    source = Path(karat.__file__).parent
    used = {code for path in source.rglob("*.py") for code in re.findall(r'code="([a-z-]+)"', path.read_text("utf-8"))}
    assert len(used) > 40
    assert sorted(used - set(CODES)) == []
