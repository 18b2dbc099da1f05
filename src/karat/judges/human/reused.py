"""People's judgements that a program reuses, as judgements under the program's name."""

from __future__ import annotations

from collections.abc import Iterator

from karat.judges.base import Judge
from karat.judges.human.assessors import Known
from karat.judges.human.known_judgements import KnownJudgements, alike, whole_text
from karat.judges.human.labels import KNOWN
from karat.judges.pairs import judgeable_nugs
from karat.model import Collection, Judgement, Nug, Response


def known_wholes(collection: Collection, program: Judge, known: KnownJudgements) -> Iterator[Judgement]:
    """What people said about AND/OR nugs as a whole, which counts before what they said about the parts.

    Where nobody marked the whole in any snippet, that is not a "no": its parts may have been marked.
    """
    key = collection.key
    for query_id in key.query_ids:
        nugs = key.of(query_id)
        judged_by_parts = {nug.nug_id for nug in judgeable_nugs(nugs)}
        wholes = [nug for nug in nugs if nug.nug_id not in judged_by_parts]
        for response in collection.responses if wholes else ():
            if response.query_id != query_id:
                continue
            marked = known.of_response.get((query_id, alike(whole_text(response))), {})
            for nug in wholes:
                said = known.of(response, nug.nug_id)
                if said is not None and (said.degree > 0 or nug.nug_id in marked):
                    yield known_judgement(nug, response, program, said)


def known_judgement(nug: Nug, response: Response, program: Judge, known: Known) -> Judgement:
    """Under the program's name, so that its own judgements and the reused ones together judge a response."""
    where = {} if known.snippet_id is None else {"snippet_id": known.snippet_id}
    return Judgement(
        query_id=nug.query_id,
        run_id=response.run_id,
        nug_id=nug.nug_id,
        degree=known.degree,
        # Where assessors differ, a measure gets the mean of the values that each of them would give.
        probabilities=known.shares,
        judge=program.name,
        extra={KNOWN: True, **where},
    )
