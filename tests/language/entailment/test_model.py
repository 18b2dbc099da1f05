"""The model that comes with Karat: clear pairs, the same result in any company, a message where parts are missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from karat.language.entailment import EntailmentModel, load_entailment
from karat.language.entailment import model as runtime
from karat.model.errors import MissingExtra, UsageError

PREMISES = [
    "The storm killed at least 4 people in the port of Alma, officials said.",
    "Marta Holm defeated Jonas Brandt in the final on Sunday.",
    "The new drug did not reduce pain in the trial.",
]
TRUE = [
    "The storm killed at least four people.",
    "Jonas Brandt was defeated by Marta Holm.",
    "In the trial, pain was not reduced by the new drug.",
]
FALSE = [
    "The storm killed at least 40 people.",
    "Jonas Brandt defeated Marta Holm.",
    "The new drug reduced pain in the trial.",
]


@pytest.fixture(scope="module")
def model() -> EntailmentModel:
    for library in ("onnxruntime", "tokenizers"):
        pytest.importorskip(library)
    return load_entailment()


def test_numbers_roles_and_negations_are_told_apart(model: EntailmentModel) -> None:
    true, false = model.probabilities(PREMISES, TRUE), model.probabilities(PREMISES, FALSE)
    assert (true > 0.5).all(), true
    assert (false < 0.5).all(), false


def test_a_copy_is_entailed(model: EntailmentModel) -> None:
    assert (model.probabilities(PREMISES, PREMISES) > 0.75).all()


def test_a_pair_has_the_same_probability_alone_and_with_others(model: EntailmentModel) -> None:
    premises, statements = [*PREMISES, *PREMISES, " ".join(PREMISES)], [*TRUE, *FALSE, TRUE[0]]
    together = model.probabilities(premises, statements)
    alone = [
        model.probabilities([premise], [statement])[0] for premise, statement in zip(premises, statements, strict=True)
    ]
    assert together.tolist() == alone
    assert model.probabilities(premises[::-1], statements[::-1]).tolist() == alone[::-1]


def test_threads_change_nothing(model: EntailmentModel) -> None:
    two = load_entailment(threads=2)
    assert two.probabilities(PREMISES, FALSE).tolist() == model.probabilities(PREMISES, FALSE).tolist()
    assert two.version == model.version


def test_probabilities_have_four_decimals_and_one_per_pair(model: EntailmentModel) -> None:
    found = model.probabilities(PREMISES, TRUE)
    assert found.dtype == np.float32
    assert [round(float(value), 4) for value in found] == pytest.approx(found.tolist(), abs=1e-7)
    assert model.probabilities([], []).shape == (0,)
    with pytest.raises(ValueError, match="1 premises, but 2 statements"):
        model.probabilities(["a"], ["b", "c"])


def test_long_texts_are_cut_at_the_end_of_the_premise(model: EntailmentModel) -> None:
    long = " ".join([PREMISES[0], *["Nothing else was said about it."] * 60])
    longer = f"{long} {PREMISES[1]}"
    assert model.probabilities([long], TRUE[:1]).tolist() == model.probabilities([longer], TRUE[:1]).tolist()
    assert model.probabilities(["word " * 500], ["other " * 500]).shape == (1,)


def test_the_model_is_loaded_once_and_names_its_weights(model: EntailmentModel) -> None:
    assert load_entailment() is model
    assert model.version.startswith("entailment-")


def test_a_missing_library_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime._load.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[semantic\]'"):
        load_entailment()


def test_a_missing_file_is_named(model: EntailmentModel, tmp_path: object) -> None:
    with pytest.raises(UsageError, match="there is no entailment model here"):
        load_entailment(f"{tmp_path}/none.onnx")  # type: ignore[arg-type]
