"""The candidates for nugs in one answer: sentences and clauses that say something true and clear by themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from karat.evaluate.nuggets.drafting.sentences.blocks import AnswerSentence, original_spans
from karat.evaluate.nuggets.drafting.sentences.clauses import shortened, split_clauses
from karat.evaluate.nuggets.drafting.sentences.filler import (
    is_empty,
    repeats_a_word,
    says_something,
    shouts,
    stems_of,
)
from karat.evaluate.nuggets.drafting.sentences.joining import reads_with
from karat.evaluate.nuggets.drafting.sentences.mentions import LABEL, Mention
from karat.evaluate.nuggets.drafting.sentences.openings import (
    DATE_LABEL,
    keeps_reference,
    label_of,
    opening_length,
    standing_alone,
    without_linking_words,
)
from karat.evaluate.nuggets.drafting.sentences.pronouns import Resolved, leans_on_subject, misfits, resolve, topic_after
from karat.evaluate.nuggets.drafting.sentences.talk import is_first_person, is_meta
from karat.evaluate.nuggets.drafting.sentences.wording import Clause, as_sentence, is_imperative, whole_clause
from karat.language.analysis import Analysis
from karat.model import SpanSet
from karat.text.words import content_words, word_count

MOST_WORDS = 40
"""A longer sentence is left out."""
MOST_JOINED_WORDS = 36
"""A sentence that needs the one before it is kept together with it up to this length."""
FEWEST_WORDS = 4

HEADING, TALK, EMPTY, LONG, BROKEN, UNCLEAR, QUESTION = (
    "are headings, fragments or lists",
    "talk about the answer or its sources",
    "say nothing beyond the question",
    f"are longer than {MOST_WORDS} words",
    "could not be read as sentences",
    "need what was said before them",
    "are questions",
)
"""Why sentences are left out, as the notes say it."""
_OF_ONE = {
    HEADING: "is a heading, a fragment or a list",
    TALK: "talks about the answer or its sources",
    EMPTY: "says nothing beyond the question",
    LONG: f"is longer than {MOST_WORDS} words",
    BROKEN: "could not be read as a sentence",
    UNCLEAR: "needs what was said before it",
    QUESTION: "is a question",
}


def reason_for(reason: str, count: int) -> str:
    """A reason as a note says it of so many sentences: "1 is a question", "2 are questions"."""
    return _OF_ONE[reason] if count == 1 else reason


@dataclass(frozen=True)
class Core:
    """A sentence without the label and the connectives before its statement."""

    sentence: AnswerSentence
    label: str
    date: str
    """The date before the statement, if there is one: "1821"."""
    start: int
    """Where the statement begins in the sentence."""
    needs_before: bool
    """Whether what was cut off points to what was said before."""

    @property
    def text(self) -> str:
        """The statement, with a capital letter, as parsers expect it."""
        text = self.sentence.text[self.start :]
        return text[:1].upper() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


@dataclass(frozen=True)
class Candidate:
    """A sentence that may become the description of a nug, and where it was said."""

    text: str
    snippet: int
    """The number of the snippet in the answer."""
    spans: SpanSet
    place: float
    """Where in the answer it is: 0 is the beginning, 1 the end."""
    source: str
    """The sentence that it was made from, and the one before it where both are needed."""
    is_changed: bool = False
    """Whether names were written for pronouns."""
    is_joined: bool = False
    """Whether it is two sentences, of which the second needs the first."""
    is_order: bool = False
    """Whether it tells the reader to do something and states nothing."""


def core_of(sentence: AnswerSentence) -> Core:
    """Cut off what stands before the statement."""
    text = sentence.text
    start = opening_length(text)
    if (date := DATE_LABEL.match(text, start)) is not None:
        return Core(sentence, "", date[0].rstrip(" :–—-"), date.end(), keeps_reference(text))
    label = label_of(text[start:])
    if label and _is_statement(label):
        # Neither half can be used: the second may be no statement, or only what somebody says.
        return Core(sentence, label, "", len(text), needs_before=False)
    if label:
        start += len(label)
        start += opening_length(text[start:])
    else:
        label = ""
    return Core(sentence, label.rstrip(" :"), "", start, keeps_reference(text))


def _is_statement(label: str) -> bool:
    """Whether a label says something itself, so that it cannot be cut off."""
    return len(label.split()) > 8 or bool(
        re.search(r"\b(?:is|are|was|were|has|have|had|include|includes|said|says)\b", label)
    )


@dataclass
class AnswerReader:
    """Makes candidates from the sentences of one answer, one after the other."""

    question: str
    left_out: Counter[str]

    def candidates(self, cores: Sequence[Core], analyses: Sequence[Analysis]) -> list[Candidate]:
        """All candidates of an answer."""
        topic = stems_of(self.question)
        found: list[Candidate] = []
        before: Sequence[Mention] = ()
        about: Mention | None = None
        last: tuple[str, int] | None = None
        for number, (core, analysis) in enumerate(zip(cores, analyses, strict=True)):
            reason = unfit(core.text)
            clause = _clause(analysis) if reason is None else None
            if clause is None:
                ends = core.text.rstrip("\"”’') ").endswith((".", "!"))
                self.left_out[reason or (BROKEN if ends else HEADING)] += 1
                before, last = (), None
                continue
            if core.label:
                before = (*_label_mentions(core.label), *before)
            meant = (about,) if about is not None and misfits(clause, before) else before
            parts, mentions = _parts(clause, meant, topic)
            about = topic_after(mentions, topic, about)
            clear = all(part.is_clear for part in parts) and not core.needs_before
            place = number / max(1, len(cores) - 1)
            texts = [_written(part.clause, core.date) for part in parts]
            if clear:
                for part, text in zip(parts, texts, strict=True):
                    self._add(found, core, text, part.clause, place, topic)
            elif (
                last is not None
                and last[1] == number - 1
                and self._fits(last[0], texts[0])
                and reads_with(parts[0].clause, before, last[0], topic)
            ):
                source = f"{cores[number - 1].sentence.text} {core.sentence.text}"
                self._add(found, core, f"{last[0]} {texts[0]}", parts[0].clause, place, topic, source=source)
            else:
                self.left_out[UNCLEAR] += 1
            whole = len(parts) > 1 and not any(part.clause.put for part in parts)
            last = (as_sentence(core.text) if whole else " ".join(texts), number) if clear else None
            before = mentions if clear else tuple(mention for mention in mentions if mention.kind == "person")
        return found

    def _fits(self, before: str, text: str) -> bool:
        return word_count(before) + word_count(text) <= MOST_JOINED_WORDS

    def _add(
        self,
        found: list[Candidate],
        core: Core,
        text: str,
        clause: Clause,
        place: float,
        topic: frozenset[str],
        *,
        source: str = "",
    ) -> None:
        reason = unusable(text, topic)
        if reason is not None:
            self.left_out[reason] += 1
            return
        shifted = [(start + core.start, end + core.start) for start, end in clause.spans()]
        found.append(
            Candidate(
                text=text,
                snippet=core.sentence.snippet,
                spans=original_spans(core.sentence, shifted),
                place=place,
                source=source or core.sentence.text,
                is_changed=bool(clause.put) and not source,
                is_joined=bool(source),
                is_order=is_imperative(clause.sentence, clause.verb),
            )
        )


def unfit(text: str) -> str | None:
    """Why a sentence is not even parsed; None if it may be used."""
    if text.rstrip("\"”’') ").endswith("?"):
        return QUESTION
    if len(text.split()) < FEWEST_WORDS or shouts(text):
        return HEADING
    if text.rstrip().endswith((":", "...", "…", "-", "–", "—")) or not re.match(r"[\w($€£]|[\"“'‘]+[^a-z]", text):
        return HEADING
    if re.search(r"https?://|www\.|\s[-•|]\s.*\s[-•|]\s|[{}<>|*#]|\\|\]\s*\(|_{2,}", text):
        return HEADING
    if re.fullmatch(r"[\"“][^\"“”]+[\"”]\W*", text):
        return BROKEN
    if text.count("(") != text.count(")") or text.count('"') % 2 or text.count("“") != text.count("”") or "[" in text:
        return BROKEN
    if is_meta(text) or is_first_person(text):
        return TALK
    if word_count(text) > 2 * MOST_WORDS or repeats_a_word(text):
        return LONG
    return None


def unusable(text: str, topic: frozenset[str]) -> str | None:
    """Why a finished description is left out; None if it is used."""
    if len(content_words(text)) < 2 or len(text.split()) < FEWEST_WORDS:
        return HEADING
    if word_count(text) > MOST_WORDS:
        return LONG
    if is_meta(text):
        return TALK
    return None if says_something(text, topic) and not is_empty(text, topic) else EMPTY


def _clause(analysis: Analysis) -> Clause | None:
    """The whole text as a clause, if it is one sentence that states or orders something."""
    if len(analysis.sentences) != 1:
        return None
    return whole_clause(analysis.sentences[0])


def _parts(
    clause: Clause, before: Sequence[Mention], topic: frozenset[str]
) -> tuple[list[Resolved], Sequence[Mention]]:
    """The clauses of a sentence with their pronouns resolved; the whole sentence where a clause is not clear."""
    pieces = [without_linking_words(piece) for piece in split_clauses(clause)]
    resolved: list[Resolved] = []
    said = before
    for piece in pieces:
        one = resolve(piece, said, topic)
        resolved.append(one)
        said = one.mentions
    mentions = [mention for one in resolved for mention in one.mentions]
    if len(resolved) > 1 and not all(one.is_clear and leans_on_subject(one.clause) for one in resolved):
        whole = resolve(without_linking_words(shortened(clause)), before, topic)
        return [whole], whole.mentions
    if len(resolved) == 1:
        short = shortened(pieces[0])
        if short is not pieces[0]:
            resolved = [resolve(short, before, topic)]
    return resolved, mentions


def _written(clause: Clause, date: str) -> str:
    text = standing_alone(clause.text())
    return f"{date}: {text}" if date else text


def _label_mentions(label: str) -> tuple[Mention, ...]:
    """A label as something that a pronoun after it may stand for."""
    plural = " and " in label or (label.rstrip(")").endswith("s") and not label.endswith("ss"))
    text = label[0].lower() + label[1:] if label[1:2].islower() and " " in label else label
    return (Mention(LABEL, text, label.lower(), "many" if plural else "one", "either", "nsubj", True, can_own=True),)
