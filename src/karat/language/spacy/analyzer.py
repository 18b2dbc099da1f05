"""The analysis of English text by spaCy, with the roles of Karat's own model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from karat.language.analysis import Analysis, Entity, ParsedSentence, Token
from karat.language.roles.labeller import MOST_TOKENS, RoleModel, load_roles
from karat.language.spacy.models import Pipeline, dictionary_of, load_pipeline
from karat.text.pieces import MOST_CHARACTERS, pieces

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_DOCS_AT_ONCE = 64
_CHARACTERS_AT_ONCE = 40_000
"""spaCy and the roles need several kilobytes per character that they work on at once."""
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which broken JSON can contain. spaCy cannot read it, so it gets U+FFFD instead."""


LONG = 100_000
"""Texts of more characters are cut into shorter pieces."""


class SpacyAnalyzer:
    """Tokens, parse and entities by a spaCy pipeline; predicates and roles by Karat's model, read when needed."""

    def __init__(
        self, pipeline: Pipeline, *, roles: RoleModel | None = None, most_characters: int = MOST_CHARACTERS
    ) -> None:
        self.pipeline = pipeline
        self._roles = roles
        self._most_characters = most_characters

    @property
    def roles(self) -> RoleModel:
        if self._roles is None:
            self._roles = load_roles()
        return self._roles

    @cached_property
    def _dictionary(self) -> frozenset[str]:
        return dictionary_of(self.pipeline.nlp)

    def analyze(self, text: str) -> Analysis:
        """The analysis of one text."""
        return next(self.analyze_many([text]))

    def analyze_many(self, texts: Iterable[str], *, batch: int = _DOCS_AT_ONCE) -> Iterator[Analysis]:
        """The analyses of many texts, in the order of the texts."""
        waiting = iter(texts)
        while some := list(islice(waiting, batch)):
            yield from self._analyze(some)

    def analyze_words(self, sentences: Iterable[tuple[Sequence[str], Sequence[bool]]]) -> list[ParsedSentence]:
        """Parse sentences that are given as words, each with whether a space follows it; without predicates."""
        from spacy.tokens import Doc

        nlp = self.pipeline.nlp

        def docs() -> Iterator[Doc]:
            for words, spaces in sentences:
                starts: list[bool | int | None] = [True, *[False] * (len(words) - 1)]
                yield Doc(nlp.vocab, words=list(words), spaces=list(spaces), sent_starts=starts)

        return [sentence_of(doc[:], source=doc.text, offset=0) for doc in nlp.pipe(docs(), batch_size=_DOCS_AT_ONCE)]

    def signature(self) -> dict[str, str]:
        """The pipeline, spaCy and the role model, with their versions."""
        return {
            "parser": f"{self.pipeline.name}-{self.pipeline.version}",
            "spacy": self.pipeline.spacy_version,
            "roles": self.roles.version,
        }

    def _analyze(self, texts: Sequence[str]) -> Iterator[Analysis]:
        places = [
            (number, start, end)
            for number, text in enumerate(texts)
            # Many long pieces at once would fill the memory, so a very long text is cut into short ones.
            for start, end in pieces(text, most=self._most_characters // (5 if len(text) > LONG else 1))
        ]
        by_text: list[list[ParsedSentence]] = [[] for _ in texts]
        done = 0
        # In groups: what the parser and the roles need for all pieces of long texts would fill the memory.
        for group in _groups(places):
            for owner, sentence in self._analyze_pieces(texts, group):
                by_text[owner].append(sentence)
            for number in range(done, group[-1][0]):
                yield Analysis(texts[number], tuple(by_text[number]))
                by_text[number] = []
            done = group[-1][0]
        for number in range(done, len(texts)):
            yield Analysis(texts[number], tuple(by_text[number]))

    def _analyze_pieces(
        self, texts: Sequence[str], places: Sequence[tuple[int, int, int]]
    ) -> Iterator[tuple[int, ParsedSentence]]:
        """The sentences of these pieces, with the number of the text they belong to."""
        docs = self.pipeline.nlp.pipe(
            (_SURROGATE.sub("\ufffd", texts[number][start:end]) for number, start, end in places),
            batch_size=_DOCS_AT_ONCE,
        )
        sentences: list[ParsedSentence] = []
        owners: list[int] = []
        for (number, start, _), doc in zip(places, docs, strict=True):
            for sentence in _sentences(doc, source=texts[number], offset=start, dictionary=self._dictionary):
                sentences.append(sentence)
                owners.append(number)
        for sentence, owner, predicates in zip(sentences, owners, self.roles.analyze(sentences), strict=True):
            yield owner, msgspec.structs.replace(sentence, predicates=predicates) if predicates else sentence


def _groups(places: Sequence[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
    """The pieces that are analysed at once: not too many, and not too many characters."""
    group: list[tuple[int, int, int]] = []
    characters = 0
    for place in places:
        length = place[2] - place[1]
        if group and (len(group) == _DOCS_AT_ONCE or characters + length > _CHARACTERS_AT_ONCE):
            yield group
            group, characters = [], 0
        group.append(place)
        characters += length
    if group:
        yield group


def _sentences(doc: Doc, *, source: str, offset: int, dictionary: frozenset[str]) -> Iterator[ParsedSentence]:
    for span in doc.sents:
        sentence = sentence_of(span, source=source, offset=offset, dictionary=dictionary)
        if sentence.tokens:
            yield sentence


def sentence_of(span: Span, *, source: str, offset: int, dictionary: frozenset[str] = frozenset()) -> ParsedSentence:
    """Karat's record of a sentence of spaCy; the tokens that are only white space are left out."""
    kept = [token for token in span if not token.is_space]
    index = {token.i: position for position, token in enumerate(kept)}
    tokens = []
    for position, token in enumerate(kept):
        head = token.head
        while head.i not in index and head.head.i != head.i:
            head = head.head
        start = offset + token.idx
        tokens.append(
            Token(
                position,
                start,
                start + len(token),
                source[start : start + len(token)],
                token.lemma_,
                token.pos_,
                token.tag_,
                token.dep_,
                index.get(head.i, position),
                token.ent_type_,
                not dictionary or token.lower_ in dictionary or token.lemma_.lower() in dictionary,
            )
        )
    entities = []
    for entity in span.ents:
        inside = [index[token.i] for token in entity if token.i in index]
        if inside:
            entities.append(Entity(inside[0], inside[-1] + 1, entity.label_))
    notes = []
    if len(tokens) > MOST_TOKENS:
        limit = f"the limit is {MOST_TOKENS}"
        notes.append(f"a sentence of {len(tokens)} tokens gets no semantic roles ({limit}): nuggets may be missing")
    return ParsedSentence(tuple(tokens), tuple(entities), source=source, notes=tuple(notes))


def load_spacy(name: str | None = None) -> SpacyAnalyzer:
    """The analyzer on a named pipeline, or on the best one installed."""
    return SpacyAnalyzer(load_pipeline(name))
