"""How good drafted keys are: what they contain of people's nugs, how long they are, and a sheet for a human reader.

KARAT_DATA=... python benchmarks/judges/draft_keys.py [--set trec-rag-2024] [--topics 10] [--runs 0] [--judge lexical]
                                                      [--max 28] [--sheet 100 -o sheet.txt]

A key is drafted for each topic from the runs' answers alone. Reported are the share of the key's vital (and of all)
nugs that the draft contains, as the judge says when it reads the draft's first descriptions as one answer, and the
number of drafts per nug of the key. The row "answers" is the same for all answers together: no draft can have much
more.
With --set nuggetizer-rag24 (for development) the key is an LLM's, and the topics of trec-rag-2024 are left out.
--sheet writes random drafts with question, answer and source sentence, to be judged by a reader: entailed,
self-contained, relevant (y or n each).
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Sequence
from pathlib import Path

import karat
from karat.evaluate.nuggets.draft_key import DraftKey, draft_key_collection
from karat.evaluate.nuggets.drafting.meaning import best_sameness
from karat.evaluate.nuggets.drafting.ranking import MOST
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness
from karat.judges.judge import judge_collection
from karat.model import Collection, Nug, Nugget, Query, Response, Snippet

TREC = ("trec-rag-2024", "nugget_assignment.20241108.jl")


def load_set(name: str, data: Path) -> tuple[Collection, list[Nug]]:
    """The queries and answers of a set, and the nugs of its key."""
    trec = karat.load(data.joinpath(*TREC), on_error="skip")
    if name == "trec-rag-2024":
        return Collection([*trec.queries, *trec.runs, *trec.responses]), trec.nugs
    folder = data / "nuggetizer-rag24"
    answers = karat.load(*sorted((folder / "answers").iterdir()), on_error="skip")
    bank = karat.load(*sorted((folder / "nuggets").iterdir()), on_error="skip")
    others = {query.query_id for query in trec.queries}
    records = [record for record in (*answers.queries, *answers.responses) if record.query_id not in others]
    return Collection([*answers.runs, *records]), [nug for nug in bank.nugs if nug.query_id not in others]


def part_of(collection: Collection, topics: int, runs: int, seed: int, *, others: bool = False) -> Collection:
    """Some topics and runs of a collection. others: the topics that are not drawn."""
    draw = random.Random(seed)
    query_ids = sorted({response.query_id for response in collection.responses})
    run_ids = sorted({response.run_id for response in collection.responses})
    chosen = set(draw.sample(query_ids, min(topics or len(query_ids), len(query_ids))))
    chosen = set(query_ids) - chosen if others else chosen
    kept = set(draw.sample(run_ids, min(runs or len(run_ids), len(run_ids))))
    return Collection(
        [
            *(query for query in collection.queries if query.query_id in chosen),
            *(response for response in collection.responses if response.query_id in chosen and response.run_id in kept),
        ]
    )


def contained(
    queries: Sequence[Query], nugs: Sequence[Nug], texts: dict[str, list[str]], judge: str
) -> dict[str, float]:
    """The share of vital and of all nugs that the texts of their query contain."""
    responses = [
        Response(
            query_id=query_id,
            run_id="draft",
            snippets=tuple(Snippet(snippet_id=str(at), text=text) for at, text in enumerate(said, 1)),
        )
        for query_id, said in texts.items()
    ]
    key = [nug for nug in nugs if nug.query_id in texts]
    judged = judge_collection(Collection([*queries, *key, *responses]), judge=judge)
    degree = {(item.query_id, item.nug_id): item.degree or 0.0 for item in judged.judgements}
    full = {(nug.query_id, nug.nug_id): degree[nug.query_id, nug.nug_id] >= 1 for nug in key}
    vital = [full[nug.query_id, nug.nug_id] for nug in key if nug.importance == "vital"]
    return {"vital": sum(vital) / max(1, len(vital)), "all": sum(full.values()) / max(1, len(full))}


def write_sheet(draft: DraftKey, collection: Collection, count: int, seed: int, target: Path) -> None:
    """Random nugs with all that a reader needs to judge them."""
    draw = random.Random(seed)
    questions = collection.query_texts()
    answers = {(response.query_id, response.run_id): response for response in collection.responses}
    nuggets = {(nugget.query_id, nugget.nugget_id): nugget for nugget in draft.nuggets}
    lines = []
    for number, nug in enumerate(draw.sample(list(draft.nugs), min(count, len(draft.nugs))), 1):
        members = [nuggets[nug.query_id, member.nugget_id] for member in nug.members]
        nugget = next(member for member in members if member.paraphrase == nug.descriptions[0])
        lines += [
            f"## {number}  ({nug.query_id} {nug.nug_id}, {nug.extra.get('runs')} runs, {nug.importance})",
            f"question: {questions[nug.query_id]}",
            f"draft:    {nug.descriptions[0]}",
            *(f"also:     {text}" for text in nug.descriptions[1:]),
            f"source:   {_source(nugget, answers[nugget.query_id, nugget.run_id])}",
            "entailed: ?   self-contained: ?   relevant: ?",
            "",
        ]
    target.write_text("\n".join(lines), encoding="utf-8")


def _source(nugget: Nugget, response: Response) -> str:
    """The answer up to the end of the nugget's sentence, the nugget between ⟦ ⟧."""
    text, ends = "", {}
    for snippet in response.snippets:
        begin = len(text)
        text += snippet.text + " "
        if snippet.snippet_id == nugget.snippet_id:
            spans = list(nugget.spans)
            ends = {"start": begin + spans[0][0], "end": begin + spans[-1][1]}
    start = max(0, ends["start"] - 500)
    marked = (
        f"{text[start : ends['start']]}⟦{text[ends['start'] : ends['end']]}⟧{text[ends['end'] : ends['end'] + 150]}"
    )
    return " ".join(marked.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", default="trec-rag-2024", choices=["trec-rag-2024", "nuggetizer-rag24"])
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--others", action="store_true", help="the topics that are not drawn instead")
    parser.add_argument("--runs", type=int, default=0, help="how many runs to draft from; 0: all")
    parser.add_argument("--judge", default="lexical")
    parser.add_argument(
        "--by", default="meaning", choices=["meaning", "words"], help="what says whether texts are the same"
    )
    parser.add_argument("--max", type=int, default=MOST)
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--sheet", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("sheet.txt"))
    options = parser.parse_args()
    collection, nugs = load_set(options.set, Path(os.environ["KARAT_DATA"]))
    part = part_of(collection, options.topics, options.runs, options.seed, others=options.others)
    sameness = LexicalSameness() if options.by == "words" else best_sameness()
    draft = draft_key_collection(part, most=options.max or None, threshold=options.threshold, sameness=sameness)
    drafted: dict[str, list[str]] = {query.query_id: [] for query in part.queries}
    for nug in draft.nugs:
        drafted[nug.query_id].append(nug.descriptions[0])
    said: dict[str, list[str]] = {query.query_id: [] for query in part.queries}
    for response in part.responses:
        said[response.query_id] += [snippet.text for snippet in response.snippets]
    of_key = sum(nug.query_id in drafted for nug in nugs)
    print(*draft.notes, sep="\n")
    count = len(draft.nugs)
    print(f"{len(part.queries)} topics, {count} drafts, {of_key} nugs: {count / of_key:.2f} drafts per nug")
    vital = sum(nug.importance == "vital" for nug in draft.nugs)
    print(f"called vital: {vital / max(1, len(draft.nugs)):.2f}")
    print("| texts | vital nugs contained | all nugs contained |\n|---|---|---|")
    for name, texts in (("draft", drafted), ("answers", said)):
        shares = contained(part.queries, nugs, texts, options.judge)
        print(f"| {name} | {shares['vital']:.3f} | {shares['all']:.3f} |")
    if options.sheet:
        write_sheet(draft, part, options.sheet, options.seed, options.output)


if __name__ == "__main__":
    main()
