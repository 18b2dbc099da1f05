from __future__ import annotations

import pytest

from builders.rows import Row, judgement, nug, query, response
from builders.simulated import by_pair, simulated, unlabelled
from karat.evaluate.validate.cross_validation import try_judge
from karat.evaluate.validate.validate import validate_collection
from karat.formats import load
from karat.judges.human.labels import by_people, label_judges, people_of
from karat.judges.judge import Judging, judge_collection
from karat.model import Collection, Judgement, UsageError

KEY = [nug("q", name, descriptions=[text]) for name, text in (("a", "a red fox"), ("b", "the blue sea"), ("c", "tea"))]
JUDGE = "nuggeteer(n=2,stem=none,stop=keep,unit=snippet)"
HERE = [*KEY, response("q", "x", "Red tea."), response("q", "y", "Blue fox.")]


def judging(known: list[Row], here: list[Row] = HERE, **more: str) -> Judging:
    return judge_collection(load(here), judge=JUDGE, known=load(known), **more)


def known_in(found: Judging) -> dict[tuple[str, str], float | None]:
    return {
        (judgement.run_id, judgement.nug_id): judgement.degree
        for judgement in found.judgements
        if "known" in judgement.extra
    }


def test_labels_of_a_run_that_has_another_text_now_do_not_leak() -> None:
    judged = judging(
        [*KEY, response("q", "x", "Green tea."), judgement("q", "x", 1.0, "a"), judgement("q", "x", 1.0, "c")]
    )
    assert known_in(judged) == {}
    # Where another run has the old text, it is known there.
    moved = [*KEY, response("q", "x", "Red tea."), response("q", "y", "green TEA.")]
    judged = judging([*KEY, response("q", "x", "Green tea."), judgement("q", "x", 1.0, "a")], moved)
    assert known_in(judged) == {("y", "a"): 1.0}


def test_a_changed_run_still_teaches_with_its_old_text() -> None:
    truth = simulated(queries=3, runs=5, noise=0.2, seed=1)
    changed = [
        {"kind": "response", "query_id": response.query_id, "run_id": response.run_id,
         "snippets": [{"snippet_id": "1", "text": response.snippets[0].text + " More."}]}
        for response in truth.responses
    ]  # fmt: skip
    new = Collection([*truth.queries, *truth.nugs, *load(changed)])
    judged = judge_collection(new, judge=JUDGE, known=truth)
    assert known_in(judged) == {}
    assert "cal:logistic" in judged.signature
    assert {judgement.run_id for judgement in judged.judgements} == {f"r{at}" for at in range(5)}


def test_judgements_without_responses_belong_to_the_runs_given_and_that_is_reported() -> None:
    judged = judging([judgement("q", "x", 1.0, "a"), judgement("q", "z", 1.0, "a")])
    assert known_in(judged) == {("x", "a"): 1.0}
    told = (
        "1 known judgement without a response in the known files: used for the same run and query among the runs; if a "
    )
    assert any(note.startswith(told) for note in judged.notes)
    assert "1 known judgement left out: the response is in no file; give it with --known" in judged.notes


def test_a_program_s_judgements_in_the_known_files_are_not_used_and_that_is_reported() -> None:
    judged = judging([judgement("q", "x", 1.0, "a", judge="rouge"), judgement("q", "x", 0.0, "b", judge="rouge")])
    assert known_in(judged) == {}
    assert "2 known judgements by 'rouge' left out: not people's (see --labels)" in judged.notes


def test_several_judges_can_be_named() -> None:
    marks = [judgement("q", "x", 1.0, "a", judge=name) for name in ("ann", "bob", "cleo")]
    assert label_judges(load([*KEY, *marks]).judgements, "ann,cleo") == {"ann", "cleo"}
    with pytest.raises(UsageError, match="--labels 'dan': no judgement is by this judge"):
        label_judges(load([*KEY, *marks]).judgements, "ann,dan")


def test_a_judgement_of_a_snippet_that_is_not_there_is_left_out() -> None:
    judged = judging([judgement("q", "x", 1.0, "a", snippet_id="7")])
    assert known_in(judged) == {}
    assert "1 known judgement left out: the response is in no file; give it with --known" in judged.notes


def test_the_key_serves_where_the_known_files_have_no_nugs() -> None:
    judged = judging([response("q", "x", "Red tea."), judgement("q", "x", 0.5, "a"), judgement("q", "x", 1.0, "gone")])
    assert known_in(judged) == {("x", "a"): 0.5}
    assert "1 known judgement left out: the nug is not in the key" in judged.notes


def test_silence_on_a_nug_that_came_into_the_key_later_is_no_no() -> None:
    marks = [response("q", "x", "Red tea."), judgement("q", "x", 1.0, "a", snippet_id="1")]
    assert known_in(judging([*KEY[:2], *marks])) == {("x", "a"): 1.0, ("x", "b"): 0.0}
    assert known_in(judging([*KEY, *marks])) == {("x", "a"): 1.0, ("x", "b"): 0.0, ("x", "c"): 0.0}


def test_a_nug_that_says_something_else_in_the_known_files_is_not_the_same() -> None:
    other = [nug("q", "a", descriptions=["a grey wolf"]), KEY[1] | {"descriptions": ["ocean", "The BLUE sea"]}]
    marks = [response("q", "x", "Red tea."), judgement("q", "x", 1.0, "a"), judgement("q", "x", 1.0, "b")]
    judged = judging([*other, *marks])
    assert known_in(judged) == {("x", "b"): 1.0}
    told = (
        "query q, nug a: its description in the known files is another one, so their judgements about it are left out"
    )
    assert told in judged.notes


def test_what_both_say_is_taken_once_and_the_files_at_hand_first() -> None:
    both = [*HERE, judgement("q", "x", 1.0, "a")]
    here = [*HERE, judgement("q", "x", 0.0, "a")]
    assert known_in(judging(both, here)) == {("x", "a"): 0.0}
    apart = people_of(load(both), known=load(both)).apart
    assert apart.judgements == []


def test_a_file_among_the_files_or_known_beside_them_says_the_same() -> None:
    truth = simulated(queries=3, runs=5, noise=0.2, seed=1)
    some = Collection(record for record in truth if not isinstance(record, Judgement) or record.run_id != "r3")
    beside = judge_collection(unlabelled(truth), judge=JUDGE, known=some)
    among = judge_collection(some, judge=JUDGE)
    assert by_pair(beside.judgements) == by_pair(among.judgements)
    assert (beside.sigma, beside.run_sigma) == pytest.approx((among.sigma, among.run_sigma))


TWO = [*HERE, judgement("q", "x", 1.0, "a", judge="ann"), judgement("q", "x", 0.0, "b", judge="gpt")]


def test_whose_labels_count_is_reported() -> None:
    judged = judge_collection(load([*HERE, judgement("q", "x", 1.0, "a", judge="given")]), judge=JUDGE)
    assert "labels: judge 'given' counts as people's" in judged.notes


def test_of_several_judges_who_could_be_people_one_has_to_be_chosen() -> None:
    message = (
        r"the judgements of 2 judges could be people's \(ann, gpt\); choose one with --labels NAME, or use all of "
        "them with --labels all"
    )
    with pytest.raises(UsageError, match=message):
        judge_collection(load(TWO), judge=JUDGE)
    with pytest.raises(UsageError, match=message):
        judging(TWO)
    judged = judge_collection(load(TWO), judge=JUDGE, labels="ann")
    assert known_in(judged) == {("x", "a"): 1.0}
    assert "labels: judge 'ann' counts as people's" in judged.notes
    both = judge_collection(load(TWO), judge=JUDGE, labels="all")
    assert known_in(both) == {("x", "a"): 1.0, ("x", "b"): 0.0}
    assert "labels: judges 'ann', 'gpt' count as people's" in both.notes
    with pytest.raises(UsageError, match="--labels 'bob': no judgement is by this judge; choose from ann, gpt"):
        judge_collection(load(TWO), judge=JUDGE, labels="bob")


def test_who_is_ever_unsure_is_a_program_unless_it_is_named() -> None:
    unsure = judgement("q", "x", 1.0, "c", judge="gpt", probabilities={"0": 0.2, "1": 0.8})
    rows = load([*TWO, unsure])
    assert [judgement.judge for judgement in by_people(rows).judgements] == ["ann"]
    assert [judgement.nug_id for judgement in by_people(rows, labels="gpt").judgements] == ["b", "c"]
    assert label_judges([], None) == frozenset()


def test_a_program_can_be_named_and_what_was_taken_over_stays() -> None:
    rows = load(
        [*TWO, judgement("q", "y", 1.0, "a", judge="rouge"), judgement("q", "y", 0.0, "b", judge="rouge", known=True)]
    )
    assert [(judgement.judge, judgement.nug_id) for judgement in by_people(rows, labels="ann").judgements] == [
        ("ann", "a"),
        ("rouge", "b"),
    ]
    assert [judgement.nug_id for judgement in by_people(rows, labels="rouge").judgements] == ["a", "b"]


def test_a_validation_is_on_the_labels_of_the_judge_named() -> None:
    truth = simulated(queries=2, runs=3, nugs=4)
    other = [
        Judgement(
            query_id=judgement.query_id,
            run_id=judgement.run_id,
            nug_id=judgement.nug_id,
            degree=1 - (judgement.degree or 0),
            judge="gpt",
        )
        for judgement in truth.judgements
    ]
    both = Collection([*truth, *other])
    with pytest.raises(UsageError, match="--labels NAME"):
        validate_collection(both, judge=JUDGE)
    found = try_judge(both, judge=JUDGE, labels="gpt")
    assert found.pairs.labels.sum() == sum(one.degree == 1 for one in other)
    assert "labels: judge 'gpt' counts as people's" in found.notes


def test_queries_keep_their_text_and_responses_count_once_in_the_pool() -> None:
    here = load([query("q"), *HERE])
    known = load([query("q"), query("p"), nug("p"), *HERE, response("p", "x", "Other."), judgement("p", "x", 1.0)])
    people = people_of(here, known=known)
    assert [(one.query_id, one.run_id) for one in people.pool] == [("q", "x"), ("q", "y"), ("p", "x")]
    assert {query.query_id for query in people.taught().queries} == {"q", "p"}
