"""A language model's server made for tests: it reads requests, answers by a script, and counts what it completed.

The stub knows nothing about language. A statement that is in the text word for word is supported, one whose first word
is in it is partly supported, anything else is not.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[["Call"], None]
"""Answers one call."""
_TEXT = re.compile(r"^=== (\w+)\n(.*)\n=== \1$", re.DOTALL | re.MULTILINE)
_STATEMENT = re.compile(r"^(n\d+): (.*)$", re.MULTILINE)


@dataclass
class Call:
    """One request as the server sees it."""

    handler: BaseHTTPRequestHandler
    body: dict[str, Any]
    number: int
    """Counts the calls about the same text and statements, from 1 on."""
    stub: Stub

    @property
    def name(self) -> str:
        """What the call is about: the same in every attempt and form."""
        return json.dumps(self.body["messages"][:2], sort_keys=True)

    def labels(self) -> dict[str, Any]:
        """The right answer."""
        user = self.body["messages"][1]["content"]
        match = _TEXT.search(user)
        assert match is not None
        text = match[2]
        answer = {}
        for name, statement in _STATEMENT.findall(user):
            first = statement.split()[0]
            quote, label = ("", "not_support")
            if statement.rstrip(".") in text:
                quote, label = statement.rstrip("."), "support"
            elif first in text:
                quote, label = first, "partial_support"
            answer[name] = {"quote": quote, "label": label}
        return answer

    def complete(self, content: str | None = None, *, paid: bool = True) -> bytes:
        """A chat completion with this content; by default the right answer."""
        if content is None:
            content = json.dumps(self.labels())
        with self.stub.lock:
            self.stub.completed[self.name] += paid
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()

    def reply(self, body: bytes, status: int = 200, *, length: int | None = None, **headers: str) -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", headers.pop("content_type", "application/json"))
        self.handler.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        self.handler.wfile.write(body)
        self.handler.wfile.flush()

    def refuse(self, status: int, message: str = "no", **headers: str) -> None:
        self.reply(json.dumps({"error": {"message": message}}).encode(), status, **headers)

    def reset(self) -> None:
        """Break the connection off, without a goodbye."""
        connection = self.handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        self.handler.close_connection = True


def well(call: Call) -> None:
    """The right answer."""
    call.reply(call.complete())


@dataclass
class Stub:
    """A running server, and what it saw."""

    script: Script = well
    delay: float = 0.0
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    completed: Counter[str] = field(default_factory=Counter)
    """Right answers per request."""
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        return len(self.bodies)

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        call = Call(handler, body, 0, self)
        with self.lock:
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            self.seen[call.name] += 1
            call.number = self.seen[call.name]
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            time.sleep(self.delay)
            self.script(call)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with self.lock:
                self.at_once -= 1


@contextmanager
def llm_stub(script: Script = well, *, delay: float = 0.0) -> Iterator[Stub]:
    """A stub on a free port of this machine, as long as the block lasts."""
    stub = Stub(script, delay)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            stub.handle(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
