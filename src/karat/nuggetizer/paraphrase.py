"""Write a nugget as a sentence; every nugget is a fact, so it can be (Babko-Malaya 2008, section 3.2.2).

A title becomes "PERSON is TITLE". A time, place, number or other modifier is written with the core of its event, and a
name with the event that it takes part in. In a statement the speaker comes before what was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.detectors.events import is_saying
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.gaps import Gap
from karat.nuggetizer.english.grammar import (
    FINITE_TAGS,
    QUOTES,
    SUBJECTS,
    direct_quotation,
    is_main_verb,
    speaker_of,
    trimmed,
    verb_group,
)
from karat.nuggetizer.english.word_lists import TITLE_WORDS
from karat.nuggetizer.extents import arguments_of, proposition
from karat.nuggetizer.said_with import gap_of, numbers_of, person_of, reported_clauses, said_with, verb_of

RELATIVE = frozenset({"who", "which", "that", "whom"})


def paraphrase(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> str:
    """A sentence that says what a nugget says, in the words of its text."""
    if draft.type == "TITLE":
        named = person_of(sentence, draft)
        title = trimmed(sentence, draft.tokens - named)
        person, words = _words(sentence, named), _title_words(sentence, title)
        return _sentence(f"{person} {_is(sentence, title, words)}{words}" if person and words else words)
    if gap := gap_of(sentence, draft, others):
        return _sentence(_in_place_of(sentence, gap, draft, others))
    verb = verb_of(sentence, draft)
    tokens = said_with(sentence, draft, others)
    if verb is None:
        return _sentence(_words(sentence, tokens))
    if (main := _main_verb(sentence, verb)) is not None:
        quoted = direct_quotation(sentence, main)
        if verb in quoted:
            frame = verb_group(sentence, main).union(*arguments_of(sentence, main)) - quoted
            return _statement(sentence, frame, quoted, main, quoted=True)
        return _sentence(_words(sentence, _with_main_clause(sentence, verb, main, others)))
    direct = direct_quotation(sentence, verb)
    said = direct or set().union(*reported_clauses(sentence, verb)) & tokens
    if said and is_saying(sentence, sentence.tokens[verb]) and (min(said) < verb or direct):
        return _statement(sentence, tokens - said, said, verb, quoted=bool(direct))
    return _sentence(_clause(sentence, tokens, verb))


def _main_verb(sentence: ParsedSentence, verb: int) -> int | None:
    """The verb above a gerund clause, which is no sentence, or above a condition, which is not stated; or None."""
    token = sentence.tokens[verb]
    gerund = token.tag == "VBG" and token.dep in {"advcl", "pcomp"} and not sentence.children(verb, "aux", *SUBJECTS)
    marks = {child.text.lower() for child in sentence.children(verb, "mark")}
    if not gerund and not (token.dep == "advcl" and marks & {"if", "unless"}):
        return None
    return next((above.index for above in sentence.ancestors(verb) if is_main_verb(above)), None)


def _with_main_clause(sentence: ParsedSentence, verb: int, main: int, others: Sequence[Draft]) -> set[int]:
    """A clause together with the core of its main clause."""
    token = sentence.tokens[verb]
    clause = set(sentence.subtree(token.head if token.dep == "pcomp" else verb))
    after = max(clause) + 1
    if after < main and sentence.tokens[after].text == ",":
        clause.add(after)
    phrases = [other for other in others if other.type in {"TMP", "LOC", "MOD"}]
    return clause | proposition(sentence, main, phrases, numbers=numbers_of(others))


def _statement(sentence: ParsedSentence, frame: set[int], said: set[int], verb: int, *, quoted: bool) -> str:
    """The speaker and the verb before what was said, which is in quotation marks if it is in the text."""
    kept = [at for at in sorted(said) if sentence.tokens[at].text not in QUOTES]
    # '"The patient," said Ana, "is well."': the comma stands only before the speaker.
    kept = [at for at, after in zip(kept, [*kept[1:], -1], strict=True) if not _interrupts(sentence, at, after)]
    words = _words(sentence, kept).strip(" ,.")
    frame = {at for at in frame if sentence.tokens[at].pos != "PUNCT"}
    opening = _clause(sentence, trimmed(sentence, frame), verb).strip(" ,.")
    return f'{_sentence(opening)[:-1]}: "{words}."' if quoted else _sentence(f"{opening} {words}")


def _interrupts(sentence: ParsedSentence, at: int, after: int) -> bool:
    """Whether a comma stands before the speaker in the middle of a clause, which goes on with its verb or a phrase."""
    if sentence.tokens[at].text != "," or after <= at + 2:
        return False
    following = sentence.tokens[after]
    opening = max((mark.index for mark in sentence.tokens[:at] if mark.text in QUOTES), default=0)
    if not any(token.tag in FINITE_TAGS for token in sentence.tokens[opening:at]):
        # What stands before the comma is no clause.
        return True
    return following.tag in FINITE_TAGS or following.pos in {"AUX", "ADP", "PART"} or _is_verb_next(sentence, after)


def _is_verb_next(sentence: ParsedSentence, at: int) -> bool:
    first = sentence.tokens[at]
    after = sentence.tokens[at + 1] if at + 1 < len(sentence.tokens) else first
    return first.pos == "ADV" and after.tag in FINITE_TAGS


def _in_place_of(sentence: ParsedSentence, gap: Gap, draft: Draft, others: Sequence[Draft]) -> str:
    """The event of the first number, with the second in its place: 'Police arrested two on Tuesday'."""
    own = range(gap.first.end, gap.first_joined)
    # The place and time of the first number are not those of the second.
    phrases = {at for other in others if other.type in {"LOC", "TMP"} and other.start in own for at in other.tokens}
    words = {sentence.tokens[at].text.lower() for at in range(gap.preposition, gap.end)} - {"of"}
    for at in own:
        if sentence.tokens[at].dep == "prep" and sentence.tokens[at].text.lower() in words:
            phrases |= set(sentence.subtree(at))
    core = said_with(sentence, gap.first, others) - phrases
    before = [at for at in core if at < gap.first.start]
    after = [at for at in core if gap.first.end <= at and not (gap.joined <= at < gap.end)]
    number = set(gap.number)
    counted = [at for at in after if sentence.tokens[at].tag in {"NN", "NNS"} and at < gap.first.end + 3][:1]
    if gap.has_noun and counted:
        # 'eight men in Lyon and three women in Nice': not 'three women men'.
        after = [at for at in after if at > counted[0]]
    elif counted and _is_one(sentence, gap.first) != _is_one(sentence, gap.second):
        # 'Three people drowned in Bari and one in Rome': not 'one people'.
        after = [at for at in after if at != counted[0]]
    elif not gap.has_noun and sentence.tokens[gap.second.end - 1].tag == "CD":
        # 'burned 200 acres in July and 50 in August': the unit is a part of the first number.
        number |= {at for at in gap.first.tokens if sentence.tokens[at].tag in {"NN", "NNS"}}
    unit = {at for at in number if at < gap.opened}
    phrase = draft.tokens - gap.second.tokens
    if draft.type == "NUM" and phrase and sentence.tokens[draft.start - 1].pos == "ADP":
        # 'two in Paris for $5 million'
        phrase |= {draft.start - 1}
    parts = (before, number - unit, unit, after, phrase)
    return " ".join(filter(None, (_words(sentence, part) for part in parts)))


def _is_one(sentence: ParsedSentence, number: Draft) -> bool:
    return sentence.tokens[number.end - 1].text.lower() in {"one", "1"}


def _title_words(sentence: ParsedSentence, title: set[int]) -> str:
    """The words of a title; a common word at the beginning of the sentence gets a small letter."""
    words = _words(sentence, title)
    first = sentence.tokens[min(title, default=0)]
    common = first.index == 0 and first.known and not first.ent_type and first.text[1:].islower()
    if common and not all(sentence.tokens[at].text[:1].isupper() for at in title if sentence.tokens[at].pos != "ADP"):
        return words[:1].lower() + words[1:]
    single = len(title) == 1 and common and words.lower().strip(".") not in TITLE_WORDS
    return words.lower() if single else words


def _is(sentence: ParsedSentence, title: set[int], words: str) -> str:
    """'is' with the article of the text; otherwise "the" before a title in capitals (there is one of it), "a" before
    others, and nothing before an office after the name ('Ana Ruiz, chairman of the board'). What somebody was then is
    said in the past, and an abbreviation is only a title."""
    before = sentence.tokens[min(title) - 1].text.lower() if min(title) else ""
    if words.endswith(".") and len(title) == 1:
        return "has the title "
    if before == "then":
        return "was then "
    if before in {"a", "an", "the", "his", "her", "their", "its"}:
        return f"is {before} "
    if "'" in words or "’" in words or sentence.tokens[min(title)].tag in {"DT", "PRP$"}:
        return "is "
    if words.lower().startswith(("former ", "ex-")):
        return "is an " if words[0] in "eE" else "is a "
    if words[:1].isupper():
        return "is the "
    after_name = any(sentence.tokens[at].text.lower() in {"of", "for", "to"} for at in title) and before == ","
    vowel = words[:1] in "aeiou" and not words.startswith(("uni", "eu", "use", "one"))
    return "is " if after_name else "is an " if vowel else "is a "


def _clause(sentence: ParsedSentence, tokens: Iterable[int], verb: int) -> str:
    """The words of a clause, the subject first, without a relative pronoun if its noun is there."""
    kept = set(tokens)
    for at in tuple(kept):
        token = sentence.tokens[at]
        relative = token.head == verb and token.lemma.lower() in RELATIVE and token.dep in {*SUBJECTS, "dobj", "pobj"}
        # The noun is before the pronoun, and the verb of the relative clause depends on the noun.
        if relative and any(other < at and sentence.tokens[verb].head == other for other in kept):
            kept.discard(at)
    subject: set[int] = set()
    if inverted := speaker_of(sentence, verb) - {verb}:
        subject = inverted & kept if min(inverted) > verb else set()
    for child in sentence.children(verb, "nsubj", "nsubjpass"):
        if child.index > verb and sentence.tokens[verb].tag in {"VBD", "VBZ", "VBP"}:
            # 'said the mayor': write the subject before the verb, and what was said after both.
            subject = set(sentence.subtree(child.index)) & kept
    if not subject:
        return _words(sentence, kept)
    group = verb_group(sentence, verb)
    parts = [subject, group, kept - subject - group]
    words = [_words(sentence, trimmed(sentence, part)) for part in parts if part]
    # 'The captain, who gave no name, said': the comma that closes the clause is not in the text.
    return " ".join([f"{words[0]}," if "," in words[0] and not words[0].endswith(",") else words[0], *words[1:]])


def _words(sentence: ParsedSentence, tokens: Iterable[int]) -> str:
    """The words of some tokens, with blanks as in the text; a gap between tokens becomes one blank."""
    order = _with_commas(sentence, sorted(tokens))
    text = ""
    for position, at in enumerate(order):
        token = sentence.tokens[at]
        if position:
            before = sentence.tokens[order[position - 1]]
            touching = order[position - 1] == at - 1 and before.end == token.start
            text += "" if touching or token.text in {",", "."} else " "
        text += token.text
    return " ".join(text.split())


def _with_commas(sentence: ParsedSentence, order: list[int]) -> list[int]:
    """The tokens with the commas that alone were left out between two of them, and with that before an -ing clause.

    Before a verb, a comma is only put if it closes what another one opened ('Ana Ruiz, a nurse, left').
    """
    result: list[int] = []
    for at in order:
        token = sentence.tokens[at]
        last = result[-1] if result else at - 1
        if at - 1 > last and sentence.tokens[at - 1].text == ",":
            clause = token.tag == "VBG" and sentence.tokens[last + 1].text != ","
            opened = any(sentence.tokens[kept].text == "," for kept in result)
            if clause or (at - 2 == last and (opened or token.pos not in {"VERB", "AUX"})):
                result.append(at - 1)
        result.append(at)
    return result


def _sentence(words: str) -> str:
    words = words.strip(" ,;:-")
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}" if words else ""
