"""lint: mistakes in a key, its judgements and its runs, found before anyone scores with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from karat.evaluate.lint.annotation_rules import AnnotationRules
from karat.evaluate.lint.findings import CODES, Finding, Findings, Severity
from karat.evaluate.lint.judgement_rules import JudgementRules, lost_nugs
from karat.evaluate.lint.key_rules import lint_nugs, name_of, says_no_answer
from karat.evaluate.lint.revision_rules import RevisionRules
from karat.formats import open_inputs
from karat.formats.inputs.inputs import Inputs
from karat.formats.inputs.reading import Input
from karat.formats.io.rows import Batch
from karat.model import Judgement, Nug, Nugget, Problem, Response
from karat.model.identity import identity

__all__ = ["CODES", "Finding", "Findings", "lint", "lint_inputs"]


def lint(*inputs: Input, format: str | None = None) -> Findings:
    """All mistakes in files that belong together: a key, or a key with its judgements and runs.

    >>> import karat
    >>> [finding.code for finding in karat.lint(*karat.demo_files())]
    ['empty-answer', 'impossible-label', 'non-atomic-nug']
    """
    return Findings(lint_inputs(open_inputs(*inputs, format=format, on_error="skip")))


Keep = Callable[[object], bool]


def lint_inputs(inputs: Inputs, *, keep: Keep | None = None) -> Iterator[Finding]:
    """The findings: first those about single records, in the order of the files.

    keep: which records (and problems of reading) to look at, if not all.
    """
    yield from _Linter(inputs, keep).run()


def _batches(inputs: Inputs, keep: Keep | None) -> Iterator[Batch]:
    for batch in inputs.batches():
        if keep is None:
            yield batch
        elif kept := [position for position, record in enumerate(batch.records) if keep(record)]:
            yield _part(batch, kept)


def _part(batch: Batch, positions: Sequence[int]) -> Batch:
    """Some records of a batch, with their lines."""
    return Batch(
        [batch.records[position] for position in positions],
        [batch.lines[position] for position in positions],
        frozenset(new for new, position in enumerate(positions) if position in batch.repaired),
    )


class _Linter:
    def __init__(self, inputs: Inputs, keep: Keep | None) -> None:
        self.inputs = inputs
        self.keep = keep
        self.nugs: dict[str, dict[str, Nug]] = {}
        self.places: dict[tuple[str, str], tuple[str, int]] = {}
        self.key_file: dict[str, str] = {}
        self.nuggets: dict[tuple[str, str], tuple[str, int]] = {}
        self.answered: dict[str, dict[str, tuple[str, int | None]]] = {}
        """run -> query -> the place of its response"""
        self.judged_only: set[str] = set()
        self.annotations = AnnotationRules()
        self.revisions = RevisionRules()

    def run(self) -> Iterator[Finding]:
        inputs = self.inputs
        judgements = JudgementRules()
        for batch in _batches(inputs, self.keep):
            judgements.key_is_known = bool(inputs.definitions.nugs)
            if batch.holds_only(Judgement):
                yield from judgements.add(batch, inputs.file)
                continue
            yield from self._others(batch)
            judged = [position for position, record in enumerate(batch.records) if type(record) is Judgement]
            yield from judgements.add(_part(batch, judged), inputs.file)
        for reading in inputs.readings:
            for problem in reading.whole_problems():
                yield _from_problem(problem, "error")
        for problem in self._once(self._kept(inputs.problems)):
            yield _from_problem(problem, "error")
        for warning in self._kept(inputs.warnings):
            yield _from_problem(warning, "warning")
        vital_key = any(nug.importance is not None for nugs in self.nugs.values() for nug in nugs.values())
        for query_id, nugs in self.nugs.items():
            for own in _by_makers(nugs.values()):
                for nug, code, message in lint_nugs(own, vital_key=vital_key):
                    yield self._at(self.places[query_id, nug.nug_id], query_id, code, message)
        yield from self._membership()
        yield from self.annotations.findings()
        yield from self.revisions.findings()
        for query_id, run_id in sorted(judgements.responses):
            # If a run has only judgements, every judged query counts as answered.
            if run_id not in self.answered or run_id in self.judged_only:
                self.judged_only.add(run_id)
                self.answered.setdefault(run_id, {})[query_id] = (judgements.files[run_id], None)
        yield from self._coverage()
        suspects = judgements.repeats.repeated()
        short = judgements.short(self.nugs, repeats=bool(suspects))
        if suspects or short:
            yield from self._second_look(suspects, short)

    def _kept(self, problems: Sequence[Problem]) -> Sequence[Problem]:
        return problems if self.keep is None else [problem for problem in problems if self.keep(problem)]

    def _others(self, batch: Batch) -> Iterator[Finding]:
        for record, line in zip(batch.records, batch.lines, strict=True):
            place = (self.inputs.file, line)
            self.annotations.add(record, place)
            self.revisions.add(record, place)
            if isinstance(record, Nug):
                yield from self._nug(record, place)
            elif isinstance(record, Nugget):
                self.nuggets[record.query_id, record.nugget_id] = place
            elif isinstance(record, Response):
                self.answered.setdefault(record.run_id, {})[record.query_id] = place
                yield from self._answer(record, place)

    def _answer(self, response: Response, place: tuple[str, int]) -> Iterator[Finding]:
        text = " ".join(snippet.text for snippet in response.snippets).strip()
        if not text:
            message = f"run {response.run_id}: the answer is empty, so it contains no nug"
            yield self._at(place, response.query_id, "empty-answer", message)
        elif says_no_answer(text):
            message = f"run {response.run_id}: it only says that it has no answer: {text[:60]!r}"
            yield self._at(place, response.query_id, "no-answer", message)

    def _once(self, problems: Sequence[Problem]) -> Iterator[Problem]:
        """Judgement files repeat the labels of the key: a wrong label is reported only for the key."""
        reported: dict[tuple[str | None, str, str], str] = {}
        for problem in problems:
            field = problem.path.rpartition(".")[2]
            if field == "importance" and problem.query_id is not None:
                first = reported.setdefault((problem.query_id, field, problem.message), problem.file)
                if first != problem.file and first == self.key_file.get(problem.query_id):
                    continue
            yield problem

    def _nug(self, nug: Nug, place: tuple[str, int]) -> Iterator[Finding]:
        self.nugs.setdefault(nug.query_id, {})[nug.nug_id] = nug
        self.places[nug.query_id, nug.nug_id] = place
        key_file = self.key_file.setdefault(nug.query_id, self.inputs.given)
        if key_file != self.inputs.given:
            message = f"nug {nug.nug_id} {next(iter(nug.descriptions), '')!r} is not in the key {key_file}"
            yield self._at(place, nug.query_id, "added-nug", message)

    def _membership(self) -> Iterator[Finding]:
        members: set[tuple[str, str]] = set()
        sums: dict[tuple[object, ...], float] = {}
        for query_id, nugs in self.nugs.items():
            for nug in nugs.values():
                for member in nug.members:
                    members.add((query_id, member.nugget_id))
                    pair = (query_id, member.nugget_id, nug.assessor, nug.adjudicated)
                    sums[pair] = sums.get(pair, 0.0) + member.degree
                    # Reported once, when the sum first exceeds 1; a tiny excess is rounding.
                    if sums[pair] > 1 + 1e-9 >= sums[pair] - member.degree:
                        message = (
                            f"the degrees of nugget {member.nugget_id} sum to {sums[pair]:g}, which is more than 1"
                        )
                        yield self._at(self.places[query_id, nug.nug_id], query_id, "degree-sum", message)
        # Of a nugget and the one that revises it, only the latter belongs to a nug.
        placed = members.union(self.revisions.revised)
        for (query_id, nugget_id), place in self.nuggets.items():
            if query_id in self.nugs and (query_id, nugget_id) not in placed:
                yield self._at(place, query_id, "orphan-nugget", f"nugget {nugget_id} belongs to no nug")

    def _coverage(self) -> Iterator[Finding]:
        if not self.nugs:
            return
        for run_id, queries in self.answered.items():
            for query_id, place in queries.items():
                if query_id not in self.nugs:
                    message = f"run {run_id} has a response, but the key has no nugs for this query"
                    yield self._at(place, query_id, "uncovered-query", message)
            for query_id in self.nugs:
                if query_id not in queries:
                    message = f"the key has nugs, but run {run_id} has no response to this query"
                    nowhere = (next(iter(queries.values()))[0], None)
                    yield self._at(nowhere, query_id, "uncovered-query", message)

    def _second_look(self, suspects: frozenset[int], short: set[tuple[str, str]]) -> Iterator[Finding]:
        """Read the judgements once more: those that may appear twice, and responses that may lack some."""
        again = Inputs(self.inputs.readings, on_error="skip")
        seen: dict[tuple[Any, ...], tuple[str, int]] = {}
        judged: dict[tuple[str, str], set[str]] = {}
        places: dict[tuple[str, str], tuple[str, int]] = {}
        for batch in _batches(again, self.keep):
            for record, line in zip(batch.records, batch.lines, strict=True):
                if type(record) is not Judgement:
                    continue
                place, response = (again.file, line), (record.query_id, record.run_id)
                if record.snippet_id is None and response in short:
                    judged.setdefault(response, set()).add(record.nug_id)
                    places.setdefault(response, place)
                if hash(key := identity(record)) in suspects and (first := seen.setdefault(key, place)) is not place:
                    message = f"run {record.run_id}, nug {record.nug_id}: already judged in {first[0]}:{first[1]}"
                    yield self._at(place, record.query_id, "repeated-judgement", message)
        for (query_id, run_id), nug_ids in judged.items():
            for nug in lost_nugs(nug_ids, self.nugs[query_id]):
                message = f"run {run_id}: {name_of(nug)} is in the key but was not judged"
                yield self._at(places[query_id, run_id], query_id, "lost-nug", message)

    @staticmethod
    def _at(place: tuple[str, int | None], query_id: str, code: str, message: str) -> Finding:
        return Finding(file=place[0], line=place[1], query_id=query_id, code=code, message=message)


def _by_makers(nugs: Iterable[Nug]) -> list[list[Nug]]:
    """The nugs of each assessor, and the adjudicated ones: two people's nugs of a query say the same on purpose."""
    groups: dict[tuple[object, ...], list[Nug]] = {}
    for nug in nugs:
        groups.setdefault((nug.assessor, nug.adjudicated), []).append(nug)
    return [*groups.values()]


def _from_problem(problem: Problem, severity: Severity) -> Finding:
    """What stops other commands is an error, whatever its code; a note is none."""
    message = f"{problem.path}: {problem.message}" if problem.path else problem.message
    file = f"{problem.file}:{problem.sheet}" if problem.sheet else problem.file
    return Finding(
        file=file, line=problem.line or None, query_id=problem.query_id, code=problem.code, message=message,
        severity=severity,
    )  # fmt: skip
