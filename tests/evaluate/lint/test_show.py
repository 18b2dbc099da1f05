from __future__ import annotations

import json

from karat.evaluate.lint.show import summarize
from karat.formats import Source, open_reading
from karat.model import Judgement, Nug, Query, Reviewed, Run, Score

NUGS = [Nug(query_id=query, nug_id=nug, descriptions=("red fox",)) for query in ("p", "q") for nug in "123"]


def test_a_file_at_a_glance() -> None:
    records = [Query(query_id="p", text="why?"), Run(run_id="r"), *NUGS]
    summary = summarize(open_reading(records), samples=2)
    assert (summary.file, summary.format, summary.title) == ("<list>", "karat", "Karat's own records, one per line")
    assert summary.counts == {Query: 1, Run: 1, Nug: 6}
    assert (summary.queries, summary.runs) == (2, 1)
    assert summary.samples == (records[0], records[1], NUGS[0], NUGS[1])


def test_samples_are_the_first_of_each_kind_over_many_batches() -> None:
    judgements = [
        Judgement(query_id="q", run_id=str(number), nug_id="1", degree=1.0, judge="j") for number in range(2000)
    ]
    summary = summarize(open_reading([*judgements[:1], *NUGS[:1], *judgements[1:], *NUGS[1:]]))
    assert summary.counts == {Judgement: 2000, Nug: 6}
    assert summary.samples == (*judgements[:3], *NUGS[:3])
    assert summary.runs == 2000


def test_samples_of_another_format_reach_over_its_batches() -> None:
    rows = [{"qid": str(number), "query": "why?", "nuggets": []} for number in range(600)]
    rows[-1]["nuggets"] = [{"text": "red fox", "importance": "vital"}]
    summary = summarize(open_reading(rows), samples=1)
    assert summary.format == "nuggetizer-bank"
    assert summary.counts == {Query: 600, Nug: 1}
    assert [type(sample) for sample in summary.samples] == [Query, Nug]
    assert summary.queries == 600


def test_all_is_no_query() -> None:
    scores = [Score(run_id="r", query_id=query, measure="F3", value=0.5) for query in ("q", "all")]
    assert summarize(open_reading(scores)).queries == 1


def test_a_record_that_names_no_run_is_none() -> None:
    looked = Reviewed(query_id="q", step="votes", assessor="ann")
    assert summarize(open_reading([looked, Run(run_id="r")])).runs == 1


def test_what_cannot_be_read_is_reported_and_the_rest_counted() -> None:
    data = json.dumps({"kind": "run", "run_id": "r"}) + "\n{broken\n" + json.dumps({"kind": "run", "run_id": "s"})
    reading = open_reading(Source("x", data.encode()))
    summary = summarize(reading)
    assert summary.counts == {Run: 2}
    assert [(problem.line, problem.code) for problem in reading.source.problems] == [(2, "bad-json")]


def test_no_samples_may_be_asked_for() -> None:
    summary = summarize(open_reading(NUGS), samples=0)
    assert summary.samples == ()
    assert summary.counts == {Nug: 6}
