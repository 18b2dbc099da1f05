"""How good a role model is: its arguments of gold predicates (exact span and label), and the predicates it finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from karat.language.analysis import Argument, Predicate
from karat.language.roles.labeller import RoleModel
from karat.language.train.propbank import Example

_SENTENCES_AT_ONCE = 64


class Tally(msgspec.Struct, frozen=True):
    """Counts: right answers, answers given and answers wanted."""

    right: int
    given: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.right / self.given if self.given else float("nan")

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else float("nan")

    @property
    def f1(self) -> float:
        """2 right / (given + wanted)"""
        return 2 * self.right / (self.given + self.wanted) if self.given + self.wanted else float("nan")


class RoleScores(msgspec.Struct, frozen=True):
    """Scores for the arguments of gold predicates; the predicate itself is not counted."""

    overall: Tally
    verbs: Tally
    nominals: Tally
    by_label: dict[str, Tally]


class PredicateScores(msgspec.Struct, frozen=True):
    """Scores for finding predicates, without auxiliaries; `nominals` are neither VERB nor AUX."""

    overall: Tally
    verbs: Tally
    nominals: Tally


def score_roles(examples: Sequence[Example], *, model: RoleModel) -> RoleScores:
    """Scores of arguments: span and label must both be right. `verbs`: predicates whose gold tag is that of a verb."""
    right: Counter[str] = Counter()
    given: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    kinds = {True: [0, 0, 0], False: [0, 0, 0]}
    for example, predicates in _labelled(examples, model):
        for gold_predicate, predicate in zip(example.gold_predicates, predicates, strict=True):
            arguments = set(predicate.arguments)
            _count(right, arguments & gold_predicate.arguments)
            _count(given, arguments)
            _count(wanted, gold_predicate.arguments)
            sums = kinds[gold_predicate.verbal]
            sums[0] += len(arguments & gold_predicate.arguments)
            sums[1] += len(arguments)
            sums[2] += len(gold_predicate.arguments)
    labels = sorted(wanted, key=lambda label: (-wanted[label], label))
    return RoleScores(
        overall=Tally(right.total(), given.total(), wanted.total()),
        verbs=Tally(*kinds[True]),
        nominals=Tally(*kinds[False]),
        by_label={label: Tally(right[label], given[label], wanted[label]) for label in labels},
    )


def score_predicates(examples: Sequence[Example], *, model: RoleModel) -> PredicateScores:
    """Scores of finding predicates. Auxiliary verbs do not count as predicates, although the data lists them."""
    sums = {False: [0, 0, 0], True: [0, 0, 0]}
    for some in _batches(examples):
        for example, positions in zip(some, model.find_predicates([example.sentence for example in some]), strict=True):
            gold = {
                gold_predicate.position for gold_predicate in example.gold_predicates if not gold_predicate.auxiliary
            }
            predicted = set(positions)
            for nominal, counts in sums.items():
                tokens = {t.index for t in example.sentence.tokens if (t.pos not in ("VERB", "AUX")) is nominal}
                counts[0] += len(predicted & gold & tokens)
                counts[1] += len(predicted & tokens)
                counts[2] += len(gold & tokens)
    both = [left + right for left, right in zip(sums[False], sums[True], strict=True)]
    return PredicateScores(overall=Tally(*both), verbs=Tally(*sums[False]), nominals=Tally(*sums[True]))


def _labelled(examples: Sequence[Example], model: RoleModel) -> Iterable[tuple[Example, tuple[Predicate, ...]]]:
    for some in _batches(examples):
        positions = [[gold_predicate.position for gold_predicate in example.gold_predicates] for example in some]
        yield from zip(some, model.label([example.sentence for example in some], positions), strict=True)


def _batches(examples: Sequence[Example]) -> Iterable[Sequence[Example]]:
    return (examples[start : start + _SENTENCES_AT_ONCE] for start in range(0, len(examples), _SENTENCES_AT_ONCE))


def _count(counter: Counter[str], arguments: Iterable[Argument]) -> None:
    counter.update(argument.label for argument in arguments)
