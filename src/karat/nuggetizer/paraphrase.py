"""Write a nugget as a sentence; every nugget is a fact, so it can be (Babko-Malaya 2008, section 3.2.2).

A title becomes "PERSON is TITLE". A time, place, number or other modifier is written with the core of its event, and a
name with the event that it takes part in. In a statement the speaker comes before what was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.detectors.entities import name_tokens
from karat.nuggetizer.detectors.events import is_saying
from karat.nuggetizer.drafts import Draft
from karat.nuggetizer.english.gaps import Gap, gaps
from karat.nuggetizer.english.grammar import (
    QUOTES,
    SUBJECTS,
    direct_quotation,
    is_finite,
    is_main_verb,
    lexical_verb,
    trimmed,
    verb_group,
    what_was_said,
)
from karat.nuggetizer.extents import arguments_of, proposition

INSIDE = frozenset({"xcomp", "acl", "amod", "dobj", "pobj", *SUBJECTS})
"""Relations of infinitives, participles and gerunds that are (part of) an argument of another verb."""
RELATIVE = frozenset({"who", "which", "that", "whom"})


def paraphrase(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> str:
    """A sentence that says what a nugget says, in the words of its text."""
    if draft.type == "TITLE":
        named = _person_of(sentence, draft)
        title = trimmed(sentence, draft.tokens - named)
        person, words = _words(sentence, named), _words(sentence, title)
        return _sentence(f"{person} is {_article(sentence, title, words)}{words}" if person and words else words)
    if gap := _gap_of(sentence, draft, others):
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
    said = direct or set().union(*_what_was_said(sentence, verb)) & tokens
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
    return clause | proposition(sentence, main, [other for other in others if other.type in {"TMP", "LOC", "MOD"}])


def _statement(sentence: ParsedSentence, frame: set[int], said: set[int], verb: int, *, quoted: bool) -> str:
    """The speaker and the verb before what was said, which is in quotation marks if it is in the text."""
    words = _words(sentence, [at for at in said if sentence.tokens[at].text not in QUOTES]).strip(" ,.")
    frame = {at for at in frame if sentence.tokens[at].pos != "PUNCT"}
    opening = _clause(sentence, trimmed(sentence, frame), verb).strip(" ,.")
    return f'{_sentence(opening)[:-1]}: "{words}."' if quoted else _sentence(f"{opening} {words}")


def _gap_of(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> Gap | None:
    """The gap that a number, place or time belongs to, if the text leaves out its verb."""
    if draft.type not in {"NUM", "LOC", "TMP", "MOD"}:
        return None
    for gap in gaps(sentence, others):
        if draft == gap.second or draft.start == gap.preposition:
            return gap if verb_of(sentence, gap.first) is not None else None
    return None


def _in_place_of(sentence: ParsedSentence, gap: Gap, draft: Draft, others: Sequence[Draft]) -> str:
    """The event of the first number, with the second in its place: 'Police arrested two on Tuesday'."""
    core = said_with(sentence, gap.first, others)
    before = [at for at in core if at < gap.first.start]
    after = [at for at in core if gap.first.end <= at < gap.joined]
    phrase = draft.tokens - gap.second.tokens
    return " ".join(filter(None, (_words(sentence, part) for part in (before, gap.second.tokens, after, phrase))))


def _article(sentence: ParsedSentence, title: set[int], words: str) -> str:
    """The article of the text; otherwise "the" before a title in capitals (there is one of it), "a" before others."""
    before = sentence.tokens[min(title) - 1].text.lower() if min(title) else ""
    if before in {"a", "an", "the"}:
        return f"{before} "
    if "'" in words or "’" in words or sentence.tokens[min(title)].tag in {"DT", "PRP$"}:
        return ""
    return "the " if words[:1].isupper() else "an " if words[:1] in "aeiou" else "a "


def said_with(sentence: ParsedSentence, draft: Draft, others: Sequence[Draft]) -> set[int]:
    """The tokens of the smallest proposition that contains a nugget."""
    if draft.type == "TITLE":
        return set(draft.tokens) | _person_of(sentence, draft)
    if draft.type == "EVT" or draft.rule == "clause-sized-statement":
        return set(draft.tokens)
    if (gap := _gap_of(sentence, draft, others)) and draft != gap.first:
        return (said_with(sentence, gap.first, others) - gap.first.tokens) | gap.second.tokens | draft.tokens
    verb = verb_of(sentence, draft)
    if verb is None:
        return _noun_phrase(sentence, draft)
    if draft.type == "STM":
        clauses = _what_was_said(sentence, verb)
        return verb_group(sentence, verb).union(*arguments_of(sentence, verb), *clauses)
    phrases = [other for other in others if other.type in {"TMP", "LOC", "MOD"}]
    around = [other for other in phrases if draft.tokens < other.tokens and verb not in other.tokens]
    core = proposition(sentence, verb, phrases)
    if draft.rule == "split-conjoined-places":
        beside = [other for other in others if other.rule == draft.rule and other.overlaps(draft)]
        core -= set(range(draft.start, max(other.end for other in beside)))
    # A number inside a place or time makes sense only with the rest of that phrase.
    return core | min(around, key=lambda other: len(other.tokens), default=draft).tokens


def _what_was_said(sentence: ParsedSentence, verb: int) -> list[set[int]]:
    """The words of the clauses that a verb of saying reports."""
    own = set(sentence.subtree(verb))
    reported = what_was_said(sentence, verb)
    if any(clause.dep != "dobj" for clause in reported):
        # The object is then the person who is told something.
        reported = [clause for clause in reported if clause.dep != "dobj"]
    said = [set(sentence.subtree(clause.index)) for clause in reported]
    return [clause - own if verb in clause else clause for clause in said]


def verb_of(sentence: ParsedSentence, draft: Draft) -> int | None:
    """The verb of a nugget: its anchor, or the verb that its phrase depends on, directly or through other phrases.

    An infinitive or a participle that is part of an argument states nothing by itself: the verb above it is taken.
    """
    if draft.anchor:
        return min(draft.anchor)
    top = next((at for at in sorted(draft.tokens) if sentence.tokens[at].head not in draft.tokens), draft.start)
    above = (
        token.index for token in sentence.ancestors(top) if is_main_verb(token) and token.index not in draft.tokens
    )
    verb = next(above, None)
    while verb is not None and sentence.tokens[verb].dep in INSIDE and not _states(sentence, verb):
        higher = next((token.index for token in sentence.ancestors(verb) if is_main_verb(token)), None)
        if higher is None:
            break
        verb = higher
    return verb


def _states(sentence: ParsedSentence, verb: int) -> bool:
    head = sentence.tokens[verb].head
    return is_finite(sentence, verb) or (lexical_verb(sentence, head) == verb and is_finite(sentence, head))


def _person_of(sentence: ParsedSentence, draft: Draft) -> set[int]:
    """The person who has a title: the one at an end of the nugget if it includes the person (but not 'X's adviser');
    otherwise the nearest name."""
    people = [name_tokens(sentence, entity) for entity in sentence.entities if entity.label == "PERSON"]
    people = [person for person in people if person]
    for person in people:
        after = sentence.tokens[max(person) + 1].tag if max(person) + 1 < len(sentence.tokens) else ""
        at_end = max(person) == draft.end - 1 or (min(person) == draft.start and after != "POS")
        if draft.rule == "title-with-its-person" and person < draft.tokens and at_end:
            return person
    people = [person for person in people if person.isdisjoint(draft.tokens)] or people
    return min(
        people, key=lambda person: min(abs(min(person) - draft.end), abs(draft.start - max(person) - 1)), default=set()
    )


def _noun_phrase(sentence: ParsedSentence, draft: Draft) -> set[int]:
    top = next((at for at in sorted(draft.tokens) if sentence.tokens[at].head not in draft.tokens), draft.start)
    return trimmed(sentence, set(sentence.subtree(sentence.tokens[top].head)) | draft.tokens)


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
    for child in sentence.children(verb, "nsubj", "nsubjpass"):
        if child.index > verb and sentence.tokens[verb].tag in {"VBD", "VBZ", "VBP"}:
            # 'said the mayor': write the subject before the verb, and what was said after both.
            subject = set(sentence.subtree(child.index)) & kept
    if not subject:
        return _words(sentence, kept)
    group = verb_group(sentence, verb)
    parts = [subject, group, kept - subject - group]
    return " ".join(_words(sentence, trimmed(sentence, part)) for part in parts if part)


def _words(sentence: ParsedSentence, tokens: Iterable[int]) -> str:
    """The words of some tokens, with blanks as in the text; a gap between tokens becomes one blank."""
    order = sorted(tokens)
    text = ""
    for position, at in enumerate(order):
        token = sentence.tokens[at]
        if position:
            before = sentence.tokens[order[position - 1]]
            touching = order[position - 1] == at - 1 and before.end == token.start
            text += "" if touching or token.text in {",", "."} else " "
        text += token.text
    return " ".join(text.split())


def _sentence(words: str) -> str:
    words = words.strip(" ,;:-")
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}" if words else ""
