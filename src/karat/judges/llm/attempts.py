"""One request until it is decided: send, log, read, and try again where that can help.

A reply that cannot be read, a timeout, a lost connection, 429 and 5xx are tried again after a while, at most ATTEMPTS
times in all. An answer with wrong labels is told what is wrong with it, at most REPAIRS times. Anything else that a
server refuses (a wrong key, an unknown model) would be refused again: then all work stops.
"""

from __future__ import annotations

import json
import random
import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karat.judges.llm.budget import Budget
from karat.judges.llm.client import Client, NoReply, Reply
from karat.judges.llm.connection import Connection
from karat.judges.llm.log import CallLog, Received, Result
from karat.judges.llm.request import Form, InvalidAnswer, Message, Request, Stopped, token_bound

ATTEMPTS = 5
"""The most calls for one request that get no answer."""
REPAIRS = 2
"""How often a model is told that its answer cannot be used."""
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
"""Seconds between two attempts, also where a server asks for more."""
LOST_IN_A_ROW = 5
"""After so many requests without any answer the server is taken to be down."""
TRY_AGAIN = frozenset({408, 409, 425, 429})
FORM_REFUSED = frozenset({400, 415, 422, 501})
"""How servers refuse a response format that they do not know."""
POLL = 0.2
SHOWN = 300
"""How much of a server's own words a message shows."""
MOST_TOKENS = 10**12
"""A server that says more tokens than this is not believed."""
LONGEST_REPEATED = 4_000
"""How much of an invalid answer is sent back to the model."""


@dataclass(frozen=True)
class Outcome:
    """What a request came to: what its answer says, or why there is none."""

    value: Any = None
    failure: str | None = None


def outcome_of(request: Request, result: Result) -> Outcome:
    """What a decided request says."""
    if result.status == "failed":
        return Outcome(failure=result.reason)
    try:
        return Outcome(request.read(result.answer))
    except InvalidAnswer as error:
        return Outcome(failure=f"the answer in the log cannot be read: {error}")


@dataclass(frozen=True)
class _Sent:
    """How one call ended."""

    answer: str | None = None
    """What the model said; None: nothing that can be read."""
    number: int = 0
    problem: str = ""
    wait: float | None = None
    """The seconds that the server asks to wait."""
    form_refused: bool = False


class Asking:
    """Asks requests, from several threads at once."""

    def __init__(self, connection: Connection, client: Client, log: CallLog) -> None:
        self._connection, self._client, self._log = connection, client, log
        self._budget: Budget = connection.budget
        self.stop = threading.Event()
        self._refused: set[Form] = set()
        self._lost_in_a_row = 0
        # The jitter of waiting times changes no result.
        self._random = random.Random()  # noqa: S311

    def ask(self, request: Request) -> Outcome:
        """Ask until the request is decided. Where another process works on it, wait for its result.

        Raises:
            Stopped: the server refuses, or the work was stopped.
            BudgetUsedUp: the next call could pass a limit.
        """
        owner = uuid.uuid4().hex
        while not self._log.claim(request.hash, owner, seconds=self._lease()):
            if self.stop.wait(POLL):
                raise Stopped("stopped")
        try:
            decided = self._log.results([request.hash]).get(request.hash)
            return outcome_of(request, decided) if decided is not None else self._attempts(request, owner)
        finally:
            self._log.release(request.hash, owner)

    def _lease(self) -> float:
        """The seconds after which a claim is taken over: longer than one call and the wait before it."""
        return 2 * self._connection.timeout + 2 * LONGEST_WAIT

    def _attempts(self, request: Request, owner: str) -> Outcome:
        lost = invalid = 0
        more: Sequence[Message] = ()
        problem = ""
        for attempt in self._log.open_attempts(request.hash):
            # An answer that was received before the program was killed is read now.
            sent = _Sent(attempt.answer, attempt.number) if attempt.outcome in ("received", "invalid") else None
            if sent is not None and (outcome := self._read(request, sent)) is not None:
                if outcome.failure is None:
                    return outcome
                invalid, problem = invalid + 1, outcome.failure
                more = request.repair(attempt.answer[:LONGEST_REPEATED], problem)
            elif attempt.outcome in ("broken", "timeout", "connection", "http"):
                lost, problem = lost + 1, attempt.problem
        while lost < ATTEMPTS and invalid <= REPAIRS:
            if self.stop.is_set():
                raise Stopped("stopped")
            self._log.claim(request.hash, owner, seconds=self._lease())
            sent = self._send(request, more)
            if sent.form_refused:
                continue
            if sent.answer is None:
                lost, problem = lost + 1, sent.problem
                if lost < ATTEMPTS:
                    self._wait(lost, sent.wait)
                continue
            self._lost_in_a_row = 0
            outcome = self._read(request, sent)
            if outcome.failure is None:
                return outcome
            invalid, problem = invalid + 1, outcome.failure
            more = request.repair(sent.answer[:LONGEST_REPEATED], problem)
        return self._fail(request, problem, lost=lost >= ATTEMPTS)

    def _read(self, request: Request, sent: _Sent) -> Outcome:
        """What an answer says; the failure says why it cannot be used."""
        answer = sent.answer or ""
        try:
            value = request.read(answer)
        except InvalidAnswer as error:
            self._log.judge(sent.number, "invalid", str(error))
            return Outcome(failure=str(error))
        self._log.decide(request.hash, Result("ok", answer, ""), number=sent.number)
        return Outcome(value)

    def _fail(self, request: Request, problem: str, *, lost: bool) -> Outcome:
        reason = problem if lost else f"the model's answers cannot be used: {problem}"
        self._log.decide(request.hash, Result("failed", "", reason))
        self._lost_in_a_row += lost
        if self._lost_in_a_row >= LOST_IN_A_ROW:
            raise Stopped(
                f"{LOST_IN_A_ROW} requests in a row got no answer from {self._client.endpoint} ({reason}). Once the "
                "server works again, run the same command with --retry-failed"
            )
        return Outcome(failure=reason)

    def _send(self, request: Request, more: Sequence[Message]) -> _Sent:
        """One call, logged before it is made and when it has ended."""
        form = next((form for form in request.forms if form not in self._refused), request.forms[-1])
        body = request.body(form, more)
        tokens_in = token_bound(body)
        aside = self._budget.reserve(tokens_in, request.most_tokens)
        spent: float | None = None
        try:
            number = self._log.begin(
                request.hash, model=request.model, prompt=request.prompt, endpoint=self._client.endpoint, form=form,
                sent=self._client.redact(json.dumps(body, ensure_ascii=False)),
            )  # fmt: skip
            try:
                reply = self._client.send(body)
            except NoReply as error:
                self._log.end(number, Received(error.kind, problem=error.problem))
                return _Sent(problem=error.problem)
            if 200 <= reply.status < 300:
                received = self._received(reply)
                spent = received.cost
                self._log.end(number, received)
                return _Sent(received.answer, number, received.problem or "")
            # A server takes no money for an answer that it refuses.
            spent = 0.0
            return self._refusal(reply, number, form, request)
        finally:
            self._budget.settle(aside, spent)

    def _received(self, reply: Reply) -> Received:
        """What there is in a reply: the answer, or what is wrong."""
        try:
            content = json.loads(reply.text)
            choice = content["choices"][0]
            answer = choice["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            shown = _shown(reply.text)
            problem = f"the reply is not a chat completion ({shown})" if shown else "the reply is empty"
            return Received("broken", reply.status, reply.text, problem=problem)
        usage = content.get("usage")
        tokens = [
            usage.get(name) if isinstance(usage, dict) else None for name in ("prompt_tokens", "completion_tokens")
        ]
        known = [count if isinstance(count, int) and 0 <= count < MOST_TOKENS else None for count in tokens]
        prices = self._budget.prices
        cost = prices.cost(known[0], known[1]) if prices and known[0] is not None and known[1] is not None else None
        # A model that refuses, or that was cut off, has said something that cannot be used.
        said = answer if isinstance(answer, str) else ""
        # JSON can hold half a character, which no file can; and it can spell the key in another way.
        said = self._client.redact(said.encode("utf-8", "replace").decode())
        return Received("received", reply.status, reply.text, said, None, known[0], known[1], cost)

    def _refusal(self, reply: Reply, number: int, form: Form, request: Request) -> _Sent:
        problem = f"status {reply.status}: {_shown(reply.text)}".removesuffix(": ")
        is_form = reply.status in FORM_REFUSED and form != request.forms[-1]
        self._log.end(
            number, Received("form" if is_form else "http", reply.status, reply.text, problem=problem, cost=0.0)
        )
        if is_form:
            self._refused.add(form)
            return _Sent(form_refused=True)
        no_quota = reply.status == 429 and "insufficient_quota" in reply.text
        if not no_quota and (reply.status in TRY_AGAIN or reply.status >= 500):
            return _Sent(problem=problem, wait=reply.retry_after)
        raise Stopped(f"{self._client.endpoint} refused the request, {problem}. {_advice(reply.status)}")

    def _wait(self, lost: int, asked: float | None) -> None:
        seconds = FIRST_WAIT * 2 ** (lost - 1) * self._random.uniform(0.75, 1.25)
        seconds = min(LONGEST_WAIT, seconds if asked is None else max(asked, seconds))
        if self._connection.sleep is not None:
            self._connection.sleep(seconds)
        else:
            self.stop.wait(seconds)


def _advice(status: int) -> str:
    if status in (401, 403):
        return "Check the key: --llm-key-env NAME names the environment variable that holds it"
    if status == 404:
        return "Check --llm-url (most end in /v1) and --llm-model"
    if 300 <= status < 400:
        return "It sends requests elsewhere; name that server with --llm-url if you trust it"
    if status in (400, 413, 422):
        return "If the text is too long for the model, choose a smaller batch, or llm(longest=N,long=cut)"
    return "It would refuse it again"


def _shown(text: str) -> str:
    """The beginning of a server's words, on one line and without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * SHOWN]).split())[:SHOWN]
