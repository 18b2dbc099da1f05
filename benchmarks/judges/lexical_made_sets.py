"""Sets for the judge `lexical` whose answers are put together from judged sentences, or are whole documents.

argkp-kpa2021: an answer is one to five arguments of a motion and stance, a nug is a key point; where an argument was
not judged, the answer has no label. wice: a nug is a claim of an encyclopedia, the answer is the page that is cited for
it. tempsumm: an answer is 3 to 18 updates of an event; between a tenth and all of them are drawn from those with a
match.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Task
from karat.judges.human.known_judgements import whole_text
from karat.model import Nug, Response, Snippet
from karat.text.idf import TextPool

ANSWERS = 30
"""How many answers are made per query."""
NUGS = 60
"""The largest number of nugs per event; drawn at random where there are more."""
DEGREES = {"supported": 1.0, "partially_supported": 0.5, "not_supported": 0.0}


@dataclass(frozen=True)
class Judged:
    """A task, and to what degree each response contains each nug (NaN: nobody judged it)."""

    task: Task
    degrees: NDArray[np.float64]


def made(data: Path, name: str) -> list[Judged]:
    """One of the sets; its responses are the pool from which the rarity of words is learned."""
    if name == "argkp-kpa2021":
        tasks = [*arguments(data / name / "kpm_data", "train"), *arguments(data / name / "kpm_data", "dev")]
    elif name == "wice":
        tasks = list(claims(data / name / "entailment_retrieval" / "claim" / "dev.jsonl"))
    else:
        tasks = list(events(data / name))
    pool = TextPool([whole_text(response) for judged_task in tasks for response in judged_task.task.responses])
    return [replace(judged_task, task=replace(judged_task.task, pool=pool)) for judged_task in tasks]


def judged(
    query: str, question: str, nugs: dict[str, str], answers: Sequence[Sequence[str]], degrees: object
) -> Judged:
    key = [Nug(query_id=query, nug_id=nug_id, descriptions=(text,)) for nug_id, text in nugs.items()]
    responses = [
        Response(
            query_id=query, run_id=str(at),
            snippets=tuple(Snippet(snippet_id=str(place), text=text) for place, text in enumerate(texts)),
        )
        for at, texts in enumerate(answers)
    ]  # fmt: skip
    return Judged(Task(query, key, responses, question), np.array(degrees, float))


def arguments(folder: Path, part: str) -> Iterator[Judged]:
    draw = random.Random(part)
    label = {(row["arg_id"], row["key_point_id"]): float(row["label"]) for row in rows(folder / f"labels_{part}.csv")}
    points, said = defaultdict(dict), defaultdict(list)
    for row in rows(folder / f"key_points_{part}.csv"):
        points[row["topic"], row["stance"]][row["key_point_id"]] = row["key_point"]
    for row in rows(folder / f"arguments_{part}.csv"):
        said[row["topic"], row["stance"]].append(row)
    for (topic, stance), nugs in points.items():
        answers = [draw.sample(said[topic, stance], draw.randint(1, 5)) for _ in range(ANSWERS)]
        degrees = [
            # One argument that makes the point is enough; "none makes it" needs a label for every argument.
            [np.nanmax(labels) if 1 in labels else sum(labels) for labels in labels_of(answer, nugs, label)]
            for answer in answers
        ]
        texts = [[row["argument"] for row in answer] for answer in answers]
        yield judged(f"{topic} {stance}", topic, nugs, texts, degrees)


def labels_of(
    answer: Sequence[dict[str, str]], nugs: dict[str, str], label: dict[tuple[str, str], float]
) -> list[list[float]]:
    return [[label.get((row["arg_id"], nug_id), np.nan) for row in answer] for nug_id in nugs]


def claims(path: Path) -> Iterator[Judged]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        about = row["meta"]
        yield judged(
            about["id"], about["claim_title"], {"claim": row["claim"]}, [row["evidence"]], [[DEGREES[row["label"]]]]
        )


def events(folder: Path) -> Iterator[Judged]:
    draw = random.Random(folder.name)
    [path] = folder.glob("updates*.tsv.gz")
    updates = [row for row in tab_rows(path) if 4 <= len(row[6].split()) <= 80]
    text = {row[1]: row[6] for row in updates}
    matched, nugs, of_event = defaultdict(set), defaultdict(dict), defaultdict(list)
    for row in tab_rows(folder / "matches.tsv.gz"):
        matched[row[1]].add(row[2])
    for row in tab_rows(folder / "nuggets.tsv.gz"):
        if row[3] not in ("-1", "0"):
            nugs[row[0]][row[1]] = row[5]
    # A duplicate says what the update says.
    says = {row[1]: matched[row[1]] | matched[row[5]] for row in updates}
    for row in updates:
        of_event[row[0]].append(row[1])
    for event, ids in of_event.items():
        chosen = draw.sample(sorted(nugs[event]), min(NUGS, len(nugs[event])))
        useful = [update for update in ids if says[update]]
        answers = [draw_answer(draw, useful, ids) for _ in range(ANSWERS)]
        degrees = [[float(any(nug in says[update] for update in answer)) for nug in chosen] for answer in answers]
        key = {nug: nugs[event][nug] for nug in chosen}
        yield judged(event, "", key, [[text[update] for update in answer] for answer in answers], degrees)


def draw_answer(draw: random.Random, useful: Sequence[str], every: Sequence[str]) -> list[str]:
    share = draw.uniform(0.1, 1)
    drawn = [draw.choice(useful if draw.random() < share else every) for _ in range(draw.randint(3, 18))]
    return list(dict.fromkeys(drawn))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tab_rows(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]
