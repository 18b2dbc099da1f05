"""Known files beside the files at hand: whose responses and nugs their judgements are of.

They are a body of their own. A judgement there is of the response that stands there, so that a new version of a run,
which has the old one's name, gets nothing of what was said of another text. Only where the known files have no response
of the run to the query is it of the one at hand.
"""

from __future__ import annotations

import msgspec

from karat.judges.human.known import alike, whole_text
from karat.measures.cases.cases import Cell
from karat.model import Collection, Judgement, Nug, Response
from karat.model.identity import identity
from karat.model.wording import number_of

OTHER_TEXT = "{} (known)"
"""The name of a run of the known files whose response at hand has another text."""
NugKey = tuple[str, str]


def known_apart(here: Collection, known: Collection, *, notes: list[str]) -> Collection:
    """The judged responses of the known files with their nugs and judgements; what cannot be used is noted.

    A nug that the key has as well is taken from the key. Judgements that `here` repeats are left out.
    """
    ours, theirs = _by_cell(here), _by_cell(known)
    nugs = _nugs(here, known, notes)
    others = {
        cell: OTHER_TEXT.format(cell[1])
        for cell, response in theirs.items()
        if cell in ours and not is_same_text(response, ours[cell])
    }
    said = {identity(one) for one in here.judgements}
    kept: list[Judgement] = []
    borrowed: dict[Cell, int] = {}
    homeless = foreign = 0
    for one in known.judgements:
        cell = one.query_id, one.run_id
        if not _is_of(one, theirs.get(cell) or ours.get(cell)):
            homeless += 1
        elif (one.query_id, one.nug_id) not in nugs:
            foreign += 1
        elif cell in others:
            kept.append(msgspec.structs.replace(one, run_id=others[cell]))
        elif identity(one) not in said:
            kept.append(one)
            if cell not in theirs:
                borrowed[cell] = borrowed.get(cell, 0) + 1
    if borrowed:
        told = number_of(sum(borrowed.values()), "known judgement")
        notes.append(
            f"{told} without a response: taken to be of the same run and query among the runs; if a run has changed "
            "since, give what was judged with --known, too, or its new texts get the labels of the old"
        )
    if homeless:
        notes.append(f"{number_of(homeless, 'known judgement')} of responses that are in no file: left out")
    if foreign:
        notes.append(f"{number_of(foreign, 'known judgement')} of nugs that the key does not have: left out")
    runs = {one.run_id for one in kept}
    responses = [_named(one, others.get(cell)) for cell, one in theirs.items()]
    responses = [one for one in responses if one.run_id in runs] + [ours[cell] for cell in borrowed]
    queries = {one.query_id: one for one in (*here.queries, *known.queries)}
    return Collection([*queries.values(), *responses, *nugs.values(), *kept]) if kept else Collection()


def is_same_text(one: Response, other: Response) -> bool:
    """Whether two responses say the same, case and white space made alike."""
    mine, yours = whole_text(one), whole_text(other)
    return mine == yours or alike(mine) == alike(yours)


def _nugs(here: Collection, known: Collection, notes: list[str]) -> dict[NugKey, Nug]:
    """The known files' nugs, or the key's for queries of which they have none: silence says nothing of later nugs."""
    key = {(one.query_id, one.nug_id): one for one in here.nugs}
    keyed = {one.query_id for one in known.nugs}
    found = {name: nug for name, nug in key.items() if nug.query_id not in keyed}
    for nug in known.nugs:
        ours = key.get((nug.query_id, nug.nug_id), nug)
        if _says_the_same(nug, ours):
            found[nug.query_id, nug.nug_id] = ours
        else:
            notes.append(
                f"query {nug.query_id}, nug {nug.nug_id}: says something else in the known files, whose judgements of "
                "it are left out"
            )
    return found


def _says_the_same(one: Nug, other: Nug) -> bool:
    """Whether two accounts of a nug share a description, or one has none."""
    mine, yours = ({alike(text) for text in nug.descriptions} for nug in (one, other))
    return not mine or not yours or not mine.isdisjoint(yours)


def _is_of(judgement: Judgement, response: Response | None) -> bool:
    if response is None or judgement.snippet_id is None:
        return response is not None
    return any(one.snippet_id == judgement.snippet_id for one in response.snippets)


def _named(response: Response, run_id: str | None) -> Response:
    return response if run_id is None else msgspec.structs.replace(response, run_id=run_id)


def _by_cell(collection: Collection) -> dict[Cell, Response]:
    return {(one.query_id, one.run_id): one for one in collection.responses}
