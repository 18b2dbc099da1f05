"""What people and pages are told when something cannot be done: plain words, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.response import Redirect

from karat.campaign.people.sessions import LoginRefused, TooManyAttempts
from karat.campaign.store.database import Unavailable
from karat.campaign.work.errors import Conflict, NotAllowed, NothingToUndo, RuleBroken
from karat.model import InputError, KaratError
from karat.web.pages import render_page

LOGGER = logging.getLogger("karat.web")
RETRY_SECONDS = 5

WORDS = {
    400: "The request could not be understood.",
    401: "Please log in.",
    403: "Your role does not allow this.",
    404: "There is nothing here that you may see.",
    405: "This address does not do that.",
    409: "This was changed in the meantime.",
    413: "What was sent is too large.",
    422: "What was sent cannot be accepted.",
    429: "Too many attempts. Please wait.",
    500: "The server made a mistake. Nothing that was saved is lost. Please tell the organiser what you did.",
}


def answer_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """Errors of the framework and of the guard."""
    status = error.status_code
    if status >= 500:
        return answer_bug(request, error)
    if status == 401 and not _wants_json(request):
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return Redirect(f"/login?next={quote(here, safe='')}" if here != "/" else "/login", status_code=303)
    problems = _problems(error) if isinstance(error, ValidationException) else []
    own_words = type(error).__module__.startswith("karat") or (status in (400, 401, 403) and bool(error.detail))
    message = error.detail if own_words and not problems else WORDS.get(status, WORDS[400])
    return _answer(request, status, message, problems=problems)


def _problems(error: ValidationException) -> list[dict[str, str]]:
    extra = error.extra if isinstance(error.extra, list) else []
    return [
        {"where": str(problem.get("key", "")), "what": str(problem.get("message", ""))}
        for problem in extra
        if isinstance(problem, dict)
    ]


def answer_bug(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """A mistake of Karat: the log has the traceback, the person does not."""
    LOGGER.error("%s %s", request.method, request.url.path, exc_info=error)
    return _answer(request, 500, WORDS[500])


def answer_too_deep(request: Request[Any, Any, Any], _: RecursionError) -> Response[Any]:
    return _answer(request, 400, "What was sent is nested too deeply.")


def answer_not_allowed(request: Request[Any, Any, Any], _: Exception) -> Response[Any]:
    """The same words for what does not exist and for what is not for this person: ids cannot be tried out."""
    return _answer(request, 404, WORDS[404])


def answer_conflict(request: Request[Any, Any, Any], error: Conflict) -> Response[Any]:
    return _answer(request, 409, str(error), conflict=list(error.current))


def answer_rule(request: Request[Any, Any, Any], error: RuleBroken) -> Response[Any]:
    return _answer(request, 422, WORDS[422], problems=list(error.problems))


def answer_refused(request: Request[Any, Any, Any], error: KaratError) -> Response[Any]:
    return _answer(request, 422, str(error))


def answer_input(request: Request[Any, Any, Any], error: InputError) -> Response[Any]:
    problems = [{"where": f"{problem.file}:{problem.line}", "what": problem.message} for problem in error.problems[:50]]
    return _answer(request, 422, "The file cannot be read as it is.", problems=problems)


def answer_too_many(request: Request[Any, Any, Any], error: TooManyAttempts) -> Response[Any]:
    wait = max(1, round(error.retry_after))
    response = _answer(request, 429, f"Too many attempts. Please wait {wait} seconds.")
    response.headers["retry-after"] = str(wait)
    return response


def answer_unavailable(request: Request[Any, Any, Any], error: Unavailable) -> Response[Any]:
    """Not the fault of the request: pages keep what they have and send it again."""
    LOGGER.warning("%s %s: %s", request.method, request.url.path, error)
    response = _answer(request, 503, str(error))
    response.headers["retry-after"] = str(RETRY_SECONDS)
    return response


def _answer(request: Request[Any, Any, Any], status: int, message: str, **more: Any) -> Response[Any]:
    if _wants_json(request):
        return Response({"message": message, **more}, status_code=status, media_type="application/json")
    return render_page(request, "error.html", status=status, message=message, problems=more.get("problems", []))


def _wants_json(request: Request[Any, Any, Any]) -> bool:
    return request.url.path.startswith("/api/")


EXCEPTION_HANDLERS: dict[int | type[Exception], Callable[[Request[Any, Any, Any], Any], Response[Any]]] = {
    HTTPException: answer_http,
    Conflict: answer_conflict,
    RuleBroken: answer_rule,
    NotAllowed: answer_not_allowed,
    NothingToUndo: answer_not_allowed,
    LoginRefused: answer_refused,
    TooManyAttempts: answer_too_many,
    InputError: answer_input,
    Unavailable: answer_unavailable,
    KaratError: answer_refused,
    RecursionError: answer_too_deep,
    Exception: answer_bug,
}
