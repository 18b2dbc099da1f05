"""Recognise texts that are not English, so that they are reported and not nuggetized."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

FUNCTION_WORDS = {
    "English": "the of and to in is was that for it with as on be at by this are from have not they he she you "
    "we his her which had were but or an will would their there been has if more when who what all "
    "its into after about",
    "Spanish": "el la los las de del y que en un una por con para se es su al lo como más pero sus le ya este sí "
    "porque esta entre cuando muy sin sobre también hasta hay donde fue son",
    "French": "à sa ces était où le la les des du et est que qui dans un une pour pas sur au avec ce il sont "
    "plus par je ne se aux mais nous vous ou cette été ont leur elle ses son être aussi",
    "German": "der die das und ist nicht von zu den mit sich des auf für im dem ein eine als auch es an werden "
    "aus er hat dass sie nach wird bei einer um am sind noch wie einem über war",
    "Italian": "a ed era sua suo nei sulla il lo la gli le di e che è un una per non con sono del della si da "
    "come anche più ma dei nel alla ha delle questo nella al stato essere",
    "Portuguese": "no na às são está pela o os as de do da e que em um uma para com não se é por mais dos como mas "
    "foi ao ele das tem à seu sua ou quando muito nos já eu também pelo",
    "Dutch": "de het een en van ik te dat die in is niet zijn op aan met als voor er maar om hij dan zou of "
    "wat mijn men dit zo door over ze bij ook tot je",
    "Swedish": "och att det som en på är av för med den till inte har ett om var jag sig",
    "Polish": "w na z do nie się jest to że i przez po od jak ale był została został oraz dla",
    "Turkish": "ve bir bu da de için ile olarak çok daha gibi kadar sonra olan",
}
WORDS = {language: frozenset(words.split()) for language, words in FUNCTION_WORDS.items()}
WORD = re.compile(r"[^\W\d_]+")
LOOKED_AT = 2_000
"""How many characters from the beginning of a text are checked."""


@lru_cache(maxsize=4096)
def foreign_note(text: str) -> str:
    """Why a text is not nuggetized (another language or script); an empty string for English.

    >>> foreign_note("Der Präsident ist nach Ansicht der Opposition nicht zu halten")
    'this text seems to be German, not English: no nuggets'
    >>> foreign_note("The mayor of La Paz met him")
    ''
    """
    words = WORD.findall(text[:LOOKED_AT])
    letters = [character for word in words for character in word]
    if not letters:
        return ""
    latin = sum("LATIN" in unicodedata.name(character, "") for character in letters)
    if latin * 2 < len(letters):
        return "this text is not in Latin script, so not English: no nuggets"
    # Names have foreign articles (La Paz, El Paso), so only the first word and words in small letters count.
    small = [word.lower() for at, word in enumerate(words) if not at or word.islower()]
    hits = {language: sum(word in known for word in small) for language, known in WORDS.items()}
    best = max(hits, key=lambda language: hits[language])
    few = hits[best] >= 2 and hits["English"] == 0
    many = hits[best] >= 3 and hits[best] > 1.5 * hits["English"]
    return f"this text seems to be {best}, not English: no nuggets" if best != "English" and (few or many) else ""


def shape_notes(text: str) -> list[str]:
    """Notes about a text that is hard to analyse."""
    letters = [character for character in text[:LOOKED_AT] if character.isalpha()]
    capitals = sum(character.isupper() for character in letters)
    if len(letters) >= 20 and capitals > 0.8 * len(letters):
        return [
            "this text is in capital letters: names and verbs are hard to recognise, so many nuggets may be missing"
        ]
    return []
