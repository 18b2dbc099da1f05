"""`cascade(lexical,semantic,llm,human)`: each judge decides where it is sure; only what is uncertain moves on.

A level is sure of a judgement where the probability of full containment, by its calibration from other collections, is
at most 1 - sure or at least sure. The raw score of a pair is the log-odds of that probability by the last level that
was asked about it, so that calibration, intervals, `validate` and `explain` work as for any other judge. The last level
may be `human`: nothing judges there, and what is still uncertain is listed for a person (`karat judge --ask FILE`).

A level that fails on a pair (an LLM that gives no usable answer) leaves it as the level before judged it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from karat.engines import Track
from karat.judges.base import Judge, Matcher, Matches, Scores, Task
from karat.judges.calibration.priors import prior_calibration
from karat.judges.cascade.merged import merged
from karat.judges.pairs import match_tasks
from karat.model import UsageError
from karat.model.wording import number_of

HUMAN = "human"
SURE = 0.85
"""Chosen on REALSumm, where `lexical` then decides 41 % of the judgements, 11 % of them wrong."""
TINY = 1e-4


def _calls_note(level: Judge, asked: Sequence[NDArray[np.bool_]], of_texts: Sequence[NDArray[np.bool_]]) -> str | None:
    """What is saved at a level whose calls cost something. of_texts: all pairs that it could be asked about."""
    calls, of_all = (sum(map(level.calls, pairs)) for pairs in (asked, of_texts))
    if not of_all:
        return None
    count = sum(int(pairs.sum()) for pairs in asked)
    return (
        f"{level.name}: {number_of(calls, 'call')} about {number_of(count, 'judgement')}; about all of them it would "
        f"have been {of_all:,}"
    )


class Cascade(Judge, frozen=True, kw_only=True):
    """Several judges, the cheapest first."""

    levels: tuple[Judge, ...] = ()
    asks_people: bool = False
    sure: float = SURE

    def __post_init__(self) -> None:
        if len(self.levels) + self.asks_people < 2:
            raise UsageError("cascade: name two levels or more, the cheapest first, such as cascade(lexical,human)")
        for level in self.levels:
            if isinstance(level, Cascade) or level.credits_scores or level.reads_known:
                raise UsageError(f"cascade: {level.name} cannot be a level; choose from lexical, semantic, llm, ...")
        if not 0.5 < self.sure < 1:
            raise UsageError(f"cascade: sure={self.sure:g} is not a probability between 0.5 and 1")

    @property
    def name(self) -> str:
        return "cascade"

    def __str__(self) -> str:
        names = [str(level) for level in self.levels] + [HUMAN] * self.asks_people
        return f"{self.name}({','.join([*names, f'sure={self.sure:g}'])})"

    @property
    def reads_idf(self) -> bool:
        return any(level.reads_idf for level in self.levels)

    @property
    def works_together(self) -> bool:
        return True

    def settings(self) -> dict[str, str]:
        names = [str(level) for level in self.levels] + [HUMAN] * self.asks_people
        return {"levels": ">".join(names), "sure": f"{self.sure:g}"}

    def level_names(self) -> list[str]:
        """The names of the levels that judge."""
        return [level.name for level in self.levels]

    def matcher(self, task: Task) -> Matcher:
        """The words are those of the first level: every level looks at the same texts."""
        return self.levels[0].matcher(task)

    def match(self, task: Task) -> Matches:
        return next(iter(self.match_together([task])))

    def match_together(self, tasks: Sequence[Task], *, track: Track | None = None, jobs: int = 1) -> Iterator[Matches]:
        """Level by level: what is uncertain after a level is asked of the next."""
        held = [
            _as_log_odds(matches, self.levels[0])
            for matches in match_tasks(tasks, self.levels[0], track=track, jobs=jobs)
        ]
        of_texts = [_with_text(matches) for matches in held]
        for number, level in enumerate(self.levels[1:], start=1):
            open_pairs = [
                _uncertain(matches.scores, self.sure) & has_text & (True if task.asked is None else task.asked)
                for task, matches, has_text in zip(tasks, held, of_texts, strict=True)
            ]
            wanted = [at for at, open_of_task in enumerate(open_pairs) if open_of_task.any()]
            rows = {at: np.flatnonzero(open_pairs[at].any(axis=1)) for at in wanted}
            narrowed = [_narrowed(tasks[at], open_pairs[at], rows[at]) for at in wanted]
            if note := _calls_note(level, open_pairs, of_texts):
                held[0] = replace(held[0], notes=(*held[0].notes, note))
            failed = 0
            for at, matches in zip(wanted, match_tasks(narrowed, level, track=track, jobs=jobs), strict=True):
                found = _as_log_odds(matches, level)
                asked = open_pairs[at][rows[at]]
                failed += int((asked & np.isnan(found.scores)).sum())
                held[at] = merged(held[at], found, rows=rows[at], asked=asked, level=number)
            if failed and held:
                note = (
                    f"{level.name} gave no usable answer on {number_of(failed, 'judgement')}: they stay as the level "
                    "before judged them"
                )
                held[0] = replace(held[0], notes=(*held[0].notes, note))
        yield from held


def parse_cascade(name: str) -> Cascade:
    """The cascade with this name: `cascade(lexical,llm(model=m),human,sure=0.9)`."""
    from karat.judges.registry import parse_judge

    _, bracket, inside = name.strip().partition("(")
    parts = _parts(inside.removesuffix(")")) if bracket else []
    if not parts or not name.strip().endswith(")"):
        raise UsageError("cascade: name its levels in brackets, the cheapest first, such as cascade(lexical,human)")
    levels: list[Judge] = []
    sure = SURE
    for at, part in enumerate(parts):
        if part.startswith("sure="):
            if any(other.startswith("sure=") for other in parts[:at]):
                raise UsageError(f"{name!r}: sure is given twice")
            try:
                sure = float(part.removeprefix("sure="))
            except ValueError:
                raise UsageError(f"{name!r}: {part} is not a number") from None
        elif part == HUMAN:
            if any(not later.startswith("sure=") for later in parts[at + 1 :]):
                raise UsageError(f"{name!r}: human is the last level, because a person is not asked by a program")
        else:
            levels.append(parse_judge(part))
    return Cascade(levels=tuple(levels), asks_people=HUMAN in parts, sure=sure)


def _parts(text: str) -> list[str]:
    """The parts between commas that are in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _as_log_odds(matches: Matches, level: Judge) -> Matches:
    full = prior_calibration(level.name).probabilities(matches.scores.astype(np.float64).ravel())[:, 2]
    scores: Scores = logit(np.clip(full, TINY, 1 - TINY)).astype(np.float32).reshape(matches.scores.shape)
    return replace(matches, scores=scores, levels=np.zeros(scores.shape, np.int8))


def _uncertain(scores: Scores, sure: float) -> NDArray[np.bool_]:
    bound = np.float32(logit(sure))
    # What has no score yet is as uncertain as can be.
    return np.isnan(scores) | (np.abs(scores) < bound)


def _with_text(matches: Matches) -> NDArray[np.bool_]:
    """The pairs of responses with text: an empty one contains nothing, and nobody has to be asked."""
    return np.broadcast_to((np.diff(matches.units.starts) > 0)[:, None], matches.scores.shape)


def _narrowed(task: Task, asked: NDArray[np.bool_], rows: NDArray[np.intp]) -> Task:
    """The task with only the responses of which something is asked."""
    return replace(
        task,
        responses=[task.responses[row] for row in rows.tolist()],
        groups=[task.groups[row] for row in rows.tolist()] if len(task.groups) else (),
        pool=task.texts(),
        asked=asked[rows],
    )
