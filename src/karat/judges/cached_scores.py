"""Raw scores that were made before come from the cache, one query at a time.

A score depends on more than its response and its nug: on the question, on the other nugs of the query, and on how rare
words are among all responses, where the judge reads that. All of it, the judge's settings, its code and its models are
in the name under which the scores of a query are kept. So another run beside the others means new scores; the vectors
of the sentences, which are dear, are kept by themselves (`karat.language.encoded_text`).

Probabilities are not kept: they are made from scores and labels, which costs little.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from karat.engines.cache import code_name, current_cache, name_of
from karat.judges.base import Judge, Matches, Objection, Task
from karat.text.idf import IdfTable, TextPool

KIND = "scores"
CODE = ("judges", "text", "language", "model")
LIBRARIES = ("numpy", "scipy", "PyStemmer", "onnxruntime", "tokenizers", "spacy")
"""What the scores of any judge depend on: places in Karat, and libraries."""
Source = TextPool | IdfTable | Mapping[str, float]
_HEAD = struct.Struct("<II")
_Rows = list[tuple[int, int, list[tuple[int, str, bytes, bytes]]]]


class KeepMatches:
    """Keeps scores in a job, by the same names as in the cache; scores of every judge, also of a fast one."""

    def __init__(self, program: Judge, source: Source | None) -> None:
        self.program, self._source = program, source
        self._names: _Names | None = None

    def name(self, task: Task) -> bytes | None:
        if self._names is None:
            maker = name_of(code_name(CODE, LIBRARIES), str(self.program))
            self._names = _Names(maker, self.program, self._source)
        return self._names.of(task)

    def pack(self, matches: Matches) -> bytes | None:
        return _packed(matches)

    def unpack(self, packed: bytes, task: Task) -> Matches | None:
        return _unpacked(packed, task, self.program)


def cached_matches(
    tasks: Sequence[Task], program: Judge, match: Callable[[Sequence[Task]], Iterator[Matches]]
) -> Iterator[Matches]:
    """What the judge finds in each task, in order; `match` finds it for tasks that are not in the cache."""
    cache = current_cache()
    maker = program.cached_as() if cache is not None and tasks else None
    if cache is None or maker is None:
        return match(tasks)
    naming = _Names(name_of(maker, str(program)), program)
    names = [naming.of(task) for task in tasks]
    kept = cache.get(KIND, [name for name in names if name is not None])
    found = {
        at: matches
        for at, (task, name) in enumerate(zip(tasks, names, strict=True))
        if name in kept and (matches := _unpacked(kept[name], task, program)) is not None
    }
    if found and len(found) < len(tasks):
        cache.say(f"queries judged before: {len(found):,} of {len(tasks):,}; going on with the others")
    return _in_order(tasks, names, found, match)


def _in_order(
    tasks: Sequence[Task],
    names: Sequence[bytes | None],
    found: Mapping[int, Matches],
    match: Callable[[Sequence[Task]], Iterator[Matches]],
) -> Iterator[Matches]:
    cache = current_cache()
    missing = [task for at, task in enumerate(tasks) if at not in found]
    made = match(missing) if missing else iter(())
    for at, name in enumerate(names):
        if at in found:
            yield found[at]
            continue
        matches = next(made)
        if cache is not None and name is not None and (packed := _packed(matches)) is not None:
            cache.put(KIND, {name: packed})
        yield matches


class _Names:
    """The names of the scores of tasks; None where something is hidden from some responses.

    source: what the rarity of words comes from, where all tasks share it and it is not in them.
    """

    def __init__(self, maker: bytes, program: Judge, source: Source | None = None) -> None:
        self._maker, self._reads_idf, self._source = maker, program.reads_idf, source
        self._said: dict[int, bytes] = {}

    def of(self, task: Task) -> bytes | None:
        if task.known is not None or len(task.groups):
            return None
        return _task_name(task, self._maker, self._rarity(task) if self._reads_idf else b"")

    def _rarity(self, task: Task) -> bytes:
        if self._source is not None:
            source = self._source
        else:
            source = task.idf if task.idf is not None else task.texts()
        # All tasks of a collection share one pool, which may be large. One made here for its task alone is not kept.
        is_shared = source is self._source or source is task.idf or source is task.pool
        if not is_shared:
            return _source_name(source)
        if id(source) not in self._said:
            self._said[id(source)] = _source_name(source)
        return self._said[id(source)]


def _source_name(source: Source) -> bytes:
    return name_of(*(source if isinstance(source, TextPool | IdfTable) else IdfTable(source)).content())


def _task_name(task: Task, maker: bytes, source: bytes) -> bytes:
    encode = msgspec.json.encode
    # Ids, importance and whatever else the records have do not change a score.
    responses = [[_bytes(snippet.text) for snippet in response.snippets] for response in task.responses]
    nugs = [[_bytes(text) for text in nug.descriptions] for nug in task.nugs]
    known = [[_bytes(text) for text in task.examples_of(nug.nug_id)] for nug in task.nugs]
    asked = b"" if task.asked is None else task.asked.tobytes()
    return name_of(maker, source, _bytes(task.question), encode(nugs), encode(responses), encode(known), asked)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _text(content: bytes) -> str:
    return content.decode(errors="surrogatepass")


def _packed(matches: Matches) -> bytes | None:
    """Scores, places of evidence, and objections; None where there is more, which this form does not hold."""
    if matches.evidence or matches.failures or matches.notes or matches.levels is not None:
        return None
    rows: _Rows = [
        (row, nug, [(each.unit, each.kind, _bytes(each.nug_words), _bytes(each.unit_words)) for each in found])
        for (row, nug), found in matches.objections.items()
    ]
    numbers = matches.scores.astype("<f4").tobytes() + matches.best.astype("<i4").tobytes()
    return _HEAD.pack(*matches.scores.shape) + numbers + msgspec.msgpack.encode(rows)


def _unpacked(packed: bytes, task: Task, program: Judge) -> Matches | None:
    """None where it cannot be the scores of this task."""
    shape = len(task.responses), len(task.nugs)
    size = 4 * shape[0] * shape[1]
    if len(packed) < _HEAD.size + 2 * size or _HEAD.unpack_from(packed) != shape:
        return None
    scores = np.frombuffer(packed, "<f4", shape[0] * shape[1], _HEAD.size).reshape(shape).astype(np.float32)
    best = np.frombuffer(packed, "<i4", shape[0] * shape[1], _HEAD.size + size).reshape(shape).astype(np.int32)
    try:
        rows = msgspec.msgpack.decode(packed[_HEAD.size + 2 * size :], type=_Rows)
    except msgspec.DecodeError:
        return None
    objections = {
        (row, nug): tuple(Objection(unit, kind, _text(words), _text(other)) for unit, kind, words, other in found)
        for row, nug, found in rows
    }
    return Matches(scores, best, program.place_units(task), objections)
