"""Which nuggets are members of a nug in one assessor's view of a query.

A nug that names no assessor, or is another one's, has those members that are nuggets of the view. A nug of the view's
own assessor keeps all of its members, because they are what its owner chose: another person's nugget counts as the
view's own nugget at the same place, if there is one (the same text is not counted twice), and joins it otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from karat.model import Member, Nug, Nugget


def kept_members(
    nugs: Sequence[Nug],
    nuggets: Sequence[Nugget],
    others: Mapping[str, Nugget],
    lost: set[str],
    *,
    assessor: str | None,
) -> tuple[Sequence[Nug], Sequence[Nugget]]:
    """The nugs with the members that count, and the nuggets of the view with those that joined it.

    others: by id, people's nuggets that a nug of the assessor may have as members; lost: those not in the view.
    """
    if not lost:
        return nugs, nuggets
    here = {_place(nugget): nugget.nugget_id for nugget in reversed(nuggets)}
    joined: dict[str, Nugget] = {}
    kept = []
    for nug in nugs:
        own = assessor is not None and nug.assessor == assessor
        members: dict[str, Member] = {}
        for member in nug.members:
            if member.nugget_id not in lost:
                members.setdefault(member.nugget_id, member)
            elif own and (nugget := others.get(member.nugget_id)) is not None and nugget.assessor != assessor:
                name = here.setdefault(_place(nugget), nugget.nugget_id)
                if name == nugget.nugget_id:
                    joined[name] = nugget
                members.setdefault(name, replace(member, nugget_id=name))
        if len(members) == len(nug.members) and all(member.nugget_id in members for member in nug.members):
            kept.append(nug)
        elif members:
            kept.append(replace(nug, members=tuple(members.values())))
    return kept, [*nuggets, *joined.values()]


def _place(nugget: Nugget) -> tuple[object, ...]:
    return nugget.run_id, nugget.snippet_id, nugget.spans
