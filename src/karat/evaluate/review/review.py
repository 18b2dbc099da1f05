"""A review: a person answers what a judge is unsure about, and the score is updated after every answer.

Each answer is a ReviewStep, for the caller to show. Where the review has a file, it is saved at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from karat.evaluate.plan.question_plan import QuestionPlan
from karat.evaluate.plan.random_part import RandomPart
from karat.evaluate.review.choices import check_names, measure_to_show, threshold_of_plan
from karat.evaluate.review.effects import effects_of
from karat.evaluate.review.explain import marks_in, piece_of
from karat.evaluate.review.file import ReviewFile
from karat.evaluate.review.live_scores import LiveScores
from karat.evaluate.review.marks import find_passage
from karat.evaluate.review.order import Pair, contained, in_order, is_open, pair_of
from karat.evaluate.review.questions import Question, ReviewStep
from karat.judges.calibration.calibrate import without_advice
from karat.judges.human.known_judgements import alike, whole_text
from karat.judges.judge import Judging
from karat.measures.cases.cases import Cases
from karat.measures.cases.rules import ALL_JUDGES, Missing
from karat.measures.registry import parse_measures
from karat.model import Collection, Evidence, Judgement, Nug, Response, Score, UnfitInput, UsageError
from karat.model.default_names import PERSON
from karat.model.records import Importance

NO_NUGS = "nothing is added to the key while a random part is labelled: these queries would have another key"


class Review:
    """The questions in their order, the answers so far, and the scores with them.

    threshold: ask about everything that is contained with at least this probability, the most probable first, instead
    of what is uncertain. limit: the largest number of questions. skipped: ask again what `person` called unknown in the
    collection. measure: the measure to show; by default the first that fits the data.
    file: where answers are saved. plan: ask what it lists, in its order, which was drawn at random: the answers are
    marked as such, nothing leads them, and nothing is added to the key, which would be another one then.
    """

    def __init__(
        self,
        collection: Collection,
        judging: Judging,
        *,
        assessor: str = "me",
        threshold: float | None = None,
        run_ids: Sequence[str] = (),
        query_ids: Sequence[str] = (),
        limit: int | None = None,
        skipped: bool = False,
        measure: str | None = None,
        missing: Missing = "skip",
        seed: int = 0,
        file: ReviewFile | None = None,
        plan: RandomPart | QuestionPlan | None = None,
    ) -> None:
        if plan is not None:
            # All about one run is still a random part of whole queries, but not of single questions.
            only = (*query_ids, *run_ids) if isinstance(plan, QuestionPlan) else query_ids
            threshold = threshold_of_plan(plan, collection, threshold, only, limit)
        self.assessor, self.threshold, self.file, self.plan = assessor, threshold, file, plan
        self.live = LiveScores(collection, judging, missing=missing, seed=seed)
        self._queries = collection.query_texts()
        check_names("run", run_ids, [run_id for _, run_id in self.live.responses])
        check_names("query", query_ids, [query_id for query_id, _ in self.live.responses])
        judged = self.live.records()
        self.measure, notes = measure_to_show(judged, measure, missing)
        self.notes = (*without_advice(judging.notes), *notes)
        # With a threshold the most probable ones come first, whatever they do to the score.
        effects = {} if threshold is not None else self._effects(judged, missing)
        unknown = {
            pair_of(judgement)
            for judgement in collection.judgements
            if judgement.status == "unknown" and judgement.judge == PERSON
        }
        self._passed: set[Pair] = set() if skipped else unknown
        wanted = [
            pair
            for pair in in_order(judging.judgements, effects, threshold=threshold)
            if pair not in self._passed
            and (not run_ids or pair.run_id in run_ids)
            and (not query_ids or pair.query_id in query_ids)
        ]
        self._answered_itself: set[Pair] | None = None
        if isinstance(plan, QuestionPlan):
            # A question of a random plan is asked even where the same text was answered in another run: an answer that
            # was not drawn has no chance that is known.
            said_before = (pair_of(said) for said in collection.judgements if said.judge == PERSON)
            self._answered_itself = set(said_before) - (unknown if skipped else set())
            wanted = [pair for pair in map(pair_of, judging.judgements) if pair not in self._answered_itself]
        self._order = wanted[:limit] if plan is None else plan.in_order(wanted)
        self._asked = set(self._order)
        self._open = set(filter(self._is_open, self._order))
        self._at = 0
        self._steps: list[ReviewStep] = []

    def _effects(self, judged: Collection, missing: Missing) -> dict[tuple[str, str], float]:
        unsure = {(said.query_id, said.nug_id) for said in judged.judgements if is_open(said)}
        cases = Cases(judged, missing=missing, judge=ALL_JUDGES)
        return effects_of(cases, parse_measures(self.measure)[0], unsure)

    def __repr__(self) -> str:
        return f"<Review answered: {self.answered}, to come: {self.to_come()}>"

    def __iter__(self) -> Iterator[Question]:
        """The questions that are open, one after the other; each has to be answered before the next one comes."""
        while (question := self.next()) is not None:
            before = (len(self._steps), self._steps[-1:])
            yield question
            if before == (len(self._steps), self._steps[-1:]):
                raise UsageError(
                    "the question has no answer yet: before the next one, call answer(1), answer(0.5) or answer(0), or "
                    "answer(None) if it cannot be decided; or leave the loop with break"
                )

    def answer_all(self, decide: Callable[[Question], float | None]) -> None:
        """Answer every open question with what the function returns for it: 1, 0.5, 0 or None."""
        for question in self:
            self.answer(decide(question))

    def answers(self) -> list[Nug | Judgement]:
        """What was answered since the review began, as records that every verb takes as an input.

        Nugs that were added or got a further description come first, then the judgements.
        """
        nugs = {(step.nug.query_id, step.nug.nug_id): step.nug for step in self._steps if step.nug is not None}
        judgements = {pair_of(said): said for step in self._steps for said in (step.judgement, *step.also)}
        return [*nugs.values(), *judgements.values()]

    def next(self) -> Question | None:
        """The next question; None if all are answered."""
        while self._at < len(self._order) and self._order[self._at] not in self._open:
            self._at += 1
        return self._question(self._order[self._at]) if self._at < len(self._order) else None

    def answer(self, degree: float | None) -> ReviewStep:
        """Answer the next question with the degree 1, 0.5 or 0; None: the person cannot decide."""
        return self._take(self._judged(self._open_pair(), degree))

    def add_description(self, typed: str) -> ReviewStep | None:
        """Mark the words that prove the nug (see `find_passage`): it is contained, and they become a description of it.

        None, and nothing changes, if the response does not contain the words.
        """
        pair = self._open_pair()
        passage = find_passage(self.response(pair), typed)
        if passage is None:
            return None
        where = {"snippet_id": passage.snippet_id, "span": [passage.start, passage.end]}
        proof = Evidence(words=(passage.text,), extra=where)
        judgement = msgspec.structs.replace(self._judged(pair, 1.0), evidence=proof)
        nug = self.live.nugs[pair.query_id, pair.nug_id]
        if self.plan is not None or alike(passage.text) in map(alike, nug.descriptions):
            return self._take(judgement)
        more = msgspec.structs.replace(nug, descriptions=(*nug.descriptions, passage.text))
        return self._take(judgement, nug=more, nug_before=nug)

    def add_nug(self, text: str, importance: Importance) -> ReviewStep | None:
        """Add a nug that the key lacks and that the response contains; the question stays open.

        Whether other responses contain it is decided when the judge runs again. None for a nug without words.
        """
        if self.plan is not None:
            raise UnfitInput(NO_NUGS)
        pair = self._open_pair()
        description = " ".join(text.split())
        if not description:
            return None
        number = 1
        while (pair.query_id, f"added-{number}") in self.live.nugs:
            number += 1
        nug = Nug(
            query_id=pair.query_id,
            nug_id=f"added-{number}",
            descriptions=(description,),
            importance=importance,
            extra={"assessor": self.assessor},
        )
        return self._take(self._judged(Pair(pair.query_id, pair.run_id, nug.nug_id), 1.0), nug=nug)

    def undo(self) -> ReviewStep | None:
        """Undo the last answer and ask again; None if there is no answer."""
        if not self._steps:
            return None
        step = self._steps.pop()
        if self._answered_itself is not None:
            self._answered_itself.discard(pair_of(step.judgement))
        self._passed.discard(pair_of(step.judgement))
        self.live.restore(step.before)
        if step.nug_before is not None:
            self.live.set_nug(step.nug_before)
        elif step.nug is not None:
            self.live.remove_nug(step.nug)
        self._look_again([pair_of(step.judgement), *step.before])
        self._at = 0
        if self.file is not None:
            for judgement in (step.judgement, *step.also):
                self.file.remove(judgement)
            if step.nug_before is not None:
                self.file.save(step.nug_before)
            elif step.nug is not None:
                self.file.remove(step.nug)
        return step

    def response(self, pair: Pair) -> Response:
        return self.live.responses[pair.query_id, pair.run_id]

    @property
    def answered(self) -> int:
        """The number of answers, without those that were undone."""
        return len(self._steps)

    @property
    def saved(self) -> int:
        """The number of judgements that follow from the answers: one each, and one for each run with the same text."""
        return len({pair_of(said) for step in self._steps for said in (step.judgement, *step.also)})

    def uncertain(self) -> int:
        """How many judgements of all runs are still uncertain, to be asked or not."""
        return sum(is_open(judgement) for judgement in self.live.judgements.values())

    def to_come(self) -> int:
        """The number of questions that are still to be asked."""
        return len(self._open)

    def left(self, run_id: str) -> int:
        """How many judgements of a run are uncertain, to be asked or not; with a threshold or a plan, all questions."""
        if self.threshold is not None:
            return self.to_come()
        of_run = (judgement for judgement in self.live.judgements.values() if judgement.run_id == run_id)
        return sum(is_open(judgement, threshold=self.threshold) for judgement in of_run)

    def blocks_left(self) -> int | None:
        """How many blocks of the plan are not answered in full; None where there are no blocks."""
        if not isinstance(self.plan, QuestionPlan):
            return None
        return sum(any(Pair(*pair.name) in self._open for pair in block.pairs) for block in self.plan.blocks)

    def score(self, run_id: str) -> Score | None:
        """The run's score over all queries, with the judgements as they are now; None where it has none."""
        return self.live.score(run_id, self.measure)

    def _is_open(self, pair: Pair) -> bool:
        if self._answered_itself is not None:
            return pair not in self._answered_itself
        return pair not in self._passed and is_open(self.live.judgements[pair], threshold=self.threshold)

    def _look_again(self, pairs: Sequence[Pair]) -> None:
        """Update which questions are open, after these judgements have changed."""
        for pair in self._asked.intersection(pairs):
            if self._is_open(pair):
                self._open.add(pair)
            else:
                self._open.discard(pair)

    def _open_pair(self) -> Pair:
        question = self.next()
        if question is None:
            raise UsageError("there is nothing left to answer")
        return question.pair

    def _question(self, pair: Pair) -> Question:
        judgement, response = self.live.judgements[pair], self.response(pair)
        text = piece_of(judgement, response) or whole_text(response)
        return Question(
            pair=pair,
            query=self._queries.get(pair.query_id, ""),
            nug=self.live.nugs[pair.query_id, pair.nug_id],
            probability=contained(judgement),
            partial=judgement.probabilities.get("0.5", 0.0),
            text=text,
            marks=tuple(marks_in(text, judgement.evidence.words if judgement.evidence else ())),
        )

    def _judged(self, pair: Pair, degree: float | None) -> Judgement:
        return Judgement(
            query_id=pair.query_id,
            run_id=pair.run_id,
            nug_id=pair.nug_id,
            degree=degree,
            judge=PERSON,
            assessor=self.assessor,
            status="unknown" if degree is None else "ok",
            extra={} if self.plan is None else self.plan.mark(pair),
        )

    def _take(self, judgement: Judgement, *, nug: Nug | None = None, nug_before: Nug | None = None) -> ReviewStep:
        also = [] if nug is not None and nug_before is None else self._same_questions(judgement)
        if self.file is not None:
            # Saved before it counts: on a full disk the answer is neither in the file nor among the answers.
            # The nug first: a judgement about a nug that is not in any file is an error wherever it is read.
            if nug is not None:
                self.file.save(nug)
            for said in (judgement, *also):
                self.file.save(said)
        before: dict[Pair, Judgement | None] = {}
        if self._answered_itself is not None:
            self._answered_itself.add(pair_of(judgement))
        if judgement.degree is None:
            self._passed.add(pair_of(judgement))
        else:
            for said in (judgement, *also):
                # A run with the same whole text may be known already, by the answer before.
                before = self.live.know(said) | before
        if nug is not None:
            self.live.set_nug(nug)
        self._look_again([pair_of(judgement), *before])
        step = ReviewStep(judgement=judgement, nug=nug, nug_before=nug_before, also=tuple(also), before=before)
        self._steps.append(step)
        return step

    def _same_questions(self, judgement: Judgement) -> list[Judgement]:
        """The same answer for other runs where a person would see the same nug and the same piece of text.

        Not in a random plan, where each question is asked, and not where the person could not decide. A run whose
        whole response is the same needs none: `LiveScores.know` and every judge take it from there.
        """
        if self.plan is not None or judgement.degree is None:
            return []
        asked = pair_of(judgement)
        shown, whole = self._shown(asked), alike(whole_text(self.response(asked)))
        return [
            msgspec.structs.replace(
                judgement, run_id=run_id, evidence=None, extra=judgement.extra | {"same_text_as": asked.run_id}
            )
            for query_id, run_id in self.live.responses
            if query_id == asked.query_id
            and (pair := Pair(query_id, run_id, asked.nug_id)) != asked
            and pair in self.live.judgements
            and self._is_open(pair)
            and shown
            and self._shown(pair) == shown
            and alike(whole_text(self.response(pair))) != whole
        ]

    def _shown(self, pair: Pair) -> str:
        """The piece of text that the question shows; empty where no piece supports the nug."""
        return alike(piece_of(self.live.judgements[pair], self.response(pair))) if pair in self.live.judgements else ""
