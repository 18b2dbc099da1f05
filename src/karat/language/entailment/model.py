"""The entailment model at run time: a file of ONNX, the tokenizer of the encoder it came from, numpy.

P(entailed) = sigmoid(w . tanh(pooler([CLS]))) of BERT over "[CLS] premise [SEP] statement [SEP]", six layers of width
384 (Devlin et al., NAACL 2019; Wang et al., MiniLM, NeurIPS 2020). How it was trained and what it reaches is in
weights/README.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.engines.cache import code_name, current_cache, name_of
from karat.language.encoder import load_runtime, open_session
from karat.language.wordpieces import TOKENIZER_FILE, load_tokenizer, readable
from karat.model.errors import UsageError

WEIGHTS = Path(__file__).parent / "weights" / "model.onnx"
MOST_TOKENS = 160
"""Tokens of a pair. A longer premise is cut at its end; the statement is what is judged and is kept."""
MOST_STATEMENT = 96
"""Tokens of a statement; what comes after them is not read."""
DECIMALS = 4
"""Digits of a probability. Processors may differ in the sixth."""

_KIND = "readings"
"""Their kind in the cache."""
_TOGETHER = 50
"""How many probabilities are kept together."""
_PURPOSE = "Noticing contradictions (the entailment model)"


class EntailmentModel:
    """A loaded model. It gives the same probability for a pair whatever other pairs are asked with it."""

    def __init__(self, session: Any, tokenizer: Any, version: str) -> None:
        self.version = version
        """Name and checksum of the weights, for signatures."""
        self._session, self._tokenizer = session, tokenizer
        self._start, self._end = (tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))

    def probabilities(self, premises: Sequence[str], statements: Sequence[str]) -> NDArray[np.float32]:
        """P(the premise entails the statement) for each pair, rounded to four decimals.

        A premise should be one to three sentences, a statement one sentence. Equal pairs are computed once. Pairs are
        run one by one, so that no pair's result depends on the others; on a processor a batch is no faster.
        """
        if len(premises) != len(statements):
            raise ValueError(f"{len(premises)} premises, but {len(statements)} statements")
        pairs = list(zip(premises, statements, strict=True))
        wanted = list(dict.fromkeys(pairs))
        found = self._kept(wanted)
        missing = [pair for pair in wanted if pair not in found]
        codes = self._codes({text for pair in missing for text in pair})
        for start in range(0, len(missing), _TOGETHER):
            made = {
                pair: self._probability(codes[pair[0]], codes[pair[1]]) for pair in missing[start : start + _TOGETHER]
            }
            self._keep(made)
            found |= made
        return np.array([found[pair] for pair in pairs], dtype=np.float32)

    def _kept(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
        """What the cache has."""
        if (cache := current_cache()) is None:
            return {}
        names = {pair: name_of(self._name, *pair) for pair in pairs}
        kept = cache.get(_KIND, list(names.values()))
        return {
            pair: int.from_bytes(kept[name], "little") / 10**DECIMALS for pair, name in names.items() if name in kept
        }

    def _keep(self, made: dict[tuple[str, str], float]) -> None:
        if (cache := current_cache()) is not None:
            as_bytes = {pair: round(value * 10**DECIMALS).to_bytes(2, "little") for pair, value in made.items()}
            cache.put(_KIND, {name_of(self._name, *pair): value for pair, value in as_bytes.items()})

    @cached_property
    def _name(self) -> bytes:
        """What a probability depends on besides the pair, for the cache."""
        code = code_name(("language/entailment/model.py", "language/wordpieces.py"), ("onnxruntime", "tokenizers"))
        return name_of(self.version, TOKENIZER_FILE.sha256, code)

    def _codes(self, texts: set[str]) -> dict[str, list[int]]:
        ordered = sorted(texts)
        encoded = self._tokenizer.encode_batch(list(map(readable, ordered)), add_special_tokens=False)
        return {text: code.ids for text, code in zip(ordered, encoded, strict=True)}

    def _probability(self, premise: list[int], statement: list[int]) -> float:
        statement = statement[:MOST_STATEMENT]
        premise = premise[: MOST_TOKENS - 3 - len(statement)]
        ids = np.array([[self._start, *premise, self._end, *statement, self._end]], dtype=np.int64)
        segments = np.zeros_like(ids)
        segments[0, len(premise) + 2 :] = 1
        (probability,) = self._session.run(None, {"ids": ids, "segments": segments})
        return round(float(probability[0]), DECIMALS)


def load_entailment(path: Path | None = None, *, threads: int = 1) -> EntailmentModel:
    """The model that comes with Karat, or another file of the same kind; loaded once per process.

    Raises:
        MissingExtra: the optional libraries are not installed.
        UsageError: the file is not there.
    """
    return _load(WEIGHTS if path is None else Path(path), threads)


@cache
def _load(path: Path, threads: int) -> EntailmentModel:
    onnxruntime = load_runtime(_PURPOSE)
    tokenizer = load_tokenizer()
    if not path.is_file():
        raise UsageError(f"{path}: there is no entailment model here")
    content = path.read_bytes()
    # The weights are stored as bytes and computed with as floats: turned into floats once, when the file is loaded.
    session = open_session(onnxruntime, content, threads, disable_quant_qdq="1")
    return EntailmentModel(session, tokenizer, f"entailment-{hashlib.sha256(content).hexdigest()[:8]}")
