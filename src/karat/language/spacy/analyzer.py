"""English analysis by spaCy, with Karat's own roles on top."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from karat.language.analysis import Analysis, Entity, Sentence, Token
from karat.language.roles.labeller import MOST_TOKENS, RoleModel, load_roles
from karat.language.spacy.models import Pipeline, load_pipeline
from karat.language.spacy.pieces import MOST_CHARACTERS, pieces

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_DOCS_AT_ONCE = 64
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which broken JSON can hold; spaCy cannot, so it is shown U+FFFD in its place."""


class SpacyAnalyzer:
    """Tokens, parse and entities by a spaCy pipeline, predicates and roles by Karat's model, read when first needed."""

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

    def analyze(self, text: str) -> Analysis:
        """The analysis of one text."""
        return next(self.analyze_many([text]))

    def analyze_many(self, texts: Iterable[str], *, batch: int = _DOCS_AT_ONCE) -> Iterator[Analysis]:
        """The analyses of many texts, in their order."""
        waiting = iter(texts)
        while some := list(islice(waiting, batch)):
            yield from self._analyze(some)

    def analyze_words(self, sentences: Iterable[tuple[Sequence[str], Sequence[bool]]]) -> list[Sentence]:
        """Sentences given as words and whether a space follows each, parsed as they are cut; without predicates."""
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
            for start, end in pieces(text, most=self._most_characters)
        ]
        docs = self.pipeline.nlp.pipe(
            (_SURROGATE.sub("\ufffd", texts[number][start:end]) for number, start, end in places),
            batch_size=_DOCS_AT_ONCE,
        )
        sentences: list[Sentence] = []
        owners: list[int] = []
        for (number, start, _), doc in zip(places, docs, strict=True):
            for sentence in _sentences(doc, source=texts[number], offset=start):
                sentences.append(sentence)
                owners.append(number)
        by_text: list[list[Sentence]] = [[] for _ in texts]
        for sentence, owner, predicates in zip(sentences, owners, self.roles.analyze(sentences), strict=True):
            by_text[owner].append(msgspec.structs.replace(sentence, predicates=predicates) if predicates else sentence)
        for text, some in zip(texts, by_text, strict=True):
            yield Analysis(text, tuple(some))


def _sentences(doc: Doc, *, source: str, offset: int) -> Iterator[Sentence]:
    for span in doc.sents:
        sentence = sentence_of(span, source=source, offset=offset)
        if sentence.tokens:
            yield sentence


def sentence_of(span: Span, *, source: str, offset: int) -> Sentence:
    """A sentence of spaCy's as Karat's; white space that spaCy counts as tokens is left out."""
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
            )
        )
    entities = []
    for entity in span.ents:
        inside = [index[token.i] for token in entity if token.i in index]
        if inside:
            entities.append(Entity(inside[0], inside[-1] + 1, entity.label_))
    notes = (f"no roles: {len(tokens)} tokens, at most {MOST_TOKENS}",) if len(tokens) > MOST_TOKENS else ()
    return Sentence(tuple(tokens), tuple(entities), source=source, notes=notes)


def load_spacy(name: str | None = None) -> SpacyAnalyzer:
    """The analyzer on a named pipeline, or on the best one installed."""
    return SpacyAnalyzer(load_pipeline(name))
