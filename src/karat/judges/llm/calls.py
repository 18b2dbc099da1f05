"""Ask many requests: what is in the log is not asked again, and nothing is asked without the user's consent.

requests -> the log: decided already?      CallLog.results
-> preview, and consent                    _check_consent
-> threads: send, log, read, try again     Asking.ask
-> outcomes in the order of the requests
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Sequence
from contextlib import closing

from karat.judges.llm.attempts import Asking, Outcome, outcome_of
from karat.judges.llm.budget import BudgetUsedUp, Preview, preview_of
from karat.judges.llm.client import Client
from karat.judges.llm.connection import NO_CONNECTION, Connection
from karat.judges.llm.log import CallLog
from karat.judges.llm.request import Request, Stopped
from karat.model import UsageError
from karat.model.wording import number_of


def ask_all(requests: Sequence[Request], connection: Connection) -> Generator[Outcome, None, None]:
    """What each request came to, in order; equal requests are asked once.

    The user is asked before this returns, so that a progress bar begins after it.

    Raises:
        UsageError: no server was named, or the user did not agree.
        Stopped: the server refuses, or a limit is reached. What was answered until then is in the log.
    """
    outcomes = _outcomes(requests, connection)
    next(outcomes)
    return outcomes


def _outcomes(requests: Sequence[Request], connection: Connection) -> Generator[Outcome, None, None]:
    """The same, after a first outcome that means nothing: until then the log was read, and the user agreed."""
    distinct = {request.hash: request for request in requests}
    with closing(CallLog(connection.log)) as log:
        results = log.results(list(distinct))
        failed = [name for name, result in results.items() if connection.retry_failed and result.status == "failed"]
        results = {name: result for name, result in results.items() if name not in failed}
        decided = {name: outcome_of(distinct[name], result) for name, result in results.items()}
        missing = [request for name, request in distinct.items() if name not in decided]
        if not missing:
            yield Outcome()
            yield from (decided[request.hash] for request in requests)
            return
        if connection.url is None:
            raise UsageError(f"{number_of(len(missing), 'answer')} not in {connection.log}: {NO_CONNECTION}")
        with closing(Client(connection.url, connection.key, timeout=connection.timeout)) as client:
            _check_consent(connection, missing, in_log=len(decided), endpoint=client.endpoint)
            log.reopen(failed)
            with closing(_Workers(Asking(connection, client, log), missing, connection)) as workers:
                yield Outcome()
                for request in requests:
                    if request.hash not in decided:
                        decided[request.hash] = workers.outcome(request)
                    yield decided[request.hash]


def _check_consent(connection: Connection, requests: Sequence[Request], *, in_log: int, endpoint: str) -> None:
    """Show what will be asked; go on only where the user agreed to it: beforehand, by a limit, or now."""
    budget = connection.budget
    preview = preview_of(requests, in_log=in_log, endpoint=endpoint, log=str(connection.log), prices=budget.prices)
    connection.say(preview.text())
    if connection.yes or _is_covered(connection, preview):
        return
    if connection.ask is None:
        limited = budget.max_calls is not None or budget.max_cost is not None
        why = "the limits do not cover this" if limited else "nothing is sent without your consent"
        raise UsageError(
            f"{number_of(preview.calls, 'call')} needed, and {why}: add --yes, or a limit that covers it, such as "
            f"--max-calls {preview.calls}" + (" (with --yes a lower limit stops the work there)" if limited else "")
        )
    if not connection.ask("Go on?"):
        raise Stopped("stopped before the first call")


def _is_covered(connection: Connection, preview: Preview) -> bool:
    """Whether there is a limit, and no limit is passed by what is expected."""
    budget = connection.budget
    calls = budget.max_calls is None or budget.calls + preview.calls <= budget.max_calls
    cost = budget.max_cost is None or budget.spent + (preview.cost or 0.0) <= budget.max_cost
    return calls and cost and not (budget.max_calls is None and budget.max_cost is None)


class _Workers:
    """Threads that ask requests, in order. They end with the program, should it be stopped while they wait."""

    def __init__(self, asking: Asking, requests: Sequence[Request], connection: Connection) -> None:
        self._asking, self._total, self._say = asking, len(requests), connection.say
        self._todo: queue.SimpleQueue[Request] = queue.SimpleQueue()
        for request in requests:
            self._todo.put(request)
        self._done: dict[str, Outcome] = {}
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        count = min(connection.concurrency, len(requests))
        self._threads = [threading.Thread(target=self._work, name=f"llm-{at}", daemon=True) for at in range(count)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while not self._asking.stop.is_set():
            try:
                request = self._todo.get_nowait()
            except queue.Empty:
                return
            try:
                outcome = self._asking.ask(request)
            except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
                with self._changed:
                    # The first error stops the others; what they say then is not the reason.
                    self._error = self._error or error
                    self._asking.stop.set()
                    self._changed.notify_all()
                return
            with self._changed:
                self._done[request.hash] = outcome
                self._changed.notify_all()

    def outcome(self, request: Request) -> Outcome:
        """Wait for a request."""
        with self._changed:
            while request.hash not in self._done and self._error is None:
                self._changed.wait(1.0)
            if request.hash in self._done:
                return self._done[request.hash]
        self._finish()
        assert self._error is not None
        if isinstance(self._error, BudgetUsedUp | Stopped):
            left = self._total - len(self._done)
            raise Stopped(
                f"{self._error}. {number_of(len(self._done), 'answer')} came in and are in the log, {left:,} "
                f"{'is' if left == 1 else 'are'} missing; the same command goes on from there"
            ) from None
        raise self._error

    def _finish(self) -> None:
        """Let calls that are under way end: they may be paid already, and their answers are kept."""
        self._asking.stop.set()
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        under_way = sum(thread.is_alive() for thread in self._threads)
        if under_way and self._error is None and len(self._done) < self._total:
            self._say(
                f"llm: waiting for {number_of(under_way, 'call')} under way, which may be paid already; to leave at "
                "once, press Ctrl-C again"
            )
        self._finish()
