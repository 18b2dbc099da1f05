"""What people said: whose judgements count as people's, and of which texts they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from karat.judges.human.known import KnownJudgements
from karat.judges.human.known_files import is_same_text, known_apart
from karat.judges.registry import is_judge
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES
from karat.model import Collection, Judgement, Response, UsageError
from karat.model.wording import number_of

KNOWN = "known"
"""Marks a program's judgement that repeats what people said (a field of its `extra`)."""


def by_people(collection: Collection, *, labels: str | None = None) -> Collection:
    """The collection without what programs judged; what they took over from people stays.

    labels: the judge (or several, with commas) whose judgements are people's; "all" takes those of everybody who is no
    program together. A judge that is ever unsure (gives probabilities other than 0 and 1) is a program, too, whatever
    its name.

    Raises:
        UsageError: several judges could be people and none was chosen, or nobody has the name.
    """
    return _kept(collection, label_judges(collection.judgements, labels))


def label_judges(judgements: Iterable[Judgement], labels: str | None) -> frozenset[str]:
    """The names of the judges whose judgements count as people's."""
    judgements = [one for one in judgements if KNOWN not in one.extra]
    names = dict.fromkeys(one.judge for one in judgements)
    if labels is not None and labels != ALL_JUDGES:
        asked = [labels] if labels in names else labels.split(",")
        for one in asked:
            if one not in names:
                choices = f"choose from {', '.join(names)} or {ALL_JUDGES}" if names else "there are no judgements"
                raise UsageError(f"no judgement is by {one!r}, whose labels are asked for; {choices}")
        return frozenset(asked)
    unsure = {one.judge for one in judgements if any(0.0 < share < 1.0 for share in one.probabilities.values())}
    found = [name for name in names if name not in unsure and not is_judge(name)]
    if labels is None and len(found) > 1:
        raise UsageError(
            f"the judgements of {len(found)} judges could be people's ({', '.join(found)}); say whose are with "
            f"--labels NAME, or take them together with --labels {ALL_JUDGES}"
        )
    return frozenset(found)


def label_notes(judges: Iterable[str]) -> tuple[str, ...]:
    """Who was taken for people."""
    names = ", ".join(repr(name) for name in sorted(judges))
    many = len(frozenset(judges)) > 1
    return (f"labels: {'judges' if many else 'judge'} {names} count{'' if many else 's'} as people's",) if names else ()


def _kept(collection: Collection, judges: frozenset[str]) -> Collection:
    return Collection(
        one for one in collection if not isinstance(one, Judgement) or KNOWN in one.extra or one.judge in judges
    )


@dataclass(frozen=True)
class People:
    """What people said, in the files at hand and in known ones: two bodies, each of its own responses and nugs."""

    here: Collection
    apart: Collection
    """What the known files say; empty where there are none."""
    pool: list[Response]
    """All responses, each once."""
    notes: tuple[str, ...]

    @cached_property
    def labels(self) -> Cases | None:
        """What is said of the responses at hand, in the files at hand."""
        return _cases(self.here)

    @cached_property
    def labels_apart(self) -> Cases | None:
        return _cases(self.apart)

    def known(self) -> KnownJudgements:
        """All that was said, by text."""
        found = KnownJudgements(self.here.nugs, self.here.responses, self.here.judgements)
        found.add(self.apart.nugs, self.apart.responses, self.apart.judgements)
        return found

    def taught(self) -> Collection:
        """The judged runs of both bodies; of a response that both have, that of the files at hand."""
        judged = {one.run_id for one in self.here.judgements}
        responses = [one for one in self.here.responses if one.run_id in judged]
        cells = {(one.query_id, one.run_id) for one in responses}
        nugs = {(one.query_id, one.nug_id) for one in self.here.nugs}
        return Collection(
            [
                *({one.query_id: one for one in (*self.here.queries, *self.apart.queries)}.values()),
                *responses,
                *(one for one in self.apart.responses if (one.query_id, one.run_id) not in cells),
                *self.here.nugs,
                *(one for one in self.apart.nugs if (one.query_id, one.nug_id) not in nugs),
            ]
        )


def people_of(collection: Collection, *, known: Collection | None = None, labels: str | None = None) -> People:
    """What people said in a collection and, apart from it, in known files. labels: see `by_people`."""
    known = known or Collection()
    judges = label_judges([*collection.judgements, *known.judgements], labels)
    here = _kept(collection, judges)
    notes = list(label_notes(judges))
    notes += _program_notes(known, judges)
    apart = known_apart(here, _kept(known, judges), notes=notes)
    texts = {(one.query_id, one.run_id): one for one in collection.responses}
    others = [
        one
        for one in known.responses
        if (twin := texts.get((one.query_id, one.run_id))) is None or not is_same_text(one, twin)
    ]
    return People(here, apart, [*collection.responses, *others], tuple(notes))


def _program_notes(known: Collection, people: frozenset[str]) -> list[str]:
    others = Counter(one.judge for one in known.judgements if KNOWN not in one.extra and one.judge not in people)
    return [
        f"{number_of(count, 'known judgement')} by {name!r}, not people's: not used" for name, count in others.items()
    ]


def _cases(body: Collection) -> Cases | None:
    return Cases(body, missing="skip", judge=ALL_JUDGES) if body.judgements else None
