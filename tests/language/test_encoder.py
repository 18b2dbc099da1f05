from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from karat.language import wordpieces
from karat.language.encoder import PIECES, Encoder
from karat.language.wordpieces import ENCODER_FILE, PackagedFile, packaged
from karat.model.errors import MissingExtra, UsageError

TEXTS = (
    "Engineers found cracks on Monday.",
    "The physician saw 20,919 patients, didn’t she?",
    "東京で会う",
    "",
    "?!",
    "of the and",
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    pytest.importorskip("onnxruntime")
    return Encoder()


def test_content_words_have_vectors_of_length_one(encoder: Encoder) -> None:
    [text] = encoder.encode(["The doctor saw 20,919 patients."]).values()
    assert text.words == ("doctor", "saw", "20919", "patients")
    assert text.vectors.shape == (4, 384)
    assert np.allclose(np.linalg.norm(text.vectors.astype(float), axis=1), 1, atol=2e-3)


@pytest.mark.parametrize("text", ["", "?!", "of the and"])
def test_text_without_content_has_no_words(encoder: Encoder, text: str) -> None:
    assert encoder.encode([text])[text].words == ()


def test_every_text_has_as_many_vectors_as_words(encoder: Encoder) -> None:
    for text, encoded in encoder.encode(TEXTS).items():
        assert len(encoded.words) == len(encoded.vectors), text


def test_vectors_depend_neither_on_other_texts_nor_on_threads(encoder: Encoder) -> None:
    together = Encoder(threads=2).encode(TEXTS)
    for text in TEXTS:
        alone = Encoder(remembered=0).encode([text])[text]
        assert np.abs(alone.vectors.astype(float) - together[text].vectors).max(initial=0) <= 1e-3


def test_like_words_are_nearer_than_others(encoder: Encoder) -> None:
    texts = encoder.encode(["The doctor helped.", "The physician helped.", "The tractor helped."])
    doctor, physician, tractor = (text.vectors[0].astype(float) for text in texts.values())
    assert doctor @ physician > doctor @ tractor + 0.2


def test_long_text_is_encoded_in_parts_and_loses_nothing(encoder: Encoder) -> None:
    text = "Bees dance. " * PIECES
    assert len(encoder.encode([text])[text].words) == 2 * PIECES


def test_memory_is_bounded() -> None:
    pytest.importorskip("onnxruntime")
    small = Encoder(remembered=4000)
    small.encode([f"Number {at} is here." for at in range(20)])
    assert 1 <= len(small._seen) <= 3
    assert small._bytes <= 4000


def test_a_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = PackagedFile(ENCODER_FILE.distribution, "1.0.0", ENCODER_FILE.path, "0" * 64)
    with pytest.raises(UsageError, match=r"not the file that Karat was made with.*--force-reinstall"):
        packaged(changed)


def test_a_missing_package_says_what_to_install() -> None:
    with pytest.raises(MissingExtra, match=r"\[semantic\]"):
        packaged(PackagedFile("no-such-package", "1", "x", ""))


def test_is_installed_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert wordpieces.is_installed()
    monkeypatch.setattr(wordpieces, "_version", lambda name: None)
    assert not wordpieces.is_installed()


def test_nothing_is_reported_to_anybody(tmp_path: Path) -> None:
    """onnxruntime, left alone, prepares reports of its use, with an id of this machine in a file."""
    pytest.importorskip("onnxruntime")
    program = "from karat.language.encoder import Encoder\nEncoder().encode(['Two men died.'])\n"
    env = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    places = dict.fromkeys(("TMPDIR", "HOME", "XDG_CACHE_HOME"), str(tmp_path))
    subprocess.run([sys.executable, "-c", program], env=env | places, check=True)
    assert list(tmp_path.rglob("*")) == []
