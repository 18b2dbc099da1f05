"""A campaign on a server that a browser can reach: emoji, Arabic, a source beside its translation, suggestions."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from builders.workbench import Workbench, open_workbench
from karat.model import Citation, Document, Nugget, Query, Record, Response, Run, Snippet, SpanSet, Template

STORM = "The storm 🌪️ hit Lisbon on Monday and closed the port. Two people were hurt."
ARABIC = "ضربت العاصفة لشبونة يوم الاثنين وأغلقت الميناء."
SCHOOLS = "Schools stayed closed in Lisbon, some 30 km from the coast."
WEATHER = "The weather on the Azores is mild."
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}"
REPORT = "First lines of the report. The storm reached Lisbon on Monday, the mayor said. The port was closed at noon."
COAST = "The village lies some 30 km from the coast."


@dataclass
class Live:
    """A running server and the campaign behind it."""

    address: str
    workbench: Workbench

    @property
    def query(self) -> int:
        return self.workbench.queries["q1"]

    def passage(self, text: str) -> int:
        return self.workbench.passages("q1")[text]


def material() -> list[Record]:
    """Two runs; one snippet stands in both, one is hostile, one is Arabic with its source beside it."""
    categories = {"CONSEQUENCE": "what followed", "SUBEVENT": "what happened"}
    schools = (
        Citation(doc_id="doc1", chunk=SpanSet([(0, 31)]), excerpt="The port was closed at noon.", language="en"),
        Citation(doc_id="doc2", chunk=SpanSet([(33, 58)]), excerpt=COAST, time="00:01:12", language="pt"),
    )
    storm = Citation(doc_id="doc1", chunk=SpanSet([(0, 33)]), excerpt="The storm reached Lisbon on Monday")
    first = (
        Snippet(snippet_id="a1", text=STORM, citations=(storm,)),
        Snippet(snippet_id="a2", text=SCHOOLS, citations=schools),
        Snippet(snippet_id="a3", text=HOSTILE),
    )
    second = (
        Snippet(snippet_id="b1", text=STORM, citations=(storm,)),
        Snippet(snippet_id="b2", text=ARABIC, origin="extract", citations=(Citation(doc_id="doc3", language="ar"),)),
        Snippet(snippet_id="b3", text=WEATHER),
    )
    automatic = Nugget(
        nugget_id="auto1", query_id="q1", run_id="beta", snippet_id="b1", spans=SpanSet([(0, 9)]), source="auto"
    )
    return [
        Template(template_id="facts", description="List facts about an event.", categories=categories,
                 types=("event", "time", "place"), slots=("event",)),
        Query(query_id="q1", text="What did the storm do?", template="facts", slots={"event": "the storm"}),
        Document(doc_id="doc1", text=REPORT, language="en", title="Report", medium="text"),
        Document(doc_id="doc2", text=COAST, language="pt", title="Radio", medium="audio"),
        Run(run_id="alpha"), Run(run_id="beta"),
        Response(query_id="q1", run_id="alpha", snippets=first),
        Response(query_id="q1", run_id="beta", snippets=second),
        automatic,
    ]  # fmt: skip


@contextmanager
def serve(folder: Path, records: list[Record]) -> Iterator[Live]:
    """`karat serve` in a process of its own, as people start it."""
    with open_workbench(folder, records) as workbench:
        command = [sys.executable, "-m", "karat", "serve", "--campaign", str(folder / "campaign"), "--port", "0"]
        with (folder / "server.txt").open("w") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield Live(_address(server, folder / "server.txt"), workbench)
        finally:
            server.terminate()
            server.wait(timeout=120)


def _address(server: subprocess.Popen[bytes], log: Path) -> str:
    """The address that the server prints, once it answers."""
    for _ in range(2400):
        found = re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text())
        if found:
            with suppress(OSError), socket.create_connection(("127.0.0.1", int(found[1])), timeout=1):
                return found[0]
        if server.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text()}")
