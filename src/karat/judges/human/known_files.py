"""Known files (`--known`): which responses and nugs their judgements are about.

A judgement in a known file is about the response in the known files. So a new version of a run, which has the same name
and another text, does not get the judgements of the old text. Only where the known files have no response of the run to
the query, the judgement is about the response in the other files.
"""

from __future__ import annotations

import msgspec

from karat.judges.human.known_judgements import alike, whole_text
from karat.measures.cases.cases import Cell
from karat.model import Collection, Judgement, Nug, Response
from karat.model.identity import identity
from karat.model.wording import number_of

OTHER_TEXT = "{} (known)"
"""The name that a run of the known files gets where the other files have the same run with another text."""
NugKey = tuple[str, str]


def known_apart(here: Collection, known: Collection, *, notes: list[str]) -> Collection:
    """The judged responses of the known files, with their nugs and judgements; `notes` gets what cannot be used.

    A nug that the key has as well is taken from the key. Judgements that are also in `here` are left out.
    """
    ours, theirs = _by_cell(here), _by_cell(known)
    nugs = _nugs(here, known, notes)
    others = {
        cell: OTHER_TEXT.format(cell[1])
        for cell, response in theirs.items()
        if cell in ours and not is_same_text(response, ours[cell])
    }
    said = {identity(judgement) for judgement in here.judgements}
    kept: list[Judgement] = []
    borrowed: dict[Cell, int] = {}
    without_response = without_nug = 0
    for judgement in known.judgements:
        cell = judgement.query_id, judgement.run_id
        if not _is_of(judgement, theirs.get(cell) or ours.get(cell)):
            without_response += 1
        elif (judgement.query_id, judgement.nug_id) not in nugs:
            without_nug += 1
        elif cell in others:
            kept.append(msgspec.structs.replace(judgement, run_id=others[cell]))
        elif identity(judgement) not in said:
            kept.append(judgement)
            if cell not in theirs:
                borrowed[cell] = borrowed.get(cell, 0) + 1
    if borrowed:
        count = number_of(sum(borrowed.values()), "known judgement")
        notes.append(
            f"{count} without a response in the known files: used for the same run and query among the runs; if a run "
            "has changed since then, give the judged responses with --known too, or its new text gets the old labels"
        )
    if without_response:
        count = number_of(without_response, "known judgement")
        notes.append(f"{count} left out: the response is in no file; give it with --known")
    if without_nug:
        notes.append(f"{number_of(without_nug, 'known judgement')} left out: the nug is not in the key")
    runs = {judgement.run_id for judgement in kept}
    responses = [_named(response, others.get(cell)) for cell, response in theirs.items()]
    responses = [response for response in responses if response.run_id in runs] + [ours[cell] for cell in borrowed]
    queries = {query.query_id: query for query in (*here.queries, *known.queries)}
    return Collection([*queries.values(), *responses, *nugs.values(), *kept]) if kept else Collection()


def is_same_text(left: Response, right: Response) -> bool:
    """Whether two responses have the same text, up to case and white space."""
    left_text, right_text = whole_text(left), whole_text(right)
    return left_text == right_text or alike(left_text) == alike(right_text)


def _nugs(here: Collection, known: Collection, notes: list[str]) -> dict[NugKey, Nug]:
    """The nugs of the known files; for queries without any there, those of the key.

    People whose key did not have a nug yet did not look for it.
    """
    key = {(nug.query_id, nug.nug_id): nug for nug in here.nugs}
    keyed = {nug.query_id for nug in known.nugs}
    nugs = {name: nug for name, nug in key.items() if nug.query_id not in keyed}
    for nug in known.nugs:
        ours = key.get((nug.query_id, nug.nug_id), nug)
        if _says_the_same(nug, ours):
            nugs[nug.query_id, nug.nug_id] = ours
        else:
            notes.append(
                f"query {nug.query_id}, nug {nug.nug_id}: its description in the known files is another one, so their "
                "judgements about it are left out"
            )
    return nugs


def _says_the_same(left: Nug, right: Nug) -> bool:
    """Whether two records of a nug share a description, or one of them has none."""
    left_texts, right_texts = ({alike(text) for text in nug.descriptions} for nug in (left, right))
    return not left_texts or not right_texts or not left_texts.isdisjoint(right_texts)


def _is_of(judgement: Judgement, response: Response | None) -> bool:
    if response is None or judgement.snippet_id is None:
        return response is not None
    return any(snippet.snippet_id == judgement.snippet_id for snippet in response.snippets)


def _named(response: Response, run_id: str | None) -> Response:
    return response if run_id is None else msgspec.structs.replace(response, run_id=run_id)


def _by_cell(collection: Collection) -> dict[Cell, Response]:
    return {(response.query_id, response.run_id): response for response in collection.responses}
