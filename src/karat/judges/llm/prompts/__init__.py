"""Prompts: TOML files with a name and a version; what is in the file is in the signature by its hash."""

from __future__ import annotations

import hashlib
import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from string import Template

import msgspec

from karat.model import UnfitInput, UsageError

BLANKS = ("question", "text", "mark", "statements", "names")
"""What the judge fills into the system and user message."""
AGAIN = ("problem", "names")
NEEDED = ("text", "statements")
HOME = "src/karat/judges/llm/prompts"


class Prompt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words of a request; `$name` in them is filled in."""

    name: str
    version: str
    system: str
    user: str
    again: str
    """What is said after an answer that cannot be used; `$problem` says why."""
    quotes: bool = False
    """Whether the answer has a passage of the text with every label."""
    source: str = ""
    """The file that it comes from; empty for a prompt that comes with Karat."""
    digest: str = ""

    @property
    def signature(self) -> str:
        """`assign.1@0a1b2c3d`: name, version (or the user's file), and the beginning of the hash of the file."""
        return f"{self.source or f'{self.name}.{self.version}'}@{self.digest[:8]}"

    def messages(self, **values: str) -> tuple[dict[str, str], ...]:
        """What is said to the model first."""
        try:
            system, user = (Template(text).substitute(values).strip() for text in (self.system, self.user))
        except KeyError as blank:
            raise UsageError(f"prompt {self.name}: it is for something else: it needs ${blank.args[0]}") from None
        return {"role": "system", "content": system}, {"role": "user", "content": user}

    def repair(self, answer: str, **values: str) -> tuple[dict[str, str], ...]:
        """What is said after an answer that cannot be used."""
        again = Template(self.again).substitute(values).strip()
        return {"role": "assistant", "content": answer}, {"role": "user", "content": again}


@lru_cache
def load_prompt(name: str) -> Prompt:
    """A prompt that comes with Karat (`assign`), or the one of a file (`mine.toml`); also by its signature.

    >>> load_prompt("assign").name
    'assign'

    Raises:
        UsageError: there is no such prompt, the file is not a prompt, or it is not the one of the signature.
    """
    base, at, digest = name.partition("@")
    base = base.rpartition(".")[0] if at and not base.endswith(".toml") else base
    content = _content(base)
    try:
        prompt = msgspec.convert(tomllib.loads(content.decode()), Prompt)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UnfitInput(f"prompt {base}: {error}; see {HOME} for examples") from None
    _check_blanks(base, prompt)
    source = base if base.endswith(".toml") else ""
    prompt = msgspec.structs.replace(prompt, source=source, digest=hashlib.sha256(content).hexdigest())
    if at and not prompt.digest.startswith(digest):
        raise UsageError(
            f"prompt {name}: the prompt {base!r} is another one now ({prompt.signature}); choose prompt={base}, or "
            "install the version of Karat that has the old one"
        )
    return prompt


def _content(name: str) -> bytes:
    if name.endswith(".toml"):
        try:
            return Path(name).read_bytes()
        except OSError as error:
            raise UnfitInput(f"prompt {name}: {error.strerror or error}") from None
    folder = files("karat.judges.llm.prompts")
    names = sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))
    if name not in names:
        raise UsageError(f"no prompt is called {name!r}; choose from {', '.join(names)}, or name a file FILE.toml")
    return (folder / f"{name}.toml").read_bytes()


def _check_blanks(name: str, prompt: Prompt) -> None:
    for field in ("system", "user", "again"):
        template = Template(getattr(prompt, field))
        if not template.is_valid():
            raise UnfitInput(f"prompt {name}: {field}: a dollar sign that begins no name is written $$")
        known = AGAIN if field == "again" else BLANKS
        unknown = [blank for blank in template.get_identifiers() if blank not in known]
        # The prompts that come with Karat have other names where they ask something else.
        if unknown and name.endswith(".toml"):
            listed = ", ".join(f"${blank}" for blank in known)
            raise UnfitInput(f"prompt {name}: {field}: ${unknown[0]} is not one of {listed}")
    if name.endswith(".toml"):
        used = Template(prompt.system + prompt.user).get_identifiers()
        for blank in NEEDED:
            if blank not in used:
                raise UnfitInput(f"prompt {name}: ${blank} is missing, so that the model could not read it; see {HOME}")
