"""Whatever stands in a file, a user gets a sentence: never a traceback, never half an output."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.running import Outcome, karat, karat_here

QUESTION, ANSWER = "Warum tanzen Bienen in Köln?", "Über den Tänzen liegt der Weg zum Futter – so weit."
DANCE = {"text": "der Tanz zeigt die Richtung", "importance": "vital"}
FAR = {"text": "er zeigt die Entfernung", "importance": "okay"}


def json_lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


KARAT = json_lines(
    {"kind": "query", "v": 1, "query_id": "q1", "text": QUESTION},
    {"kind": "run", "v": 1, "run_id": "a", "human": False},
    {
        "kind": "response",
        "v": 1,
        "query_id": "q1",
        "run_id": "a",
        "snippets": [{"snippet_id": "1", "text": ANSWER, "citations": [{"doc_id": "d1", "chunk": [[0, 4]]}]}],
    },
    {
        "kind": "nugget",
        "v": 1,
        "nugget_id": "g",
        "query_id": "q1",
        "run_id": "a",
        "snippet_id": "1",
        "spans": [[0, 4], [9, 15]],
        "source": "person",
    },
    {
        "kind": "nug",
        "v": 1,
        "query_id": "q1",
        "nug_id": "n1",
        "descriptions": [DANCE["text"]],
        "importance": "vital",
        "members": [{"nugget_id": "g", "degree": 1.0}],
    },
    {"kind": "vote", "v": 1, "query_id": "q1", "nug_id": "n1", "assessor": "ann", "value": "vital"},
    {"kind": "judgement", "v": 1, "query_id": "q1", "run_id": "a", "nug_id": "n1", "degree": 0.5, "judge": "ann"},
    {"kind": "score", "v": 1, "run_id": "a", "query_id": "q1", "measure": "F3", "value": 0.5, "n": 1, "undefined": 0},
)
ASSIGNMENTS = json_lines(
    {
        "query": QUESTION,
        "qid": "q1",
        "answer_text": ANSWER,
        "response_length": 9,
        "run_id": "a",
        "nuggets": [DANCE | {"assignment": "support"}, FAR | {"assignment": "not_support"}],
    },
    {
        "query": "Why is the sea salty?",
        "qid": "q2",
        "answer_text": "",
        "response_length": 0,
        "run_id": "a",
        "nuggets": [{"text": "rivers carry salt", "importance": "vital", "assignment": "failed"}],
    },
)
LABEL_STUDIO = [
    {
        "id": 7,
        "data": {"text": ANSWER},
        "annotations": [
            {
                "completed_by": 3,
                "result": [
                    {
                        "id": "r1",
                        "from_name": "label",
                        "to_name": "text",
                        "type": "labels",
                        "origin": "manual",
                        "value": {"start": 0, "end": 4, "text": ANSWER[:4], "labels": ["Act"]},
                    }
                ],
            }
        ],
    }
]
NUGGETBANK = {
    "query_id": "7",
    "title_query": QUESTION,
    "full_query": "",
    "format_version": "v3",
    "creator": [{"is_human": True, "contact": []}],
    "nugget_bank": {
        "Was zeigt der Tanz?": {
            "question": "Was zeigt der Tanz?",
            "answers": {"Richtung": {"answer": "Richtung", "references": [{"doc_id": "d1"}], "importance": 2}},
            "question_id": "q-dance",
            "aggregator_type": "AND",
            "query_id": "7",
            "importance": "vital",
            "sub_nuggets": [],
        },
    },
    "claim_bank": {},
}
PYRAMID = """<?xml version="1.0"?>
<!DOCTYPE pyramid [
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
]>
<pyramid>
<startDocumentRegEx><![CDATA[[-]*\\n D1\\.[A-Z]\\n[-]*\\n]]></startDocumentRegEx>
 <text>
  <line>-----</line>
  <line> D1.A</line>
  <line>-----</line>
  <line>Bienen tänzeln.</line>
 </text>
 <scu uid="7" label="bees dance">
  <contributor label="Bienen"><part label="Bienen" start="18" end="24"/></contributor>
 </scu>
</pyramid>
"""
SAMPLES: dict[str, tuple[str, bytes]] = {
    "karat": ("all.jsonl", KARAT),
    "nuggetizer-assignments": ("assignments.jsonl", ASSIGNMENTS),
    "nuggetizer-bank": ("bank.jsonl", json_lines({"query": QUESTION, "qid": "q1", "nuggets": [DANCE, FAR]})),
    "trec-rag24": (
        "run.jsonl",
        json_lines(
            {
                "run_id": "a",
                "topic_id": "q1",
                "topic": QUESTION,
                "references": ["d1", "d2"],
                "response_length": 9,
                "answer": [{"text": ANSWER, "citations": [0, 1]}, {"text": "So.", "citations": []}],
            }
        ),
    ),
    "trec-rag25": (
        "run25.jsonl",
        json_lines(
            {
                "metadata": {"team_id": "hive", "run_id": "a", "type": "automatic", "narrative_id": "14"},
                "references": ["d1"],
                "answer": [{"text": ANSWER, "citations": [0]}],
            }
        ),
    ),
    "nuggetbank": ("bank.json", json.dumps(NUGGETBANK, indent=1, ensure_ascii=False).encode()),
    "label-studio": ("export.json", json.dumps(LABEL_STUDIO, ensure_ascii=False).encode()),
    "trec-qa-key": (
        "key",
        "Qid 9.4: What is a müsli?\n9.4 1\tvital\toats, überall\n9.4 2\tokay\twhite milk\n\n".encode(),
    ),
    "pyramid": ("D1.pyr", PYRAMID.encode()),
    "brat": ("doc.ann", "T1\tAct 0 4;9 15\tÜber Tänzen\n#1\tAnnotatorNotes T1\tschön\nT2\tAct 16 20\tlieg\n".encode()),
    "csv": (
        "table.csv",
        f'qid,question,system,answer,nugget,importance,label\n7,{QUESTION},a,"so, ja",der Weg,vital,support\n'.encode(),
    ),
    "tsv": ("table.tsv", f"topic_id\ttopic\tnug_id\tnug\timportance\n1\t{QUESTION}\tn\tder Weg\tvital\n".encode()),
    "tempsumm-nuggets": (
        "nuggets.tsv",
        "query_id\tnugget_id\ttimestamp\timportance\tnugget_len\tnugget_text\n"
        "TS99.1\tN.1\t1326600584\t3\t4\tdie Fähre ist gesunken\n".encode(),
    ),
    "tempsumm-matches": (
        "matches.tsv",
        b"query_id\tupdate_id\tnugget_id\tmatch_start\tmatch_end\tauto_p\nTS99.1\tu-5\tN.1\t3\t9\t0\n",
    ),
    "trec-eval": (
        "eval.txt",
        "map\t301\t0.2500\nmap\t302\t0.5000\nrunid\tall\tbienenstöcke\nmap\tall\t0.3750\n".encode(),
    ),
}
JSON_LINES = ("karat", "nuggetizer-assignments", "nuggetizer-bank", "trec-rag24", "trec-rag25")
JSON_SAMPLES = (*JSON_LINES, "nuggetbank", "label-studio")
WRONG_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e308,
    10**30,
    "",
    "x",
    [],
    [[]],
    [None],
    {},
    {"x": {}},
    "\u0000",
    "NaN",
)
BRACKETS = 100_000
HUGE = 3_000_000
BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE pyramid [
 <!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<pyramid><text><line>&c;</line></text><scu uid="1" label="&c;"/></pyramid>
"""

Mutation = Callable[[bytes, random.Random], bytes]


def truncated(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(1, len(data))]


def flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def noisy(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + chance.randbytes(40) + data[place:]


def with_nuls(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + b"\0\0" + data[place:]


def as_utf16(data: bytes, _chance: random.Random) -> bytes:
    return data.decode().encode("utf-16")


def as_utf16_without_mark(data: bytes, _chance: random.Random) -> bytes:
    return data.decode().encode("utf-16-le")


def as_latin1(data: bytes, _chance: random.Random) -> bytes:
    return data.decode().encode("latin-1", "replace")


def shuffled(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) * 2
    chance.shuffle(lines)
    return b"".join(lines)


def spliced(data: bytes, chance: random.Random) -> bytes:
    """The beginning of one file, the end of another."""
    _, other = chance.choice(list(SAMPLES.values()))
    return truncated(data, chance) + other[chance.randrange(len(other)) :]


ANYWHERE: tuple[tuple[Mutation, int], ...] = (
    (truncated, 3),
    (flipped, 4),
    (noisy, 1),
    (with_nuls, 1),
    (as_utf16, 1),
    (as_utf16_without_mark, 1),
    (as_latin1, 1),
    (shuffled, 1),
    (spliced, 2),
)


def wrong_type(data: bytes, chance: random.Random, *, whole: bool) -> bytes:
    """One value somewhere in the JSON becomes another kind of thing."""
    rows = [json.loads(data)] if whole else [json.loads(line) for line in data.splitlines()]
    places = [(parent, name) for row in rows for parent, name in _places(row)]
    parent, name = chance.choice(places)
    parent[name] = chance.choice(WRONG_VALUES)
    return json.dumps(rows[0]).encode() if whole else json_lines(*rows)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    names = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in names:
        yield value, name
        yield from _places(value[name])


def all_cases() -> Iterator[tuple[str, str, str, bytes]]:
    """(what was done, format, file name, content)"""
    for format, (name, data) in SAMPLES.items():
        for mutate, times in ANYWHERE:
            for number in range(times):
                label = f"{mutate.__name__}-{number}"
                yield label, format, name, mutate(data, random.Random(f"{format} {label}"))
        if format in JSON_SAMPLES:
            for number in range(6):
                label = f"wrong-type-{number}"
                chance = random.Random(f"{format} {label}")
                yield label, format, name, wrong_type(data, chance, whole=format not in JSON_LINES)
    for format in ("karat", "nuggetizer-assignments", "csv", "trec-qa-key"):
        name, data = SAMPLES[format]
        packed = gzip.compress(data, mtime=0)
        yield "gz-truncated", format, f"{name}.gz", packed[: len(packed) * 2 // 3]
        yield "gz-without-end", format, f"{name}.gz", packed[:-5]
        yield "gz-only-head", format, f"{name}.gz", packed[:10]
        yield "gz-flipped", format, f"{name}.gz", flipped(packed, random.Random(f"{format} gz"))
        yield "gz-of-half", format, f"{name}.gz", gzip.compress(data[: len(data) // 2], mtime=0)
        yield "gz-by-name-only", format, f"{name}.gz", data + b"\x1f\x8b"
        yield "gz-with-tail", format, f"{name}.gz", packed + b"tail"
    for format in ("karat", "trec-rag24", "tsv"):
        name, data = SAMPLES[format]
        yield "huge-line", format, name, data + b'{"text":"' + b"x" * HUGE + b"\n" + data
        yield "deep-arrays", format, name, data + b"[" * BRACKETS + b"\n"
        yield "deep-objects", format, name, data + b'{"kind":' * BRACKETS + b"\n"
    for format, field in {"karat": b'"q1"', "nuggetbank": b'"7"', "label-studio": b"7"}.items():
        name, data = SAMPLES[format]
        deep = b"[" * BRACKETS + b"]" * BRACKETS
        yield "deep-field", format, name, data.replace(field, deep, 1)
    for content in (
        b"",
        b"\n",
        b" \r\n\n\t\n",
        b"\xef\xbb\xbf",
        b"{}",
        b"[]",
        b"null",
        b"{}\n[]\n3\n",
        b"\xff" * 999,
        b"\0" * 999,
    ):
        label = repr(content[:12])
        for format in ("karat", "nuggetbank", "csv", "pyramid"):
            yield label, format, SAMPLES[format][0], content
    yield "noise", "karat", "noise.bin", random.Random("noise").randbytes(5000)
    yield "entity-bomb", "pyramid", "D1.pyr", BOMB
    yield "deep-elements", "pyramid", "D1.pyr", b"<pyramid>" + b"<scu>" * BRACKETS


CASES = list(all_cases())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the text that the brat sample is about."""
    (tmp_path / "doc.txt").write_text(ANSWER, encoding="utf-8")
    return tmp_path


def assert_explained(outcome: Outcome) -> None:
    assert "Traceback" not in outcome.err
    assert "This is a bug in Karat" not in outcome.err
    assert outcome.code in (0, 1, 3)
    assert outcome.code == 0 or outcome.err.strip()


def assert_written_whole_or_not_at_all(folder: Path, *arguments: str | Path) -> None:
    fresh, kept = folder / "fresh.out", folder / "kept.out"
    before = {path.name for path in folder.iterdir()}
    outcome = karat_here("convert", *arguments, "-o", fresh)
    assert_explained(outcome)
    assert fresh.exists() is (outcome.code == 0)
    assert {path.name for path in folder.iterdir()} - before == ({fresh.name} if outcome.code == 0 else set())

    kept.write_bytes(b"what was there")
    again = karat_here("convert", *arguments, "-o", kept)
    assert again.code == outcome.code
    assert kept.read_bytes() == (fresh.read_bytes() if outcome.code == 0 else b"what was there")
    fresh.unlink(missing_ok=True)
    kept.unlink()
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize(("format", "name", "data"), [(f, n, d) for f, (n, d) in SAMPLES.items()], ids=list(SAMPLES))
def test_the_samples_are_good_before_they_are_spoilt(place: Path, format: str, name: str, data: bytes) -> None:
    (place / name).write_bytes(data)
    shown = karat_here("show", place / name)
    assert (shown.code, shown.err) == (0, "")
    assert f"({format})" in shown.lines[0]


def test_there_are_enough_cases_of_enough_formats() -> None:
    assert len(CASES) >= 200
    assert len({format for _, format, _, _ in CASES}) >= 12


@pytest.mark.parametrize(
    ("format", "name", "data"),
    [case[1:] for case in CASES],
    ids=[f"{format}-{label}" for label, format, _, _ in CASES],
)
def test_a_spoilt_file_ends_in_a_sentence(place: Path, format: str, name: str, data: bytes) -> None:
    file = place / name
    file.write_bytes(data)
    for options in ((), ("--from", format)):
        assert_explained(karat_here("lint", file, *options))
        for more in ((), ("--on-error", "skip")):
            assert_explained(karat_here("show", file, *options, *more))
            assert_explained(karat_here("score", file, *options, *more))
            assert_written_whole_or_not_at_all(place, file, *options, *more)


@pytest.mark.parametrize(
    ("format", "label"),
    [
        ("karat", "deep-arrays"),
        ("nuggetbank", "deep-field"),
        ("karat", "gz-truncated"),
        ("pyramid", "entity-bomb"),
        ("karat", "noise"),
        ("label-studio", "as_utf16-0"),
    ],
)
def test_a_spoilt_file_ends_in_a_sentence_in_a_process_of_its_own(place: Path, format: str, label: str) -> None:
    ((name, data),) = [case[2:] for case in CASES if case[:2] == (label, format)]
    (place / name).write_bytes(data)
    before = sorted(path.name for path in place.iterdir())
    for arguments in (("show", name), ("lint", name), ("score", name), ("convert", name, "-o", "out")):
        outcome = karat(*arguments, "--from", format, folder=place)
        assert_explained(outcome)
        assert outcome.code != 0
    assert sorted(path.name for path in place.iterdir()) == before


def test_a_spoilt_standard_input_ends_in_a_sentence() -> None:
    for data in (
        b"",
        b"\n\n",
        KARAT[:-30],
        KARAT.decode().encode("utf-16"),
        gzip.compress(KARAT)[:-9],
        b"[" * BRACKETS,
    ):
        outcome = karat("convert", "-", stdin=data)
        assert_explained(outcome)
        assert outcome.code != 0
        assert outcome.out == b""
