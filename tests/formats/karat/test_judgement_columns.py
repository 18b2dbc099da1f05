from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.formats import load, write_bytes
from karat.formats.karat.judgement_columns import JudgementColumns, judge_names
from karat.model import Evidence, Judgement, SpanSet
from strategies import judgements, moderately

PLAIN = Judgement(query_id="q", run_id="r", nug_id="n", degree=0.5, judge="person")
RICH = Judgement(
    query_id="q", run_id="r", nug_id="m", snippet_id="s", degree=1.0, probabilities={"1": 0.9, "0": 0.1}, judge="llm",
    assessor="ann", evidence=Evidence(spans=SpanSet([(0, 3)]), words=("bee",)), extra={"minutes": 2},
)  # fmt: skip


@moderately
@given(st.lists(judgements, max_size=12), st.booleans())
def test_columns_give_back_the_very_records(records: list[Judgement], packed: bool) -> None:
    columns = JudgementColumns()
    columns.add(records[:5], packed=packed)
    columns.add(records[5:], packed=packed)
    assert list(columns) == records
    assert columns == records
    assert [list(record.probabilities) for record in columns] == [list(record.probabilities) for record in records]
    assert judge_names(columns) == {record.judge for record in records}
    chosen = list(range(0, len(records), 2))
    part = columns.of_rows(np.array(chosen, np.int64))
    assert part == [records[at] for at in chosen]
    assert set(part.judges) == {records[at].judge for at in chosen}


def test_it_is_a_sequence() -> None:
    columns = JudgementColumns()
    columns.add([PLAIN, RICH, PLAIN])
    assert (len(columns), columns[1], columns[-1], columns[1:]) == (3, RICH, PLAIN, [RICH, PLAIN])
    assert columns != [PLAIN, RICH]
    assert repr(columns).startswith("[Judgement(")


def test_a_whole_number_stays_one() -> None:
    one = Judgement(query_id="q", run_id="r", nug_id="n", degree=1, judge="person")
    columns = JudgementColumns()
    columns.add([one])
    assert repr(columns[0]) == repr(one)


def test_plain_judgements_of_a_file_take_few_bytes() -> None:
    records = [
        Judgement(query_id=f"q{at // 50}", run_id="r", nug_id=f"n{at % 50}", degree=at % 3 / 2, judge="person")
        for at in range(5_000)
    ]
    held = load(write_bytes(records)).judgements
    assert isinstance(held, JudgementColumns)
    assert not held.others
    size = sum(column.nbytes for column in (held.queries, held.runs, held.nugs, held.kinds, held.degrees))
    assert size <= 24 * len(records)
    assert held == records


def test_nothing_is_added_after_the_first_look() -> None:
    columns = JudgementColumns()
    columns.add([PLAIN])
    assert columns[0] == PLAIN
    with pytest.raises(RuntimeError, match="before they are looked at"):
        columns.add([RICH])
