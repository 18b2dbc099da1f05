from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from karat.language.analysis import Sentence, Token
from karat.language.roles.features import draw, pair_rows, token_rows
from karat.language.roles.labeller import RoleModel, load_roles, read_roles
from karat.language.roles.network import encode_tokens, label_scores
from karat.language.train.__main__ import write_roles

LIMIT = 25_000_000
"""Bytes that the model file may have."""


def sentence(*words: tuple[str, str, str, str, int]) -> Sentence:
    """A sentence of (text, part of speech, tag, relation, head)."""
    tokens, start = [], 0
    for index, (text, pos, tag, dep, head) in enumerate(words):
        tokens.append(Token(index, start, start + len(text), text, text.lower(), pos, tag, dep, head, ""))
        start += len(text) + 1
    return Sentence(tuple(tokens), source=" ".join(text for text, *_ in words))


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
EMPTY = Sentence(())


@pytest.fixture(scope="module")
def model() -> RoleModel:
    return load_roles()


def test_sentences_do_not_disturb_each_other(model: RoleModel) -> None:
    """The scores of a sentence are the same alone and among others, wherever its rows begin."""
    alone, beside = draw(WIND.tokens, model.lexicon), draw(CATS.tokens, model.lexicon)
    first, both = token_rows([alone]), token_rows([beside, alone])
    one = label_scores(encode_tokens(first, model.weights), pair_rows([(alone, 1, 2)], model.lexicon), model.weights)
    targets = [(beside, both.starts[0], 1), (alone, both.starts[1], 2)]
    two = label_scores(encode_tokens(both, model.weights), pair_rows(targets, model.lexicon), model.weights)
    assert np.allclose(two[-len(one) :], one, atol=1e-3)
    assert np.ptp(one) > 1


def test_empty_sentences_have_no_predicates(model: RoleModel) -> None:
    assert model.analyze([EMPTY]) == [()]
    assert model.find_predicates([EMPTY, CATS]) == [[], [1]]
    assert model.label([EMPTY, CATS], [[], []]) == [(), ()]
    assert model.analyze([]) == []


def test_given_predicates_are_labelled_as_found_ones(model: RoleModel) -> None:
    found = model.analyze([CATS, EMPTY, WIND])
    positions = [[predicate.token for predicate in some] for some in found]
    assert positions == [[1], [], [2]]
    assert model.label([CATS, EMPTY, WIND], positions) == found
    assert [(one.label, one.start_token, one.end_token) for one in found[2][0].arguments] == [
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
