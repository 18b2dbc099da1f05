from __future__ import annotations

import gzip
import json
import os
import stat
from pathlib import Path

import pytest

from cli.running import karat, karat_here

KEY = '{"query": "why do bees dance", "qid": "q1", "nuggets": [{"text": "it tells the way", "importance": "vital"}]}\n'
KARAT_KEY = [
    '{"kind":"query","v":1,"query_id":"q1","text":"why do bees dance"}',
    '{"kind":"nug","v":1,"query_id":"q1","nug_id":"n1","descriptions":["it tells the way"],"importance":"vital"}',
]
VOTE = '{"kind":"vote","v":1,"query_id":"q1","nug_id":"n1","assessor":"ann","value":"vital"}'
JUDGEMENT = (
    '{"kind":"judgement","v":1,"query_id":"q1","run_id":"a","nug_id":"n1","degree":1.0,"judge":"ann","status":"ok"}'
)
BAD_VOTE = '{"kind":"vote","v":1,"query_id":"q1","nug_id":"n1","assessor":"ben","value":"crucial"}'
LOSSES = ["nug.nug_id: 1 values (ids are made from the text when the file is read)", "vote: 1 records"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in {
        "key.jsonl": KARAT_KEY,
        "voted.jsonl": [*KARAT_KEY, VOTE],
        "judged.jsonl": [JUDGEMENT],
        "bad.jsonl": [*KARAT_KEY, VOTE, BAD_VOTE, "{"],
    }.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    Path("bank.jsonl").write_text(KEY)
    return tmp_path


def test_karat_s_form_on_standard_output_is_the_default() -> None:
    done = karat_here("convert", "voted.jsonl")
    assert (done.code, done.err) == (0, "")
    assert done.lines == [*KARAT_KEY, VOTE]


def test_the_output_file_is_named_and_nothing_is_said() -> None:
    done = karat_here("convert", "voted.jsonl", "-o", "out.jsonl")
    assert (done.code, done.out, done.err) == (0, b"", "")
    assert Path("out.jsonl").read_bytes() == Path("voted.jsonl").read_bytes()


def test_another_format_and_back() -> None:
    assert karat_here("convert", "bank.jsonl", "-o", "mid.jsonl").code == 0
    done = karat_here("convert", "mid.jsonl", "--to", "nuggetizer-bank", "--strict")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == json.loads(KEY)


def test_standard_input_and_output() -> None:
    done = karat("convert", "-", "-o", "-", stdin=gzip.compress(KEY.encode()))
    assert (done.code, done.err) == (0, "")
    assert [json.loads(line)["kind"] for line in done.lines] == ["query", "nug"]


def test_packed_in_and_out_and_the_same_bytes_every_time() -> None:
    Path("voted.jsonl.gz").write_bytes(gzip.compress(Path("voted.jsonl").read_bytes()))
    for name in ("one.jsonl.gz", "two.jsonl.gz"):
        assert karat_here("convert", "voted.jsonl.gz", "-o", name).code == 0
    packed = Path("one.jsonl.gz").read_bytes()
    assert gzip.decompress(packed) == Path("voted.jsonl").read_bytes()
    assert Path("two.jsonl.gz").read_bytes() == packed


def test_files_that_belong_together_become_one() -> None:
    done = karat_here("convert", "judged.jsonl", "voted.jsonl", "key.jsonl")
    assert done.lines == [JUDGEMENT, *KARAT_KEY, VOTE]


def test_a_file_is_never_converted_onto_itself() -> None:
    before = Path("bank.jsonl").read_bytes()
    done = karat_here("convert", "bank.jsonl", "-o", "./bank.jsonl")
    assert done.code == 2
    assert "-o ./bank.jsonl: is one of the inputs; name another file" in done.err
    assert Path("bank.jsonl").read_bytes() == before


def test_the_name_of_the_output_may_say_that_it_is_a_table() -> None:
    assert karat_here("convert", "bank.jsonl", "-o", "bank.csv").code == 0
    assert Path("bank.csv").read_text().startswith("query_id,")


def test_nothing_is_written_where_nothing_can_be_carried() -> None:
    done = karat_here("convert", "bank.jsonl", "--to", "trec-eval", "-o", "out.txt")
    assert done.code == 1
    assert done.err.splitlines()[-1] == "Nothing was written."
    assert not Path("out.txt").exists()


def test_what_the_format_cannot_carry_is_reported() -> None:
    done = karat_here("convert", "voted.jsonl", "--to", "nuggetizer-bank")
    assert done.code == 0
    assert json.loads(done.out) == json.loads(KEY)
    assert done.err.splitlines() == [
        "left out, because nuggetizer-bank cannot hold it:",
        *(f"  {line}" for line in LOSSES),
    ]


def test_judgements_below_a_floor_are_carried_into_another_format() -> None:
    nugs = [KARAT_KEY[1].replace("n1", name) for name in ("n1", "n2")]
    response = (
        '{"kind":"response","v":1,"query_id":"q1","run_id":"a","snippets":[{"snippet_id":"1","text":"they dance"}]}'
    )
    folded = JUDGEMENT[:-1] + ',"below_floor":{"n2":[0.04,0.01]}}'
    Path("folded.jsonl").write_text("\n".join([KARAT_KEY[0], *nugs, response, folded]) + "\n")
    done = karat_here("convert", "folded.jsonl", "--to", "nuggetizer-assignments")
    assert done.code == 0, done.err
    assert [one["assignment"] for one in json.loads(done.out)["nuggets"]] == ["support", "not_support"]
    assert b"below_floor" in karat_here("convert", "folded.jsonl").out


@pytest.mark.parametrize("before", [None, b"what was there"])
def test_strict_refuses_a_loss_and_writes_nothing(folder: Path, before: bytes | None) -> None:
    target = folder / "out.jsonl"
    if before is not None:
        target.write_bytes(before)
    files = sorted(path.name for path in folder.iterdir())
    done = karat_here("convert", "voted.jsonl", "--to", "nuggetizer-bank", "--strict", "-o", target)
    assert (done.code, done.out) == (1, b"")
    assert done.err.splitlines() == [
        "nuggetizer-bank cannot hold:",
        *(f"  {line}" for line in LOSSES),
        "Nothing was written.",
    ]
    assert sorted(path.name for path in folder.iterdir()) == files
    assert (target.read_bytes() if target.exists() else None) == before


def test_strict_prints_nothing_on_standard_output_either() -> None:
    assert karat_here("convert", "voted.jsonl", "--to", "nuggetizer-bank", "--strict").out == b""


def test_problems_stop_the_conversion_and_all_are_reported(folder: Path) -> None:
    files = sorted(path.name for path in folder.iterdir())
    done = karat_here("convert", "bad.jsonl", "-o", "out.jsonl")
    assert (done.code, done.out) == (3, b"")
    told = done.err.splitlines()
    assert [line.split(" ")[0] for line in told[:2]] == ["bad.jsonl:4:", "bad.jsonl:5:"]
    assert told[2:] == ["2 problems in 1 file.", "Fix the file, or leave out the bad parts with --on-error skip."]
    assert sorted(path.name for path in folder.iterdir()) == files


def test_bad_parts_are_left_out_on_request_and_counted() -> None:
    done = karat_here("convert", "bad.jsonl", "--on-error", "skip")
    assert done.code == 0
    assert done.lines == [*KARAT_KEY, VOTE]
    told = done.err.splitlines()
    assert [line.split(" ")[1] for line in told[:2]] == ["bad.jsonl:4:", "bad.jsonl:5:"]
    assert told[2:] == ["skipped in bad.jsonl: 1 impossible-label, 1 bad-json"]


def test_a_reference_to_nothing_is_a_problem_of_the_data() -> None:
    Path("stray.jsonl").write_text(VOTE.replace("n1", "n9") + "\n")
    done = karat_here("convert", "key.jsonl", "stray.jsonl", "-o", "out.jsonl")
    assert done.code == 3
    assert "stray.jsonl:1:" in done.err
    assert "n9" in done.err
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nugetizer-bank", "no format is called 'nugetizer-bank'; did you mean nuggetizer-bank"),
        ("ragas", "ragas can be read but not written; these can: brat, csv,"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused_before_anything_is_read(name: str, message: str) -> None:
    done = karat_here("convert", "bad.jsonl", "--to", name, "-o", "out.jsonl")
    assert (done.code, done.out) == (2, b"")
    assert message in done.err
    assert not Path("out.jsonl").exists()


ADVICE = "create it or name another file"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("here", "Error: here: is a folder; name a file\n"),
        (
            "nowhere/out.jsonl",
            f"Error: -o nowhere/out.jsonl: there is no folder nowhere; {ADVICE}\n",
        ),
        (
            "key.jsonl/out.jsonl",
            f"Error: -o key.jsonl/out.jsonl: there is no folder key.jsonl; {ADVICE}\n",
        ),
    ],
)
def test_a_place_where_no_file_can_be_is_refused(target: str, message: str) -> None:
    Path("here").mkdir()
    done = karat_here("convert", "voted.jsonl", "-o", target)
    assert (done.code, done.err) == (2, message)
    assert list(Path("here").iterdir()) == []


def test_the_null_device_takes_everything_and_stays_a_device() -> None:
    done = karat_here("convert", "voted.jsonl", "-o", os.devnull)
    assert (done.code, done.out, done.err) == (0, b"", "")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [("voted.jsonl",), ("bad.jsonl", "--on-error", "skip")])
def test_a_full_device_is_reported(arguments: tuple[str, ...]) -> None:
    done = karat_here("convert", *arguments, "-o", "/dev/full")
    assert done.code == 5
    assert "No space left on device" in done.err


def test_a_link_stays_a_link() -> None:
    Path("link.jsonl").symlink_to("real.jsonl")
    assert karat_here("convert", "voted.jsonl", "-o", "link.jsonl").code == 0
    assert Path("link.jsonl").is_symlink()
    assert Path("real.jsonl").read_bytes() == Path("voted.jsonl").read_bytes()


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_replaced_file_keeps_its_permissions(mode: int) -> None:
    Path("out.jsonl").touch()
    Path("out.jsonl").chmod(mode)
    assert karat_here("convert", "voted.jsonl", "-o", "out.jsonl").code == 0
    assert stat.S_IMODE(Path("out.jsonl").stat().st_mode) == mode


def test_a_new_file_has_the_permissions_every_new_file_has() -> None:
    Path("ordinary").touch()
    assert karat_here("convert", "voted.jsonl", "-o", "out.jsonl").code == 0
    assert Path("out.jsonl").stat().st_mode == Path("ordinary").stat().st_mode
