"""Judging from start to end: which nugs does each response contain, and how sure is the judge?

    collection -> tasks, one per query          tasks_of (pairs.py), with what people said about similar texts
    task -> units -> raw scores                 Judge.match (base.py), one score per response and nug: pairs_of
    labels -> calibration                       calibrate (calibration/): learned here, the prior, or a fixed threshold
    raw scores -> probabilities                 Calibrated.probabilities
    probabilities -> decision -> Judgement      judgements_of, unless people judged the same text already

`judge_collection` does all these steps. `judge_first` is for everything that scores: where the judge's name is the name
of a program, it judges before the scores are made. `karat validate` takes the same steps with labels hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.engines import Track
from karat.formats import load
from karat.formats.inputs.query_matching import nothing_to_judge
from karat.formats.inputs.reading import Input, OnError, listed
from karat.formats.karat.judgement_columns import judge_names
from karat.judges.base import Judge, Task
from karat.judges.calibration.calibrate import calibrate, of_random_part
from karat.judges.calibration.chosen_model import ThresholdModelName
from karat.judges.calibration.learned import nug_names
from karat.judges.cascade.level_notes import level_notes
from karat.judges.human.examples import with_examples
from karat.judges.human.judging_notes import contradiction_notes, failure_notes, reuse_notes, task_notes
from karat.judges.human.known_judgements import KnownJudgements
from karat.judges.human.labels import People, people_of
from karat.judges.human.reused import known_wholes
from karat.judges.judgements.made import judgements_of
from karat.judges.overlap.idf_file import check_idf, idf_of, idf_settings
from karat.judges.pairs import Pairs, matching_notes, pairs_of, tasks_of
from karat.judges.registry import AUTO, default_judge, is_judge, parse_judge
from karat.measures.cases.rules import ALL_JUDGES
from karat.measures.cases.saved_fields import IDF, CommonErrors, with_idf
from karat.model import Collection, Judgement, Signature, UsageError
from karat.model.identity import key_setting
from karat.model.result import Result
from karat.text.idf import IdfTable

NO_PROGRAM = (
    "labels are only used when a program judges: name one with --judge, such as --judge auto (see `karat judges`)"
)


@dataclass(frozen=True, repr=False)
class Judging(Result):
    """The judgements of a program, and what to know about them."""

    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...]
    sigma: float
    """The size of the error that all judgements of a response share, in log-odds."""
    run_sigma: float
    """The size of the error that all responses of a run share, in log-odds."""
    signature: str
    common: CommonErrors = field(default_factory=CommonErrors)
    """Errors that all runs share: of nugs, of queries, and of the calibration."""
    idf: str = ""
    """Where the rarity of words comes from, as in the signature; empty where it does not matter."""


@dataclass(frozen=True)
class Judged:
    """A collection that is ready to be scored, and the judge whose judgements count in it."""

    collection: Collection
    judge: str | None
    sigma: float | None = None
    run_sigma: float | None = None
    notes: tuple[str, ...] = ()
    signature: str | None = None
    """The signature of the program that judged; None where no program had to judge."""
    common: CommonErrors | None = None
    given: Collection | None = None
    """The collection before the program judged it; None where no program had to judge."""


def judge_first(
    collection: Collection,
    *,
    judge: str | None,
    labels: str | None = None,
    threshold_model: ThresholdModelName | None = None,
    idf: IdfTable | None = None,
    track: Track | None = None,
    jobs: int = 1,
) -> Judged:
    """Where `judge` names a program that has not judged yet, the collection with its judgements; else as it is.

    People's judgements (`labels` says whose) are reused and learned from: theirs and the program's count together.
    A program whose judgements are the only ones in the collection does not judge again. threshold_model, idf: as
    in `judge_collection`.

    Raises:
        UsageError: labels, a threshold model or a table of idf are given and no program judges.
    """
    judge = default_judge() if judge == AUTO else judge
    if not _has_to_judge(collection, judge):
        _check_name(collection, judge)
        if labels is not None:
            raise UsageError(NO_PROGRAM)
        for option, given in (("--threshold-model", threshold_model), ("--idf", idf)):
            if given is not None:
                raise UsageError(f"{option}: no program judges here, so it would change nothing")
        return Judged(collection, judge)
    assert judge is not None
    judging = judge_collection(
        collection, judge=judge, labels=labels, threshold_model=threshold_model, idf=idf, track=track, jobs=jobs
    )
    others = (record for record in collection if not isinstance(record, Judgement))
    drawn = any("drawn" in judgement.extra or "planned" in judgement.extra for judgement in collection.judgements)
    return Judged(
        Collection([*others, *with_idf(judging.judgements, judging.idf)]),
        ALL_JUDGES,
        judging.sigma,
        judging.run_sigma,
        # Labels of a random part correct the judge instead of teaching it.
        of_random_part(judging.notes) if drawn else judging.notes,
        judging.signature,
        judging.common,
        collection,
    )


def _check_name(collection: Collection, judge: str | None) -> None:
    """Say so where a name is neither that of a program nor that of a judge in the files."""
    names = sorted(judge_names(collection.judgements))
    if judge is None or judge == ALL_JUDGES or judge in names or is_judge(judge) or collection.scores:
        return
    parse_judge(judge, in_files=(*names, ALL_JUDGES) if names else ())


def _has_to_judge(collection: Collection, judge: str | None) -> bool:
    judges = judge_names(collection.judgements)
    return judge is not None and is_judge(judge) and not (judge in judges and all(map(is_judge, judges)))


def judge(
    *inputs: Input,
    judge: str = AUTO,
    threshold: float | None = None,
    threshold_model: ThresholdModelName | None = None,
    idf: str | Path | IdfTable | None = None,
    known: Input | Sequence[Input] | None = None,
    labels: str | None = None,
    jobs: int = 1,
    on_error: OnError = "stop",
    runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None,
) -> Judging:
    """Decide which nugs each response contains.

    inputs: the key and the runs, as paths, records, dicts or data frames. judge: the name of a program (`karat judges`
    lists them), with settings in brackets: "nuggeteer(n=2,stem=english)"; "auto" is `semantic` where it is installed,
    otherwise `lexical`. threshold: decide at this raw score instead
    of giving probabilities. threshold_model: make probabilities only by this model of thresholds ("dataset", "query",
    "nug", or "auto": the one that the labels favour). idf: "key" for the texts of the key, so that a run's score does
    not depend on the runs beside it, or a table of words and their idf, or its file
    (`karat.judges.overlap.idf_file`); by default, how rare words are among the responses. known: judgements of
    people about other versions of these runs, or about other runs; those among the inputs count in
    any case. labels: the judge whose judgements are people's (see
    `by_people`). jobs: how many processes score. runs, queries: only these, as if the inputs held no others;
    patterns work.

    The result can be an input of every other verb, and `karat.write` saves it.

    >>> import karat
    >>> key, _, runs = karat.demo_files()
    >>> judging = karat.judge(key, runs, judge="lexical")
    >>> len(judging.judgements)
    385
    """
    people = None if known is None else load(*listed(known), on_error=on_error)
    collection = load(*inputs, on_error=on_error, runs=runs, queries=queries)
    return judge_collection(
        collection, judge=judge, threshold=threshold, threshold_model=threshold_model, idf=idf_of(collection, idf),
        known=people, labels=labels, jobs=jobs,
    )  # fmt: skip


def judge_collection(
    collection: Collection,
    *,
    judge: str = AUTO,
    threshold: float | None = None,
    threshold_model: ThresholdModelName | None = None,
    idf: IdfTable | None = None,
    known: Collection | None = None,
    labels: str | None = None,
    reuse: bool = True,
    track: Track | None = None,
    jobs: int = 1,
) -> Judging:
    """Judge every response of a collection against its key.

    People's judgements in the collection and in `known` are reused where they are about exactly the same text, and the
    calibration is learned from them. A judgement in `known` is about the response in `known`; where there is none,
    about the response of the same run and query in the collection. labels: whose judgements are people's (see
    `by_people`). reuse=False: people's judgements only calibrate, and the program judges these responses, too.
    threshold: a nug is contained from this raw score on; the probabilities are 0 and 1 then. threshold_model:
    probabilities by one noisy-threshold model (`fit_threshold_model`) instead of the usual calibration. idf: how
    rare words are, instead of how rare they are among the responses. An empty response contains nothing. jobs: how many
    processes score; the result does not depend on it.
    """
    program = parse_judge(judge)
    people = people_of(collection, known=known, labels=labels)
    check_idf(program, idf)
    tasks = _with_examples(tasks_of(collection, pool=people.pool, idf=idf), program, people)
    if not tasks:
        raise nothing_to_judge(collection)
    pairs = pairs_of(tasks, program, people.labels, track=track, jobs=jobs)
    labelled = pairs
    if people.labels_apart is not None:
        judged_tasks = _with_examples(tasks_of(people.taught(), pool=people.pool, idf=idf), program, people)
        labelled = pairs_of(
            judged_tasks, program, people.labels, other_labels=people.labels_apart, track=track, jobs=jobs
        )
    reused = people.known() if reuse else None
    calibrated = calibrate(
        labelled, program, threshold=threshold, threshold_model=threshold_model,
        to_read=_of_nugs_to_judge(pairs, labelled, reused),
    )  # fmt: skip
    probabilities = calibrated.probabilities(pairs)
    judgements = tuple(
        judgements_of(pairs, probabilities, program, known=reused, error_rates=calibrated.error_rates(pairs))
    )
    if reused is not None:
        judgements += tuple(known_wholes(collection, program, reused))
    notes = (
        *people.notes,
        *task_notes(collection, tasks, program),
        *matching_notes(pairs),
        *failure_notes(judgements),
        *level_notes(pairs, probabilities, program),
        *calibrated.notes,
        *(contradiction_notes(reused) if reused is not None else ()),
        *reuse_notes(judgements),
    )
    idf_named = idf_settings(program, tasks)
    settings = program.settings() | idf_named | calibrated.calibration.settings()
    settings |= {"sigma": f"{calibrated.sigma:.2f}", "run_sigma": f"{calibrated.run_sigma:.2f}", "v": __version__}
    settings |= key_setting(collection.nugs, collection.votes)
    signature = str(Signature(program.name, settings))
    return Judging(
        judgements, notes, calibrated.sigma, calibrated.run_sigma, signature, calibrated.common, idf_named.get(IDF, "")
    )


def _of_nugs_to_judge(pairs: Pairs, labelled: Pairs, reused: KnownJudgements | None) -> NDArray[np.bool_]:
    """Which labelled pairs are of a nug that the program judges in some response.

    The size of errors is that of the judgements that the program makes: where people judged a query in all responses,
    its nugs need no thresholds of their own. It does not matter through which file the labels came.
    """
    tasks = [query.task for query in pairs.queries]
    of_nug = np.fromiter(
        (
            reused is None or any(reused.of(response, nug.nug_id) is None for response in task.responses)
            for task in tasks
            for nug in task.nugs
        ),
        np.bool_,
    )
    if labelled is not pairs:
        asked = {name for name, is_asked in zip(nug_names(pairs), of_nug.tolist(), strict=True) if is_asked}
        of_nug = np.array([name in asked for name in nug_names(labelled)], bool)
    return np.asarray(of_nug[labelled.nug], dtype=np.bool_)


def _with_examples(tasks: list[Task], program: Judge, people: People) -> list[Task]:
    return with_examples(tasks, [people.here, people.apart]) if program.reads_known else tasks
