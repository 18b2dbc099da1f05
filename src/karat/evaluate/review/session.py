"""Begin a review, or go on with one that was saved: `karat.review` in Python, `karat review` on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.engines import Track
from karat.evaluate.plan.question_plan import QuestionPlan, read_plan
from karat.evaluate.plan.random_part import RandomPart
from karat.evaluate.review.file import ReviewFile, with_answers
from karat.evaluate.review.review import Review
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError, run_and_file
from karat.formats.io.overwriting import check_target, inputs_are_kept
from karat.judges.human.labels import by_people
from karat.judges.judge import judge_collection
from karat.judges.registry import AUTO
from karat.measures.cases.rules import ALL_JUDGES, Missing
from karat.model import Collection
from karat.model.default_names import PERSON


def review(
    *inputs: Input,
    judge: str = AUTO,
    labels: str | None = None,
    save: str | Path | None = None,
    plan: str | Path | RandomPart | QuestionPlan | None = None,
    runs: Sequence[str] = (),
    queries: Sequence[str] = (),
    threshold: float | None = None,
    limit: int | None = None,
    skipped: bool = False,
    assessor: str = "me",
    measure: str | None = None,
    missing: Missing = "skip",
    on_error: OnError = "stop",
    seed: int = 0,
) -> Review:
    """Let a person (or a program) answer what a judge is least sure about; the scores follow every answer.

    The review gives its questions in a loop; each is answered with `answer` (1, 0.5 or 0; None: it cannot be decided)
    before the next one comes. `answer_all` takes a function instead.

    inputs: the key and the runs. judge, labels: as in `judge`. save: the file for the answers, as of `karat review -o`;
    each is saved at once, and a review with the same file goes on where the last one stopped. runs, queries: only
    these. plan: ask what a plan lists (the file of `karat plan --review`, or the plan of `best_questions`).
    threshold: ask about everything that is contained with this probability or more, the most probable first.
    limit: how many questions at most. skipped: ask again what was answered with None before. assessor: who answers.
    measure: the score to show; without it, the first one that suits the records. missing: what to do about a query
    without a response.

    >>> import karat
    >>> key, _, runs = karat.demo_files()
    >>> review = karat.review(key, runs, judge="lexical", limit=2, measure="strict_vital")
    >>> for question in review:
    ...     step = review.answer(1.0 if question.probability > 0.5 else 0.0)
    >>> review.answered
    2
    >>> scoring = karat.score(key, runs, review.answers(), judge="lexical", measures="strict_vital")
    """
    if save is None:
        collection, file = load(*inputs, on_error=on_error), None
    else:
        file = ReviewFile(save, on_error=on_error)
        others = [item for item in inputs if not (isinstance(item, str | Path) and file.is_own(item))]
        paths = (run_and_file(str(item))[1] for item in others if isinstance(item, str | Path))
        with inputs_are_kept(paths):
            check_target(file.path, option="save=")
            check_target(file.nugs_path, option=f"save={save} also writes ")
        collection = with_answers(load(*others, on_error=on_error), file)
    return review_collection(
        collection, judge=judge, labels=labels, run_ids=runs, query_ids=queries, threshold=threshold, limit=limit,
        skipped=skipped, assessor=assessor, measure=measure, missing=missing, seed=seed, file=file,
        plan=read_plan(plan) if isinstance(plan, str | Path) else plan,
    )  # fmt: skip


def review_collection(
    collection: Collection,
    *,
    judge: str = AUTO,
    labels: str | None = None,
    track: Track | None = None,
    **options: object,
) -> Review:
    """Judge what people did not judge, and start a review of it (options: those of Review).

    Judgements by programs in the collection are not used. labels: see `by_people`; by default every judge counts.
    """
    labels = labels or ALL_JUDGES
    # A review also uses its own earlier answers.
    if labels != ALL_JUDGES and any(judgement.judge == PERSON for judgement in collection.judgements):
        labels = f"{labels},{PERSON}"
    people = by_people(collection, labels=labels)
    judging = judge_collection(people, judge=judge, labels=labels, track=track)
    return Review(people, judging, **options)  # type: ignore[arg-type]
