"""Judging block by block gives, byte for byte, what judging everything at once gives."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import karat
from karat.engines import engine
from karat.engines.current import current_job
from karat.formats import open_inputs
from karat.formats.inputs.reading import OnError
from karat.formats.inputs.streamed_inputs import StreamedInputs
from karat.judges.cached_scores import CODE
from karat.judges.judge import judge_collection
from karat.judges.judgements.saved import to_save
from karat.judges.overlap.idf_file import key_idf
from karat.judges.streaming import judge_stream
from karat.judges.streaming.judge_stream import HasLabels, StreamedJudging, can_stream, judge_streamed
from karat.judges.streaming.spool import Spool
from karat.model import AnyRecord, Collection, Nug, Response, Snippet, Unfinished, UnfitInput, encode_record

KEY, JUDGEMENTS, RUNS = karat.demo_files()


def streamed(records: Iterable[AnyRecord], **options: object) -> tuple[bytes, StreamedJudging]:
    with judge_streamed(records, **options) as (lines, about):  # type: ignore[arg-type]
        return b"\n".join(each.line for each in lines), about


def streamed_inputs(*files: object, on_error: OnError = "stop") -> StreamedInputs:
    return StreamedInputs(open_inputs(*files).readings, on_error=on_error)  # type: ignore[arg-type]


def at_once(collection: Collection, *, floor: float | None = None, **options: object) -> tuple[bytes, str, list[str]]:
    judging = judge_collection(collection, **options)  # type: ignore[arg-type]
    saved = to_save(judging, floor=floor)
    return b"\n".join(map(encode_record, saved.judgements)), judging.signature, list(judging.notes)


@pytest.mark.parametrize("block", [1, 2, 256])
@pytest.mark.parametrize("judge", ["lexical", "nuggeteer", "rouge", "pourpre", "qaviar", "neighbours"])
def test_blocks_give_what_all_at_once_gives(judge: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_stream, "BLOCK", block)
    lines, signature, notes = at_once(karat.load(KEY, RUNS), judge=judge)
    got, about = streamed(streamed_inputs(RUNS, KEY), judge=judge)
    assert got == lines
    assert (about.signature, about.notes) == (signature, notes)


def test_meaning_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr(judge_stream, "BLOCK", 2)
    collection = karat.load(KEY, RUNS, queries=["q1", "q2"])
    lines, signature, _ = at_once(collection, judge="semantic")
    got, about = streamed(list(collection), judge="semantic")
    assert (got, about.signature) == (lines, signature)


def test_thresholds_floors_and_tables_of_words() -> None:
    collection = karat.load(KEY, RUNS)
    table = key_idf(collection)
    lines, signature, _ = at_once(collection, judge="lexical", threshold=0.5, floor=0.1, idf=table)
    got, about = streamed(list(collection), judge="lexical", threshold=0.5, floor=0.1, idf=key_idf)
    assert (got, about.signature) == (lines, signature)
    assert about.folded > 0


@pytest.mark.parametrize("name", ["local", "processes"])
def test_engines_and_jobs_give_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_stream, "BLOCK", 2)
    lines, _, _ = at_once(karat.load(KEY, RUNS), judge="lexical")
    for _ in range(2):
        with engine(name, job=tmp_path / "job"):
            assert streamed(streamed_inputs(KEY, RUNS), judge="lexical")[0] == lines


TEXTS = st.sampled_from(
    ["Red foxes swim.", "The fox swims. It is red!", "", " ", "Whales sing\nand jump.", "\ud800 fox"]
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["q1", "q2", "q10", "x"]), st.sampled_from("abc"), TEXTS), max_size=9))
def test_any_responses_in_any_order(answers: list[tuple[str, str, str]]) -> None:
    unique = {(query_id, run_id): text for query_id, run_id, text in answers if "\ud800" not in text}
    responses: list[AnyRecord] = [
        Response(query_id=query_id, run_id=run_id, snippets=(Snippet(snippet_id="1", text=text),))
        for (query_id, run_id), text in unique.items()
    ]
    nugs: list[AnyRecord] = [
        Nug(query_id=query_id, nug_id=nug_id, descriptions=(text,))
        for query_id in ("q1", "q2", "q10")
        for nug_id, text in (("a", "Foxes swim"), ("b", "Whales sing"))
    ]
    records = [*responses, *nugs]
    if not {query_id for query_id, _ in unique} - {"x"}:
        with pytest.raises(UnfitInput):
            streamed(records, judge="nuggeteer")
        return
    lines, signature, notes = at_once(Collection(records), judge="nuggeteer")
    got, about = streamed(records, judge="nuggeteer")
    assert (got, about.signature, about.notes) == (lines, signature, notes)


def test_two_responses_of_a_run_to_a_query_are_refused() -> None:
    collection = karat.load(KEY, RUNS)
    with pytest.raises(UnfitInput, match="has two responses to query q1"):
        streamed([*collection, collection.responses[0]], judge="nuggeteer")


def test_labels_are_not_passed_over() -> None:
    with pytest.raises(HasLabels):
        streamed(streamed_inputs(KEY, RUNS, JUDGEMENTS, on_error="skip"), judge="lexical")


@pytest.mark.parametrize(
    ("records", "message"),
    [([], "there is no key"), ([Nug(query_id="q1", nug_id="n", descriptions=("a",))], "there are no answers to judge")],
)
def test_nothing_to_judge(records: list[AnyRecord], message: str) -> None:
    with pytest.raises(UnfitInput, match=message):
        streamed(records, judge="lexical")


def test_judges_that_work_together_hold_everything() -> None:
    assert can_stream("lexical")
    assert not can_stream("cascade(lexical,human)")


def test_everything_that_a_line_depends_on_is_in_the_name_of_its_block() -> None:
    """Whatever is loaded to judge a block, besides reading and writing files and handing out work, may change lines."""
    program = (
        "import sys, karat.judges.streaming.blocks\n"
        "print(*{name.split('.')[1] for name in sys.modules if name.startswith('karat.')})"
    )
    loaded = set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )
    assert loaded - {"engines", "formats"} <= {*CODE, *judge_stream._CODE_OF_LINES}


def test_a_job_of_a_judge_that_weighs_all_words_alike_keeps_what_other_texts_do_not_change(tmp_path: Path) -> None:
    collection = karat.load(KEY, RUNS)
    first = collection.responses[0]
    changed = replace(first, snippets=(Snippet(snippet_id="1", text="Something else."),))
    records = [record for record in collection if record is not first]
    for judge, made in (("rouge", 1), ("lexical", len(collection.key.query_ids))):
        with engine("local", job=tmp_path / judge):
            streamed(list(collection), judge=judge)
        with engine("local", job=tmp_path / judge):
            streamed([*records, changed], judge=judge)
            job = current_job()
            assert job is not None
            assert job.made == made


def test_a_full_disk_is_named_with_its_folder(tmp_path: Path) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "karat-x").mkdir()
    spool = Spool(tmp_path / "karat-x")
    spool._files = [Full()]
    with pytest.raises(Unfinished, match=rf"{tmp_path}: No space left on device: this is the folder for temporary"):
        spool.add(Response(query_id="q", run_id="r", snippets=()), "text")
