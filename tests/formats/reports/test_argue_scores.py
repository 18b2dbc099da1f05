from __future__ import annotations

from helpers import collect, collect_with_problems, messages
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.formats.reports.argue_scores import sniff_argue_scores
from karat.model import Score

HEADER = "run_id\trequest_id\tmetric\tvalue\n"
TABLE = HEADER + "bees\tall\tf1_micro\t0.75\nbees\t300\tsentences\t15.0\nbees\t300\tnugget_coverage\t0.6\n"


def test_reads_scores_of_all_topics_and_of_one() -> None:
    assert list(collect(TABLE, "argue-scores")) == [
        Score(run_id="bees", query_id="all", measure="f1_micro", value=0.75),
        Score(run_id="bees", query_id="300", measure="sentences", value=15.0),
        Score(run_id="bees", query_id="300", measure="nugget_coverage", value=0.6),
    ]


def test_columns_may_be_in_another_order_with_others_between() -> None:
    data = "\ufeffmetric\tvalue\tnote\trun_id\trequest_id\r\nf1\t0.5\tok\tbees\t7\r\n"
    assert list(collect(data.encode(), "argue-scores")) == [
        Score(run_id="bees", query_id="7", measure="f1", value=0.5, extra={"note": "ok"})
    ]


def test_no_number_is_undefined_and_not_zero() -> None:
    collection = collect(HEADER + "bees\t7\tf1\tnan\nbees\t8\tf1\t\n", "argue-scores")
    assert [(score.value, score.undefined) for score in collection.scores] == [(None, 1), (None, 1)]


def test_problems_are_reported_and_the_rest_is_kept() -> None:
    data = TABLE + "bees\t300\tsentences\t16.0\nbees\t301\tf1\thigh\nbees\t301\n\t301\tf1\t1\nwasps\t301\tf1\t1\n"
    assert messages(data, "argue-scores") == [
        "5: metric: 'sentences' of run 'bees' on '300' appears twice",
        "6: value: must be a number, not 'high'",
        "7: metric: the row has 2 values for 4 columns",
        "8: run_id: is empty",
    ]
    assert len(collect_with_problems(data, "argue-scores")[0].scores) == 4


def test_is_recognised() -> None:
    assert sniff_argue_scores(Head(Source("<bytes>", TABLE.encode())))
    for other in ("run_id\tmetric\tvalue\nx\ty\t1\n", "bees\t300\tf1\t0.5\n", "{}", ""):
        assert not sniff_argue_scores(Head(Source("<bytes>", other.encode())))
