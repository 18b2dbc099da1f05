"""The nugs of one query: from its sentences, or from statements that a language model drafted."""

from __future__ import annotations

from collections.abc import Sequence

from karat.evaluate.nuggets.drafting.clusters import Cluster, cluster, penalty_of
from karat.evaluate.nuggets.drafting.conflicts import Flags, contradictions, other_numbers
from karat.evaluate.nuggets.drafting.ranking import RankedCluster, rank
from karat.evaluate.nuggets.drafting.sameness import Floats, Sameness
from karat.evaluate.nuggets.drafting.sentences.blocks import answer_sentences, original_spans
from karat.evaluate.nuggets.drafting.sentences.candidates import Candidate
from karat.evaluate.nuggets.drafting.sources import SourceText
from karat.model import Member, Nug, Nugget
from karat.model.identity import NuggetIds
from karat.text.words import content_words

MOST_DESCRIPTIONS = 3
KINDS = {"answers": "runs", "passages": "passages"}
"""What is counted, by what a key is drafted from."""
UNSURE = "unsure"
"""How a nug is marked that is called vital only because no other nug of its query is."""


def plain_candidates(text: SourceText) -> list[Candidate]:
    """All sentences of a text as they are, with their places: what a model drafted may come from any of them."""
    sentences = answer_sentences([snippet for _, snippet in text.snippets])
    return [
        Candidate(
            text=sentence.text,
            snippet=sentence.snippet,
            spans=original_spans(sentence, [(0, len(sentence.text))]),
            place=number / max(1, len(sentences) - 1),
            source=sentence.text,
        )
        for number, sentence in enumerate(sentences)
        if content_words(sentence.text)
    ]


class QueryDraft:
    """The nugs of one query."""

    def __init__(self, said: Sequence[tuple[SourceText, Candidate]], kind: str, ids: NuggetIds) -> None:
        self.kind = KINDS[kind]
        self.query_id = said[0][0].query_id if said else ""
        self.question = said[0][0].question if said else ""
        self.by_text: dict[str, list[tuple[SourceText, Candidate]]] = {}
        for text, candidate in said:
            self.by_text.setdefault(candidate.text, []).append((text, candidate))
        self.nuggets: list[Nugget] = []
        self.cut = self.unrelated = self.untraced = 0
        self._ids = ids

    def nugs(self, sameness: Sameness, *, threshold: float, most: int | None, min_runs: int) -> list[Nug]:
        """Sentences that say the same are a nug."""
        if not self.by_text:
            return []
        sentences = list(self.by_text)
        firsts = [self.by_text[sentence][0][1] for sentence in sentences]
        contains, conflicts = self._compared(sentences, sameness)
        clusters = cluster(
            contains,
            threshold=threshold,
            conflicts=conflicts,
            penalty=[
                penalty_of(
                    candidate.text,
                    is_changed=candidate.is_changed,
                    sentences=1 + candidate.is_joined,
                    is_order=candidate.is_order,
                )
                for candidate in firsts
            ],
        )
        return self._ranked(clusters, sentences, contains, conflicts, sameness, threshold, most, min_runs)

    def traced(
        self, statements: Sequence[str], sameness: Sameness, *, threshold: float, most: int | None, min_runs: int
    ) -> list[Nug]:
        """Statements that somebody else wrote are nugs, with the sentences that say them as members.

        A statement that no sentence contains (`Sameness.contains`, from the threshold on) is left out and counted.
        """
        if not statements or not self.by_text:
            self.untraced = len(statements)
            return []
        count = len(statements)
        sentences = [*statements, *self.by_text]
        contains, conflicts = self._compared(sentences, sameness)
        clusters = []
        for at in range(count):
            said = [other for other in range(count, len(sentences)) if contains[other, at] >= threshold]
            same = [other for other in said if contains[at, other] >= threshold]
            degrees = tuple(1.0 if other in same else float(contains[other, at]) for other in said)
            if said:
                clusters.append(Cluster(at, tuple(said), degrees, (at, *same)))
        self.untraced = count - len(clusters)
        return self._ranked(clusters, sentences, contains, conflicts, sameness, threshold, most, min_runs)

    def _compared(self, sentences: Sequence[str], sameness: Sameness) -> tuple[Floats, Flags]:
        """How surely sentences contain each other, and which contradict each other."""
        contains = sameness.contains(sentences, self.question)
        conflicts = contradictions(sentences)
        contains[conflicts | other_numbers(sentences)] = 0.0
        return contains, conflicts

    def _ranked(
        self, clusters: Sequence[Cluster], sentences: Sequence[str], contains: Floats, conflicts: Flags,
        sameness: Sameness, threshold: float, most: int | None, min_runs: int,
    ) -> list[Nug]:  # fmt: skip
        said = [self.by_text.get(sentence, ()) for sentence in sentences]
        first_sentence = len(sentences) - len(self.by_text)
        ranking = rank(
            clusters,
            contains=contains,
            # A drafted statement is said by nobody, but its members are.
            said_by=[
                [text.said_by for text, _ in pairs] if at >= first_sentence else [] for at, pairs in enumerate(said)
            ],
            places=[pairs[0][1].place if pairs else 0.0 for pairs in said],
            relatedness=sameness.relatedness(sentences, self.question, contains),
            far=sameness.far,
            threshold=threshold,
            min_runs=min_runs,
            most=most,
            conflicts=conflicts,
            counts_parts=first_sentence > 0,
        )
        self.cut, self.unrelated = ranking.cut, ranking.unrelated
        return self._written(ranking.kept, sentences)

    def _written(self, ranked: Sequence[RankedCluster], sentences: Sequence[str]) -> list[Nug]:
        nugget_ids = self._nuggets({at for entry in ranked for at in entry.cluster.members}, sentences)
        return [
            Nug(
                query_id=self.query_id,
                nug_id=f"d{number}",
                descriptions=self._descriptions(entry, sentences),
                importance=entry.importance,
                members=tuple(
                    Member(nugget_id=nugget_id, degree=degree)
                    for at, degree in zip(entry.cluster.members, entry.cluster.degrees, strict=True)
                    for nugget_id in nugget_ids[at]
                ),
                extra={self.kind: len(entry.runs), "suggested": UNSURE if entry.is_unsure else True}
                | ({"contradicts": [f"d{other + 1}" for other in entry.contradicts]} if entry.contradicts else {}),
            )
            for number, entry in enumerate(ranked, 1)
        ]

    def _descriptions(self, entry: RankedCluster, sentences: Sequence[str]) -> tuple[str, ...]:
        """The clearest sentence first, then others that say the same in one sentence."""
        first, *others = (sentences[at] for at in entry.cluster.equals)
        single = [text for text in others if text != first and not self.by_text[text][0][1].is_joined]
        return (first, *single[: MOST_DESCRIPTIONS - 1])

    def _nuggets(self, used: set[int], sentences: Sequence[str]) -> dict[int, list[str]]:
        """The nuggets of the sentences that are used; their ids by the number of the sentence."""
        nugget_ids: dict[int, list[str]] = {}
        for at in sorted(used):
            for text, candidate in self.by_text[sentences[at]]:
                nugget = self._ids.named(
                    Nugget(
                        nugget_id="",
                        query_id=text.query_id,
                        run_id=text.run_id,
                        snippet_id=text.snippets[candidate.snippet][0],
                        spans=candidate.spans,
                        paraphrase=candidate.text,
                        source="auto",
                        rule="draft-key",
                    )
                )
                self.nuggets.append(nugget)
                nugget_ids.setdefault(at, []).append(nugget.nugget_id)
        return nugget_ids
