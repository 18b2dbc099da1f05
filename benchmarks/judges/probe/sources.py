"""Texts that no judge is trained on, parsed: premises of the sets for evaluation only, and answers of TREC RAG 2024."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from makers.sentence import text_of

from karat.language.analysis import ParsedSentence
from karat.language.spacy.analyzer import load_spacy, sentence_of

NLI_SETS = (
    "attributionbench",
    "anli-dev",
    "climate-fever",
    "control",
    "faithbench",
    "healthver",
    "mctest-nli",
    "rte123",
)
BUNDLES = {"anli-dev": 3, "climate-fever": 3, "rte123": 8}
"""Sets of short texts: so many texts are put together, and stand for one."""
TREC_RAG = "trec-rag-2024"
TEXTS_OF_A_SET = 700
LEAST_SENTENCES = 5
"""A sentence and at least four others."""
RUN = 8
"""A sentence that has so many words in a row in common with a training text was seen in training."""


class Text(msgspec.Struct, frozen=True):
    """A source text: its sentences, parsed."""

    text_id: str
    sentences: tuple[ParsedSentence, ...]


def load_texts(data: Path, work: Path, seed: int) -> list[Text]:
    """The texts, from the cache if they are there."""
    cache = work / f"texts-{seed}.msgpack"
    if cache.exists():
        return msgspec.msgpack.decode(cache.read_bytes(), type=list[Text])
    texts = unseen(list(parsed(raw_texts(data, seed))), training_rows(data))
    work.mkdir(parents=True, exist_ok=True)
    cache.write_bytes(msgspec.msgpack.encode(texts))
    return texts


def raw_texts(data: Path, seed: int) -> Iterator[tuple[str, str]]:
    """Some texts of each set with a name; the premises of one group (one claim, one question) are one text."""
    for name in NLI_SETS:
        by_group: dict[str, list[str]] = {}
        with gzip.open(
            data / "nli" / "eval-only" / f"nli-{name}" / f"{name}.jsonl.gz", "rt", encoding="utf-8"
        ) as lines:
            for line in lines:
                row = json.loads(line)
                premises = by_group.setdefault(row["id"].rpartition("/")[0], [])
                if row["premise"] not in premises:
                    premises.append(row["premise"])
        texts = [(group, " ".join(premises[:6])) for group, premises in sorted(by_group.items())]
        if (size := BUNDLES.get(name)) is not None:
            texts = [
                (texts[at][0], " ".join(text for _, text in texts[at : at + size])) for at in range(0, len(texts), size)
            ]
        yield from _some([text for text in texts if _is_prose(text[1])], seed)
    by_topic: dict[str, str] = {}
    with open(data / TREC_RAG / "nugget_assignment.20241108.jl", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            by_topic[f"{TREC_RAG}/{row['qid']}/{row['run_id']}"] = row["answer_text"] or ""
    yield from _some([text for text in sorted(by_topic.items()) if _is_prose(text[1])], seed)


def _some(texts: list[tuple[str, str]], seed: int) -> list[tuple[str, str]]:
    return random.Random(seed).sample(texts, min(TEXTS_OF_A_SET, len(texts)))


def _is_prose(text: str) -> bool:
    """Several sentences with capitals, and not so long that parsing takes most of the time."""
    return len(re.findall(r"[.!?](?=\s+[A-Z]|\s*$)", text)) >= LEAST_SENTENCES and len(text) < 6000


def parsed(texts: Iterable[tuple[str, str]]) -> Iterator[Text]:
    """Each text with its well-formed sentences; texts with too few of them are left out."""
    nlp = load_spacy().pipeline.nlp
    pairs = ((re.sub(r"\s+", " ", text).strip(), name) for name, text in texts)
    for doc, name in nlp.pipe(pairs, as_tuples=True, batch_size=32):
        sentences = []
        for span in doc.sents:
            source = span.text.strip()
            sentence = sentence_of(span, source=doc.text, offset=0)
            if sentence.tokens and is_well_formed(source) and source not in map(text_of, sentences):
                sentences.append(sentence)
        if len(sentences) >= LEAST_SENTENCES:
            yield Text(name, tuple(sentences))


def is_well_formed(sentence: str) -> bool:
    """A whole sentence of 5 to 40 words: no heading, no list, no quotation, no broken tokens."""
    words = sentence.split()
    return (
        5 <= len(words) <= 40
        and re.match(r"[A-Z]", sentence) is not None
        and re.search(r"[a-z0-9)%]\.$", sentence) is not None
        and not re.search(r"[\"“”«»\[\]{}|*#<>=\\_;:•]|``|''|https?|\bet al|\.\.| [,.)]|\( |-RRB-|-LRB-|\?", sentence)
        and sum(word[:1].isupper() for word in words) <= 0.6 * len(words)
    )


def training_rows(data: Path) -> Iterator[str]:
    """Every text of the pairs that judges may be trained on."""
    for file in sorted((data / "nli").glob("nli-*/*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield f"{row['premise']} . {row['hypothesis']}"


def unseen(texts: list[Text], training: Iterable[str]) -> list[Text]:
    """The texts without sentences that a training text has, too; texts with too few others are left out."""
    owners: dict[int, set[str]] = {}
    for text in texts:
        for sentence in map(text_of, text.sentences):
            for run in _runs(sentence):
                owners.setdefault(run, set()).add(sentence)
    seen: set[str] = set()
    for row in training:
        for run in _runs(row):
            seen |= owners.get(run, set())
    kept = [
        Text(text.text_id, tuple(sentence for sentence in text.sentences if text_of(sentence) not in seen))
        for text in texts
    ]
    return [text for text in kept if len(text.sentences) >= LEAST_SENTENCES]


def _runs(text: str) -> Iterator[int]:
    words = re.findall(r"\w+", text.lower())
    return (hash(tuple(words[at : at + RUN])) for at in range(len(words) - RUN + 1))
