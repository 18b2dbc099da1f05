"""The edits and figures of benchmarks/judges/probe, on small sentences of our own."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from karat.language.analysis import ParsedSentence
from karat.language.spacy.analyzer import load_spacy, sentence_of
from karat.language.spacy.models import BUNDLED

FOLDER = Path(__file__).parents[2] / "benchmarks" / "judges" / "probe"
Parse = Callable[[str], ParsedSentence]


@pytest.fixture(scope="module")
def probe() -> Iterator[SimpleNamespace]:
    """The modules of the benchmark, which are found only here."""
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    try:
        import edits
        import sources
        from makers import clauses, copies, names, negation, numbers

        import judging
        import probe

        yield SimpleNamespace(
            edits=edits, judging=judging, probe=probe, sources=sources, clauses=clauses, copies=copies, names=names,
            negation=negation, numbers=numbers,
        )  # fmt: skip
    finally:
        sys.path.remove(str(FOLDER))
        for name in set(sys.modules) - before:
            if name.split(".")[0] in ("edits", "judging", "probe", "sources", "makers"):
                del sys.modules[name]


@pytest.fixture(scope="module")
def parse() -> Parse:
    nlp = load_spacy(BUNDLED).pipeline.nlp
    return lambda text: sentence_of(nlp(text)[:], source=text, offset=0)


def made(edits: Iterator[SimpleNamespace]) -> list[str]:
    return [edit.statement for edit in edits]


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The teacher praised the students.", "The students praised the teacher."),
        ("After the match, she thanked the coach.", "After the match, the coach thanked her."),
        ("The dogs have chased the cat.", "The cat has chased the dogs."),
        ("The lawyer advises the companies.", "The companies advise the lawyer."),
        ("Noise affects sleep.", "Sleep affects noise."),
    ],
)
def test_roles_are_swapped_with_case_and_number(probe, parse: Parse, sentence: str, wanted: str) -> None:
    assert made(probe.clauses.swapped(parse(sentence))) == [wanted]


@pytest.mark.parametrize(
    "sentence",
    [
        "The teacher met the students.",  # says the same when it is swapped
        "The teacher bought a lamp.",  # a lamp buys nothing
        "The teacher praised her students.",  # whose students would they be?
        "The teacher and the students slept.",
    ],
)
def test_what_has_no_other_roles_is_left_alone(probe, parse: Parse, sentence: str) -> None:
    assert made(probe.clauses.swapped(parse(sentence))) == []


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The storm destroyed two bridges.", "Two bridges were destroyed by the storm."),
        ("The council will build a library in May.", "A library will be built by the council in May."),
        ("The bakers have stolen the recipe.", "The recipe has been stolen by the bakers."),
        ("The museum often invites painters.", "Painters are often invited by the museum."),
    ],
)
def test_passives_keep_tense_and_agree(probe, parse: Parse, sentence: str, wanted: str) -> None:
    assert made(probe.clauses.passive(parse(sentence))) == [wanted]


def test_clefts_name_the_subject_or_the_object(probe, parse: Parse) -> None:
    assert made(probe.clauses.cleft(parse("The storm destroyed the bridge in March."))) == [
        "It was the storm that destroyed the bridge in March.",
        "It was the bridge that the storm destroyed in March.",
    ]


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The bridge was closed in March.", "The bridge was not closed in March."),
        ("The storm destroyed the bridge.", "The storm did not destroy the bridge."),
        ("The bridge was not closed in March.", "The bridge was closed in March."),
        ("The council cannot close the bridge.", "The council can close the bridge."),
        ("There is no evidence of fraud.", "There is some evidence of fraud."),
    ],
)
def test_negations_are_added_or_dropped(probe, parse: Parse, sentence: str, wanted: str) -> None:
    assert wanted in made(probe.negation.negated(parse(sentence)))


def test_a_possibility_is_not_negated(probe, parse: Parse) -> None:
    assert made(probe.negation.negated(parse("The bridge may close in March."))) == []


def test_numbers_change_so_that_the_statement_is_another(probe, parse: Parse) -> None:
    more = parse("The flood killed at least 40 people.")
    statements = [made(probe.numbers.renumbered(more, random.Random(seed)))[0] for seed in range(30)]
    numbers = {int(statement.split()[5]) for statement in statements}
    assert min(numbers) > 40
    assert len(numbers) > 3
    texts = ("The fair drew 1,200 visitors in 1998.", "About 30 percent of them paid two dollars.")
    forms = {edit.form for text in texts for edit in probe.numbers.renumbered(parse(text), random.Random(1))}
    assert {"digits", "year", "percent", "word"} <= forms


@pytest.mark.parametrize("sentence", ["The Boeing 747 landed.", "The lamp costs 5-10 dollars.", "One of them left."])
def test_numbers_in_names_and_ranges_stay(probe, parse: Parse, sentence: str) -> None:
    assert made(probe.numbers.renumbered(parse(sentence), random.Random(1))) == []


def test_names_become_others_of_their_type(probe, parse: Parse) -> None:
    sentence, other = parse("Laura Brandt opened a bakery in Germany."), parse("Her sister moved to France.")
    edits = list(probe.names.renamed(sentence, [sentence, other], random.Random(3)))
    assert [edit.form for edit in edits] == ["person", "place"]
    assert "Laura Brandt" not in edits[0].statement
    assert edits[0].statement.endswith("opened a bakery in Germany.")
    assert edits[1].statement.startswith("Laura Brandt opened a bakery in ")
    assert "Germany" not in edits[1].statement


def test_a_shorter_copy_drops_only_what_nothing_depends_on(probe, parse: Parse) -> None:
    assert made(probe.copies.shortened(parse("The old bridge was closed, because the storm had damaged it."))) == [
        "The old bridge was closed."
    ]
    assert made(probe.copies.shortened(parse("No bridge was closed, because the storm had not damaged it."))) == []


def test_items_have_their_sentence_in_both_answers(probe, parse: Parse) -> None:
    sentences = [f"The storm destroyed {count} bridges in the {name} valley." for count, name in
                 ((12, "upper"), (14, "lower"), (25, "dry"), (36, "green"), (47, "long"), (58, "small"))]  # fmt: skip
    text = probe.sources.Text("own/1", tuple(parse(sentence) for sentence in sentences))
    items = probe.edits.make_edits([text], 5, each=2)
    assert {item.kind for item in items} >= {"number", "negation", "copy", "passive"}
    assert items == probe.edits.make_edits([text], 5, each=2)
    for item in items:
        assert item.answer("alone") == [item.sentence]
        assert item.sentence in item.answer("within")
        assert 5 <= len(item.answer("within")) <= 7


def test_the_public_road_says_yes_to_a_copy(probe) -> None:
    answers = probe.judging.Answers()
    same = answers.add(
        "q1", "same", ["The storm destroyed the old bridge."], "n1", "The storm destroyed the old bridge."
    )
    other = answers.add("q1", "other", ["Bakers rise early."], "n1", "The storm destroyed the old bridge.")
    said = answers.judged("lexical")
    assert said[same].full > 0.5 > said[other].full


def test_auc_of_the_probe_counts_ties_half(probe) -> None:
    import numpy as np

    assert probe.probe.auc(np.array([[2.0, 1.0], [2.0, 1.0]])) == 1
    assert probe.probe.auc(np.array([[1.0, 1.0]])) == 0.5
    assert probe.probe.auc(np.array([[0.0, 1.0], [3.0, 2.0]])) == 0.5


def test_a_probe_item_is_judged_in_three_answers(probe) -> None:
    query = probe.probe.ProbeQuery(
        "q1", "What did the storm do?", ("Rain fell.", "Wind blew."),
        (probe.probe.ProbeItem("i1", "It broke a bridge.", "A bridge was broken.", "It broke no bridge.", "negation"),),
    )  # fmt: skip
    answers = probe.judging.Answers()
    (case,) = probe.probe.cases_of("a", [query], answers, 1)
    texts = {side: list(answers.responses[getattr(case, side)[:2]]) for side in ("paraphrase", "negative", "without")}
    assert texts["without"] == ["Rain fell.", "Wind blew."]
    assert sorted(texts["paraphrase"]) == ["A bridge was broken.", "Rain fell.", "Wind blew."]
    assert texts["paraphrase"].index("A bridge was broken.") == texts["negative"].index("It broke no bridge.")
