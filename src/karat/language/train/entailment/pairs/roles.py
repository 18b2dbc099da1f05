"""Made-up pairs about who did what to whom: many wordings of one fact, beside the same wordings with roles exchanged.

Word order alone is no cue: a passive, a cleft or a converse ("B lost to A") has the other order and is still true.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from zlib import crc32

from karat.language.train.entailment.pairs import words
from karat.language.train.entailment.pairs.sets import Pair

_ADJUNCTS = """
in 2014|last year|in the spring of 1998|on Tuesday|in March|three years ago|during the election|at the trial|
in Geneva|after a long dispute|without much effort|for the second time|by a wide margin|before the war|
in the final|at the annual meeting|in the capital|despite many warnings|in front of the cameras|
late on Friday night|over the weekend|during the strike
"""
_STARTS = """
According to officials,|Local media reported that|It is well known that|Observers noted that|
As the report explains,|To the surprise of many,|In the end,|The article says that|Historians agree that|
Two days later,|Not long afterwards,|As expected,
"""
_ENDS = """
, which surprised many people|, the newspaper wrote|, as a spokesman confirmed on Monday|
, and the news spread quickly|, although nobody was hurt|, which ended a dispute of ten years|
, while the talks in the capital went on|, and the price of the shares fell by 3 percent|
, according to two people who were there
"""


class Cast:
    """Draws participants; some come from the texts, so that their number is not small."""

    def __init__(self, rng: random.Random, found: Sequence[str] = ()) -> None:
        self.rng = rng
        self._pools = {
            "place": words.PLACES,
            "company": words.listed(words.COMPANIES),
            "group": words.GROUPS,
            "definite": words.listed(words.DEFINITES),
            "thing": words.listed(words.THINGS),
            "found": list(found) or words.PLACES,
        }

    def person(self) -> str:
        """A person: a full name, a last name or a title with a name."""
        rng = self.rng
        name = rng.choice(words.LAST)
        form = rng.random()
        if form < 0.5:
            return f"{rng.choice(words.FIRST)} {name}"
        return name if form < 0.8 else f"{rng.choice(['Dr.', 'Professor', 'Judge', 'Senator', 'Mr.', 'Ms.'])} {name}"

    def two(self, *, things: bool = False, number: int = 2) -> list[str]:
        """Different participants, mostly of one sort, so that either could play either role."""
        sort = (
            "thing"
            if things
            else self.rng.choice(["person", "person", "place", "company", "group", "definite", "found"])
        )
        drawn: list[str] = []
        while len(drawn) < number:
            if not things and self.rng.random() < 0.15:
                sort = self.rng.choice(["person", "company", "definite", "group"])
            name = self.person() if sort == "person" else self.rng.choice(self._pools[sort])
            if not any(name in other or other in name for other in drawn):
                drawn.append(name)
        return drawn


def plural(name: str) -> bool:
    """Whether a made-up participant takes a plural verb."""
    last = name.split()[-1]
    return name in words.GROUPS or name.split()[0] in ("two", "several", "some") or (
        name in words.listed(words.THINGS) and last.endswith("s") and last not in ("virus", "stress", "diabetes")
    )  # fmt: skip


def action_wordings(agent: str, verb: tuple[str, str, str], patient: str, tense: str) -> list[str]:
    """Active, passive, clefts and relative clauses of "agent verb patient"."""
    base, past, participle = verb
    single_agent, single_patient = not plural(agent), not plural(patient)
    be = {
        "past": "was" if single_patient else "were", "present": "is" if single_patient else "are",
        "perfect": "has been" if single_patient else "have been", "future": "will be", "may": "may be",
    }[tense]  # fmt: skip
    active = {
        "past": past, "present": _third(base) if single_agent else base,
        "perfect": f"{'has' if single_agent else 'have'} {participle}", "future": f"will {base}", "may": f"may {base}",
    }[tense]  # fmt: skip
    it = "It was" if tense in ("past", "perfect") else "It is"
    copula = "was" if tense in ("past", "perfect") else "is"
    who = "who" if agent[0].isupper() and " " in agent else "that"
    return [
        f"{agent} {active} {patient}",
        f"{patient} {be} {participle} by {agent}",
        f"{it} {agent} that {active} {patient}",
        f"{it} {patient} that {be} {participle} by {agent}",
        f"{it} {patient} that {agent} {active}",
        f"{agent} {copula} the one {who} {active} {patient}",
        f"{patient} {copula} the one that {agent} {active}",
        f"{patient}, which {be} {participle} by {agent}, {copula} in the news",
        f"{agent}, which {active} {patient}, {copula} in the news",
        f"the one {who} {active} {patient} {copula} {agent}",
        f"what happened is that {patient} {be} {participle} by {agent}",
        f"{agent} {active} {patient}, not the other way round",
    ]  # fmt: skip


def role_pairs(number: int, *, seed: int, found: Sequence[str] = ()) -> Iterator[Pair]:
    """Pairs of the kind roles-made; each fact gives one to three true and as many false statements."""
    rng = random.Random(seed)  # noqa: S311 - made-up texts
    cast = Cast(rng, found)
    actions, effects = words.verbs(words.ACTIONS), words.verbs(words.EFFECTS)
    relations = [line.split("|") for line in words.RELATIONS.split("\n")]
    made = 0
    while made < number:
        if rng.random() < 0.5:
            things = rng.random() < 0.35
            verb = rng.choice(effects if things else actions)
            dev = crc32(verb[0].encode()) % 9 == 0
            true, false = _action(cast, verb, things=things)
        else:
            relation = rng.choice(relations)
            dev = crc32(relation[0].encode()) % 9 == 0
            true, false = _relation(cast, relation)
        for pair in _judged(rng, cast, true, false, dev=dev):
            made += 1
            yield pair


def plain_role_pairs(number: int, *, seed: int, found: Sequence[str] = ()) -> Iterator[Pair]:
    """Pairs of the kind roles-plain: a bare active or passive sentence and another one; the order is all there is."""
    rng = random.Random(seed)  # noqa: S311 - made-up texts
    cast = Cast(rng, found)
    actions, effects = words.verbs(words.ACTIONS), words.verbs(words.EFFECTS)
    for _ in range(number // 4):
        things = rng.random() < 0.25
        verb = rng.choice(effects if things else actions)
        agent, patient = cast.two(things=things)
        tense = rng.choice(["past", "past", "present"])
        true = action_wordings(agent, verb, patient, tense)[:2]
        false = action_wordings(patient, verb, agent, tense)[:2]
        premise = _sentence(rng.choice(true))
        dev = crc32(verb[0].encode()) % 9 == 0
        for text in true:
            yield Pair(premise, _sentence(text), True, "roles-plain", dev, 0, agent, patient)
        for text in false:
            yield Pair(premise, _sentence(text), False, "roles-plain", dev, 2, agent, patient)


def _action(cast: Cast, verb: tuple[str, str, str], *, things: bool) -> tuple[list[str], list[str]]:
    agent, patient = cast.two(things=things)
    tense = cast.rng.choice(["past", "past", "past", "present", "perfect", "future", "may"])
    if things:
        tense = cast.rng.choice(["present", "present", "past", "may"])
    return action_wordings(agent, verb, patient, tense), action_wordings(patient, verb, agent, tense)


def _relation(cast: Cast, wordings: Sequence[str]) -> tuple[list[str], list[str]]:
    third = any(" C" in wording for wording in wordings)
    things = wordings[0].split()[1] in ("caused", "depends", "is derived", "led") or (
        wordings[0].startswith("A is") and cast.rng.random() < 0.3
    )
    drawn = cast.two(things=things, number=3 if third else 2)
    thing = cast.rng.choice(words.listed(words.OBJECTS))
    roles = dict(zip("ABC", drawn, strict=False))
    swapped = dict(roles)
    first, second = ("B", "C") if third else ("A", "B")
    swapped[first], swapped[second] = roles[second], roles[first]

    def fill(wording: str, who: dict[str, str]) -> str:
        return " ".join(_filled(token, who, thing) for token in wording.split(" "))

    return [fill(wording, roles) for wording in wordings], [fill(wording, swapped) for wording in wordings]


def _filled(token: str, roles: dict[str, str], thing: str) -> str:
    core = token.rstrip(",").removesuffix("'s")
    rest = token[len(core) :]
    if core == "X":
        return thing + rest
    return roles[core] + rest if core in roles else token


def _judged(rng: random.Random, cast: Cast, true: list[str], false: list[str], *, dev: bool) -> Iterator[Pair]:
    """Statements about a premise in one of the true wordings, with things around it."""
    premise_form = rng.randrange(len(true)) if rng.random() < 0.5 else 0
    adjunct = rng.choice(words.listed(_ADJUNCTS)) if rng.random() < 0.5 else ""
    premise = _dressed(rng, true[premise_form], adjunct)
    if rng.random() < 0.3:
        other = cast.two()
        verb = rng.choice(words.verbs(words.ACTIONS))
        extra = _dressed(rng, action_wordings(other[0], verb, other[1], "past")[rng.choice([0, 0, 1])], "")
        premise = f"{premise} {extra}" if rng.random() < 0.5 else f"{extra} {premise}"
        if rng.random() < 0.5:
            # The doer of one sentence with the deed of the other.
            mixed = (
                action_wordings(other[0], verb, cast.two()[0], "past"),
                action_wordings(true[0].split(" ")[0], verb, other[1], "past"),
            )
            yield Pair(premise, _sentence(rng.choice(rng.choice(mixed)[:4])), False, "roles-made", dev, -1)
            yield Pair(
                premise,
                _sentence(action_wordings(other[0], verb, other[1], "past")[rng.randrange(4)]),
                True,
                "roles-made",
                dev,
                0,
            )
    # Wordings that say more than the fact are only good as premises.
    asked = [form for form, wording in enumerate(true) if not wording.endswith("in the news")]
    for _ in range(rng.choice([1, 2, 2])):
        form = rng.choice(asked)
        if len(true) > 8 and rng.random() < 0.5:
            form = rng.choice([0, 1])
        keep = adjunct if rng.random() < 0.5 else ""
        yield Pair(premise, _sentence(_with(true[form], keep, rng)), True, "roles-made", dev, 0)
        if rng.random() < 0.6:
            # The likeliest mistake: the very wording of the premise with roles exchanged, or another one.
            form = premise_form if rng.random() < 0.4 and premise_form in asked else rng.choice(asked)
        yield Pair(premise, _sentence(_with(false[form], keep, rng)), False, "roles-made", dev, 2)


def _dressed(rng: random.Random, clause: str, adjunct: str) -> str:
    clause = _with(clause, adjunct, rng)
    if rng.random() < 0.25:
        clause = f"{rng.choice(words.listed(_STARTS))} {_small(clause)}"
    if rng.random() < 0.25:
        clause += rng.choice([end for end in _ENDS.replace("\n", "").split("|") if end])
    return _sentence(clause)


def _with(clause: str, adjunct: str, rng: random.Random) -> str:
    if not adjunct:
        return clause
    if rng.random() < 0.3:
        return f"{adjunct[0].upper()}{adjunct[1:]}, {_small(clause)}"
    return f"{clause} {adjunct}"


def _small(clause: str) -> str:
    """A clause that no longer begins a sentence."""
    starts = ("It ", *(adjunct[0].upper() + adjunct[1:] for adjunct in words.listed(_ADJUNCTS)))
    return clause[0].lower() + clause[1:] if clause.startswith(starts) else clause


def _sentence(clause: str) -> str:
    return clause[0].upper() + clause[1:] + ("" if clause.endswith(".") else ".")


def _third(base: str) -> str:
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"
