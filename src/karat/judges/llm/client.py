"""The only place where anything is sent: one chat completion from the server that the user named.

The `openai` client is told everything, so that it takes nothing from the environment. What leaves is checked last of
all: only to the named server, and only with headers that are needed; no redirect is followed.
"""

from __future__ import annotations

import base64
import email.utils
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal
from urllib.parse import SplitResult, quote, urlsplit

from karat import __version__
from karat.model import UsageError
from karat.model.errors import require

HEADERS = (
    "host", "accept", "accept-encoding", "connection", "content-type", "content-length",
    # By this one the client knows that its caller reads the reply itself; it says nothing about the user.
    "x-stainless-raw-response",
)  # fmt: skip
"""What is sent besides the key and the name of Karat."""
PORTS = {"http": 80, "https": 443}
MOST_BYTES = 1 << 24
LEAST_SECRET = 6
"""A shorter key is a placeholder (`none`, `x`), and could be a word of any text."""
HIDDEN = "[secret]"


class Secret:
    """A key that never shows: not in a repr, an error, a log or a pickle."""

    def __init__(self, value: str | None) -> None:
        self._value = value or ""

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(set)" if self else "Secret(none)"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a key is not written anywhere")

    def reveal(self) -> str:
        return self._value


@dataclass(frozen=True)
class Reply:
    """What a server said, with any status."""

    status: int
    text: str
    retry_after: float | None = None


class NoReply(Exception):
    """Nothing whole came back."""

    def __init__(self, kind: Literal["timeout", "connection"], problem: str) -> None:
        self.kind, self.problem = kind, problem
        super().__init__(problem)


class _Refusal(Exception):
    """A reply that is no success, read before the client could read it without an end."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        super().__init__(reply.status)


class Client:
    """Sends requests to one server. It may be used from several threads."""

    def __init__(self, url: str, key: Secret, *, timeout: float) -> None:
        self._parts = _checked(url)
        self._key, self._timeout = _checked_key(key), timeout
        self._secrets = _written_forms(self._key.reveal())
        openai = require("openai", extra="llm", purpose="Asking a language model")
        self._openai = openai
        # The HTTP library under `openai` has changed its name; its errors are wanted whatever it is called.
        self._http = import_module(openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])
        self._client = openai.OpenAI(
            base_url=url.strip(),
            # An empty key would make it look for one in the environment.
            api_key=self._key.reveal() or "none",
            organization="",
            project="",
            webhook_secret="",
            timeout=timeout,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False, event_hooks={"request": [self._check], "response": [self._refuse]}
            ),
        )

    @property
    def endpoint(self) -> str:
        """The server as it may be shown: without a user, a password, a query or the key."""
        return self.redact(endpoint_of(self._parts))

    def _check(self, request: Any) -> None:
        """The last look at what leaves."""
        url = request.url
        usual = PORTS[self._parts.scheme]
        asked = self._parts.scheme, self._parts.hostname, self._parts.port or usual
        if (url.scheme, url.host, url.port or usual) != asked:
            raise UsageError(f"a request to {url.host} was stopped: only {self.endpoint} was named")
        for name in [name for name in request.headers if name.lower() not in HEADERS]:
            del request.headers[name]
        request.headers["user-agent"] = f"karat/{__version__}"
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key.reveal()}"

    def _refuse(self, response: Any) -> None:
        """Read what a server says that refuses: not more, and not longer, than an answer."""
        if not response.is_success:
            text = self._read(response, time.monotonic() + self._timeout)
            raise _Refusal(Reply(response.status_code, self.redact(text), _retry_after(response.headers)))

    def send(self, body: Mapping[str, Any]) -> Reply:
        """The server's reply.

        Raises:
            NoReply: the server cannot be reached, is too slow, or breaks off.
        """
        deadline = time.monotonic() + self._timeout
        completions = self._client.chat.completions.with_streaming_response
        others = {name: value for name, value in body.items() if name not in ("model", "messages")}
        try:
            with completions.create(model=body["model"], messages=body["messages"], extra_body=others) as response:
                text = self._read(response, deadline)
                return Reply(response.status_code, self.redact(text), _retry_after(response.headers))
        except _Refusal as refusal:
            return refusal.reply
        except (self._openai.APITimeoutError, self._http.TimeoutException):
            raise NoReply("timeout", f"no answer within {self._timeout:g} seconds") from None
        except (self._openai.APIConnectionError, self._http.HTTPError) as error:
            cause = error.__cause__ or error
            # Some versions of the client call everything that goes wrong a connection error.
            if isinstance(cause, _Refusal):
                return cause.reply
            if isinstance(cause, NoReply | UsageError):
                raise cause from None
            said = self.redact(f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__)
            raise NoReply("connection", f"the connection failed ({said})") from None

    def _read(self, response: Any, deadline: float) -> str:
        """The whole body. A server that sends it byte by byte is too slow, too."""
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if time.monotonic() > deadline:
                raise NoReply("timeout", f"no whole answer within {self._timeout:g} seconds")
            if size > MOST_BYTES:
                raise NoReply("connection", f"the answer has more than {MOST_BYTES >> 20} MB")
        return b"".join(chunks).decode("utf-8", "replace")

    def redact(self, text: str) -> str:
        """The text without the key, should a server repeat it."""
        return self._secrets.sub(HIDDEN, text) if self._secrets is not None else text

    def close(self) -> None:
        self._client.close()


def endpoint_of(parts: SplitResult) -> str:
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port is not None else ""
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def _checked(url: str) -> SplitResult:
    url = url.strip()
    try:
        parts = urlsplit(url)
        ok = parts.scheme in PORTS and bool(parts.hostname) and (parts.port or 1) > 0
        ok = ok and all(c.isprintable() and not c.isspace() for c in url)
    except ValueError:
        ok = False
    if not ok:
        raise UsageError("--llm-url: this is not a URL such as http://127.0.0.1:8080/v1")
    if parts.query or parts.fragment or parts.username is not None:
        raise UsageError(
            f"--llm-url {endpoint_of(parts)}: leave out a user, a password, and what follows '?' or '#'. A key is "
            "never in a URL: --llm-key-env NAME names the environment variable that holds it"
        )
    return parts


def _checked_key(key: Secret) -> Secret:
    """The key without white space around it, which a file or a shell may have added."""
    value = key.reveal().strip()
    if not all("!" <= c <= "~" for c in value):
        raise UsageError(
            "the key of the server has a space, a line break or a letter that no key has; is it the right environment "
            "variable (--llm-key-env), and was the key copied whole?"
        )
    return Secret(value)


def _written_forms(secret: str) -> re.Pattern[str] | None:
    """Finds a secret as it is and as a server could write it: in a URL, in base64, and with the escapes of JSON."""
    if len(secret) < LEAST_SECRET:
        return None
    in_json = "".join(rf"\\{{0,8}}(?:{re.escape(c)}|u{_any_case(f'{ord(c):04x}')})" for c in secret)
    others = {quote(secret, safe=""), base64.b64encode(secret.encode()).decode()}
    return re.compile("|".join([*map(re.escape, sorted(others, key=len, reverse=True)), in_json]))


def _any_case(digits: str) -> str:
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in digits)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait: given as such, or as a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
