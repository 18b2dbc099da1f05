"""Another name of the same type: a person, a place or an organisation."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from karat.language.analysis import Entity, ParsedSentence
from makers.name_lists import MEN_AND_WOMEN, SURNAMES, TYPE_OF, TYPES, same_place
from makers.sentence import Edit, text_of

FORMS = {"country": "place", "city": "place", "state": "place", "continent": "place", "nationality": "nationality"}
"""Other types are organisations."""
WITH_ARTICLE = ("United States", "United Kingdom", "Netherlands", "Philippines", "USA", "UK", "US", "U.S.", "U.K.")
LABELS = {"place": ("GPE", "LOC"), "nationality": ("NORP",), "organisation": ("ORG",)}


def renamed(sentence: ParsedSentence, others: Iterable[ParsedSentence], rng: random.Random) -> Iterator[Edit]:
    """Every name that can be changed, once; half of the new names occur in another sentence of the same text."""
    nearby = {name for other in others if other is not sentence for name in _names(other)}
    text = text_of(sentence)
    for entity in sentence.entities:
        name = _name(sentence, entity)
        if not name or text.count(name) != 1 or _in_longer_name(sentence, entity):
            continue
        if entity.label == "PERSON":
            new, form = _other_person(sentence, name, nearby, rng), "person"
        elif name in TYPE_OF and entity.label in LABELS[form_of(name)]:
            new, form = _other_of_type(sentence, name, nearby, rng), form_of(name)
            if form == "nationality" and not _before_noun(sentence, entity):
                continue
        else:
            continue
        if new is not None:
            yield _edit(sentence, name, new, form)


def form_of(name: str) -> str:
    return FORMS.get(TYPE_OF[name], "organisation")


def _other_of_type(sentence: ParsedSentence, name: str, nearby: set[str], rng: random.Random) -> str:
    text = text_of(sentence)
    known = [other for other in TYPES[TYPE_OF[name]] if not same_place(other, name) and other not in text]
    close = [other for other in known if other in nearby]
    return rng.choice(close if close and rng.random() < 0.5 else known)


def _before_noun(sentence: ParsedSentence, entity: Entity) -> bool:
    behind = sentence.tokens[entity.end_token : entity.end_token + 1]
    return bool(behind) and behind[0].pos in ("NOUN", "ADJ")


def _edit(sentence: ParsedSentence, name: str, new: str, form: str) -> Edit:
    text = text_of(sentence)
    at = text.index(name)
    before, after = text[:at], text[at + len(name) :]
    if before.lower().endswith((" a ", " an ")) or before in ("A ", "An "):
        article = "an" if new[0] in "AEIO" else "a"
        stem = before.rstrip()[: -len(before.split()[-1])]
        before = stem + (article if stem else article.capitalize()) + " "
    needs_the = new in WITH_ARTICLE
    if form == "place" and before.lower().endswith("the ") and not needs_the:
        before = before[:-4]
    elif form == "place" and needs_the and not before.lower().endswith("the "):
        before += "the " if before else "The "
    if new.endswith(".") and after == ".":
        after = ""
    if name.endswith("s") and not new.endswith("s") and after.startswith(("' ", "’ ")):
        after = after[0] + "s" + after[1:]
    return Edit(form, before + new + after)


def _names(sentence: ParsedSentence) -> list[str]:
    return [_name(sentence, entity) for entity in sentence.entities]


def _name(sentence: ParsedSentence, entity: Entity) -> str:
    """A name without an article before and a possessive behind it."""
    start, end = entity.start_token, entity.end_token
    if sentence.tokens[start].text.lower() == "the":
        start += 1
    if end > start and sentence.tokens[end - 1].text in ("'s", "’s", "'"):
        end -= 1
    return sentence.text_of(start, end) if end > start else ""


def _in_longer_name(sentence: ParsedSentence, entity: Entity) -> bool:
    """Whether capitalised words stand beside a name ("Paris Agreement"), or a larger place ("Paris, France")."""
    tokens = sentence.tokens
    before = tokens[entity.start_token - 1] if entity.start_token else None
    behind = tokens[entity.end_token : entity.end_token + 2]
    if before is not None and (
        before.pos == "PROPN" or before.text in "-–/," or (before.text[:1].isupper() and before.index)
    ):
        return True
    if behind and (behind[0].text[:1].isupper() or behind[0].text in "-–/" or behind[0].start == behind[0].end):
        return True
    if len(behind) == 2 and behind[0].text == "," and behind[1].ent_type in ("GPE", "LOC"):
        return True
    return len(behind) == 2 and behind[0].text.lower() in ("and", "or", "of") and behind[1].text[:1].isupper()


def _other_person(sentence: ParsedSentence, name: str, nearby: set[str], rng: random.Random) -> str | None:
    parts = name.split()
    own = [given for given in MEN_AND_WOMEN if parts[0] in given]
    if len(own) != 1 or len(parts) > 2 or not all(part.isalpha() and part[:1].isupper() for part in parts):
        return None
    here = {token.text for token in sentence.tokens}
    given = [first for first in own[0] if first not in here]
    near = [
        other
        for other in nearby
        if other.partition(" ")[0] in given and len(other.split()) == len(parts) and not here & set(other.split())
    ]
    if near and rng.random() < 0.5:
        return rng.choice(sorted(near))
    first = rng.choice(given)
    return first if len(parts) == 1 else f"{first} {rng.choice(SURNAMES.split())}"
