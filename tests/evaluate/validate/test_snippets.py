from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import karat
from builders.rows import judgement, nug, response
from karat.evaluate.validate import validate as validating
from karat.evaluate.validate.snippets import snippet_pairs, snippet_tasks
from karat.evaluate.validate.validate import validate_collection
from karat.formats import load
from karat.judges.human.judged_texts import wording
from karat.judges.registry import parse_judge
from karat.model import Collection, UsageError

WORDS = ("fox", "hen", "whale", "bee")


def pool(run_id: str = "pool", queries: int = 3) -> Collection:
    """Snippets that say one or two of four nugs, two of a document, every text in two documents."""
    rows: list[dict[str, Any]] = []
    for query in range(queries):
        query_id, snippets = f"q{query}", []
        rows += [nug(query_id, word, descriptions=[f"the {word}"]) for word in WORDS]
        for at in range(32):
            says = [word for bit, word in enumerate(WORDS) if (at // 2) >> bit & 1]
            text = " ".join(["It", *says, "slept", f"n{at // 2}"])
            cited = [{"doc_id": f"d{at % 16}"}]
            snippets.append({"snippet_id": f"s{at}", "text": text, "citations": cited})
            rows += [judgement(query_id, run_id, 1.0, word, snippet_id=f"s{at}") for word in says]
        rows.append(response(query_id, run_id, snippets=snippets))
    return load(rows)


def test_a_fold_sees_neither_its_documents_nor_copies_of_its_texts() -> None:
    for one in snippet_tasks(pool(), folds=4, seed=1):
        assert one.task.known is not None
        for group in set(one.task.groups):
            own = [row for row, other in enumerate(one.task.groups) if other == group]
            texts = [one.task.responses[row].snippets[0] for row in own]
            left = one.task.known.without(group, [snippet.text for snippet in texts])
            assert not {wording(snippet.text) for snippet in texts} & set(left.wordings)
            documents = {snippet.citations[0].doc_id for snippet in texts}
            others = {
                response.snippets[0].citations[0].doc_id
                for response, other in zip(one.task.responses, one.task.groups, strict=True)
                if other != group
            }
            assert not documents & others


def test_in_a_pool_what_is_not_marked_is_not_contained() -> None:
    pairs = snippet_pairs(pool(queries=1), parse_judge("qaviar"))
    assert len(pairs.degrees) == 32 * 4
    assert pairs.degrees.sum() == 2 * 32
    assert roc_auc_score(pairs.degrees, pairs.scores) == 1


def test_in_an_answer_siblings_of_a_marked_snippet_are_unknown() -> None:
    answer = response("q", "r", "a fox", "two foxes")
    collection = load([nug("q", "fox"), nug("q", "hen"), answer, judgement("q", "r", 1.0, "fox", snippet_id="1")])
    degrees = snippet_pairs(collection, parse_judge("qaviar")).degrees
    np.testing.assert_array_equal(degrees, [1, 0, np.nan, 0])


def test_judgements_of_whole_responses_are_refused() -> None:
    answer = response("q", "r", "a fox")
    with pytest.raises(UsageError, match="needs judgements of single snippets"):
        snippet_pairs(load([nug("q", "fox"), answer, judgement("q", "r", 1.0, "fox")]), parse_judge("qaviar"))


def test_a_validation_on_snippets_has_only_figures_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validating, "RESAMPLES", 20)
    validation = validate_collection(pool(), judge="neighbours", cv="snippet", folds=4)
    assert validation.figures["pairs"].value == 3 * 32 * 4
    assert validation.figures["auc"].value == pytest.approx(1, abs=0.02)
    assert validation.figures["tau_runs"].value is None
    assert "cv:snippet|folds:4" in validation.signature
    assert validation.notes[-1] == "pairs are of a snippet and a nug: there are no figures of runs"
    with pytest.raises(UsageError, match="only one query has labels"):
        validate_collection(pool(queries=1), judge="neighbours", cv="snippet")


@pytest.mark.real_data
def test_known_updates_tell_more_than_descriptions_on_a_topic_of_tempsumm_2014(real_data: Path) -> None:
    folder = real_data / "trec-tempsumm-2014"
    names = ("nuggets.tsv.gz", "updates_sampled.tsv.gz", "matches.tsv.gz")
    everything = karat.load(*(folder / name for name in names), on_error="skip")
    topic = Collection(record for record in everything if getattr(record, "query_id", None) in (None, "TS14.20"))
    known = snippet_pairs(topic, parse_judge("neighbours"))
    plain = snippet_pairs(topic, parse_judge("pourpre(unit=snippet)"))
    by_known, by_plain = (roc_auc_score(pairs.degrees >= 1, pairs.scores) for pairs in (known, plain))
    assert by_known > 0.95 > 0.93 > by_plain
