"""What changed between two versions of a key, and what that does to the scores of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Unpack

import msgspec

from karat import __version__
from karat.evaluate.keys.changes import Change, Kind, counts_of, pair_change
from karat.evaluate.keys.effects import Effects, effects_of
from karat.evaluate.keys.matching import Group, is_too_large, match_nugs, text_of
from karat.evaluate.keys.sides import Sides
from karat.evaluate.nuggets.drafting.meaning import best_sameness
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness, Sameness
from karat.evaluate.tables.score_table import Average
from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.measures.cases.rules import Rules
from karat.model import Collection, Key, Nug, Signature, UnfitInput, UsageError
from karat.model.identity import key_setting
from karat.model.result import Result
from karat.model.wording import natural, number_of


class KeyDiff(Result, msgspec.Struct, frozen=True, kw_only=True):
    """Every change, and where runs were given, what the changes do to their scores."""

    changes: tuple[Change, ...]
    """In the order of queries; together they hold every nug of both keys exactly once."""
    notes: tuple[str, ...]
    signature: str
    effects: Effects | None = None

    @property
    def counts(self) -> dict[Kind, int]:
        """How many changes have each kind."""
        return counts_of(self.changes)

    def changed(self) -> list[Change]:
        """The changes without what is unchanged."""
        return [change for change in self.changes if change.kind != "unchanged"]


def key_diff(
    old: Input,
    new: Input,
    *inputs: Input,
    by: str | None = None,
    carry: bool = False,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    less_is_better: str | Sequence[str] | None = None,
    labels: str | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
    **rules: Unpack[Rules],
) -> KeyDiff:
    """What changed from an old version of a key to a new one, and what that does to the runs in `inputs`.

    inputs: runs and judgements, as for `score`; without them, only the changes are named. Scores are those of `score`
    with the old and with the new key, and with the same options. Where `judge` names a program, it judges by both keys.
    by: "words" or "meaning" (needs the semantic extra) decides which nugs say the same; by meaning where it can.
    carry: people's judgements follow what a nug says, not its id: a reworded nug keeps them under its new id.
    Other options: as in `score`.

    >>> import karat
    >>> old = [{"qid": "q", "query": "why?", "nuggets": [{"text": "The bridge has cracks.", "importance": "okay"}]}]
    >>> new = [{"qid": "q", "query": "why?", "nuggets": [{"text": "The bridge has cracks.", "importance": "vital"}]}]
    >>> [change.kinds for change in karat.key_diff(old, new).changes]
    [('importance',)]
    """
    sides = Sides.of(load(old, on_error=on_error), load(new, on_error=on_error), load(*inputs, on_error=on_error))
    return diff_sides(
        sides, by=by, carry=carry, effects=bool(inputs), measures=measures, beta=beta, average=average,
        less_is_better=less_is_better, labels=labels, seed=seed, **rules,
    )  # fmt: skip


def diff_sides(
    sides: Sides,
    *,
    by: str | None = None,
    carry: bool = False,
    effects: bool = True,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    less_is_better: str | Sequence[str] | None = None,
    labels: str | None = None,
    seed: int = 0,
    **rules: Unpack[Rules],
) -> KeyDiff:
    """The same for keys and runs that are read."""
    if carry and not effects:
        raise UnfitInput("--carry: there are no judgements to carry over; give the judgements, too")
    sameness = _sameness(by)
    changes, notes = name_changes(sides.old, sides.new, sameness)
    hashes = [key_setting(key.nugs, key.votes).get("key", "") for key in (sides.old, sides.new)]
    settings = {"old": hashes[0], "new": hashes[1], "by": sameness.signature()} | ({"carry": "yes"} if carry else {})
    done = None
    if effects:
        done = effects_of(
            sides, changes, carry=carry, labels=labels, measures=measures, beta=beta, average=average,
            less_is_better=less_is_better, seed=seed, **rules,
        )  # fmt: skip
    return KeyDiff(
        changes=tuple(changes),
        notes=(*sides.notes, *notes, *(done.notes if done else ())),
        signature=str(Signature("key-diff", settings | {"v": __version__})),
        effects=done,
    )


def _sameness(by: str | None) -> Sameness:
    if by not in (None, "words", "meaning"):
        raise UsageError(f"by={by!r} is not one of words, meaning")
    if by == "words":
        return LexicalSameness()
    if by == "meaning":
        from karat.language.encoder import load_encoder

        load_encoder()
    return best_sameness()


def name_changes(old: Collection, new: Collection, sameness: Sameness) -> tuple[list[Change], list[str]]:
    """Every change between the keys of two collections, in the order of queries; and notes."""
    if not old.nugs or not new.nugs:
        raise UnfitInput(f"the {'old' if not old.nugs else 'new'} key has no nugs (see `karat show FILE`)")
    keys = old.key, new.key
    texts = new.query_texts() | old.query_texts()
    notes: list[str] = []
    found: list[tuple[list[Nug], list[Nug], Group | None]] = []
    for query_id in sorted({*keys[0].nugs, *keys[1].nugs}, key=natural):
        nugs = [sorted(key.of(query_id), key=lambda nug: natural(nug.nug_id)) for key in keys]
        if not nugs[0] or not nugs[1]:
            found.append((nugs[0], nugs[1], None))
            continue
        if is_too_large(*nugs):
            notes.append(f"query {query_id}: {number_of(sum(map(len, nugs)), 'nug')} are too many to compare what they "
                         "say; compared by texts, ids and words only")  # fmt: skip
        for group in match_nugs(nugs[0], nugs[1], sameness, texts.get(query_id, "")):
            found.append(([nugs[0][at] for at in group.old], [nugs[1][at] for at in group.new], group))
    found = _moved(found)
    parents = {
        (group_new[0].query_id, group_new[0].nug_id): group_old[0].nug_id
        for group_old, group_new, _ in found
        if len(group_old) == len(group_new) == 1
    }
    changes = [_change(*each, keys, parents) for each in found]
    changes.sort(
        key=lambda change: (natural(change.query_id), [natural(nug.nug_id) for nug in (*change.old, *change.new)])
    )
    return changes, notes


def _change(
    old: list[Nug], new: list[Nug], group: Group | None, keys: tuple[Key, Key], parents: dict[tuple[str, str], str]
) -> Change:
    query_id = (old or new)[0].query_id
    if len(old) == len(new) == 1 and group is not None:
        votes = [key.votes.get((nug.query_id, nug.nug_id), []) for key, nug in zip(keys, (old[0], new[0]), strict=True)]
        of_query = {nug_id: was for (query, nug_id), was in parents.items() if query == new[0].query_id}
        return pair_change(
            old[0], new[0], sure=round(group.sure, 4), reworded=old[0].descriptions != new[0].descriptions,
            corrected=group.corrected, by_id=group.by_id, votes=votes, parents=of_query,
        )  # fmt: skip
    kind: Kind
    if group is None:
        kind = "query removed" if old else "query added"
    elif old and new:
        kind = "split" if len(old) == 1 else "merged"
    else:
        kind = "removed" if old else "added"
    sure = round(group.sure, 4) if group is not None and old and new else 1.0
    return Change(query_id=query_id, kinds=(kind,), old=tuple(old), new=tuple(new), sure=sure)


def _moved(
    found: Iterable[tuple[list[Nug], list[Nug], Group | None]],
) -> list[tuple[list[Nug], list[Nug], Group | None]]:
    """Take a removed nug and an added one of another query with the same text as one nug that moved."""
    found = [(list(old), list(new), group) for old, new, group in found]
    arrived: dict[str, list[tuple[int, Nug]]] = {}
    for at, (old, new, _) in enumerate(found):
        if not old:
            for nug in new:
                arrived.setdefault(text_of(nug), []).append((at, nug))
    moved: list[tuple[list[Nug], list[Nug], Group | None]] = []
    for old, new, _ in found:
        if new:
            continue
        for nug in list(old):
            if waiting := arrived.get(text_of(nug)):
                at, other = waiting.pop(0)
                old.remove(nug)
                found[at][1].remove(other)
                moved.append(([nug], [other], Group((0,), (0,), same_text=True)))
    return [each for each in found if each[0] or each[1]] + moved
