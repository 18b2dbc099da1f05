from __future__ import annotations

import json

from helpers import collect, collect_with_problems
from karat.formats import Source, open_reading
from karat.formats.banks.deepresearch_bench import sniff_deepresearch_bench
from karat.formats.io.head import Head
from karat.model import Collection, Nug, Query, Response, Run, Score, Snippet, content_id

SCORES = {"comprehensiveness": 0.5, "insight": 0.25, "instruction_following": 0.5, "readability": "0.75"}
RESULT = {"id": 1, "prompt": "why", **SCORES, "overall_score": 0.5}
ARTICLE = {"id": 1, "prompt": "why", "article": "Because.", "words": 1}
CRITERIA = {
    "id": 1,
    "prompt": "why",
    "dimension_weight": {"insight": 0.5, "readability": 0.5},
    "criterions": {
        "insight": [{"criterion": "Goes deep", "explanation": "e", "weight": 0.25}],
        "readability": [{"criterion": "Is clear", "explanation": "f", "weight": 1.0}],
    },
}
TASK = {"id": 1, "topic": "Nature", "language": "en", "prompt": "why"}


def test_reads_articles_of_the_run_named_like_the_file() -> None:
    source = Source("cleaned_data/some-agent.jsonl", json.dumps(ARTICLE).encode())
    collection = Collection(open_reading(source, format="deepresearch-bench"))
    assert collection.queries == [Query(query_id="1", text="why")]
    assert collection.runs == [Run(run_id="some-agent")]
    snippets = (Snippet(snippet_id="1", text="Because."),)
    assert collection.responses == [Response(query_id="1", run_id="some-agent", snippets=snippets, extra={"words": 1})]


def test_reads_criteria_with_the_product_of_both_weights() -> None:
    collection = collect(json.dumps(CRITERIA), "deepresearch-bench")
    deep = {"explanation": "e", "category": "insight", "criterion_weight": 0.25, "dimension_weight": 0.5}
    clear = {"explanation": "f", "category": "readability", "criterion_weight": 1.0, "dimension_weight": 0.5}
    assert collection.nugs == [
        Nug(query_id="1", nug_id=content_id("Goes deep"), descriptions=("Goes deep",), weight=0.125, extra=deep),
        Nug(query_id="1", nug_id=content_id("Is clear"), descriptions=("Is clear",), weight=0.5, extra=clear),
    ]


def test_reads_scores_of_the_run_named_like_the_folder() -> None:
    source = Source("results/race/some-agent/raw_results.jsonl", json.dumps(RESULT).encode())
    collection = Collection(open_reading(source, format="deepresearch-bench"))
    assert collection.runs == [Run(run_id="some-agent")]
    expected = [*SCORES, "overall_score"]
    assert [score.measure for score in collection.scores] == expected
    assert collection.scores[3] == Score(run_id="some-agent", query_id="1", measure="readability", value=0.75)


def test_reads_prompts_and_failed_rows() -> None:
    collection = collect(json.dumps(TASK), "deepresearch-bench")
    assert collection.queries == [
        Query(query_id="1", text="why", conditions={"language": "en"}, extra={"topic": "Nature"})
    ]
    failed = collect(json.dumps({"id": 2, "prompt": "how", "error": "no answer"}), "deepresearch-bench")
    assert failed.scores == [
        Score(run_id="run", query_id="2", measure="overall_score", undefined=1, extra={"error": "no answer"})
    ]


def test_problems_name_their_place() -> None:
    broken = CRITERIA | {"dimension_weight": {"insight": 0.5}}
    twice = [ARTICLE, ARTICLE]
    collection, problems = collect_with_problems("\n".join(map(json.dumps, [broken, *twice])), "deepresearch-bench")
    assert [str(problem) for problem in problems] == [
        "<bytes>:1: criterions.readability: this dimension is missing in dimension_weight",
        "<bytes>:3: article: run 'run' has already answered query '1'",
    ]
    assert [nug.weight for nug in collection.nugs] == [0.125, None]
    _, problems = collect_with_problems("\n".join(map(json.dumps, [RESULT, RESULT])), "deepresearch-bench")
    assert [str(problem) for problem in problems] == ["<bytes>:2: id: run 'run' already has scores for query '1'"]


def test_is_recognised() -> None:
    without_prompt = {name: value for name, value in RESULT.items() if name != "prompt"}
    for row in (RESULT, ARTICLE, CRITERIA, TASK, without_prompt):
        assert sniff_deepresearch_bench(Head(Source("<bytes>", json.dumps(row).encode())))
    for row in ({"id": 1, "prompt": "x"}, {"id": 1, "article": "x"}, {"id": 1, "title": "x"}):
        assert not sniff_deepresearch_bench(Head(Source("<bytes>", json.dumps(row).encode())))
