"""Reading sets of pairs and cutting long premises."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from karat.language.train.entailment.pairs.sets import LONGEST, cut_premise, is_dev, read_pairs, tidy

FILLER = "The weather was mild that week and nothing else was in the papers of the town."


def test_a_long_premise_is_cut_to_the_sentences_that_matter() -> None:
    premise = " ".join([*[FILLER] * 6, "The mayor opened a bridge over the Alma in 1904.", *[FILLER] * 6])
    window = cut_premise(premise, "A bridge over the Alma was opened in 1904.", entailed=True)
    assert window is not None
    assert "1904" in window
    assert len(window.split()) <= LONGEST


def test_an_entailed_pair_is_dropped_if_the_window_loses_its_ground() -> None:
    premise = " ".join(["Marta lives in Alma.", *[FILLER] * 12, "Jonas bakes excellent bread for hotels."])
    statement = "Marta lives in Alma and Jonas bakes excellent bread for hotels."
    assert cut_premise(premise, statement, entailed=True) is None
    assert cut_premise(premise, statement, entailed=False) is not None


def test_marks_of_tokenised_text_go() -> None:
    assert tidy("He ( the mayor ) did n't go , 'cause it 's late .") == "He (the mayor) didn't go, 'cause it's late."


def test_groups_are_not_split(tmp_path: Path) -> None:
    folder = tmp_path / "nli-sra"
    folder.mkdir()
    rows = [
        {"id": f"sra/{group}/{row}", "premise": "It rains.", "hypothesis": f"It is wet {row}.", "label": label}
        for group in range(40)
        for row, label in enumerate(("entailment", "contradiction", "not_entailment"))
    ]
    with gzip.open(folder / "sra.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    pairs = list(read_pairs(tmp_path, "sra"))
    assert [pair.three_way for pair in pairs[:3]] == [0, 2, -1]
    assert [pair.dev for pair in pairs[::3]] == [is_dev(f"sra/{group}") for group in range(40)]
    assert all(len({pair.dev for pair in pairs[start : start + 3]}) == 1 for start in range(0, len(pairs), 3))
