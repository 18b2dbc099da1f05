"""Whether a sentence that points back can be understood together with the sentence before it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from karat.evaluate.nuggets.drafting.sentences.mentions import Mention, mentions_of
from karat.evaluate.nuggets.drafting.sentences.pointing import is_quoted, is_shell
from karat.evaluate.nuggets.drafting.sentences.pronouns import PRONOUNS, agrees, is_free, would_disagree
from karat.evaluate.nuggets.drafting.sentences.wording import SUBJECTS, Clause
from karat.text.stems import stemmer

SAME_BEGINNING = 5
"""Words that share so many letters at their beginning are taken for relatives: "migrated", "migration"."""
_DEEDS = frozenset(
    """act action approach change decision development event incident increase decrease decline measure method move
    policy practice process result rise fall shift situation step strategy trend finding phenomenon growth loss
    behavior behaviour condition effect""".split()
)
"""Nouns for what a whole sentence says: "This decision ..."."""


def reads_with(clause: Clause, before: Sequence[Mention], last: str, topic: Set[str]) -> bool:
    """Whether the sentence before a clause really has what the clause points to.

    A pronoun needs a phrase that agrees with it and fits its verb: the subject, or the only one. "This decision" needs
    the noun, a relative of it, or a noun for what a whole sentence says; "these" several things; "the gas" the noun.
    before: the noun phrases of the sentence before. last: its text. topic: the stems of the question.
    """
    own = mentions_of(clause)
    for position, at in enumerate(clause.tokens):
        token = clause.at(at)
        word = token.text.lower()
        if at in clause.put or is_quoted(clause, position):
            continue
        if word in PRONOUNS and is_free(clause, token):
            fitting = [
                mention
                for mention in before
                if agrees(PRONOUNS[word], mention) and not would_disagree(clause, token, mention)
            ]
            if not any(mention.is_subject for mention in fitting) and len({one.text for one in fitting}) != 1:
                return False
        if token.dep in {"det", "amod", "predet"} and word in {"this", "these", "those", "such", "the"}:
            noun = clause.at(token.head)
            pointing = word != "the" or is_shell(clause, token, own, topic)
            if pointing and not _names(last, noun.text) and (word != "this" or noun.lemma.lower() not in _DEEDS):
                return False
        if word in {"these", "those", "both"} and token.dep in SUBJECTS and " and " not in last:
            return any(mention.number == "many" for mention in before)
    return True


def _names(last: str, noun: str) -> bool:
    """Whether a text has a noun or a relative of it."""
    stem = stemmer("english")
    wanted = stem(noun.lower())
    for word in re.findall(r"[^\W\d_]+", last.lower()):
        found = stem(word)
        if found == wanted or (len(wanted) > SAME_BEGINNING and found[:SAME_BEGINNING] == wanted[:SAME_BEGINNING]):
            return True
    return False
