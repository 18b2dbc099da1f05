"""Small files that would need gigabytes or hours, and requests that would."""

from __future__ import annotations

import gzip
import json
import random
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

from attacks.calls import HARD_LIMIT, process
from attacks.tally import Tally

SIZE = 60 << 20
NUG = b'{"kind":"nug","v":1,"query_id":"q","nug_id":"n%d","descriptions":["a"]}\n'
QUERY = b'{"kind":"query","v":1,"query_id":"q","text":"a"}\n'


def files() -> Iterator[tuple[str, dict[str, bytes]]]:
    """What to name on the command line, and the files."""
    row = b'{"qid":"q","query":"a","nuggets":[]}\n'
    yield "lists.json.gz", {"lists.json.gz": gzip.compress(b"[" + b"[]," * (SIZE // 3), 9)}
    yield "closed.json.gz", {"closed.json.gz": gzip.compress(b"[" + b"[]," * (5 << 20) + b"[]]", 9)}
    yield "blanks.jsonl.gz", {"blanks.jsonl.gz": gzip.compress(b" " * SIZE, 9)}
    yield "lines.jsonl.gz", {"lines.jsonl.gz": gzip.compress(b"\n" * SIZE, 9)}
    yield "line.txt.gz", {"line.txt.gz": gzip.compress(b"a" * SIZE, 9)}
    yield "twice.jsonl.gz", {"twice.jsonl.gz": gzip.compress(gzip.compress(b" " * SIZE, 9), 9)}
    yield "q.ann", {"q.ann": b"T1\tLOC 0 1\tx\n", "q.txt": gzip.compress(b"x" * (256 << 20), 9)}
    yield "lists.json", {"lists.json": b"[" + b"[]," * (5 << 20) + b"[]]"}
    yield "deep.json", {"deep.json": b"[" * 200_000}
    yield "deeper.json", {"deeper.json": b'{"a":' * 2_000_000}
    yield "balanced.jsonl", {"balanced.jsonl": b"[" * 100_000 + b"]" * 100_000 + b"\n"}
    yield "numbers.json", {"numbers.json": b"[" + b"1," * (30 << 20) + b"1]"}
    yield "escapes.json", {"escapes.json": b'"' + b"\\u00e9" * (4 << 20) + b'"'}
    yield "many.xml", {"many.xml": b"<pyramid>" + b"<scu/>" * 2_000_000 + b"</pyramid>"}
    yield "deep.xml", {"deep.xml": b"<pyramid>" + b"<scu>" * 500_000}
    yield "attributes.pyr", {"attributes.pyr": _attributes()}
    yield "entities.pyr", {"entities.pyr": _entities()}
    yield "text.pyr", {"text.pyr": b"<pyramid>" + b"&lt;" * (8 << 20) + b"</pyramid>"}
    yield "long.jsonl", {"long.jsonl": b'{"kind":"query","v":1,"query_id":"q","text":"' + b"a " * (30 << 20) + b'"}\n'}
    yield "beyond.jsonl", {"beyond.jsonl": b"a" * (80 << 20)}
    yield "tiny.jsonl", {"tiny.jsonl": b"{}\n" * 3_000_000}
    yield "bad.jsonl", {"bad.jsonl": QUERY + b"x\n" * 3_000_000}
    yield "repeated.jsonl", {"repeated.jsonl": QUERY + (NUG % 1) * 400_000}
    yield "rows.jsonl", {"rows.jsonl": row * 300_000}
    yield "keys.json", {"keys.json": b"{" + b",".join(b'"k%d":1' % at for at in range(2_000_000)) + b"}"}
    names = b",".join(b"k%d" % at for at in range(1_000_000))
    yield "columns.csv", {"columns.csv": b"query_id,run_id," + names + b"\n"}
    yield "fields.jsonl", {"fields.jsonl": QUERY[:-2] + _fields() + b"}\n"}
    yield "wide.csv", {"wide.csv": b"query_id,run_id," + b"a," * 2_000_000 + b"b\n" + b"1," * 2_000_000}
    yield "quote.csv", {"quote.csv": b'query_id,run_id,answer\nq,r,"' + b"x\n" * 10_000_000}
    yield "cells.tsv", {"cells.tsv": b"query_id\trun_id\tanswer\n" + b"\t" * 30_000_000}
    yield "digits.csv", {"digits.csv": b"query_id,run_id,nugget,label\nq,r,n," + b"9" * 5_000_000 + b"\n"}
    yield "number.jsonl", {"number.jsonl": b'{"kind":"nug","v":1,"query_id":"q","nug_id":' + b"9" * 5_000_000 + b"}\n"}
    yield "spans.jsonl", {"spans.jsonl": _spans()}
    yield "texts", {f"texts/d{at}.txt.gz": gzip.compress(b"x" * (15 << 20), 9) for at in range(12)}


def _fields() -> bytes:
    return b"".join(b',"k%d":1' % at for at in range(500_000))


def _attributes() -> bytes:
    return b'<!DOCTYPE p [<!ATTLIST s a CDATA "' + b"x" * 100_000 + b'">]><pyramid>' + b"<s/>" * 20_000 + b"</pyramid>"


def _entities() -> bytes:
    """The billion laughs."""
    entities = b"".join(b'<!ENTITY e%d "%s">' % (at + 1, b"&e%d;" % at * 10) for at in range(9))
    return b'<!DOCTYPE p [<!ENTITY e0 "ha">' + entities + b"]><pyramid>&e9;</pyramid>"


def _spans() -> bytes:
    spans = [[2 * at, 2 * at + 1] for at in range(500_000)]
    at = {"kind": "nugget", "v": 1, "nugget_id": "n", "query_id": "q", "run_id": "r", "snippet_id": "1"}
    return json.dumps({**at, "spans": spans, "source": "person"}).encode() + b"\n"


REQUESTS = (
    ["plan", "--difference", "1e-9", "--sd", "1"],
    ["plan", "--difference", "1e-300", "--sd", "1e300"],
    ["plan", "--difference", "0.1", "--sd", "0.2", "--power", "0.999999999999"],
    ["plan", "--difference", "0.1", "--sd", "0.2", "--alpha", "1e-300"],
    ["plan", "--difference", "0.1", "--sd", "0.2", "--comparisons", "99999999999"],
    ["show", "/"],
    ["lint", "/"],
    ["convert", "/", "-o", "-"],
    ["show", "/dev/zero"],
    ["lint", "/dev/null"],
)


def bombs(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Each bomb is shown (with two rounds also linted, with three also converted); each request is made."""
    for name, contents in files():
        for part, data in contents.items():
            (folder / part).parent.mkdir(exist_ok=True)
            (folder / part).write_bytes(data)
        # A child begins with the memory of its parent.
        del contents, data
        for arguments in (["show"], ["lint"], ["convert", "--to", "karat", "-o", str(folder / "out.jsonl")])[:rounds]:
            _bounded(tally, [arguments[0], str(folder / name), *arguments[1:]])
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for arguments in REQUESTS:
        _bounded(tally, arguments)


def _bounded(tally: Tally, arguments: list[str]) -> None:
    process(tally, arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (HARD_LIMIT, HARD_LIMIT)))
