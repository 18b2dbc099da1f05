"""Made-up pairs about what a negation reaches: "A, not B", "neither", "failed to", "without", below "found that"."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

from karat.language.train.entailment.pairs import clauses, versions, words
from karat.language.train.entailment.pairs.roles import Cast
from karat.language.train.entailment.pairs.sets import Pair

_REPORTS = """
The study found that|The trial showed that|Researchers concluded that|The report says that|Officials confirmed that|
It turned out that|A survey in 2011 revealed that|The court noted that|Experts agree that|The authors write that|
According to the review,|As the data show,|In fact,|The police said that|Two later studies proved that
"""
_WITHOUT = """
surgery|help|a guide|a lawyer|drugs|training|a permit|oxygen|a map|electricity|outside funding|new software|
a vaccine|water|government support|a coach|weapons|insurance|teachers|machines
"""
_DEEDS = """
the patients recovered|most students passed|the team won|the climbers reached the top|the village survived|
the company grew|the crew finished|the project succeeded|the prisoner escaped|the workers left|
the farmers harvested the crop
"""
_FAILURES = ("failed to", "refused to", "was unable to", "was not allowed to", "decided not to", "never managed to")
_MOVES = (
    "{who} moved its headquarters from {start} to {end}",
    "{who} sent the goods from {start} to {end}",
    "{who} flew from {start} to {end}",
    "{who} relocated from {start} to {end}",
    "{who} left {start} for {end}",
)
"""After the last two, nobody is left where it began."""
_Made = tuple[str, list[str], list[str]]
"""A premise, statements that it entails, and statements that it contradicts."""


def scope_pairs(number: int, *, seed: int, found: Sequence[str] = ()) -> Iterator[Pair]:
    """Pairs of the kind scope, from word lists."""
    rng = random.Random(seed)  # noqa: S311 - made-up texts
    cast = Cast(rng, found)
    actions = words.verbs(words.ACTIONS)
    made = 0
    while made < number:
        verb = rng.choice(actions)
        dev = crc32(verb[0].encode()) % 9 == 0
        maker = rng.choice([_contrast, _contrast, _failed, _neither, _without, _moved])
        premise, true, false = maker(rng, cast, verb)
        if rng.random() < 0.35:
            premise = f"{rng.choice(words.listed(_REPORTS))} {premise}"
        premise = clauses.finished(premise)
        for texts, entailed in ((true, True), (false, False)):
            for text in rng.sample(texts, min(2, len(texts))):
                made += 1
                yield Pair(premise, clauses.finished(text), entailed, "scope", dev, 0 if entailed else 2)


def reported_pairs(sentences: Sequence[tuple[Any, bool]], *, seed: int) -> Iterator[Pair]:
    """Pairs of the kind scope, from parsed sentences: plain or negated below "The study found that ..."."""
    rng = random.Random(seed)  # noqa: S311 - made-up texts
    for sentence, dev in sentences:
        negated = [text for text in versions.negated(sentence, rng) if not text.startswith("It is")]
        if len(negated) < 2:
            continue
        own, (no, not_either) = clauses.finished(sentence.text), rng.sample(negated, 2)
        report = rng.choice(words.listed(_REPORTS))
        for given, same, other in ((own, own, no), (no, not_either, own)):
            premise = clauses.finished(f"{report} {clauses.lowered(given, sentence[0])}")
            yield Pair(premise, same, True, "scope", dev, 0)
            yield Pair(premise, other, False, "scope", dev, 2)


def _contrast(rng: random.Random, cast: Cast, verb: tuple[str, str, str]) -> _Made:
    first, second, third = cast.two(number=3)
    base, past, participle = verb
    premise = rng.choice(
        [
            f"{first}, not {second}, {past} {third}",
            f"{third} was {participle} by {first}, not {second}",
            f"it was {first} rather than {second} that {past} {third}",
            f"{first} {past} {third}, but {second} did not",
            f"{third} was {participle} by {first} and not by {second}",
            f"not {second} but {first} {past} {third}",
            f"unlike {second}, {first} {past} {third}",
        ]
    )
    true = [f"{first} {past} {third}", f"{third} was {participle} by {first}", f"{second} did not {base} {third}"]
    false = [f"{second} {past} {third}", f"{third} was {participle} by {second}", f"{first} did not {base} {third}"]
    return premise, true, false


def _failed(rng: random.Random, cast: Cast, verb: tuple[str, str, str]) -> _Made:
    first, second = cast.two()
    base, past, participle = verb
    did = [f"{first} {past} {second}", f"{second} was {participle} by {first}"]
    did_not = [f"{first} did not {base} {second}", f"{second} was not {participle} by {first}"]
    did_not.append(f"{first} never {past} {second}")
    if rng.random() < 0.4:
        return rng.choice([f"{first} managed to {base} {second}", f"{first} did indeed {base} {second}"]), did, did_not
    if rng.random() < 0.25:
        return f"{second} was never {participle} by {first}", did_not, did
    return f"{first} {rng.choice(_FAILURES)} {base} {second}", did_not, did


def _neither(rng: random.Random, cast: Cast, verb: tuple[str, str, str]) -> _Made:
    first, second, third = cast.two(number=3)
    base, past, participle = verb
    did = [f"{first} {past} {third}", f"{second} {past} {third}", f"{third} was {participle} by {first}"]
    did_not = [f"{first} did not {base} {third}", f"{second} did not {base} {third}"]
    did_not.append(f"{third} was not {participle} by {second}")
    if rng.random() < 0.4:
        return f"{rng.choice(['both ', ''])}{first} and {second} {past} {third}", did, did_not
    if rng.random() < 0.5:
        return f"neither {first} nor {second} {past} {third}", did_not, did
    return f"{third} was {participle} by neither {first} nor {second}", did_not, did


def _without(rng: random.Random, cast: Cast, verb: tuple[str, str, str]) -> _Made:
    deed, thing = rng.choice(words.listed(_DEEDS)), rng.choice(words.listed(_WITHOUT))
    who = " ".join(deed.split()[:2])
    having = [f"{deed} with {thing}", f"{who} used {thing}"]
    lacking = [f"{deed} without {thing}", f"{who} did not use {thing}", f"{who} did without {thing}"]
    if rng.random() < 0.5:
        return lacking[0], [*lacking, deed], [*having, f"{who} needed {thing}"]
    return rng.choice([having[0], f"{deed} with the use of {thing}"]), [*having, deed], lacking


def _moved(rng: random.Random, cast: Cast, verb: tuple[str, str, str]) -> _Made:
    who = cast.two()[0]
    start, end = rng.sample(words.PLACES, 2)
    form = rng.choice(_MOVES)
    true = [form.format(who=who, start=start, end=end)]
    false = [form.format(who=who, start=end, end=start)]
    if form in _MOVES[-2:]:
        true += [f"{who} moved to {end}", f"{who} is no longer in {start}"]
        false += [f"{who} moved to {start}", f"{who} came from {end}"]
    return true[0], true, false
