"""The same collection as records, as one file, as shards of any size and as Parquet gives the same results."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.evaluate.compare.compare import compare_collection
from karat.evaluate.lint import lint
from karat.evaluate.score.score import score_collection
from karat.formats import load, write
from karat.formats.karat.judgement_columns import JudgementColumns
from karat.measures.cases.cases import Cases
from karat.measures.cases.judged_cells import JudgedCells
from karat.model import AnyRecord, Collection, Judgement, KaratError, Nug, Response, Snippet

QUERIES, RUNS = ("q1", "q2", "q10"), ("a", "b", "c")
shares = st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 0.5, 0.7, 1.0])


@st.composite
def collections(draw: st.DrawFn) -> list[AnyRecord]:
    """A key and judgements of all sorts: plain ones, and now and then what makes them odd."""
    nugs = [
        Nug(
            query_id=query_id, nug_id=nug_id, descriptions=(nug_id,), weight=draw(st.none() | shares),
            importance=draw(st.sampled_from(["vital", "okay", None])),
            parent="n1" if nug_id == "n3" and draw(st.integers(0, 5)) == 0 else None,
        )
        for query_id in QUERIES
        for nug_id in ("n1", "n2", "n3")
    ]  # fmt: skip
    oddness = draw(st.integers(0, 3))
    judged = [
        draw(judgements(nug, run_id, odd=oddness)) for nug in nugs for run_id in RUNS if draw(st.integers(0, 9)) < 9
    ]
    judged += draw(st.lists(st.sampled_from(judged), max_size=oddness)) if judged else []
    if draw(st.booleans()):
        judged = draw(st.permutations(judged))
    responses = [
        Response(
            query_id=query_id, run_id=run_id,
            snippets=(Snippet(snippet_id="s", text=draw(st.sampled_from(["", "a bee dances"]))),),
        )
        for query_id in QUERIES
        for run_id in RUNS
        if draw(st.booleans())
    ]  # fmt: skip
    return [*responses, *nugs, *judged]


@st.composite
def judgements(draw: st.DrawFn, nug: Nug, run_id: str, *, odd: int) -> Judgement:
    fields: dict[str, Any] = {"degree": draw(shares), "judge": "person"}
    what = draw(st.integers(0, 30)) if odd else 99
    if what == 0:
        fields |= {"degree": None, "status": draw(st.sampled_from(["failed", "unknown"]))}
    elif what == 1:
        fields["snippet_id"] = "s"
    elif what == 2:
        fields["assessor"] = draw(st.sampled_from(["ann", "ben"]))
    elif what == 3:
        first = draw(shares)
        fields["probabilities"] = {"0": first, "1": round(1 - first, 3)}
    elif what == 4:
        fields["extra"] = {"below_floor": {"n2": [0.2, 0.1]}, "error_sigma": [0.5, 0.2]}
    elif what == 5:
        fields["extra"] = {"error_rates": {}}
    elif what == 6 and odd == 3:
        fields["adjudicated"] = True
    elif what == 7 and odd == 3:
        fields["judge"] = "llm"
    return Judgement(query_id=nug.query_id, run_id=run_id, nug_id=nug.nug_id, **fields)


def scored(collection: Collection, **options: Any) -> object:
    try:
        scoring = score_collection(collection, missing="skip", **options)
    except KaratError as error:
        return str(error)
    tables = [(table.name, table.run_ids, table.query_ids, table.values.tobytes()) for table in scoring.tables]
    return scoring.scores, scoring.notes, scoring.interval_notes, tables


def compared(collection: Collection) -> object:
    try:
        return compare_collection(collection, missing="skip", measures="lenient_all")
    except KaratError as error:
        return str(error)


# Each example is scored and compared four times.
@settings(max_examples=25)
@given(
    collections(),
    st.integers(1, 40),
    st.sampled_from([{}, {"judge": "all"}, {"assessors": "majority", "judge": "all"}]),
)
def test_files_shards_and_parquet_score_like_records(
    records: list[AnyRecord], size: int, options: dict[str, Any]
) -> None:
    expected, differences = scored(Collection(records), **options), repr(compared(Collection(records)))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        write(records, place / "one.jsonl")
        write(records, f"{folder}/shards/", shards=size)
        write(records, f"{folder}/parquet/", format="parquet", shards=size)
        findings = sorted(
            (each.code, each.message) for each in lint(place / "one.jsonl") if each.code != "repeated-judgement"
        )
        for name in ("one.jsonl", "shards", "parquet"):
            collection = load(place / name)
            assert collection == Collection(records)
            assert scored(collection, **options) == expected
            assert repr(compared(collection)) == differences
            found = sorted(
                (each.code, each.message) for each in lint(place / name) if each.code != "repeated-judgement"
            )
            assert found == findings


def test_plain_judgements_are_counted_without_a_case() -> None:
    key, judged, _ = karat.demo_files()
    collection = load(key, judged, on_error="skip")
    assert isinstance(collection.judgements, JudgementColumns)
    cases = Cases(collection)
    assert isinstance(cases.judgements, JudgedCells)
    grid = cases.grid(cases.query_ids[0])
    assert grid is not None
    assert set(grid.run_ids) <= set(cases.run_ids)
    for row, run_id in enumerate(grid.run_ids):
        case = cases.case(run_id, cases.query_ids[0])
        assert case is not None
        by_nug = dict(zip((nug.nug_id for nug in case.pool.nugs), grid.degrees[row].tolist(), strict=True))
        assert {nug_id: by_nug[nug_id] for nug_id in case.lenient.credits} == case.lenient.credits


def test_the_number_of_records_in_memory_is_bounded(monkeypatch: Any) -> None:
    from karat.measures.cases import cases as module
    from karat.measures.cases import judged_cells

    monkeypatch.setattr(module, "MOST_CASES", 2)
    monkeypatch.setattr(judged_cells, "MOST_KEPT", 5)
    key, judged, runs = karat.demo_files()
    collection = load(key, judged, runs, on_error="skip")
    made = score_collection(collection, measures="F3,strict_all")
    assert made.scores == score_collection(Collection(list(collection)), measures="F3,strict_all").scores
    cases = Cases(collection)
    for query_id in cases.query_ids:
        for run_id in cases.run_ids:
            cases.case(run_id, query_id)
            assert len(cases._cases) <= 2
