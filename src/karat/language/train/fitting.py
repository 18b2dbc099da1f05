"""Training of the network: cross-entropy over candidate spans (their labels) and over tokens (predicate or not)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from karat.language.roles.features import SentenceArrays, pair_rows, sentence_arrays, token_rows
from karat.language.roles.lexicon import Lexicon
from karat.language.roles.network import Floats
from karat.language.train.network import Dropout, encode_tokens, label_scores, new_weights, predicate_chances, torch
from karat.language.train.propbank import Example

SENTENCES_AT_ONCE = 32
RATE, WARM_UP, DECAY, LONGEST = 2.5e-3, 300, 1e-5, 150
AVERAGED = 0.998
"""The final weights are a running mean; this is the share that the old mean keeps at every step."""


class Prepared(msgspec.Struct, frozen=True):
    """An example in numbers."""

    arrays: SentenceArrays
    positions: tuple[int, ...]
    gold: tuple[dict[tuple[int, int], int], ...]
    """For each predicate: its spans and the numbers of their labels."""
    is_predicate: Floats
    counts: Floats
    """1 if it is known whether the token is a predicate, otherwise 0."""
    corpus: int


def prepare(example: Example, lexicon: Lexicon) -> Prepared:
    """An example in numbers; rare labels count as no argument."""
    numbers = {label: number for number, label in enumerate(lexicon.labels)}
    tokens = example.sentence.tokens
    is_predicate = np.zeros(len(tokens), dtype=np.float32)
    is_predicate[[predicate.position for predicate in example.gold_predicates if not predicate.auxiliary]] = 1
    known = [not example.verbs_only or token.pos in ("VERB", "AUX") for token in tokens]
    return Prepared(
        arrays=sentence_arrays(tokens, lexicon),
        positions=tuple(predicate.position for predicate in example.gold_predicates),
        gold=tuple(
            {
                (argument.start_token, argument.end_token): numbers.get(argument.label, 0)
                for argument in predicate.arguments
            }
            for predicate in example.gold_predicates
        ),
        is_predicate=is_predicate,
        counts=np.array(known, dtype=np.float32),
        corpus=int(example.verbs_only),
    )


def fit_roles(
    examples: Sequence[Example],
    *,
    lexicon: Lexicon,
    vectors: Floats,
    epochs: int,
    seed: int,
    after_epoch: Callable[[int, float, dict[str, Floats]], None],
) -> dict[str, Floats]:
    """The weights learned from examples; `after_epoch` gets the epoch, its mean loss and the mean weights so far."""
    weights = new_weights(lexicon, vectors=vectors, seed=seed)
    learned = {name: weight for name, weight in weights.items() if weight.requires_grad}
    means = {name: weight.detach().clone() for name, weight in learned.items()}
    ready = [prepare(example, lexicon) for example in examples if len(example.sentence.tokens) <= LONGEST]
    optimizer = torch.optim.AdamW(learned.values(), lr=RATE, weight_decay=DECAY, betas=(0.9, 0.98))
    shuffle, drop = np.random.default_rng(seed), Dropout(seed=seed)
    steps, step = epochs * math.ceil(len(ready) / SENTENCES_AT_ONCE), 0
    for epoch in range(epochs):
        order, total = shuffle.permutation(len(ready)), 0.0
        for start in range(0, len(order), SENTENCES_AT_ONCE):
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP) * (1 - step / steps)
            some = [ready[number] for number in order[start : start + SENTENCES_AT_ONCE]]
            loss = _loss(some, lexicon, weights, drop)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned.values(), 5.0)
            optimizer.step()
            total += loss.item() * len(some)
            step += 1
            share = min(AVERAGED, step / (step + 10))
            for name, mean in means.items():
                mean.lerp_(learned[name].detach(), 1 - share)
        after_epoch(epoch, total / len(ready), _exported(means, vectors))
    return _exported(means, vectors)


def _loss(some: Sequence[Prepared], lexicon: Lexicon, weights: dict[str, Any], drop: Any) -> Any:
    rows = token_rows([example.arrays for example in some])
    hidden = encode_tokens(rows, weights, drop)
    counts = torch.from_numpy(np.concatenate([[0], *(example.counts for example in some)]).astype(np.float32))
    truth = torch.from_numpy(np.concatenate([[0], *(example.is_predicate for example in some)]).astype(np.float32))
    chances = predicate_chances(hidden, weights)
    losses = torch.nn.functional.binary_cross_entropy_with_logits(chances, truth, weight=counts, reduction="sum")
    targets = [
        (example.arrays, start, at)
        for example, start in zip(some, rows.starts, strict=True)
        for at in example.positions
    ]
    if targets:
        pairs = pair_rows(targets, lexicon)
        gold = [labels for example in some for labels in example.gold]
        wanted = [
            labels.get((first, end), 0)
            for labels, spans in zip(gold, pairs.spans, strict=True)
            for first, end in spans[:, :2].tolist()
        ]
        corpora = np.array([example.corpus for example in some for _ in example.positions])
        scores = label_scores(hidden, pairs, corpora, weights, drop)
        losses = losses + torch.nn.functional.cross_entropy(scores, torch.tensor(wanted), reduction="sum")
    return losses / 100


def _exported(means: dict[str, Any], vectors: Floats) -> dict[str, Floats]:
    """The weights as plain arrays, with the corpus embedding of EWT added in, because it is used for all text."""
    arrays: dict[str, Floats] = {name: mean.numpy().copy() for name, mean in means.items()}
    arrays["seen.b"] = arrays["seen.b"] + arrays.pop("corpus")[0]
    arrays["word"] = vectors
    return arrays
