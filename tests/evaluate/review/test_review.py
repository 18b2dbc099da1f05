from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders.records import judgement, nug, response
from karat.evaluate.review import live_scores
from karat.evaluate.review.file import ReviewFile, revised
from karat.evaluate.review.marks import find_passage
from karat.evaluate.review.order import Pair
from karat.evaluate.review.review import Review
from karat.evaluate.review.session import review_collection
from karat.evaluate.score.score import score_collection
from karat.judges.judge import Judging, judge_collection
from karat.model import Collection, InputError, Judgement, Nug, Query, Response, UsageError

KEY = [
    Query(query_id="q1", text="Why is the fox red?"),
    Query(query_id="q2", text="What does the owl eat?"),
    nug("n1", "Foxes are red to hide.", query_id="q1", importance="vital"),
    nug("n2", "Foxes live in woods.", query_id="q1", importance="okay"),
    nug("n1", "Owls eat mice.", query_id="q2", importance="vital"),
    nug("n2", "Owls hunt at night.", query_id="q2", importance="vital"),
]


def answer(query_id: str, run_id: str, *texts: str) -> Response:
    return response(run_id, *texts, query_id=query_id, first=0)


RUN = [
    answer("q1", "atlas", "A fox is red.", "It  hides in\nred leaves, among the trees."),
    answer("q2", "atlas", "The owl feeds on small rodents after dark."),
]


def doubted(query_id: str, nug_id: str, full: float, *, run_id: str = "atlas", partial: float = 0.0) -> Judgement:
    chances = {"0": 1 - full - partial, "0.5": partial, "1": full}
    ids = {"query_id": query_id, "run_id": run_id, "judge": "nuggeteer"}
    return judgement(nug_id, float(full >= 0.5), probabilities=chances, **ids)


# n1 of q1 moves strict_vital by 1 on its query, the nugs of q2 by a half each, n2 of q1 is okay and moves nothing.
DOUBTS = [doubted("q1", "n1", 0.3), doubted("q1", "n2", 0.5), doubted("q2", "n1", 0.6), doubted("q2", "n2", 0.9)]


def review_of(*judgements: Judgement, responses: list[Response] | None = None, **options: object) -> Review:
    judging = Judging(judgements=tuple(judgements or DOUBTS), notes=(), sigma=1.0, run_sigma=0.0, signature="nuggeteer")
    return Review(Collection([*KEY, *(responses or RUN)]), judging, **options)  # type: ignore[arg-type]


def walked(review: Review) -> list[str]:
    found = []
    while (question := review.next()) is not None:
        found.append(f"{question.pair.query_id}/{question.pair.run_id}/{question.pair.nug_id}")
        review.answer(None)
    return found


def test_least_certain_and_weightiest_first() -> None:
    # doubt x effect: 0.6 x 1, 0.8 x 1/2, 0.2 x 1/2, and 1 x 0
    assert walked(review_of()) == ["q1/atlas/n1", "q2/atlas/n1", "q2/atlas/n2", "q1/atlas/n2"]


def test_with_lenient_all_the_okay_nug_moves_as_much() -> None:
    assert walked(review_of(measure="lenient_all"))[0] == "q1/atlas/n2"


def test_a_threshold_asks_all_above_it_most_probable_first() -> None:
    judged = [*DOUBTS[:3], doubted("q2", "n2", 0.99)]
    assert walked(review_of(*judged, threshold=0.5)) == ["q2/atlas/n2", "q2/atlas/n1", "q1/atlas/n2"]


def test_what_is_nearly_certain_is_not_asked_and_what_may_be_partial_is() -> None:
    judged = [doubted("q1", "n1", 0.96), doubted("q1", "n2", 0.04), doubted("q2", "n1", 0.01, partial=0.5)]
    assert walked(review_of(*judged)) == ["q2/atlas/n1"]


def test_runs_queries_and_limit_narrow_the_walk() -> None:
    assert walked(review_of(query_ids=["q2"])) == ["q2/atlas/n1", "q2/atlas/n2"]
    assert walked(review_of(limit=2)) == ["q1/atlas/n1", "q2/atlas/n1"]
    with pytest.raises(UsageError, match="run 'birch'; choose from atlas"):
        review_of(run_ids=["birch"])
    with pytest.raises(UsageError, match="query 'q9'; choose from q1, q2"):
        review_of(query_ids=["q9"])
    with pytest.raises(UsageError, match="one measure"):
        review_of(measure="strict_vital,strict_all")


@pytest.mark.parametrize(("degree", "status"), [(1.0, "ok"), (0.5, "ok"), (0.0, "ok"), (None, "unknown")])
def test_an_answer_is_a_judgement_of_the_whole_response_by_a_person(degree: float | None, status: str) -> None:
    step = review_of(assessor="ann").answer(degree)
    assert step.judgement == Judgement(
        query_id="q1", run_id="atlas", nug_id="n1", degree=degree, judge="person", assessor="ann", status=status
    )  # fmt: skip


def test_a_question_shows_what_is_needed() -> None:
    question = review_of().next()
    assert question is not None
    assert (question.query, question.nug, question.probability) == ("Why is the fox red?", KEY[2], 0.3)
    assert question.text.startswith("A fox is red.\nIt  hides")


def test_the_score_moves_as_the_arithmetic_says() -> None:
    review = review_of(doubted("q1", "n1", 0.5), doubted("q2", "n1", 0.5), doubted("q2", "n2", 0.5))
    for degree, left in ((1.0, 2), (0.5, 1), (1.0, 0)):
        review.answer(degree)
        assert review.left("atlas") == left
    score = review.score("atlas")
    # q1: 1 of 1; q2: 1 of 2, the partial one counting nothing.
    assert score is not None
    assert (score.measure, score.value, score.judge_low) == ("strict_vital", 0.75, None)


def test_an_answer_narrows_the_judges_interval() -> None:
    review = review_of()
    before = review.score("atlas")
    review.answer(1.0)
    after = review.score("atlas")
    assert before is not None
    assert after is not None
    assert before.judge_low is not None
    assert before.judge_high is not None
    assert after.judge_low is not None
    assert after.judge_high is not None
    assert after.judge_high - after.judge_low < before.judge_high - before.judge_low


def test_undo_asks_again_and_restores_the_score() -> None:
    review = review_of()
    assert review.undo() is None
    first, before = review.next(), review.score("atlas")
    review.answer(1.0)
    review.answer(None)
    assert [review.undo().judgement.nug_id for _ in range(2)] == ["n1", "n1"]  # type: ignore[union-attr]
    assert (review.next(), review.score("atlas"), review.answered) == (first, before, 0)
    assert review.undo() is None


def test_answers_past_the_end_are_refused() -> None:
    review = review_of(limit=1)
    review.answer(1.0)
    assert review.next() is None
    with pytest.raises(UsageError, match="nothing left"):
        review.answer(1.0)


def test_the_same_text_in_another_run_is_answered_too_and_undone_too() -> None:
    twins = [*RUN, answer("q1", "birch", "a FOX is red.", "It hides in red leaves, among the trees.")]
    judged = [*DOUBTS, doubted("q1", "n1", 0.3, run_id="birch"), doubted("q1", "n2", 0.4, run_id="birch")]
    review = review_of(*judged, responses=twins)
    assert (review.next().pair, review.left("birch")) == (Pair("q1", "atlas", "n1"), 2)  # type: ignore[union-attr]
    review.answer(1.0)
    assert review.left("birch") == 1
    assert "q1/birch/n1" not in walked(review)
    while review.undo():
        pass
    assert review.left("birch") == 2


def test_marked_words_prove_the_nug_and_describe_it() -> None:
    review = review_of()
    assert review.add_description("words that are not there") is None
    assert review.add_description("  ") is None
    step = review.add_description("it hides ... leaves")
    assert step is not None
    assert step.nug is not None
    assert step.judgement.evidence is not None
    assert step.nug.descriptions == ("Foxes are red to hide.", "It hides in red leaves")
    assert step.judgement.degree == 1.0
    assert step.judgement.evidence.words == ("It hides in red leaves",)
    assert step.judgement.evidence.extra == {"snippet_id": "s1", "span": [0, 23]}
    assert review.live.nugs["q1", "n1"] == step.nug
    review.undo()
    assert review.live.nugs["q1", "n1"] == KEY[2]


def test_words_that_describe_the_nug_already_are_not_added_again() -> None:
    responses = [answer("q1", "atlas", "FOXES are red  to hide."), RUN[1]]
    step = review_of(responses=responses).add_description("foxes are red to hide.")
    assert step is not None
    assert (step.nug, step.judgement.degree) == (None, 1.0)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("RED   leaves", "red leaves"),
        ("A fox ... leaves", None),
        ("red … trees.", "red leaves, among the trees."),
        ("trees ... red", None),
        ("...", None),
        ("a ... b ... c", None),
        ("(", None),
    ],
)
def test_find_passage(typed: str, found: str | None) -> None:
    passage = find_passage(RUN[0], typed)
    assert (passage.text if passage else None) == found


def test_an_added_nug_is_contained_here_and_leaves_the_question_open() -> None:
    review = review_of()
    before = review.next()
    assert review.add_nug("  ", "vital") is None
    step = review.add_nug(" Leaves  are red. ", "vital")
    assert step is not None
    assert step.nug is not None
    assert (step.nug.query_id, step.nug.nug_id, step.nug.descriptions) == ("q1", "added-1", ("Leaves are red.",))
    assert (step.judgement.nug_id, step.judgement.degree, review.next()) == ("added-1", 1.0, before)
    again = review.add_nug("Trees stand.", "okay")
    assert again is not None
    assert again.nug is not None
    assert again.nug.nug_id == "added-2"
    review.answer(0.0)
    review.answer(0.0)
    review.answer(0.0)
    score = review.score("atlas")
    # q1: the added vital nug of two; q2: none of two.
    assert score is not None
    assert score.value == 0.25
    while review.undo():
        pass
    assert list(review.live.nugs) == [(nug.query_id, nug.nug_id) for nug in KEY if isinstance(nug, Nug)]


def judged_again(records: list[Judgement | Nug]) -> float | None:
    """The score of the same run from the files alone, as `karat score --judge nuggeteer` makes it."""
    collection = Collection([*KEY, *RUN, *records])
    judging = judge_collection(collection, judge="nuggeteer")
    rest = [record for record in collection if not isinstance(record, Judgement)]
    scoring = score_collection(
        Collection([*rest, *judging.judgements]), measures="strict_vital", judge="all",
        sigma=judging.sigma, run_sigma=judging.run_sigma,
    )  # fmt: skip
    return scoring.of_all()[0].value


def test_the_live_score_is_that_of_the_saved_answers(tmp_path: Path) -> None:
    saved = ReviewFile(tmp_path / "mine.jsonl")
    review = review_collection(Collection([*KEY, *RUN]), judge="nuggeteer", threshold=0.0)
    for degree in (1.0, None, 0.0, 0.5):
        saved.save(review.answer(degree).judgement)
        score = review.score("atlas")
        assert score is not None
        assert score.value == judged_again([*saved.judgements()])


MOVES = st.lists(st.sampled_from(["y", "p", "n", "s", "u", "m", "a"]), max_size=8)


@pytest.mark.parametrize("most", [live_scores.MOST_KEPT, 0])
@given(moves=MOVES)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_live_score_is_that_of_all_judgements_scored_anew(
    monkeypatch: pytest.MonkeyPatch, most: int, moves: list[str]
) -> None:
    monkeypatch.setattr(live_scores, "MOST_KEPT", most)
    texts = [*RUN, *(msgspec.structs.replace(one, run_id="birch") for one in RUN), answer("q2", "cedar", "Owls.")]
    judged = [doubted(judgement.query_id, judgement.nug_id, 0.2 + at / 10) for at, judgement in enumerate(DOUBTS)]
    judged += [msgspec.structs.replace(judgement, run_id="birch") for judgement in DOUBTS]
    judged += [doubted("q2", "n1", 0.7, run_id="cedar"), doubted("q2", "n2", 0.1, run_id="cedar", partial=0.3)]
    review = review_of(*judged, responses=texts)
    for move in moves:
        if move == "u":
            review.undo()
        elif review.next() is None:
            break
        elif move in "ypns":
            review.answer({"y": 1.0, "p": 0.5, "n": 0.0, "s": None}[move])
        elif move == "m":
            review.add_description("red leaves")
        else:
            review.add_nug("Leaves are red.", "vital")
        for run_id in ("atlas", "birch", "cedar"):
            records = review.live.records(run_id)
            anew = score_collection(
                records, measures="strict_vital", sigma=1.0, run_sigma=0.0, missing="skip", judge="all"
            )
            assert review.score(run_id) == anew.of_all()[0]
        still = [pair for pair in review._order if review._is_open(pair)]
        assert review.to_come() == len(still)


def test_started_again_it_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    saved = ReviewFile(tmp_path / "mine.jsonl")
    asked = []
    for _ in range(6):
        review = review_collection(Collection([*KEY, *RUN, *saved.judgements()]), threshold=0.0)
        if (question := review.next()) is None:
            break
        asked.append(question.pair)
        saved.save(review.answer(None if len(asked) == 1 else 1.0).judgement)
    assert len(set(asked)) == len(asked) == 4
    again = review_collection(Collection([*KEY, *RUN, *saved.judgements()]), threshold=0.0, skipped=True)
    assert again.next().pair == asked[0]  # type: ignore[union-attr]


def test_a_programs_judgements_are_made_anew() -> None:
    review = review_collection(Collection([*KEY, *RUN, *DOUBTS]), threshold=0.0)
    assert len(walked(review)) == 4


def person(nug_id: str, degree: float | None = 1.0) -> Judgement:
    status = "unknown" if degree is None else "ok"
    return judgement(nug_id, degree, query_id="q1", run_id="atlas", judge="person", status=status)


def test_files_are_appended_to_replaced_in_and_removed_from(tmp_path: Path) -> None:
    saved = ReviewFile(tmp_path / "mine.jsonl")
    assert (saved.judgements(), saved.nugs()) == ([], [])
    saved.save(person("n1", None))
    saved.save(person("n2"))
    saved.save(person("n1"))
    assert saved.judgements() == [person("n2"), person("n1")]
    saved.remove(person("n2"))
    saved.remove(person("n1"))
    assert saved.judgements() == []
    nug = Nug(query_id="q1", nug_id="n1", descriptions=("a",))
    saved.save(nug)
    saved.save(msgspec.structs.replace(nug, descriptions=("a", "b")))
    assert [nug.descriptions for nug in saved.nugs()] == [("a", "b")]
    assert saved.nugs_path.name == "mine.nugs.jsonl"


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    saved = ReviewFile(tmp_path / "mine.jsonl")
    saved.save(person("n1"))
    saved.save(person("n2"))
    os.truncate(saved.path, saved.path.stat().st_size - 20)
    assert saved.judgements() == [person("n1")]
    saved.save(person("n2"))
    os.truncate(saved.path, saved.path.stat().st_size - 1)
    assert saved.judgements() == [person("n1"), person("n2")]
    saved.save(person("n3"))
    assert len(saved.judgements()) == 3


def test_a_file_that_is_damaged_otherwise_is_an_error(tmp_path: Path) -> None:
    saved = ReviewFile(tmp_path / "mine.jsonl")
    saved.path.write_bytes(b"not a record\n")
    with pytest.raises(InputError):
        saved.judgements()


@pytest.mark.parametrize("name", ["-", "", "mine.jsonl.gz", ".", "nowhere/mine.jsonl"])
def test_where_nothing_can_be_saved(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        ReviewFile(name)


def test_a_revised_key_has_what_either_says() -> None:
    more = Nug(query_id="q1", nug_id="n1", descriptions=("Old words.", "Red leaves."), importance="vital")
    new = Nug(query_id="q2", nug_id="added-1", descriptions=("Owls are quiet.",))
    stray = Nug(query_id="q9", nug_id="n1", descriptions=("Of another key.",))
    nugs = revised(Collection(KEY), [more, new, stray]).nugs
    assert nugs[0].descriptions == ("Foxes are red to hide.", "Old words.", "Red leaves.")
    assert (nugs[-1], len(nugs)) == (new, 5)
