from __future__ import annotations

import gzip
import json
from pathlib import Path

from karat.language.analysis import Argument
from karat.language.spacy.analyzer import SpacyAnalyzer
from karat.language.train.propbank import GoldPredicate, read_examples

RECORD = {
    "id": "own-1",
    "w": ["She", "had", "left", "."],
    "xpos": ["PRP", "VBD", "VBN", "."],
    "sa": [True, True, False, False],
    "props": [
        {"v": 1, "frame": "have.01", "args": [["V", 1, 2]]},
        {"v": 2, "frame": "leave.01", "args": [["ARG0(ARG1", 0, 1], ["V", 2, 3]]},
    ],
}


def test_gold_words_are_parsed_as_they_are_cut(analyzer: SpacyAnalyzer, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(RECORD) + "\n" + json.dumps(RECORD | {"w": []}) + "\n").encode()))
    (example,) = read_examples(path, analyzer=analyzer)
    assert [token.text for token in example.sentence.tokens] == RECORD["w"]
    assert example.sentence.source == "She had left."
    assert [token.dep for token in example.sentence.tokens][:3] == ["nsubj", "aux", "ROOT"]
    assert example.gold_predicates == (
        GoldPredicate(1, True, True, frozenset()),
        GoldPredicate(2, True, False, frozenset({Argument("ARG0", 0, 1)})),
    )
