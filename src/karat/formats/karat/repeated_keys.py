"""Keys that appear twice in one object of Karat's own JSONL.

JSON does not say which of the two values counts, and the decoder takes the last one without a word. Looking at every
line costs as much as decoding it, so blocks of judgements, which programs write by the million, are proven at once to
repeat no key: their lines have no more colons than their records have fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from karat.formats.io.json_path import count_keys, decode_json, repeated_key
from karat.model import AnyRecord, Judgement

MESSAGE = "the key {!r} appears twice in one object; keep one of them"
_encode_lines = msgspec.json.Encoder().encode_lines
_REQUIRED = 5
"""The keys kind, query_id, run_id, nug_id and judge."""
_OPTIONAL = ("snippet_id", "degree", "assessor", "adjudicated", "evidence")
_optional = attrgetter(*_OPTIONAL)
_BEGIN = b'{"kind":"judgement","v":1,'
_END = b',"status":"ok"}'
_V, _STATUS = b'"v"', b'"status"'
_NEXT = _END + b"\n" + _BEGIN
_KEY = re.compile(rb'"\s*:')
_BLANK = re.compile(rb'"\s+:')


def repeated_keys(lines: Sequence[bytes], records: Sequence[AnyRecord]) -> Iterator[tuple[int, str]]:
    """The index of each line that repeats a key, and the key. records: what the lines were decoded to."""
    kinds = set(map(type, records))
    if kinds == {Judgement}:
        left: Sequence[int] = () if _repeat_no_key(lines, records) else range(len(lines))
    elif Judgement in kinds:
        judged = [index for index, record in enumerate(records) if type(record) is Judgement]
        if _repeat_no_key([lines[index] for index in judged], [records[index] for index in judged]):
            left = [index for index, record in enumerate(records) if type(record) is not Judgement]
        else:
            left = range(len(lines))
    else:
        # What Karat wrote itself is the same when it is written again, and an encoder repeats no key.
        left = () if _encode_lines(records) == b"\n".join((*lines, b"")) else range(len(lines))
    for index in left:
        if (key := key_repeated_in(lines[index])) is not None:
            yield index, key


def key_repeated_in(line: bytes) -> str | None:
    """A key that appears twice in one object of a line of JSON."""
    try:
        keys = count_keys(decode_json(line))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # A colon inside a text is hardly ever after a quote.
    return None if line.count(b":") <= keys or len(_KEY.findall(line)) <= keys else repeated_key(line)


def _repeat_no_key(lines: Sequence[bytes], judgements: Sequence[Any]) -> bool:
    """Whether it is certain that none of these judgements repeats a key.

    A line has a colon for each of its keys, so it has at least as many as its record has fields with a value. If all
    lines together have no more, none of them has more.
    """
    block = b"\n".join(lines)
    if (unseen := _unseen_keys(block, lines, judgements)) is None:
        return False
    always = _REQUIRED * len(lines) + unseen
    colons = block.count(b":")
    # The usual case first, because it is cheap: all judgements have the fields of the first one.
    usual = [name for name in _OPTIONAL if getattr(judgements[0], name) is not None]
    if colons == always + len(usual) * len(lines) and all(
        None not in map(attrgetter(name), judgements) for name in usual
    ):
        return True
    values = list(chain.from_iterable(map(_optional, judgements)))
    keys = always + len(values) - values.count(None)
    for probabilities in filter(None, map(attrgetter("probabilities"), judgements)):
        keys += 1 + len(probabilities)
    for evidence in filter(None, values[len(_OPTIONAL) - 1 :: len(_OPTIONAL)]):
        keys += sum(map(bool, (evidence.words, evidence.spans)))
    # Ids may have colons; those of keys follow a quote.
    return colons == keys or (block.count(b'":') == keys and _BLANK.search(block) is None)


def _unseen_keys(block: bytes, lines: Sequence[bytes], judgements: Sequence[Any]) -> int | None:
    """How often the lines have `v` and `status`: a record does not show whether its line has them.

    They are counted in the text, where all say the same (1 and ok); None: they do not, or a line may have one twice.
    """
    if block.startswith(_BEGIN) and block.endswith(_END) and block.count(_NEXT) == len(judgements) - 1:
        if block.count(_V) == block.count(_STATUS) == len(judgements):
            return 2 * len(judgements)
        return None
    status = block.count(_STATUS)
    ok = block.count(b'"status": "ok"') or block.count(b'"status":"ok"')
    if ok != status or set(map(attrgetter("status"), judgements)) != {"ok"}:
        return None
    if any(line.count(_STATUS) > 1 or line.count(_V) > 1 for line in lines):
        return None
    return status + block.count(b'"v":')
