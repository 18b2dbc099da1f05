"""Titles: what a named person is or does, said before or after the name (the pre- and post-modifiers of ACE)."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.detectors.entities import name_tokens
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.grammar import head_of, trimmed
from karat.nuggetizer.english.names import named_entities, title_noun_of
from karat.nuggetizer.english.word_lists import DOING, FORMS_OF_ADDRESS, KIN, TITLE_WORDS

AGE = "-old"
OF = frozenset({"of", "for", "to"})
LEFT_OUT = frozenset({"relcl", "acl", "appos", "punct", "advmod", "cc", "conj", "det", "npadvmod", "nummod"})
"""Dependents of the noun of a title that do not belong to the title."""


def detect_titles(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per title of a named person, directly before the name or in apposition to it."""
    for entity in named_entities(sentence):
        named = name_tokens(sentence, entity) if entity.label == "PERSON" else set()
        if not named:
            continue
        head = head_of(sentence, min(named), max(named) + 1)
        if before := _before(sentence, min(named)):
            yield new_draft("TITLE", before, "title-before")
        for noun, rest in _appositions(sentence, head):
            if phrase := _phrase(sentence, noun, exclude=rest | named):
                yield new_draft("TITLE", phrase, "title-apposition")


def _before(sentence: ParsedSentence, first: int) -> set[int]:
    """The words between an article and the name, if they end with a word for an office or an occupation."""
    start = first
    while start > 0 and _belongs(sentence, sentence.tokens[start - 1]):
        start -= 1
    tokens = sorted(range(start, first))
    if not tokens or not _ends_in_title(sentence, tokens):
        return set()
    return _without_article(sentence, set(tokens))


def _ends_in_title(sentence: ParsedSentence, tokens: list[int]) -> bool:
    """Whether the last word is an office, also with an of-phrase: 'Secretary of State', 'Ambassador to France'."""
    if is_title(sentence.tokens[tokens[-1]]):
        return True
    joined = [at for at in tokens if sentence.tokens[at].text.lower() in OF]
    return bool(joined) and joined[0] - 1 in tokens and is_title(sentence.tokens[joined[0] - 1])


def _belongs(sentence: ParsedSentence, token: Token) -> bool:
    if token.text.lower() in OF:
        return token.index > 0 and is_title(sentence.tokens[token.index - 1])
    if token.text.lower().endswith(AGE) or token.dep == "det":
        return False
    return token.pos in {"NOUN", "PROPN", "ADJ"} or token.tag == "POS" or token.text in {"-", "–", "&"}


def _appositions(sentence: ParsedSentence, head: int) -> Iterator[tuple[int, set[int]]]:
    """Nouns in apposition to a name, and nouns that the name is in apposition to; an age may be between them."""
    following = sentence.children(head, "appos")
    for age in sentence.children(head, "appos", "npadvmod", "nummod"):
        following += sentence.children(age.index, "appos", "npadvmod")
    following += [other for noun in following if is_title(noun) for other in sentence.children(noun.index, "conj")]
    for noun in following:
        if is_title(noun):
            yield noun.index, set()
    token = sentence.tokens[head]
    if token.dep == "appos" and is_title(sentence.tokens[token.head]):
        yield token.head, set(sentence.subtree(head))
    elif (office := title_noun_of(sentence, head)) is not None:
        yield office, set(sentence.subtree(head))


def _phrase(sentence: ParsedSentence, head: int, *, exclude: set[int]) -> set[int]:
    """A noun with its modifiers and of-phrase, without relative clauses and further appositions."""
    tokens = {head}
    for child in sentence.children(head):
        other_place = child.dep == "prep" and child.text.lower() not in OF
        if child.dep not in LEFT_OUT and not other_place:
            tokens |= set(sentence.subtree(child.index))
    kept = {head}
    for step in (-1, 1):
        at = head + step
        while at in tokens and at not in exclude and not _closes(sentence, at):
            kept.add(at)
            at += step
    return _without_article(sentence, kept)


def _closes(sentence: ParsedSentence, at: int) -> bool:
    """Whether a comma closes an apposition, and the verb of the sentence follows: 'the owner of the inn, called us'."""
    after = sentence.tokens[at + 1] if at + 1 < len(sentence.tokens) else None
    return sentence.tokens[at].text == "," and after is not None and after.tag in {"VBD", "VBN", "VBZ", "VBP", "MD"}


def _without_article(sentence: ParsedSentence, tokens: set[int]) -> set[int]:
    tokens = trimmed(sentence, tokens)
    while tokens and (
        sentence.tokens[min(tokens)].tag in {"DT", "PRP$", "POS"} or sentence.tokens[min(tokens)].pos == "NUM"
    ):
        tokens.discard(min(tokens))
    return tokens


def is_title(token: Token) -> bool:
    """Whether a noun beside a person's name says what the person is or does; family words and 'Mr.' do not.

    A common noun does if it is in the list or has a certain ending (swimmer, pianist); a proper noun only if it is in
    the list (President, Sgt.).
    """
    word = token.text.lower().strip(".")
    if word in KIN or word in FORMS_OF_ADDRESS or token.lemma.lower() in KIN:
        return False
    lemma = token.lemma.lower().strip(".")
    if token.pos == "NOUN":
        named = lemma in TITLE_WORDS or lemma.endswith(DOING) or word.endswith(DOING)
        return named and token.ent_type in {"", "NORP", "ORG"} and token.tag == "NN"
    if token.pos == "PROPN" and token.index == 0 and token.known and not token.ent_type and word.endswith(DOING):
        # 'Novelist Ana Ruiz': a capital letter at the beginning of a sentence makes no name.
        return len(word) > 4
    return token.pos == "PROPN" and (word in TITLE_WORDS or token.lemma.lower().strip(".") in TITLE_WORDS)
