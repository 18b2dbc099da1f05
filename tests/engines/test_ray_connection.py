"""A Ray cluster that cannot be reached any more, in the middle of the work."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from karat.engines.backends import ray_cluster, ray_connection
from karat.engines.backends.ray_connection import Connection, LostCluster
from karat.model import Unfinished, UsageError

WORK = """
import sys, time
from ray.cluster_utils import Cluster
import karat
from karat.engines import map_chunks
from karat.engines.backends import ray_cluster, ray_connection

ray_connection.ASKED, ray_connection.SILENCE = 0.2, 2.0
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})

def slowly(number):
    time.sleep(0.2)
    return number

with karat.engine(f"ray:{cluster.address}", workers=2):
    for number in map_chunks(slowly, range(1000)):
        if number == 0:
            cluster.head_node.kill_gcs_server()
"""
"""A cluster in a process of its own: Ray ends the process that waits for a head that is gone."""


def test_a_head_that_is_gone_ends_the_work_with_a_message() -> None:
    pytest.importorskip("ray", reason="Ray is not installed (the extra `cluster`)")
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    done = subprocess.run(
        [sys.executable, "-c", WORK], capture_output=True, text=True, env=os.environ | quiet, check=False
    )
    assert "LostCluster: the connection to the Ray cluster 127.0.0.1:" in done.stderr
    assert "was lost: its head has not answered for 2 s" in done.stderr
    assert "The program will terminate" not in done.stderr


@pytest.fixture
def head() -> Iterator[socket.socket]:
    """Something that answers, until it is closed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def ray_with(*, gcs_address: str = "", is_client: bool = False, is_initialized: bool = True) -> Any:
    """As much of Ray as a connection uses."""
    return SimpleNamespace(
        util=SimpleNamespace(client=SimpleNamespace(ray=SimpleNamespace(is_connected=lambda: is_client))),
        get_runtime_context=lambda: SimpleNamespace(gcs_address=gcs_address),
        is_initialized=lambda: is_initialized,
    )


def test_a_head_is_lost_after_a_while_of_silence(head: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(ray_connection, "monotonic", lambda: now)
    connection = Connection(ray_with(gcs_address=f"127.0.0.1:{head.getsockname()[1]}"), "auto")
    now += 3600
    connection.check()
    head.close()
    # It was asked a moment ago; and one try that fails after an hour without any is not an hour of silence.
    connection.check()
    now += 3600
    connection.check()
    now += ray_connection.SILENCE - 1
    connection.check()
    assert not connection.is_lost
    now += ray_connection.ASKED
    with pytest.raises(LostCluster, match=r"the Ray cluster auto was lost: its head has not answered for 30 s"):
        connection.check()
    assert connection.is_lost


def test_the_head_of_a_client_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client may not reach it, and raises by itself."""
    now = 1000.0
    monkeypatch.setattr(ray_connection, "monotonic", lambda: now)
    connection = Connection(ray_with(gcs_address="127.0.0.1:1", is_client=True), "ray://127.0.0.1:10001")
    now += 3600
    connection.check()
    assert not connection.is_lost


@pytest.mark.parametrize("error", [ConnectionError("Failed to reconnect."), ValueError("Channel closed")])
def test_what_ray_raises_without_a_connection_becomes_a_message(error: Exception) -> None:
    connection = Connection(ray_with(is_client=True, is_initialized=False), "ray://h:1")
    with (
        pytest.raises(LostCluster, match=r"the Ray cluster ray://h:1 was lost: (Failed|Channel)"),
        connection.guarded(),
    ):
        raise error


def test_other_errors_stay_what_they_are() -> None:
    connection = Connection(ray_with(is_client=True), "ray://h:1")
    for error in (ValueError("no number"), UsageError("no such run"), Unfinished("try again")):
        with pytest.raises(type(error)) as raised, connection.guarded():
            raise error
        assert raised.value is error
    assert not connection.is_lost


def test_a_head_that_does_not_serve_clients_yet_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "sleep", lambda seconds: None)
    refused = (
        "Initialization failure from server:\nTraceback\nRuntimeError: Starting Ray client server failed. See logs."
    )
    errors = [ConnectionAbortedError(refused)] * 2

    def init(**options: object) -> None:
        if errors:
            raise errors.pop()

    ray = SimpleNamespace(init=init)
    ray_cluster._begin(ray, "ray://h:1", {})
    errors = [ConnectionAbortedError(refused)] * 3
    with pytest.raises(ConnectionAbortedError):
        ray_cluster._begin(ray, "ray://h:1", {})
    errors = [ConnectionAbortedError("Wrong version.")]
    with pytest.raises(ConnectionAbortedError):
        ray_cluster._begin(ray, "ray://h:1", {})


def test_of_what_ray_says_the_reason_is_kept() -> None:
    said = "Initialization failure from server:\nTraceback (most recent call last):\n  ...\nRuntimeError: It failed.\n"
    assert (
        ray_connection.in_short(ConnectionError(said)) == "Initialization failure from server: RuntimeError: It failed"
    )
    assert ray_connection.in_short(ConnectionError("One line.")) == "One line"
    assert ray_connection.in_short(ConnectionError()) == "ConnectionError"
