"""`convert` never writes a file that Karat refuses to read, and whatever changes on the way is a loss."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies
from karat.formats import open_reading, write
from karat.formats.outputs.writing import LossRefused
from karat.formats.registry import Format, all_formats
from karat.model import Document, KaratError, Nug, Query, Relevance, Response, Run, Snippet, encode_record, kind_of

WRITABLE = [format for format in all_formats() if format.write is not None and format.name != "karat"]
AWKWARD = st.sampled_from(
    ["q1", "q2", "a b", "", "1", "[/r]", "a\tb", "a\nb", " lead", "#c", "Q0", "é", "a/b", '"', "=1"]
)


def records_for(format: Format) -> st.SearchStrategy[list[object]]:
    """Valid records of the kinds that the format has: empty ones, repeated ones, several runs, blanks in ids."""
    kinds = [records for kind, records in strategies.RECORDS_BY_KIND.items() if carries(format, kind)]
    plain = st.one_of(
        st.builds(Query, query_id=AWKWARD, text=AWKWARD),
        st.builds(Run, run_id=AWKWARD.filter(bool)),
        st.builds(Nug, query_id=AWKWARD, nug_id=AWKWARD, descriptions=st.lists(AWKWARD, max_size=2).map(tuple)),
        st.builds(
            Response,
            query_id=AWKWARD,
            run_id=AWKWARD.filter(bool),
            snippets=st.lists(st.builds(Snippet, snippet_id=AWKWARD, text=AWKWARD), max_size=2).map(tuple),
        ),
    )
    return st.lists(st.one_of(*kinds, plain), max_size=5)


def carries(format: Format, kind: type) -> bool:
    return kind.__struct_config__.tag in format.carries  # type: ignore[attr-defined]


@pytest.mark.parametrize("format", WRITABLE, ids=lambda format: format.name)
def test_what_is_written_is_read_and_what_changed_is_a_loss(format: Format) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(records_for(format))
    def check(records: list[object]) -> None:
        with TemporaryDirectory() as folder:
            target = Path(folder) / "q1.1.txt"
            try:
                losses = write(records, target, format=format.name)  # type: ignore[arg-type]
            except KaratError:
                assert not target.exists()
                return
            if not target.stat().st_size:
                return
            after = Counter(map(encode_record, open_reading(target, format=format.name)))
            lost = {what.partition(".")[0] for what in losses.counts}
            for record in records:
                assert after[encode_record(record)] or kind_of(record) in lost  # type: ignore[arg-type]

    check()


def test_strict_refuses_what_comes_back_different(tmp_path: Path) -> None:
    with pytest.raises(LossRefused, match=r"document.content: 1 values \(different when the file is read again\)"):
        write([Document(doc_id="d")], tmp_path / "d.jsonl", format="documents", strict=True)
    assert list(tmp_path.iterdir()) == []


def test_empty_ids_and_repeated_records_are_left_out_and_counted(tmp_path: Path) -> None:
    labels = [
        Relevance(query_id=query_id, run_id="qrels", snippet_id="d", assessor="qrels", label="relevant")
        for query_id in ("", "7", "7")
    ]
    losses = write(labels, tmp_path / "x.qrels", format="qrels")
    assert (tmp_path / "x.qrels").read_text() == "7 0 d 1\n"
    assert losses.counts["relevance"] == 2
