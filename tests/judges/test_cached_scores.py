from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.engines.cache import FILE, Cache, name_of
from karat.judges.base import Judge, Matches, Objection, Task
from karat.judges.cached_scores import cached_matches
from karat.judges.semantic.semantic import Semantic
from karat.language.encoder import Encoder
from karat.model import Nug, Response, Snippet, encode_record
from karat.text.idf import IdfOfTexts, IdfTable, TextPool
from karat.text.response_units import units_of

KEY, _, RUNS = karat.demo_files()


class Counting(Judge, frozen=True):
    """Scores by the length of texts, and objects to everything."""

    factor: float = 1.0

    @property
    def name(self) -> str:
        return "counting"

    @property
    def reads_idf(self) -> bool:
        return True

    def cached_as(self) -> bytes:
        return b"code"

    def match(self, task: Task) -> Matches:
        units = units_of(task.responses, self.unit)
        lengths = [len("".join(snippet.text for snippet in response.snippets)) for response in task.responses]
        scores = np.outer(lengths, [len(nug.descriptions[0]) for nug in task.nugs]).astype(np.float32)
        best = np.zeros(scores.shape, np.int32)
        objections = {(0, 0): (Objection(0, "number", "half \ud800", "a text"),)}
        return Matches(scores * self.factor, best, units, objections)


def task(query: str = "q", *, runs: int = 2, nugs: int = 3, **parts: object) -> Task:
    responses = [
        Response(query_id=query, run_id=f"r{at}", snippets=(Snippet(snippet_id="1", text=f"{query} said {at}."),))
        for at in range(runs)
    ]
    entries = [Nug(query_id=query, nug_id=f"n{at}", descriptions=(f"nug {at}",)) for at in range(nugs)]
    return replace(Task(query, entries, responses, "why?", pool=TextPool(["a", "b"])), **parts)  # type: ignore[arg-type]


def judged(tasks: list[Task], folder: Path, judge: Judge | None = None) -> tuple[list[Matches], int]:
    """What is found, and how many tasks were judged for it."""
    asked: list[Task] = []
    judge = judge or Counting()

    def match(missing: list[Task]) -> Iterator[Matches]:
        for each in missing:
            asked.append(each)
            yield judge.match(each)

    with karat.cache(folder):
        return list(cached_matches(tasks, judge, match)), len(asked)  # type: ignore[arg-type]


def same(one: Matches, other: Matches) -> bool:
    return (
        np.array_equal(one.scores, other.scores)
        and np.array_equal(one.best, other.best)
        and one.objections == other.objections
        and one.units.texts == other.units.texts
        and one.units.places == other.units.places
    )


def test_nothing_is_judged_twice(tmp_path: Path) -> None:
    tasks = [task("q1"), task("q2", runs=4)]
    first, asked = judged(tasks, tmp_path)
    again, asked_again = judged(tasks, tmp_path)
    assert (asked, asked_again) == (2, 0)
    assert all(map(same, first, again))


def test_stopped_work_goes_on_where_it_was(tmp_path: Path) -> None:
    tasks = [task(f"q{at}") for at in range(5)]

    def stopped(missing: object) -> Iterator[Matches]:
        for each in tasks[:3]:
            yield Counting().match(each)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), karat.cache(tmp_path):
        list(cached_matches(tasks, Counting(), stopped))
    said: list[str] = []
    with karat.cache(tmp_path, say=said.append):
        next(cached_matches(tasks, Counting(), lambda missing: map(Counting().match, missing)))
    assert said == ["queries judged before: 3 of 5; going on with the others"]
    results, asked = judged(tasks, tmp_path)
    assert asked == 2
    assert all(map(same, results, map(Counting().match, tasks)))


OTHERS: dict[str, Callable[[Task], Task]] = {
    "question": lambda it: replace(it, question="when?"),
    "nug": lambda it: replace(it, nugs=[*it.nugs[:-1], replace_text(it.nugs[-1])]),
    "fewer nugs": lambda it: replace(it, nugs=it.nugs[:-1]),
    "order of nugs": lambda it: replace(it, nugs=it.nugs[::-1]),
    "response": lambda it: replace(it, responses=[*it.responses, it.responses[0]]),
    "order of responses": lambda it: replace(it, responses=it.responses[::-1]),
    "pool": lambda it: replace(it, pool=TextPool(["a", "c"])),
    "no pool": lambda it: replace(it, pool=None),
    "table": lambda it: replace(it, idf=IdfTable({"a": 1.0})),
    "other table": lambda it: replace(it, idf=IdfTable({"a": 1.0000001})),
    "mapping": lambda it: replace(it, idf={"a": 2.0}),
    "key": lambda it: replace(it, idf=IdfOfTexts(["x"], name="key")),
    "other key": lambda it: replace(it, idf=IdfOfTexts(["y"], name="key")),
    "examples": lambda it: replace(it, examples={"n0": ["as in this"]}),
    "asked": lambda it: replace(it, asked=np.eye(2, 3, dtype=bool)),
}


def replace_text(nug: Nug) -> Nug:
    return Nug(query_id=nug.query_id, nug_id=nug.nug_id, descriptions=(*nug.descriptions, "or this"))


def test_everything_that_a_score_depends_on_is_in_its_name(tmp_path: Path) -> None:
    judged([task()], tmp_path)
    for other, change in OTHERS.items():
        assert judged([change(task())], tmp_path)[1] == 1, other
    assert judged([task()], tmp_path, Counting(factor=2.0))[1] == 1
    assert judged([task()], tmp_path, Counting(unit="sentence"))[1] == 1


def test_what_does_not_matter_is_not_in_its_name(tmp_path: Path) -> None:
    judged([task()], tmp_path)
    renamed = replace(
        task(),
        query_id="other",
        nugs=[
            Nug(query_id="other", nug_id=f"x{at}", descriptions=(f"nug {at}",), importance="vital") for at in range(3)
        ],
        pool=TextPool(["b", "a"]),
    )
    assert judged([renamed], tmp_path)[1] == 0


class Unweighted(Counting, frozen=True):
    """Does not read how rare words are."""

    @property
    def reads_idf(self) -> bool:
        return False


def test_other_texts_do_not_matter_to_a_judge_that_does_not_read_how_rare_words_are(tmp_path: Path) -> None:
    judged([task()], tmp_path, Unweighted())
    assert judged([task(pool=TextPool(["a", "c"]))], tmp_path, Unweighted())[1] == 0
    assert judged([task(nugs=2)], tmp_path, Unweighted())[1] == 1


def test_judge_that_is_fast_keeps_nothing(tmp_path: Path) -> None:
    with karat.cache(tmp_path) as cache:
        karat.judge(KEY, RUNS, judge="lexical")
        assert cache.state().entries == 0


def test_scores_of_another_shape_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.judges.cached_scores._task_name", lambda *_: name_of("always the same"))
    judged([task()], tmp_path)
    results, asked = judged([task(runs=5)], tmp_path)
    assert asked == 1
    assert results[0].scores.shape == (5, 3)


@pytest.fixture(scope="module")
def inputs() -> tuple[list[object], bytes]:
    """A key, runs, and what `semantic` writes about them without a cache."""
    pytest.importorskip("onnxruntime")
    collection = karat.load(KEY, RUNS, on_error="skip")
    queries = {query.query_id for query in collection.queries[:3]}
    records = [record for record in collection if getattr(record, "query_id", None) in queries]
    return records, lines(records)


def lines(records: list[object], *, jobs: int = 1) -> bytes:
    judging = karat.judge(records, judge="semantic", jobs=jobs)  # type: ignore[arg-type]
    return b"\n".join([*map(encode_record, judging.judgements), *(note.encode() for note in judging.notes)])


def fresh(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An encoder that remembers nothing, and how many texts it encodes, as in a new process."""
    encoder, counts = Encoder(), [0]
    encode = encoder._encoded

    def counting(texts: list[str]) -> object:
        counts[0] += len(texts)
        return encode(texts)

    monkeypatch.setattr(encoder, "_encoded", counting)
    for place in ("karat.judges.semantic.semantic", "karat.language.encoder"):
        monkeypatch.setattr(f"{place}.load_encoder", lambda: encoder)
    return counts


def test_results_are_the_same_cold_and_warm(
    inputs: tuple[list[object], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, wanted = inputs
    with karat.cache(tmp_path):
        cold = fresh(monkeypatch)
        assert lines(records) == wanted
        warm = fresh(monkeypatch)
        assert lines(records) == wanted
    assert cold[0] > 50
    # The sentence by which the cache knows the encoder.
    assert warm[0] == 1


@pytest.mark.parametrize("seed", range(6))
def test_results_are_the_same_with_parts_of_a_cache_and_with_a_damaged_one(
    inputs: tuple[list[object], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    records, wanted = inputs
    with karat.cache(tmp_path):
        lines(records)
    draw = random.Random(seed)
    db = sqlite3.connect(tmp_path / FILE)
    with db:
        db.create_function("gone", 0, lambda: draw.random() < (0.2, 0.5, 0.8)[seed % 3])
        what = "DELETE FROM entry" if seed < 3 else "UPDATE entry SET value = zeroblob(size / 2)"
        db.execute(f"{what} WHERE gone()")
    db.close()
    if seed == 5:
        file = tmp_path / FILE
        content = bytearray(file.read_bytes())
        for _ in range(200):
            content[draw.randrange(4096, len(content))] ^= 0xFF
        file.write_bytes(bytes(content))
    fresh(monkeypatch)
    with karat.cache(tmp_path):
        assert lines(records) == wanted


def test_results_are_the_same_in_several_processes(inputs: tuple[list[object], bytes], tmp_path: Path) -> None:
    records, wanted = inputs
    with karat.cache(tmp_path):
        assert lines(records, jobs=2) == wanted
    assert Cache(tmp_path).state().kinds["vectors"][0] > 50
    with karat.cache(tmp_path):
        assert lines(records, jobs=2) == wanted


def test_vectors_of_other_runs_stay_when_a_run_is_added(
    inputs: tuple[list[object], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, _ = inputs
    first = [record for record in records if getattr(record, "run_id", "atlas") == "atlas"]
    with karat.cache(tmp_path):
        lines(first)
        counts = fresh(monkeypatch)
        added = lines(records)
    assert 1 < counts[0] < 250
    monkeypatch.undo()
    assert added == lines(records)


def test_scores_of_a_parse_are_not_kept() -> None:
    pytest.importorskip("onnxruntime")
    assert Semantic(roles="parse").cached_as() is None
    assert Semantic().cached_as() != Semantic(objections="none").cached_as() or str(Semantic()) != str(
        Semantic(objections="none")
    )
