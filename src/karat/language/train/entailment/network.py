"""The cross-encoder in PyTorch: BERT with six layers (MiniLM) over premise and statement together, and two heads.

Devlin et al., BERT (NAACL 2019); Wang et al., MiniLM (NeurIPS 2020). It starts from the weights of all-MiniLM-L6-v2.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from karat.model.errors import require

Tensor = Any
WIDTH, INNER, LAYERS, HEADS = 384, 1536, 6, 12
DROPOUT = 0.0


class _Torch:
    """PyTorch, imported when it is first used: only training needs it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(require("torch", extra="train", purpose="Training the entailment model"), name)


torch: Any = _Torch()


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The arrays of a .safetensors file: a header of JSON with the places, then the numbers."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header, body = json.loads(content[8 : 8 + size]), content[8 + size :]
    types = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    return {
        name: torch.from_numpy(
            np.frombuffer(body[slice(*entry["data_offsets"])], dtype=types[entry["dtype"]])
            .reshape(entry["shape"])
            .copy()
        )
        for name, entry in header.items()
        if name != "__metadata__"
    }


def start_weights(path: Path, *, seed: int) -> dict[str, Tensor]:
    """The weights to begin with: those of the encoder, and two heads near zero."""
    weights = {name: value for name, value in read_safetensors(path).items() if "position_ids" not in name}
    generator = torch.Generator().manual_seed(seed)
    for head, ways in (("two", 1), ("three", 3), ("roles", 3)):
        weights[f"{head}.weight"] = 0.02 * torch.randn((ways, WIDTH), generator=generator)
        weights[f"{head}.bias"] = torch.zeros(ways)
    return weights


def encode(
    weights: dict[str, Tensor],
    ids: Tensor,
    segments: Tensor,
    mask: Tensor | None = None,
    *,
    dropout: float = 0.0,
    layers: list[Tensor] | None = None,
) -> Tensor:
    """One vector per pair: the last layer's [CLS], through the pooler. The mask is 1 where there is a token.

    What comes out of each layer is added to `layers`.
    """
    functional = torch.nn.functional
    positions = torch.arange(ids.shape[1])
    state = (
        functional.embedding(ids, weights["embeddings.word_embeddings.weight"])
        + functional.embedding(positions, weights["embeddings.position_embeddings.weight"])
        + functional.embedding(segments, weights["embeddings.token_type_embeddings.weight"])
    )
    state = _drop(_norm(weights, "embeddings.LayerNorm", state), dropout)
    bias = None if mask is None else (1.0 - mask[:, None, None, :].to(state.dtype)) * -10000.0
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        attended = _attend(weights, f"{name}.attention.self", state, bias)
        attended = _drop(_linear(weights, f"{name}.attention.output.dense", attended), dropout)
        state = _norm(weights, f"{name}.attention.output.LayerNorm", state + attended)
        inner = functional.gelu(_linear(weights, f"{name}.intermediate.dense", state))
        inner = _drop(_linear(weights, f"{name}.output.dense", inner), dropout)
        state = _norm(weights, f"{name}.output.LayerNorm", state + inner)
        if layers is not None:
            layers.append(state)
    return torch.tanh(_linear(weights, "pooler.dense", state[:, 0]))


def heads(weights: dict[str, Tensor], vector: Tensor) -> tuple[Tensor, Tensor]:
    """The logit of "entailed", and the three logits of entailed, neutral, contradicted."""
    return _linear(weights, "two", vector)[:, 0], _linear(weights, "three", vector)


def role_head(weights: dict[str, Tensor], state: Tensor) -> Tensor:
    """The logits of "neither", "does it" and "it is done to" for each token."""
    return _linear(weights, "roles", state)


def _attend(weights: dict[str, Tensor], name: str, state: Tensor, bias: Tensor | None) -> Tensor:
    rows, tokens, _ = state.shape

    def split(part: str) -> Tensor:
        return _linear(weights, f"{name}.{part}", state).reshape(rows, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)

    query, key, value = split("query"), split("key"), split("value")
    scores = torch.matmul(query, key.transpose(-1, -2)) / (WIDTH // HEADS) ** 0.5
    if bias is not None:
        scores = scores + bias
    mixed = torch.matmul(torch.softmax(scores, dim=-1), value)
    return mixed.transpose(1, 2).reshape(rows, tokens, WIDTH)


def _linear(weights: dict[str, Tensor], name: str, values: Tensor) -> Tensor:
    return torch.nn.functional.linear(values, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _norm(weights: dict[str, Tensor], name: str, values: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(values, (WIDTH,), weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-12)


def _drop(values: Tensor, dropout: float) -> Tensor:
    return torch.nn.functional.dropout(values, dropout) if dropout else values
