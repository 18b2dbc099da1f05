"""Changes of a key -> tables: what changed, with the words that changed, and what that does to runs."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from karat.evaluate.keys.changes import Change
from karat.evaluate.keys.diff import KeyDiff
from karat.evaluate.keys.effects import Effects, RunEffect
from karat.model import Nug, record_to_dict
from karat.model.wording import number_of
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

SINGLE = 10
"""How many changes the list of single effects has."""
PAIRS = 20
"""How many pairs are shown; the other formats have all."""
COLUMNS = (
    "part", "query_id", "kinds", "sure", "old_ids", "new_ids", "old_text", "new_text", "fields", "measure", "run_id",
    "other", "old", "new", "difference", "old_rank", "new_rank", "old_tie", "new_tie", "size", "mean", "most",
    "most_run",
)  # fmt: skip


def diff_tables(diff: KeyDiff, *, unchanged: bool = False, single: int = SINGLE) -> Iterator[TextTable | str]:
    """How many changes of each kind, each change, then the effects on runs, pairs, and of single changes."""
    counts = [[kind, f"{count:,}"] for kind, count in diff.counts.items()]
    yield TextTable(["kind", "changes"], counts, right=["changes"])
    shown = diff.changes if unchanged else diff.changed()
    if shown:
        yield TextTable(["query", "kind", "sure", "nugs"], [row for change in shown for row in _rows(change)])
    if diff.effects is not None:
        yield from _effect_tables(diff, diff.effects, single)


def _effect_tables(diff: KeyDiff, effects: Effects, single: int) -> Iterator[TextTable | str]:
    right = ["old", "new", "difference", "rank"]
    for measure in dict.fromkeys(effect.measure for effect in effects.runs):
        runs = [effect for effect in effects.runs if effect.measure == measure]
        yield TextTable([measure, *right, "tie"], [_run_row(effect) for effect in runs], right=right)
    shown = effects.pairs[:PAIRS]
    if shown:
        rows = [[pair.measure, pair.run_id, pair.other, pair.old, pair.new] for pair in shown]
        yield TextTable(["measure", "run", "against", "old", "new"], rows)
    more = f"; the first {PAIRS} are shown, --format jsonl has all" if len(effects.pairs) > PAIRS else ""
    turned = sum(pair.turned for pair in effects.pairs)
    yield (
        f"{number_of(len(effects.pairs), 'pair')} of {effects.compared:,} with another verdict by the new key, "
        f"{turned:,} of them separated the other way around{more}"
    )
    if effects.single:
        for measure in dict.fromkeys(effect.measure for effect in effects.single):
            moving = [effect for effect in effects.single if effect.measure == measure and effect.size > 0]
            if not moving:
                continue
            largest = moving[:single]
            rows = [
                [
                    f"{effect.size:.4f}", f"{effect.mean:+.4f}", f"{effect.most:+.4f} {effect.run_id}",
                    effect.query_id, ", ".join(effect.kinds), _short(diff.changes[effect.change]),
                ]
                for effect in largest
            ]  # fmt: skip
            yield TextTable([f"{measure} moves by", "mean", "most", "query", "kind", "alone"], rows)


def _run_row(effect: RunEffect) -> list[str]:
    ranks = ["-" if rank is None else str(rank) for rank in (effect.old_rank, effect.new_rank)]
    ties = [tie or "-" for tie in (effect.old_tie, effect.new_tie)]
    difference = "" if effect.difference is None else f"{effect.difference:+.3f}"
    return [
        effect.run_id, _value(effect.old), _value(effect.new), difference, _arrow(ranks), _arrow(ties),
    ]  # fmt: skip


def _arrow(ends: list[str]) -> str:
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} -> {ends[1]}"


def _value(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _rows(change: Change) -> Iterator[list[str]]:
    """One row for a pair of nugs, with the changed words marked; otherwise one per nug, with - or +."""
    sure = f"{change.sure:.2f}" if change.old and change.new else ""
    head = [change.query_id, ", ".join(change.kinds), sure]
    if len(change.old) == len(change.new) == 1:
        lines = [_pair_line(change)]
    else:
        lines = [f"- {_text(nug)}" for nug in change.old] + [f"+ {_text(nug)}" for nug in change.new]
    for at, line in enumerate(lines):
        yield [*(head if at == 0 else ("", "", "")), line]


def _pair_line(change: Change) -> str:
    old, new = change.old[0], change.new[0]
    ids = old.nug_id if old.nug_id == new.nug_id else f"[-{old.nug_id}-] {{+{new.nug_id}+}}"
    text = marked_words(" / ".join(old.descriptions), " / ".join(new.descriptions))
    facts = [f"{field.field} {field.old or 'none'} -> {field.new or 'none'}" for field in change.fields]
    facts += [f"moved to query {new.query_id}"] if old.query_id != new.query_id else []
    return f"{ids}: {text}" + (f" ({'; '.join(facts)})" if facts else "")


def marked_words(old: str, new: str) -> str:
    """Both texts in one: `[-words that went-]` and `{+words that came+}`, as wdiff writes them.

    >>> marked_words("a red fox", "a grey fox")
    'a [-red-] {+grey+} fox'
    """
    before, after = old.split(), new.split()
    parts = []
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(" ".join(before[first:last]))
            continue
        if last > first:
            parts.append(f"[-{' '.join(before[first:last])}-]")
        if end > start:
            parts.append(f"{{+{' '.join(after[start:end])}+}}")
    return " ".join(parts)


def _text(nug: Nug) -> str:
    worth = f" ({nug.importance})" if nug.importance else ""
    return f"{nug.nug_id}: {' / '.join(nug.descriptions)}{worth}"


def _short(change: Change) -> str:
    texts = [f"- {nug.descriptions[0]}" for nug in change.old if nug.descriptions]
    texts += [f"+ {nug.descriptions[0]}" for nug in change.new if nug.descriptions and nug not in change.old]
    same = len(change.old) == len(change.new) == 1 and change.old[0].descriptions == change.new[0].descriptions
    text = texts[0][2:] if same and texts else " ".join(texts)
    return text if len(text) <= 80 else f"{text[:77]}..."


def diff_dicts(diff: KeyDiff, *, unchanged: bool = True) -> list[dict[str, Any]]:
    """One dict per change, per run and measure, per pair whose verdict changes, and per change alone and measure."""
    shown = diff.changes if unchanged else diff.changed()
    rows: list[dict[str, Any]] = [
        {
            "part": "change", "query_id": change.query_id, "kinds": list(change.kinds), "sure": change.sure,
            "by_id": change.by_id, "old": [record_to_dict(nug) for nug in change.old],
            "new": [record_to_dict(nug) for nug in change.new],
            "fields": [{"field": field.field, "old": field.old, "new": field.new} for field in change.fields],
            "signature": diff.signature,
        }
        for change in shown
    ]  # fmt: skip
    if diff.effects is None:
        return rows
    rows += [
        {
            "part": "run", "measure": effect.measure, "run_id": effect.run_id, "old": effect.old, "new": effect.new,
            "difference": effect.difference, "old_rank": effect.old_rank, "new_rank": effect.new_rank,
            "old_tie": effect.old_tie, "new_tie": effect.new_tie, "signature": diff.signature,
        }
        for effect in diff.effects.runs
    ]  # fmt: skip
    rows += [
        {
            "part": "pair", "measure": pair.measure, "run_id": pair.run_id, "other": pair.other, "old": pair.old,
            "new": pair.new, "signature": diff.signature,
        }
        for pair in diff.effects.pairs
    ]  # fmt: skip
    for effect in diff.effects.single:
        change = diff.changes[effect.change]
        rows.append(
            {
                "part": "alone", "measure": effect.measure, "query_id": effect.query_id, "kinds": list(effect.kinds),
                "old_ids": [nug.nug_id for nug in change.old], "new_ids": [nug.nug_id for nug in change.new],
                "size": effect.size, "mean": effect.mean, "most": effect.most, "most_run": effect.run_id,
                "signature": diff.signature,
            }
        )  # fmt: skip
    return rows


def diff_result(diff: KeyDiff, *, unchanged: bool = False, single: int = SINGLE) -> ShownResult:
    """What `karat key diff` prints. JSONL and TSV have a row for everything, with its part; JSON a list per part."""

    def fields() -> dict[str, Any]:
        names = {"change": "changes", "run": "runs", "pair": "pairs", "alone": "single"}
        found: dict[str, Any] = {"counts": dict(diff.counts)}
        for row in diff_dicts(diff, unchanged=unchanged):
            kept = {name: value for name, value in row.items() if name not in ("part", "signature")}
            found.setdefault(names[row["part"]], []).append(kept)
        if diff.effects is not None:
            found["compared_pairs"] = diff.effects.compared
        return found

    return ShownResult(
        parts=lambda width: diff_tables(diff, unchanged=unchanged, single=single),
        tables=lambda: [diff_data(diff, unchanged=unchanged)],
        lines=lambda: diff_dicts(diff),
        fields=fields,
        notes=diff.notes,
        signatures=[diff.signature],
    )


def diff_data(diff: KeyDiff, *, unchanged: bool = False) -> DataTable:
    """The rows with the columns of all parts; what a part does not have is None."""
    rows = []
    for row in diff_dicts(diff, unchanged=unchanged):
        cells = dict(row)
        if row["part"] == "change":
            for side in ("old", "new"):
                cells[f"{side}_ids"] = [nug["nug_id"] for nug in row[side]]
                cells[f"{side}_text"] = [" / ".join(nug["descriptions"]) for nug in row[side]]
                cells[side] = None
            cells["fields"] = [
                f"{field['field']} {field['old'] or 'none'} -> {field['new'] or 'none'}" for field in row["fields"]
            ]
        rows.append({column: cells.get(column) for column in COLUMNS})
    return DataTable.of("changes", rows, COLUMNS)
