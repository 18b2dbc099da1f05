"""Uploads are bounded in size, number, depth, and in what they unpack to."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from builders.workbench import Browser, Workbench
from karat.web import uploads
from karat.web.routes import material

Opener = Callable[..., Browser]
QUERY = b'{"kind":"query","v":1,"query_id":"q9","text":"What is new?"}\n'


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def send(browser: Browser, *files: tuple[str, bytes], **fields: str) -> tuple[int, str]:
    parts = [("files", (name, content, "application/octet-stream")) for name, content in files]
    response = browser.form("/material", fields, files=parts)
    return response.status_code, response.text


@pytest.mark.parametrize(
    "file",
    [("q.jsonl", QUERY), ("q.jsonl.gz", gzip.compress(QUERY)), ("q.zip", zipped({"folder/q.jsonl": QUERY}))],
    ids=["plain", "gzip", "zip"],
)
def test_plain_gzip_and_zip_are_imported(workbench: Workbench, browser: Opener, file: tuple[str, bytes]) -> None:
    olga = browser("olga")
    status, text = send(olga, file)
    assert status == 200, text
    assert "1 query" in text
    assert len(workbench.numbers("query")) == 3


def test_a_file_that_cannot_be_read_changes_nothing_and_says_where(workbench: Workbench, browser: Opener) -> None:
    olga = browser("olga")
    status, text = send(olga, ("bad.jsonl", QUERY + b'{"kind":"query","v":1,"query_id":"q8"}\n'))
    assert status == 422
    assert "bad.jsonl:2" in text
    assert "/tmp" not in text
    assert len(workbench.numbers("query")) == 2
    status, text = send(olga, ("bad.jsonl", QUERY + b'{"kind":"query","v":1,"query_id":"q8"}\n'), skip="yes")
    assert status == 200
    assert "skipped" in text


def test_an_upload_without_a_file_says_so(browser: Opener) -> None:
    assert send(browser("olga"))[0] in (400, 422)


def test_bombs_are_stopped_before_they_unpack(
    workbench: Workbench, browser: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED", 3_000_000)
    olga = browser("olga")
    zeros = b" " * 20_000_000
    for file in (("bomb.gz", gzip.compress(zeros)), ("bomb.zip", zipped({"a.jsonl": zeros}))):
        assert len(file[1]) < 100_000
        status, text = send(olga, file)
        assert status == 422
        assert "unpack to more" in text
    many = zipped({f"{number}.jsonl": b"" for number in range(uploads.MAX_FILES + 1)})
    assert send(olga, ("many.zip", many))[0] == 422
    assert send(olga, ("torn.zip", many[:100]))[0] == 422
    assert send(olga, ("torn.gz", gzip.compress(QUERY * 1000)[:50]))[0] == 422
    inside = zipped({"../../../evil.jsonl": QUERY})
    assert send(olga, ("climbing.zip", inside))[0] == 200
    assert len(workbench.numbers("query")) == 3


def test_too_many_files_and_too_large_ones_are_refused(
    workbench: Workbench, browser: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga = browser("olga")
    many = [(f"{number}.jsonl", QUERY) for number in range(uploads.MAX_FILES + 1)]
    assert send(olga, *many)[0] == 422
    hundreds = [(f"{number}.jsonl", b"x") for number in range(300)]
    assert send(olga, *hundreds)[0] in (400, 413)
    assert material.upload.request_max_body_size == uploads.MAX_UPLOAD == 50_000_000
    large = send(olga, ("large.jsonl", b" " * (uploads.MAX_UPLOAD + 1)))
    assert large[0] == 413
    assert len(workbench.numbers("query")) == 2


def test_other_forms_take_no_large_bodies(browser: Opener) -> None:
    olga = browser("olga")
    assert olga.form("/people", {"name": "x" * 2_000_000, "role": "assessor"}).status_code == 413


@pytest.mark.parametrize("depth", [2_000, 200_000])
def test_deeply_nested_json_in_a_file_is_a_message(browser: Opener, depth: int) -> None:
    nested = b'{"kind":"query","v":1,"query_id":"q9","text":"t","x":' + b"[" * depth + b"]" * depth + b"}\n"
    status, text = send(browser("olga"), ("deep.jsonl", nested))
    assert status == 422, text[:500]
    assert "The server made a mistake" not in text


def test_files_are_unpacked_in_a_thread(browser: Callable[..., Browser], monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacking takes seconds; in the server's own loop everybody else would wait for it."""
    import asyncio

    loops: list[bool] = []
    usual = material.save_uploads

    def watched(*args: Any) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            loops.append(False)
        else:
            loops.append(True)
        return usual(*args)

    monkeypatch.setattr(material, "save_uploads", watched)
    olga = browser("olga")
    sent = {"files": ("a.jsonl", b'{"kind": "query", "query_id": "q9", "text": "What?"}\n')}
    assert olga.form("/material", files=sent).status_code == 200
    assert loops == [False]
