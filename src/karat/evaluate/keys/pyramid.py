"""Nugget pyramids of a whole key: the votes of every nug, and the weight they give it."""

from __future__ import annotations

import msgspec

from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.measures.cases.case import Pool
from karat.measures.pyramid_weights import ballots, pyramid_weights, repeated_votes
from karat.model import Collection, Nug, Query, UnfitInput
from karat.model.result import Result
from karat.model.wording import number_of


class NugWeight(msgspec.Struct, frozen=True, kw_only=True):
    """A nug in its pyramid; the weight is None where nobody voted on the nug."""

    nug: Nug
    votes: float
    """Votes for vital; graded votes are added up."""
    raters: int
    weight: float | None

    def record(self) -> Nug:
        """The nug with its weight."""
        return msgspec.structs.replace(self.nug, weight=self.weight)


class Pyramid(Result, msgspec.Struct, frozen=True, kw_only=True):
    """The weights of all nugs, and what could not be weighed."""

    weights: tuple[NugWeight, ...]
    notes: tuple[str, ...]
    queries: tuple[Query, ...] = ()
    """The queries with their texts, as far as the inputs have them."""

    def records(self) -> list[Query | Nug]:
        """The key with weights: its queries, then its nugs."""
        return [*self.queries, *(weight.record() for weight in self.weights)]


def pyramid(*inputs: Input, on_error: OnError = "stop") -> Pyramid:
    """The weights that the votes in the inputs give the nugs (Dang & Lin 2007).

    >>> import karat
    >>> [weight.weight for weight in karat.pyramid(karat.demo_files().key).weights[:2]]
    [1.0, 1.0]
    """
    return pyramid_of(load(*inputs, on_error=on_error))


def pyramid_of(collection: Collection) -> Pyramid:
    """The weights that a collection's votes give its nugs."""
    if not collection.votes:
        known = "; the nugs have weights already" if any(nug.weight is not None for nug in collection.nugs) else ""
        raise UnfitInput(f"there are no votes: give a file in which assessors call nugs vital or okay{known}")
    keyed = {(nug.query_id, nug.nug_id) for nug in collection.nugs}
    unkeyed = dict.fromkeys(
        (vote.query_id, vote.nug_id) for vote in collection.votes if (vote.query_id, vote.nug_id) not in keyed
    )
    # Votes alone say which nugs there are, only not what they say.
    nugs = [Nug(query_id=query_id, nug_id=nug_id, descriptions=()) for query_id, nug_id in unkeyed]
    key = Collection([*collection, *nugs]).key
    weights: list[NugWeight] = []
    unvoted: list[str] = []
    flat: list[str] = []
    for query_id in key.query_ids:
        votes = {nug.nug_id: key.votes[query_id, nug.nug_id] for nug in key.of(query_id)
                 if (query_id, nug.nug_id) in key.votes}  # fmt: skip
        pool = Pool(query_id, nugs=key.of(query_id), votes=votes)
        cast = ballots(pool.whole_nugs, votes)
        if not cast:
            unvoted.append(query_id)
            continue
        weighed = pyramid_weights(pool)
        if not any(weighed.weights.values()):
            flat.append(query_id)
        for nug in pool.whole_nugs:
            values = [ballot[nug.nug_id] for ballot in cast.values() if nug.nug_id in ballot]
            weights.append(
                NugWeight(
                    nug=nug, votes=sum(values), raters=len(values), weight=weighed.weights.get(nug.nug_id)
                )
            )  # fmt: skip
    notes = []
    if nugs:
        notes.append(
            f"{number_of(len(nugs), 'nug')} with votes in no key: without descriptions here; give the key, too, to "
            "have them"
        )
    if repeats := repeated_votes(collection.votes):
        notes.append(f"{number_of(repeats, 'repeated vote')} left out: the first counts")
    if lacking := sum(weight.weight is None for weight in weights):
        notes.append(f"{number_of(lacking, 'nug')} without a vote: no weight")
    if flat:
        notes.append(f"nobody called anything vital in {number_of(len(flat), 'query')}: all weights 0 ({_few(flat)})")
    if unvoted:
        notes.append(f"{number_of(len(unvoted), 'query')} without votes left out ({_few(unvoted)})")
    weighed_queries = {weight.nug.query_id for weight in weights}
    queries = tuple(query for query in collection.queries if query.query_id in weighed_queries)
    return Pyramid(weights=tuple(weights), notes=tuple(notes), queries=queries)


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
