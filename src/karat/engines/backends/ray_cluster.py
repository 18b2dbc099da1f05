"""The connection to a Ray cluster, or a cluster of this machine alone; the only importer of Ray."""

from __future__ import annotations

import logging
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from typing import Any

from karat.engines.backends.backend import Work
from karat.engines.backends.ray_connection import Connection, check_address, in_short
from karat.engines.backends.ray_workers import RayWorkers
from karat.model import Unfinished
from karat.model.errors import require
from karat.model.wording import number_of


class RayCluster:
    """A connection to a cluster, or a cluster of this machine alone, which ends with it."""

    def __init__(self, address: str, *, workers: int | None, say: Callable[[str], None]) -> None:
        # Before Ray is imported: it must not report its use to anybody, and a cluster of this machine alone must not
        # listen on the network.
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        if address == "local":
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        # A connection that was lost must not become a new cluster, which Ray would start here without being asked.
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
        # Without it Ray puts zeros into CUDA_VISIBLE_DEVICES of its workers, and says so at length.
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        self.ray = require("ray", extra="cluster", purpose="The engine ray")
        self.say = say
        # A script that has connected to Ray by itself keeps its connection.
        self._is_ours = not self.ray.is_initialized()
        self._is_local = address == "local"
        if self._is_ours:
            quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
            if address == "local":
                quiet |= {"num_cpus": workers, "include_dashboard": False}
            # Ray's client tells what it sends to the cluster at every start, and that it tries to connect again; it
            # warns of 10 MB although a parcel is work for two seconds.
            for chatty in ("ray.client_builder", "ray.util.client"):
                logging.getLogger(chatty).setLevel(logging.ERROR)
            warnings.filterwarnings("ignore", "More than 10MB of messages")
            try:
                check_address(address)
            except (OSError, ValueError) as error:
                which = "a Ray cluster of this machine" if address == "auto" else f"the Ray cluster {address}"
                raise Unfinished(
                    f"no connection to {which}: {in_short(error)}; start one with `ray start --head`, or leave the "
                    "address out (`ray`) for one of this command"
                ) from None
            try:
                _begin(self.ray, address, quiet)
            except (ValueError, RuntimeError, OSError, self.ray.exceptions.RayError) as error:
                refused = "Ray did not start here" if self._is_local else f"the Ray cluster {address} did not let us in"
                raise Unfinished(
                    f"{refused}: {in_short(error)}; {_ports(address)}if Ray works with a token, as newer versions do, "
                    "set RAY_AUTH_MODE=token here, and the cluster's token (RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH); "
                    "all machines need the same version of Ray and Python"
                ) from None
            except BaseException:
                # Ctrl-C while Ray starts: it must not be left half begun when Python ends.
                self.ray.shutdown()
                raise
        self.connection = Connection(self.ray, address)
        if address == "auto":
            # Ray looks for it, and may find another one than the user means.
            say(f"the Ray cluster at {self.connection.head}")

    def workers_for(self, function: Work, *, workers: int | None, most: int | None) -> RayWorkers:
        with self.connection.guarded():
            there = int(self.ray.cluster_resources().get("CPU", 0))
        if there < 1:
            raise Unfinished("the Ray cluster has no processor; add a machine with `ray start --address=...`")
        wanted = workers or there
        if wanted > there:
            self.say(f"{wanted} workers are asked for, and the Ray cluster has {number_of(there, 'processor')} now")
        wanted = wanted if most is None else max(1, min(wanted, most))
        return RayWorkers(self.connection, function, workers=wanted, say=self.say)

    def close(self) -> None:
        if self._is_ours:
            self.ray.shutdown()


def _ports(address: str) -> str:
    """The likeliest mistake in an address that answers."""
    if address in ("local", "auto"):
        return ""
    return "`ray:` goes with the port of the head (6379), `ray://` with that for clients (10001); "


def _begin(ray: Any, address: str, options: dict[str, Any]) -> None:
    for are_left in (2, 1, 0):
        try:
            with _own_signals():
                ray.init(address=address, **options)
            return
        except ConnectionError as error:
            # Soon after `ray start`, what serves clients there fails now and then, and works a moment later.
            if not are_left or "Starting Ray client server failed" not in str(error):
                raise
            sleep(1.0)


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray takes signals over when it starts; what this program does at its end stays."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                # None: it was not set by Python, which cannot set it again.
                if handler is not None:
                    signal.signal(number, handler)
