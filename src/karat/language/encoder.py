"""Texts as vectors of their words: the frozen MiniLM encoder of the semantic extra, and a bounded memory of results.

A text is cut into word pieces, the encoder gives each piece a vector that depends on the words around it, and a word
has the mean of its pieces:

    v(word) = normalised(mean of its pieces - centre)

The centre, the mean vector of all words of a training sample, is taken off because all vectors share it: without it
every two words are alike. A word's vector depends on its own text only, never on what is encoded with it.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from karat.engines.cache import code_name, name_of
from karat.language.encoded_text import SIZE, EncodedText, Vectors, content_spans, kept_or_made, plain_word
from karat.language.wordpieces import (
    ENCODER_FILE,
    EXTRA,
    PURPOSE,
    TOKENIZER_FILE,
    load_tokenizer,
    packaged,
    readable,
)
from karat.model.errors import require

if TYPE_CHECKING:
    from tokenizers import Encoding

PIECES = 254
"""The most word pieces that are encoded together; a longer text is encoded in parts."""
BATCH = 4
"""How many texts of like length are encoded together; more is not faster on one core."""
REMEMBERED = 128 << 20
"""How many bytes of vectors are remembered."""


class Encoder:
    """MiniLM, which stays in memory; texts that were encoded lately are not encoded again."""

    def __init__(self, *, threads: int = 1, remembered: int = REMEMBERED) -> None:
        runtime = load_runtime(PURPOSE)
        self._tokenizer = load_tokenizer()
        self._first, self._last = (int(self._tokenizer.token_to_id(name) or 0) for name in ("[CLS]", "[SEP]"))
        self._session = open_session(runtime, str(packaged(ENCODER_FILE)), threads)
        self._centre = load_centre()
        self._seen: OrderedDict[str, EncodedText] = OrderedDict()
        self._bytes, self._limit = 0, remembered

    def encode(self, texts: Iterable[str]) -> dict[str, EncodedText]:
        """Every different text with its vectors."""
        wanted = list(dict.fromkeys(texts))
        encoded = {text: self._seen[text] for text in wanted if text in self._seen}
        for text in encoded:
            self._seen.move_to_end(text)
        missing = [text for text in wanted if text not in encoded]
        for text, found in kept_or_made(missing, self._encoded, lambda: self.name).items():
            encoded[text] = found
            self._remember(text, found)
        return encoded

    @cached_property
    def name(self) -> bytes:
        """What its vectors depend on besides the text, for the cache.

        The vectors of one sentence are part of it: processors and versions of the runtime may differ in the last bits.
        """
        [sentence] = self._encoded(["Which of 12 doctors saw the patient, and when?"])
        places = ("language/encoder.py", "language/encoded_text.py", "language/wordpieces.py", "text/words.py")
        code = code_name(places, ("onnxruntime", "tokenizers", "numpy"))
        files = ENCODER_FILE.sha256, TOKENIZER_FILE.sha256
        return name_of(code, *files, self._centre.tobytes(), sentence.vectors.tobytes(), sentence.whole.tobytes())

    def _remember(self, text: str, found: EncodedText) -> None:
        self._seen[text] = found
        self._bytes += found.size + len(text)
        while self._bytes > self._limit and len(self._seen) > 1:
            old, dropped = self._seen.popitem(last=False)
            self._bytes -= dropped.size + len(old)

    def _encoded(self, texts: Sequence[str]) -> list[EncodedText]:
        encodings = self._tokenizer.encode_batch(list(map(readable, texts)), add_special_tokens=False)
        parts = [
            (at, begin, encoding.ids[begin : begin + PIECES])
            for at, encoding in enumerate(encodings)
            for begin in range(0, len(encoding.ids), PIECES)
        ]
        states: list[list[NDArray[np.float32]]] = [[] for _ in texts]
        placed: dict[tuple[int, int], NDArray[np.float32]] = {}
        # Texts of like length together: padding costs as much as text.
        parts.sort(key=lambda part: len(part[2]))
        for start in range(0, len(parts), BATCH):
            batch = parts[start : start + BATCH]
            for (at, begin, _), state in zip(batch, self._run([ids for _, _, ids in batch]), strict=True):
                placed[at, begin] = state
        for at, begin in sorted(placed):
            states[at].append(placed[at, begin])
        return [self._pooled(*entry) for entry in zip(texts, encodings, states, strict=True)]

    def _run(self, batch: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        longest = max(map(len, batch)) + 2
        ids = np.zeros((len(batch), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces) + 2] = [self._first, *pieces, self._last]
            mask[row, : len(pieces) + 2] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        [states] = self._session.run(None, given)
        return [states[row, 1 : len(pieces) + 1] for row, pieces in enumerate(batch)]

    def _pooled(self, text: str, encoding: Encoding, states: Sequence[NDArray[np.float32]]) -> EncodedText:
        """The pieces of each content word together."""
        spans = content_spans(text)
        words = tuple(plain_word(text[start:end]) for start, end in spans)
        if not states:
            return EncodedText(words[:0], np.zeros((0, SIZE), np.float16), np.zeros(SIZE, np.float16))
        vectors = np.concatenate(states)
        offsets = np.array(encoding.offsets, np.int64).reshape(-1, 2)
        # The pieces of a word follow each other: those that end after its start, up to those that begin before its end.
        begins = np.searchsorted(offsets[:, 1], [start for start, _ in spans], side="right")
        ends = np.searchsorted(offsets[:, 0], [end for _, end in spans], side="left")
        kept = ends > begins
        sums = np.concatenate([np.zeros((1, SIZE), np.float32), np.cumsum(vectors, axis=0, dtype=np.float64)])
        begins, ends = begins[kept], ends[kept]
        means = (sums[ends] - sums[begins]) / (ends - begins)[:, None] - self._centre
        return EncodedText(
            tuple(word for word, keep in zip(words, kept.tolist(), strict=True) if keep),
            _normalised(means),
            _normalised(vectors.mean(axis=0, dtype=np.float64)[None] - self._centre)[0],
        )


def products(left: NDArray[np.floating[Any]], right: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """The matrix product, computed in double precision.

    The last digits of a product depend on the sizes of both matrices, and so on which texts are judged together. Of
    single precision they sometimes reach the fourth digit of a score.
    """
    return np.asarray(left.astype(np.float64) @ right.astype(np.float64), np.float32)


@lru_cache
def load_encoder() -> Encoder:
    """The encoder of this process.

    Raises:
        MissingExtra: the semantic extra is not installed.
    """
    return Encoder()


def load_runtime(purpose: str) -> Any:
    """onnxruntime, without its telemetry.

    Since 1.31 it reports its use from every system, and leaves a file `.ses` among temporary files, unless this
    variable is set before it is loaded; the function that turns telemetry off comes too late.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return require("onnxruntime", extra=EXTRA, purpose=purpose)


def open_session(runtime: Any, model: str | bytes, threads: int, **entries: str) -> Any:
    """An ONNX model (its path or its content) on the processor, with a fixed number of threads that do not spin.

    entries: further entries of the session's configuration, without the leading `session.`.
    """
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # On processors without VNNI, products of 8-bit numbers would be cut off at 16 bits.
    for name, value in {"x64quantprecision": "1", **entries}.items():
        options.add_session_config_entry(f"session.{name}", value)
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@lru_cache
def load_centre() -> NDArray[np.float32]:
    """The mean vector of a word."""
    centre: NDArray[np.float32] = np.load(BytesIO((files("karat.language") / "encoder_centre.npy").read_bytes()))
    return centre.astype(np.float32)


def _normalised(vectors: NDArray[np.floating[Any]]) -> Vectors:
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    normalised: Vectors = (vectors / np.maximum(lengths, 1e-9)).astype(np.float16)
    return normalised
