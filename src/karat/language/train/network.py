"""The network of roles/network.py in PyTorch, so that it can be trained. Names and formulas are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.language.roles.features import DISTANCES, WIDTHS, PairRows, TokenRows
from karat.language.roles.lexicon import AFFIX_BUCKETS, FARTHEST, LEMMA_BUCKETS, SHAPES, WORD_FIELDS, Lexicon
from karat.language.roles.network import PAIR_LAYERS, PLACES, TOKEN_LAYERS, Floats
from karat.language.roles.spans import KINDS
from karat.model.errors import require

Tensor = Any
HIDDEN, VECTOR, PREDICATE = 128, 96, 48
"""The widths of the hidden layers, the word vectors and the embeddings of predicates."""
DROPOUT = 0.1
CORPORA = 2


class _Torch:
    """PyTorch, imported when it is first used: only training needs it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)  # Tools that inspect objects ask for such names; do not import torch for them.
        return getattr(require("torch", extra="train", purpose="Training the role model"), name)


torch: Any = _Torch()


def new_weights(lexicon: Lexicon, *, vectors: Floats, seed: int) -> dict[str, Tensor]:
    """Random weights to begin with; the word vectors are given and are not trained."""
    generator = torch.Generator().manual_seed(seed)
    tables = {
        "lemma": (LEMMA_BUCKETS, 32),
        "suffix": (AFFIX_BUCKETS, 16),
        "prefix": (AFFIX_BUCKETS, 16),
        "tag": (len(lexicon.tags) + 1, 24),
        "dep": (len(lexicon.deps) + 1, 24),
        "ent": (len(lexicon.ents) + 1, 12),
        "shape": (SHAPES, 4),
        "predicate": (len(lexicon.predicates) + 1, PREDICATE),
        "path": (len(lexicon.steps) + FARTHEST + 2, HIDDEN),
        "distance": (DISTANCES, HIDDEN),
        "kind": (KINDS, HIDDEN),
        "width": (WIDTHS, HIDDEN),
        "corpus": (CORPORA, HIDDEN),
    }
    weights = {name: 0.1 * torch.randn(shape, generator=generator) for name, shape in tables.items()}
    field_width = VECTOR + sum(tables[name][1] for name in WORD_FIELDS)
    linear = {"input": (field_width, HIDDEN), "seen": (HIDDEN + PREDICATE, HIDDEN), "token": (HIDDEN, HIDDEN)}
    linear |= {f"token{layer}": (4 * HIDDEN, HIDDEN) for layer in range(TOKEN_LAYERS)}
    linear |= {f"pair{layer}": (4 * HIDDEN, HIDDEN) for layer in range(PAIR_LAYERS)}
    linear |= dict.fromkeys((*PLACES, "mean"), (HIDDEN, HIDDEN))
    linear |= {
        "span": (HIDDEN + PREDICATE, HIDDEN),
        "label": (HIDDEN, len(lexicon.labels)),
        "is_predicate": (HIDDEN, 1),
    }
    for name, (inputs, outputs) in linear.items():
        weights[f"{name}.w"] = (2 * torch.rand((inputs, outputs), generator=generator) - 1) / inputs**0.5
        if name not in (*PLACES, "mean", "token"):
            weights[f"{name}.b"] = torch.zeros(outputs)
        if name in ("input", "seen") or name[-1].isdigit():
            weights[f"{name}.scale"], weights[f"{name}.shift"] = torch.ones(outputs), torch.zeros(outputs)
    for weight in weights.values():
        weight.requires_grad_()
    weights["word"] = torch.from_numpy(vectors)
    return weights


class Dropout:
    """Dropout with masks cut from one long random row; new random masks would cost a fifth of the training time."""

    def __init__(self, *, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.row = (torch.rand(1 << 24, generator=generator) >= DROPOUT).float() / (1 - DROPOUT)
        self.places = np.random.default_rng(seed)

    def __call__(self, values: Tensor) -> Tensor:
        size = values.numel()
        start = int(self.places.integers(0, max(1, len(self.row) - size)))
        return values * self.row[start : start + size].view(values.shape)


def encode_tokens(rows: TokenRows, weights: dict[str, Tensor], drop: Any) -> Tensor:
    """Part 1 of the network: a vector for every token."""
    fields = torch.from_numpy(rows.fields)
    parts = [weights["word"].index_select(0, torch.from_numpy(rows.words))]
    parts += [_look_up(weights[name], fields[:, column]) for column, name in enumerate(WORD_FIELDS)]
    hidden = torch.relu(drop(torch.cat(parts, 1)) @ weights["input.w"] + weights["input.b"])
    hidden = _norm(hidden, weights, "input")
    for layer in range(TOKEN_LAYERS):
        hidden = _mix(hidden, rows.neighbours, weights, f"token{layer}", drop)
    return hidden


def predicate_chances(hidden: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """The log-odds that each token is a predicate."""
    return (hidden @ weights["is_predicate.w"] + weights["is_predicate.b"])[:, 0]


def label_scores(hidden: Tensor, pairs: PairRows, corpora: Any, weights: dict[str, Tensor], drop: Any) -> Tensor:
    """Parts 2 and 3: scores of spans x labels. `corpora`: the corpus of each predicate, because annotation differs."""
    known = drop(_look_up(weights["predicate"], pairs.predicate_ids))
    predicates = torch.cat([_rows(hidden, pairs.predicate_rows), known], 1)
    seen = predicates @ weights["seen.w"] + weights["seen.b"] + _look_up(weights["corpus"], corpora)
    seen = _rows(seen, pairs.predicates) + _rows(hidden @ weights["token.w"], pairs.token_rows)
    seen = seen + _look_up(weights["path"], pairs.paths) + _look_up(weights["distance"], pairs.distances)
    seen = _norm(torch.relu(drop(seen)), weights, "seen")
    for layer in range(PAIR_LAYERS):
        seen = _mix(seen, pairs.neighbours, weights, f"pair{layer}", drop)
    summed = torch.cumsum(seen @ weights["mean.w"], 0)
    first, last = pairs.span_places[:2]
    lengths = torch.from_numpy(pairs.span_lengths).unsqueeze(1)
    spans = (_rows(summed, last) - _rows(summed, first - 1)) / lengths
    for place, rows in zip(PLACES, pairs.span_places, strict=True):
        spans = spans + _rows(seen @ weights[f"{place}.w"], rows)
    spans = spans + _look_up(weights["kind"], pairs.span_kinds) + _look_up(weights["width"], pairs.span_widths)
    spans = spans + _rows(predicates @ weights["span.w"] + weights["span.b"], pairs.span_predicates)
    return drop(torch.relu(spans)) @ weights["label.w"] + weights["label.b"]


def _look_up(table: Tensor, rows: Any) -> Tensor:
    return torch.nn.functional.embedding(torch.as_tensor(rows), table)


def _rows(values: Tensor, rows: Any) -> Tensor:
    return values.index_select(0, torch.from_numpy(rows))


def _mix(hidden: Tensor, neighbours: Any, weights: dict[str, Tensor], name: str, drop: Any) -> Tensor:
    beside = torch.cat([hidden, *(_rows(hidden, rows) for rows in neighbours)], 1)
    return _norm(hidden + drop(torch.relu(beside @ weights[f"{name}.w"] + weights[f"{name}.b"])), weights, name)


def _norm(values: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    scale, shift = weights[f"{name}.scale"], weights[f"{name}.shift"]
    normed = torch.nn.functional.layer_norm(values, (values.shape[1],), scale, shift)
    return torch.cat([torch.zeros_like(normed[:1]), normed[1:]])
