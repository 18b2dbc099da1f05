"""The name of a result: a hash of everything that it was made from, the code included."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import karat

SIZE = 32
"""Bytes of a name. Half of it is what a result is found by, the other half is never written down (see `store`)."""
_PACKAGE = Path(karat.__file__).parent


def name_of(*parts: str | bytes) -> bytes:
    """A name that is another one wherever a part is; the parts ("a", "bc") and ("ab", "c") have different names.

    >>> name_of("a", "bc") == name_of("ab", "c")
    False
    """
    digest = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        content = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.digest()


@lru_cache
def code_name(places: tuple[str, ...], libraries: tuple[str, ...]) -> bytes:
    """What a result depends on besides its texts: files of Karat (code, weights), and the versions of libraries.

    places: folders and files in Karat, such as "judges/semantic". All of it is read: a version number would be the same
    after an edit of the code.
    """
    parts: list[str | bytes] = [karat.__version__, platform.machine(), platform.python_version()]
    for file in _files(places):
        parts += [str(file.relative_to(_PACKAGE)), file.read_bytes()]
    for library in libraries:
        try:
            parts.append(f"{library} {metadata.version(library)}")
        except metadata.PackageNotFoundError:
            parts.append(library)
    return name_of(*parts)


def _files(places: Iterable[str]) -> list[Path]:
    found: set[Path] = set()
    for place in places:
        path = _PACKAGE / place
        inside = path.rglob("*") if path.is_dir() else [path]
        found |= {file for file in inside if file.is_file() and file.suffix != ".pyc"}
    return sorted(found)
