"""karat serve: where it listens, what it prints, and what it refuses."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("litestar")

from karat.cli.commands import serve
from karat.model import MissingExtra, UsageError

SOURCE = str(Path(serve.__file__).parents[3])


@contextmanager
def running(*options: str) -> Iterator[tuple[str, list[str]]]:
    """The server's address and what it printed before it."""
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "karat", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    lines = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if found := re.search(r"The workbench is at (\S+)", line):
                yield found[1], lines
                break
        else:
            raise AssertionError("".join(lines))
    finally:
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0]
    assert "Traceback" not in rest
    assert process.returncode == 130, rest


def test_a_new_campaign_prints_a_link_for_the_first_organiser(tmp_path: Path) -> None:
    with running("--campaign", str(tmp_path / "new"), "--create") as (address, lines):
        links = [line.strip() for line in lines if "/invitation/" in line]
        assert len(links) == 1
        assert links[0].startswith(address)
        with urllib.request.urlopen(links[0]) as page:
            assert "Choose a password" in page.read().decode()
    with running("--campaign", str(tmp_path / "new")) as (_, lines):
        assert any("/invitation/" in line for line in lines), "nobody has chosen a password yet"


def test_the_demo_prints_logins_and_leaves_nothing_behind() -> None:
    with running("--demo") as (address, lines):
        assert address.startswith("http://127.0.0.1:")
        assert len([line for line in lines if " password " in line]) >= 4
        with urllib.request.urlopen(address) as page:
            assert "Log in" in page.read().decode()


def test_a_campaign_that_is_not_there_is_not_made_by_accident(tmp_path: Path) -> None:
    result = CliRunner().invoke(serve.command, ["--campaign", str(tmp_path / "no"), "--port", "0"])
    assert isinstance(result.exception, UsageError)
    assert "there is no campaign" in str(result.exception)
    assert not (tmp_path / "no").exists()


def test_a_port_that_is_taken_is_said_at_once(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(serve.command, ["--demo", "--port", port])
    assert isinstance(result.exception, UsageError)
    assert "choose another --port" in str(result.exception)


def test_names_under_which_the_server_answers() -> None:
    here = serve.web_settings("127.0.0.1", 8000, None)
    assert set(here.hosts) == {"127.0.0.1", "localhost", "[::1]"}
    assert (here.address, here.https) == ("http://127.0.0.1:8000", False)
    proxied = serve.web_settings("127.0.0.1", 8000, "https://eval.example.org/")
    # Without a proxy, anybody could say to come from another address, and so try passwords without end.
    assert (here.behind_proxy, proxied.behind_proxy) == (False, True)
    assert "eval.example.org" in proxied.hosts
    assert (proxied.address, proxied.https) == ("https://eval.example.org", True)
    assert len(serve.web_settings("0.0.0.0", 8000, None).hosts) > 3
    for wrong in ("eval.example.org", "ftp://x", "https://x/deep/path"):
        with pytest.raises(UsageError, match="--url"):
            serve.web_settings("127.0.0.1", 8000, wrong)


@pytest.mark.parametrize(
    ("host", "address", "warned"),
    [
        ("127.0.0.1", None, False),
        ("localhost", None, False),
        ("0.0.0.0", None, True),
        ("0.0.0.0", "https://x.org", False),
    ],
)
def test_other_machines_without_https_are_warned_about(
    host: str, address: str | None, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    serve._warn(host, serve.web_settings(host, 8000, address))
    assert ("Warning: other machines" in capsys.readouterr().err) == warned


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litestar", None)
    result = CliRunner().invoke(serve.command, ["--demo"])
    assert isinstance(result.exception, MissingExtra)
    assert "[web]" in str(result.exception)
