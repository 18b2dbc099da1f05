"""Labels: whose judgements count as people's, in the files at hand and in known files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from karat.judges.human.known_files import is_same_text, known_apart
from karat.judges.human.known_judgements import KnownJudgements
from karat.judges.registry import is_judge
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES
from karat.model import Collection, Judgement, Response, UsageError
from karat.model.wording import number_of

KNOWN = "known"
"""Marks a program's judgement that repeats what people said (a field of its `extra`)."""


def by_people(collection: Collection, *, labels: str | None = None) -> Collection:
    """The collection without the judgements of programs; judgements that programs took over from people stay.

    labels: the judge (or several, with commas) whose judgements are people's; "all" takes all judges that are not
    programs. A judge that is ever unsure (gives probabilities other than 0 and 1) is a program, whatever its name.

    Raises:
        UsageError: several judges could be people and none was chosen, or no judge has the name.
    """
    return _kept(collection, label_judges(collection.judgements, labels))


def label_judges(judgements: Iterable[Judgement], labels: str | None) -> frozenset[str]:
    """The names of the judges whose judgements count as people's."""
    judgements = [judgement for judgement in judgements if KNOWN not in judgement.extra]
    names = dict.fromkeys(judgement.judge for judgement in judgements)
    if labels is not None and labels != ALL_JUDGES:
        asked = [labels] if labels in names else labels.split(",")
        for name in asked:
            if name not in names:
                choices = f"choose from {', '.join(names)} or {ALL_JUDGES}" if names else "there are no judgements"
                raise UsageError(f"--labels {name!r}: no judgement is by this judge; {choices}")
        return frozenset(asked)
    unsure = {
        judgement.judge
        for judgement in judgements
        if any(0.0 < share < 1.0 for share in judgement.probabilities.values())
    }
    people = [name for name in names if name not in unsure and not is_judge(name)]
    if labels is None and len(people) > 1:
        raise UsageError(
            f"the judgements of {len(people)} judges could be people's ({', '.join(people)}); choose one with "
            f"--labels NAME, or use all of them with --labels {ALL_JUDGES}"
        )
    return frozenset(people)


def label_notes(judges: Iterable[str]) -> tuple[str, ...]:
    """A note that says whose judgements count as people's."""
    names = ", ".join(repr(name) for name in sorted(judges))
    many = len(frozenset(judges)) > 1
    return (f"labels: {'judges' if many else 'judge'} {names} count{'' if many else 's'} as people's",) if names else ()


def _kept(collection: Collection, judges: frozenset[str]) -> Collection:
    return Collection(
        record
        for record in collection
        if not isinstance(record, Judgement) or KNOWN in record.extra or record.judge in judges
    )


@dataclass(frozen=True)
class People:
    """What people said in the files at hand (`here`) and in known files (`apart`), each with its responses and nugs."""

    here: Collection
    apart: Collection
    """The judged responses of the known files; empty where there are no known files."""
    pool: list[Response]
    """All responses, without repeats."""
    notes: tuple[str, ...]

    @cached_property
    def labels(self) -> Cases | None:
        """What the files at hand say about their responses."""
        return _cases(self.here)

    @cached_property
    def labels_apart(self) -> Cases | None:
        """What the known files say about their responses."""
        return _cases(self.apart)

    def known(self) -> KnownJudgements:
        """Everything that was said, by text."""
        known = KnownJudgements(self.here.nugs, self.here.responses, self.here.judgements)
        known.add(self.apart.nugs, self.apart.responses, self.apart.judgements)
        return known

    def taught(self) -> Collection:
        """The judged runs of both; where both have a response, the one of the files at hand."""
        judged = {judgement.run_id for judgement in self.here.judgements}
        responses = [response for response in self.here.responses if response.run_id in judged]
        cells = {(response.query_id, response.run_id) for response in responses}
        nugs = {(nug.query_id, nug.nug_id) for nug in self.here.nugs}
        queries = {query.query_id: query for query in (*self.here.queries, *self.apart.queries)}
        return Collection(
            [
                *queries.values(),
                *responses,
                *(response for response in self.apart.responses if (response.query_id, response.run_id) not in cells),
                *self.here.nugs,
                *(nug for nug in self.apart.nugs if (nug.query_id, nug.nug_id) not in nugs),
            ]
        )


def people_of(collection: Collection, *, known: Collection | None = None, labels: str | None = None) -> People:
    """What people said in a collection and in known files. labels: see `by_people`."""
    known = known or Collection()
    judges = label_judges([*collection.judgements, *known.judgements], labels)
    here = _kept(collection, judges)
    notes = list(label_notes(judges))
    notes += _program_notes(known, judges)
    apart = known_apart(here, _kept(known, judges), notes=notes)
    responses = {(response.query_id, response.run_id): response for response in collection.responses}
    others = [
        response
        for response in known.responses
        if (twin := responses.get((response.query_id, response.run_id))) is None or not is_same_text(response, twin)
    ]
    return People(here, apart, [*collection.responses, *others], tuple(notes))


def _program_notes(known: Collection, people: frozenset[str]) -> list[str]:
    others = Counter(
        judgement.judge
        for judgement in known.judgements
        if KNOWN not in judgement.extra and judgement.judge not in people
    )
    return [
        f"{number_of(count, 'known judgement')} by {name!r} left out: not people's (see --labels)"
        for name, count in others.items()
    ]


def _cases(body: Collection) -> Cases | None:
    return Cases(body, missing="skip", judge=ALL_JUDGES) if body.judgements else None
