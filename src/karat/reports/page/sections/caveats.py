"""First what a reader must know before the numbers: what was missing, undefined, failed, or judged by a program."""

from __future__ import annotations

import re
from collections.abc import Iterable

from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.judges.registry import is_judge
from karat.model.wording import folded, number_of
from karat.reports.page.contents.gather import Contents
from karat.reports.page.sections.parts import Lines, Section, listed

WORDS = (
    "A run is what one system (or person) answered; the key says what a good answer contains. A nug is one piece of "
    "information of the key: vital (an answer must have it) or okay. A judge says to what degree an answer contains a "
    "nug: 0, in part, or 1.",
)
MOST_SKIPPED = 20
"""So many skipped parts of files are listed; the rest are counted."""


def section(contents: Contents, *, only: str | None = None) -> Section:
    """only: for a page that goes to this run's people; notes that name other runs, and names of files, are left out."""
    notes, dropped = _notes(contents, only)
    programs, people = _who(contents)
    notes = [*_unlabelled(programs, people), *(_skipped(contents) if only is None else _counted(contents)), *notes]
    table = contents.table
    queries = "one score per run" if table.query_ids == ("all",) else number_of(len(table.query_ids), "query")
    lead = f"{number_of(len(table.run_ids), 'run')}, {queries}; {_judges(contents, programs, people)}."
    if dropped:
        notes.append("notes that are about other runs, too, are left out here")
    lead += " Nothing was missing, undefined or failed." if not notes else " Read these notes before the numbers."
    return Section("caveats", "What to know first", lead, [Lines(notes)] if notes else [], WORDS)


def _notes(contents: Contents, only: str | None) -> tuple[list[str], int]:
    """The notes of judging, scoring and comparing, many of a kind as one, and how many were dropped.

    only: without those that name another run, unless they are about this one.
    """
    comparison = contents.comparison
    heard: list[Iterable[str]] = [
        (*contents.judged.notes, *contents.scoring.notes, *contents.scoring.interval_notes),
        () if comparison is None else (*comparison.notes, *comparison.interval_notes),
        [f"left out of this report: {what}" for what in contents.left_out],
    ]
    if only is None:
        return list(dict.fromkeys(note for notes in heard for note in folded(notes))), 0
    others = [run_id for run_id in contents.run_ids if run_id != only]
    named = re.compile("|".join(rf"(?<!\w){re.escape(run_id)}(?!\w)" for run_id in others) or r"(?!)")
    # Many notes of a kind are told as one, with the names of several runs: so others are left out before that.
    own = (f"run {only}: ", f"run {only}, ")
    asked = [list(notes) for notes in heard]
    kept = [[note for note in notes if note.startswith(own) or not named.search(note)] for notes in asked]
    dropped = sum(map(len, asked)) - sum(map(len, kept))
    return list(dict.fromkeys(note for notes in kept for note in folded(notes))), dropped


def _unlabelled(programs: list[str], people: list[str]) -> list[str]:
    """A clear word where a program judged alone."""
    if not programs or people:
        return []
    return [
        f"Only a program judged ({listed(programs)}), and no person's label says how often it is right here: take the "
        "scores as a guess until people have checked some of its judgements (`karat review`)."
    ]


def _skipped(contents: Contents) -> list[str]:
    problems = [f"skipped: {problem}" for problem in contents.problems]
    more = len(problems) - MOST_SKIPPED
    return [*problems[:MOST_SKIPPED], *([f"skipped: {more:,} more parts of the files"] if more > 0 else [])]


def _counted(contents: Contents) -> list[str]:
    many = len(contents.problems)
    return [f"{number_of(many, 'part')} of the files could not be used and {_was(many)} skipped"] if many else []


def _was(many: int) -> str:
    return "was" if many == 1 else "were"


def _judges(contents: Contents, programs: list[str], people: list[str]) -> str:
    if not contents.collection.judgements:
        return "the scores were given" if contents.cases is None else "nuggets were marked by people or programs"
    said = []
    if people:
        said.append(f"judged by {'a person' if len(people) == 1 else 'people'} ({listed(people)})")
    if programs:
        labels = "" if people else ", without labels by people"
        said.append(f"judged by the program {listed(programs)}{labels}")
    return " and ".join(said)


def _who(contents: Contents) -> tuple[list[str], list[str]]:
    """The programs and the people that judged. A judge that gives probabilities is a program."""
    programs, people = set(), set()
    for judgement in contents.collection.judgements:
        if is_uncertain(judgement) or (judgement.assessor is None and is_judge(judgement.judge)):
            programs.add(judgement.judge)
        elif contents.judged.given is None:
            people.add(judgement.assessor or judgement.judge)
    # Where a program judged here, what it reused has its name: the names of the people are in what was given to it.
    for judgement in () if contents.judged.given is None else contents.judged.given.judgements:
        if not is_uncertain(judgement) and (judgement.assessor is not None or not is_judge(judgement.judge)):
            people.add(judgement.assessor or judgement.judge)
    return sorted(programs), sorted(people)
