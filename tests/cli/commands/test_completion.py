from __future__ import annotations

import pytest

from cli.running import karat, karat_here


def complete(words: str, position: int) -> list[str]:
    env = {"_KARAT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    return [line.partition(",")[2] for line in karat(env=env).lines]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_for_each_shell(shell: str) -> None:
    shown = karat_here("completion", shell)
    assert (shown.code, shown.err) == (0, "")
    assert f"_KARAT_COMPLETE={shell}_complete" in shown.text


def test_commands_and_formats_are_completed() -> None:
    assert complete("karat s", 1) == ["score", "stability", "serve", "show", "schema"]
    assert complete("karat convert --to nuggetizer-b", 3) == ["nuggetizer-bank"]
