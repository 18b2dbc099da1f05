"""What to know about the judgements of a program: what was left out, reused, or judged differently by people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from karat.judges.base import Judge, Task
from karat.judges.human.known_judgements import KnownJudgements
from karat.judges.human.labels import KNOWN
from karat.model import Collection, Judgement
from karat.model.wording import number_of

SHOWN = 3
"""Up to so many contradictions have a note each; more are counted in one note."""


def task_notes(collection: Collection, tasks: Sequence[Task], program: Judge) -> list[str]:
    keyed = {nug.query_id for nug in collection.nugs}
    unkeyed = dict.fromkeys(response.query_id for response in collection.responses if response.query_id not in keyed)
    return [*(f"query {query_id}: not in the key, left out" for query_id in unkeyed), *no_text_note(tasks, program)]


def no_text_note(tasks: Sequence[Task], program: Judge) -> list[str]:
    if not program.reads_known or any(task.known is not None for task in tasks):
        return []
    return [f"{program.name}: people judged no text of these queries, so it uses only the descriptions of the nugs"]


def contradiction_notes(known: KnownJudgements) -> list[str]:
    texts = known.contradictions()
    notes = [
        f"query {text.query_id}, nug {text.nug_id}: the same text was judged differently in runs {', '.join(text.runs)}"
        "; the largest degree counts in all of them"
        for text in texts
    ]
    if len(notes) <= SHOWN:
        return notes
    about = dict.fromkeys(f"query {text.query_id}, nug {text.nug_id}" for text in texts)
    return [f"{notes[0]}; so were {len(notes) - 1:,} more texts ({number_of(len(about), 'nug')} in all)"]


def failure_notes(judgements: Sequence[Judgement]) -> list[str]:
    failed = [judgement for judgement in judgements if judgement.status == "failed"]
    if not failed:
        return []
    reasons = Counter(str(judgement.extra.get("reason", "no reason given")) for judgement in failed)
    listed = "; ".join(f"{reason} ({count:,})" for reason, count in reasons.most_common(SHOWN))
    return [
        f"{len(failed):,} of {number_of(len(judgements), 'judgement')} failed, and scores leave them out: {listed}"
        f"{'; ...' if len(reasons) > SHOWN else ''}"
    ]


def reuse_notes(judgements: Sequence[Judgement]) -> list[str]:
    reused = sum(KNOWN in judgement.extra for judgement in judgements)
    return [f"{number_of(reused, 'known judgement')} reused"] if reused else []
