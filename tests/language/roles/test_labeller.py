from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.language.analysis import Argument, ParsedSentence, Token
from karat.language.roles.features import pair_rows, sentence_arrays, token_rows
from karat.language.roles.labeller import ONCE, RoleModel, decode, load_roles, read_roles
from karat.language.roles.network import encode_tokens, label_scores
from karat.language.train.__main__ import write_roles

LIMIT = 25_000_000
"""Bytes that the model file may have."""


def sentence(*words: tuple[str, str, str, str, int]) -> ParsedSentence:
    """A sentence of (text, part of speech, tag, relation, head)."""
    tokens, start = [], 0
    for index, (text, pos, tag, dep, head) in enumerate(words):
        tokens.append(Token(index, start, start + len(text), text, text.lower(), pos, tag, dep, head, ""))
        start += len(text) + 1
    return ParsedSentence(tuple(tokens), source=" ".join(text for text, *_ in words))


CATS = sentence(
    ("Cats", "NOUN", "NNS", "nsubj", 1),
    ("chase", "VERB", "VBP", "ROOT", 1),
    ("mice", "NOUN", "NNS", "dobj", 1),
    ("daily", "ADV", "RB", "advmod", 1),
    (".", "PUNCT", ".", "punct", 1),
)
WIND = sentence(
    ("Wind", "NOUN", "NN", "nsubj", 2),
    ("may", "AUX", "MD", "aux", 2),
    ("carry", "VERB", "VB", "ROOT", 2),
    ("seeds", "NOUN", "NNS", "dobj", 2),
)
EMPTY = ParsedSentence(())


@pytest.fixture(scope="module")
def model() -> RoleModel:
    return load_roles()


def test_sentences_do_not_disturb_each_other(model: RoleModel) -> None:
    """The scores of a sentence are the same alone and among others, wherever its rows begin."""
    alone, beside = sentence_arrays(WIND.tokens, model.lexicon), sentence_arrays(CATS.tokens, model.lexicon)
    first, both = token_rows([alone]), token_rows([beside, alone])
    by_itself = label_scores(
        encode_tokens(first, model.weights), pair_rows([(alone, 1, 2)], model.lexicon), model.weights
    )
    targets = [(beside, both.starts[0], 1), (alone, both.starts[1], 2)]
    two = label_scores(encode_tokens(both, model.weights), pair_rows(targets, model.lexicon), model.weights)
    assert np.allclose(two[-len(by_itself) :], by_itself, atol=1e-3)
    assert np.ptp(by_itself) > 1


def test_empty_sentences_have_no_predicates(model: RoleModel) -> None:
    assert model.analyze([EMPTY]) == [()]
    assert model.find_predicates([EMPTY, CATS]) == [[], [1]]
    assert model.label([EMPTY, CATS], [[], []]) == [(), ()]
    assert model.analyze([]) == []


def test_given_predicates_are_labelled_as_found_ones(model: RoleModel) -> None:
    analyzed = model.analyze([CATS, EMPTY, WIND])
    positions = [[predicate.token for predicate in some] for some in analyzed]
    assert positions == [[1], [], [2]]
    assert model.label([CATS, EMPTY, WIND], positions) == analyzed
    assert [(argument.label, argument.start_token, argument.end_token) for argument in analyzed[2][0].arguments] == [
        ("ARG0", 0, 1),
        ("ARGM-MOD", 1, 2),
        ("ARG1", 3, 4),
    ]


def test_a_written_model_reads_back(model: RoleModel, tmp_path: Path) -> None:
    path = tmp_path / "roles.npz"
    write_roles(path, model)
    again = read_roles(path)
    assert again.lexicon == model.lexicon
    assert (again.version, again.bias, again.predicate_bias) == (model.version, model.bias, model.predicate_bias)
    assert all(np.array_equal(again.weights[name], weight) for name, weight in model.weights.items())
    assert path.stat().st_size < LIMIT


LABELS = ("", "ARG0", "ARG1", "ARGM-TMP")


def decoded(*rows: tuple[int, int, float, float, float], bias: float = 0.0) -> tuple[Argument, ...]:
    spans = np.array([row[:2] for row in rows])
    scores = np.array([(0.0, *row[2:]) for row in rows], dtype=np.float32)
    return decode(scores, spans, LABELS, bias=bias)


def test_the_better_of_two_overlapping_spans_is_taken() -> None:
    assert decoded((0, 2, 1.0, -1, -1), (1, 3, 2.0, -1, -1)) == (Argument("ARG0", 1, 3),)


def test_a_core_label_comes_once_and_the_next_best_label_is_used() -> None:
    assert decoded((0, 1, 3.0, -1, -1), (2, 3, 2.0, 1.0, -1)) == (Argument("ARG0", 0, 1), Argument("ARG1", 2, 3))


def test_a_modifier_may_appear_twice() -> None:
    assert [argument.label for argument in decoded((0, 1, -1, -1, 1.0), (2, 3, -1, -1, 1.0))] == [
        "ARGM-TMP",
        "ARGM-TMP",
    ]


def test_nothing_above_the_bias_is_no_argument() -> None:
    assert decoded((0, 1, -1, -2, -3)) == ()
    assert decoded((0, 1, -1, -2, -3), bias=-1.5) == (Argument("ARG0", 0, 1),)


@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.integers(1, 4), *[st.floats(-3, 3, width=32)] * 3), min_size=1, max_size=12
    )
)
def test_arguments_never_overlap_nor_repeat_a_core_label(rows: list[tuple[int, int, float, float, float]]) -> None:
    arguments = decoded(*[(start, start + width, *scores) for start, width, *scores in rows])
    for left, right in itertools.pairwise(arguments):
        assert left.end_token <= right.start_token
    core = [argument.label for argument in arguments if argument.label in ONCE]
    assert len(core) == len(set(core))
