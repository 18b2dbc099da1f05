"""The training loop: a mixture of kinds of pairs, buckets of like length, AdamW, bf16 where the processor has it."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from karat.language.train.entailment.network import DROPOUT, Tensor, encode, heads, role_head, torch
from karat.language.train.entailment.pairs.sets import Pair

BATCH = 32
_BUCKET = 64
"""Batches that are sorted by length together: little padding, and still mixed."""
_FROZEN = ("embeddings.word_embeddings", "embeddings.position_embeddings")
_ROLE_LAYER = 2
"""The layer (of 0 to 5) that must tell roles."""
_THREE = 0.25
"""The weight of the three-way loss beside the two-way one."""
_SHARE = 0.5
"""The share of entailed pairs that is drawn from a kind that has both."""


class Schedule(msgspec.Struct, frozen=True):
    """How long to train and how fast: a warm-up, then a straight line from `rate` to `last_rate`."""

    rate: float = 1e-4
    last_rate: float = 0.0
    warmup: int = 300
    """Steps."""
    seed: int = 1

    def rate_at(self, step: int, steps: int) -> float:
        """The learning rate of a step."""
        done = step / max(1, steps)
        return min(1.0, (step + 1) / self.warmup) * (self.rate + (self.last_rate - self.rate) * done)


def draw(
    pairs: Sequence[Pair], weights: dict[str, float], number: int, *, seed: int, longest: int = 1000
) -> Iterator[Pair]:
    """Pairs by kind and label: the kind by its weight, then entailed or not, then without repeats until all are used.

    Pairs of more than `longest` words are left out: short ones teach most for the time they take, and come first.
    """
    rng = random.Random(seed)  # noqa: S311 - a sample
    pools: dict[tuple[str, bool], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if not pair.dev and pair.kind in weights and len(pair.premise.split()) + len(pair.statement.split()) <= longest:
            pools[pair.kind, pair.entailed].append(pair)
    kinds = sorted({kind for kind, _ in pools})
    chances = [weights[kind] for kind in kinds]
    rest: dict[tuple[str, bool], list[Pair]] = {}
    for kind in rng.choices(kinds, chances, k=number):
        label = rng.random() < _SHARE
        pool = (kind, label) if (kind, label) in pools else (kind, not label)
        if not rest.get(pool):
            rest[pool] = rng.sample(pools[pool], len(pools[pool]))
        yield rest[pool].pop()


def batches(drawn: Sequence[Pair], tokenizer: Any, *, seed: int) -> Iterator[list[tuple[Pair, Any]]]:
    """Batches of pairs with their tokens; inside a bucket sorted by length, in random order."""
    rng = random.Random(seed)  # noqa: S311 - an order
    size = BATCH * _BUCKET
    for start in range(0, len(drawn), size):
        chunk = list(drawn[start : start + size])
        codes = tokenizer.encode_batch([(pair.premise, pair.statement) for pair in chunk])
        rows = sorted(zip(chunk, codes, strict=True), key=lambda row: len(row[1].ids))
        order = [rows[first : first + BATCH] for first in range(0, len(rows), BATCH)]
        rng.shuffle(order)
        yield from order


def tensors(codes: Sequence[Any]) -> tuple[Tensor, Tensor, Tensor]:
    """Token ids, segments and mask of a batch, padded to its longest pair."""
    width = max(len(code.ids) for code in codes)
    arrays = [np.zeros((len(codes), width), dtype=np.int64) for _ in range(3)]
    for row, code in enumerate(codes):
        for array, values in zip(arrays, (code.ids, code.type_ids, [1] * len(code.ids)), strict=True):
            array[row, : len(values)] = values
    ids, segments, mask = (torch.from_numpy(array) for array in arrays)
    return ids, segments, mask


def fit(
    weights: dict[str, Tensor],
    drawn: Sequence[Pair],
    *,
    tokenizer: Any,
    schedule: Schedule,
    half: bool = True,
    every: int = 200,
    report: Callable[[int, float], None] = lambda step, loss: None,
) -> dict[str, Tensor]:
    """Train the weights on the drawn pairs, in order; `report` is called every so many steps with the mean loss."""
    torch.manual_seed(schedule.seed)
    learned = {name: value for name, value in weights.items() if not name.startswith(_FROZEN)}
    for value in learned.values():
        value.requires_grad_(True)
    decayed = [value for name, value in learned.items() if name.endswith("weight") and "Norm" not in name]
    plain = [value for name, value in learned.items() if not (name.endswith("weight") and "Norm" not in name)]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
        lr=schedule.rate,
        fused=True,
    )
    steps, losses = -(-len(drawn) // BATCH), []
    for step, batch in enumerate(batches(drawn, tokenizer, seed=schedule.seed)):
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate_at(step, steps)
        layers: list[Tensor] = []
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            vector = encode(weights, *tensors([code for _, code in batch]), dropout=DROPOUT, layers=layers)
        loss = _loss(weights, vector.float(), [pair for pair, _ in batch]) + _role_loss(weights, layers, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned.values(), 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
        if (step + 1) % every == 0:
            report(step + 1, float(np.mean(losses[-every:])))
    return {name: value.detach() for name, value in weights.items()}


def _role_loss(weights: dict[str, Tensor], layers: Sequence[Tensor], batch: Sequence[tuple[Pair, Any]]) -> Tensor:
    """Tokens of a middle layer must tell who does it and to whom, so that the layers above can compare."""
    rows = [row for row, (pair, _) in enumerate(batch) if pair.agent]
    if not rows:
        return 0.0
    state = layers[_ROLE_LAYER][rows].float()
    wanted = np.full(state.shape[:2], -1, dtype=np.int64)
    for place, row in enumerate(rows):
        marks = role_marks(*batch[row])
        wanted[place, : len(marks)] = marks
    logits = role_head(weights, state)
    return torch.nn.functional.cross_entropy(
        logits.reshape(-1, 3), torch.from_numpy(wanted).reshape(-1), ignore_index=-1
    ) * (len(rows) / len(batch))


def role_marks(pair: Pair, code: Any) -> list[int]:
    """For each token 1 if it belongs to the one who does it, 2 to whom it is done, 0 if to neither."""
    marks = [0] * len(code.ids)
    for text, segment, swap in ((pair.premise, 0, False), (pair.statement, 1, not pair.entailed)):
        for name, mark in ((pair.agent, 2 if swap else 1), (pair.patient, 1 if swap else 2)):
            start = text.lower().find(name.lower())
            if start < 0:
                continue
            for token, ((begin, end), part) in enumerate(zip(code.offsets, code.sequence_ids, strict=True)):
                if part == segment and start <= begin < end <= start + len(name):
                    marks[token] = mark
    return marks


def _loss(weights: dict[str, Tensor], vector: Tensor, batch: Sequence[Pair]) -> Tensor:
    functional = torch.nn.functional
    two, three = heads(weights, vector)
    wanted = torch.tensor([float(pair.entailed) for pair in batch])
    loss = functional.binary_cross_entropy_with_logits(two, 0.97 * wanted + 0.015)
    ways = torch.tensor([pair.three_way for pair in batch])
    if bool((ways >= 0).any()):
        loss = loss + _THREE * functional.cross_entropy(three, ways, ignore_index=-1)
    return loss
