"""Recognise texts that are not English, so that they are reported and not nuggetized."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from karat.language.analysis import Token

FUNCTION_WORDS = {
    "English": "the of and to in is was that for it with as on be at by this are from have not they he she you "
    "we his her which had were but or an will would their there been has if more when who what all "
    "its into after about",
    "Spanish": "el la los las de del y que en un una por con para se es su al lo como más pero sus le ya este sí "
    "porque esta entre cuando muy sin sobre también hasta hay donde fue son ayer hoy mañana nos ha han están está tras "
    "desde todos dos tres señor señora",
    "French": "à sa ces était où le la les des du et est que qui dans un une pour pas sur au avec ce il sont "
    "plus par je ne se aux mais nous vous ou cette été ont leur elle ses son être aussi hier demain "
    "chez très deux trois quatre bonne monsieur madame tout tous contre depuis sous entre selon après avant",
    "German": "der die das und ist nicht von zu den mit sich des auf für im dem ein eine als auch es an werden "
    "aus er hat dass sie nach wird bei einer um am sind noch wie einem über war gestern heute morgen wir ich ihr haben "
    "kein keine oder aber wurde wurden zum zur vom unter vor gegen durch seit ihre seine diese dieser man nur schon "
    "mehr sehr herr frau zwei drei vier fünf",
    "Italian": "a ed era sua suo nei sulla il lo la gli le di e che è un una per non con sono del della si da "
    "come anche più ma dei nel alla ha delle questo nella al stato essere i uno ieri oggi domani "
    "alle dal dalla degli sul hanno ogni dopo due tre signor signora buona contro",
    "Portuguese": "no na às são está pela o os as de do da e que em um uma para com não se é por mais dos como mas "
    "foi ao ele das tem à seu sua ou quando muito nos já eu também pelo ontem hoje amanhã",
    "Dutch": "de het een en van ik te dat die in is niet zijn op aan met als voor er maar om hij dan zou of "
    "wat mijn men dit zo door over ze bij ook tot je gisteren vandaag",
    "Swedish": "och att det som en på är av för med den till inte har ett om var jag sig i går idag",
    "Polish": "w na z do nie się jest to że i przez po od jak ale był została został oraz dla wczoraj dziś",
    "Turkish": "ve bir bu da de için ile olarak çok daha gibi kadar sonra olan dün bugün",
}
WORDS = {language: frozenset(words.split()) for language, words in FUNCTION_WORDS.items()}
WORD = re.compile(r"[^\W\d_]+")
ALSO_ENGLISH = frozenset(
    "a all am an are as at come do due hat he in is me men more na no of or over per plus sin so son ten tie to "
    "was".split()
)
"""Words that some lists have, but that are English words as well."""
PARTICLES = frozenset("al da de del den der di dos du el la las le los ten van von y".split())
"""Small words inside names of people and places."""
ENGLISH_ENDINGS = ("ed", "ing", "ly", "tion", "tions", "ness", "ity", "ates", "izes", "ises", "ases", "ment", "'s")
"""A word with such an ending can be English even if the dictionary does not have it ('downregulates')."""
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
    hits = _hits(words)
    best = max(hits, key=lambda language: hits[language])
    few = hits[best] >= 2 and hits["English"] == 0
    many = hits[best] >= 3 and hits[best] > 1.5 * hits["English"]
    return f"this text seems to be {best}, not English: no nuggets" if best != "English" and (few or many) else ""


def short_foreign_note(tokens: Sequence[Token]) -> str:
    """Why a short text is not nuggetized: too short for `foreign_note`, but its words are strange to the tagger.

    A word in small letters is strange if the tagger takes it for a name or a foreign word, if it has an accent, or if
    the dictionary does not have it and it has no English ending. The text is not English if it has no English function
    word and (1) a function word of another language and a strange word, (2) accents in at least half of its words in
    small letters, or (3) a dictionary that has none of its words in small letters, or at most a quarter.
    """
    words = [token for token in tokens if WORD.fullmatch(token.text)]
    # 'a' and 'no' are words of several languages, and English as well: in a short text they show nothing.
    hits = _hits([token.text for token in words if token.text.lower() not in ALSO_ENGLISH and token.text != "I"])
    small = [token for token in words if token.text.islower()]
    if hits.pop("English") or (not small and (len(words) < 2 or any(_may_be_english(token) for token in words[1:]))):
        return ""
    accented = sum(not token.text.isascii() for token in small)
    best = max(hits, key=lambda language: hits[language])
    unknown = [token for token in small if not token.known and not token.text.endswith(ENGLISH_ENDINGS)]
    strange = [
        token for token in small if token.tag in {"NNP", "NNPS", "FW"} or not token.text.isascii() or token in unknown
    ]
    # A function word alone may be part of a name ('il Giornale closed'), unless there is no word but strange ones.
    other = any(token.text not in WORDS[best] for token in strange) or len(strange) == len(small)
    if hits[best] and other and (strange or not small):
        return f"this text seems to be {best}, not English: no nuggets"
    telling = [token for token in small if token.text not in ALSO_ENGLISH]
    alone = len(telling) == 1 and len(words) >= 3 and telling == unknown and not telling[0].text.endswith("s")
    mostly = alone or len(unknown) == len(telling) >= 2 or (len(unknown) >= 3 and len(unknown) * 4 >= len(telling) * 3)
    mostly = mostly and not any(_may_be_english(token) and token.tag not in {"NNP", "NNPS"} for token in words)
    accents = accented * 2 >= len(small) and accented > 0
    return "this text seems not to be English: no nuggets" if accents or mostly else ""


def _may_be_english(token: Token) -> bool:
    """Whether a word with a capital letter is one of the dictionary, or is all capitals, so that nothing is known."""
    known = token.known and token.text.lower() not in ALSO_ENGLISH
    return not token.text.islower() and (known or (len(token.text) > 1 and token.text.isupper()))


def _hits(words: Sequence[str]) -> dict[str, int]:
    """How many words are function words of each language.

    Names have foreign articles (La Paz, El Paso), so only the first word and words in small letters count; and
    particles inside names do not (Ludwig van Beethoven, Juan de la Cruz).
    """
    small = [word.lower() for at, word in enumerate(words) if (not at or word.islower()) and not _in_name(words, at)]
    return {language: sum(word in known for word in small) for language, known in WORDS.items()}


def _in_name(words: Sequence[str], at: int) -> bool:
    """Whether a word is a particle with a name before and after it."""
    if words[at] not in PARTICLES:
        return False
    first = last = at
    while first > 0 and words[first] in PARTICLES:
        first -= 1
    while last + 1 < len(words) and words[last] in PARTICLES:
        last += 1
    return words[first][0].isupper() and words[last][0].isupper()


def shape_notes(text: str) -> list[str]:
    """Notes about a text that is hard to analyse."""
    letters = [character for character in text[:LOOKED_AT] if character.isalpha()]
    capitals = sum(character.isupper() for character in letters)
    if len(letters) >= 20 and capitals > 0.8 * len(letters):
        return [
            "this text is in capital letters: names and verbs are hard to recognise, so many nuggets may be missing"
        ]
    return []
