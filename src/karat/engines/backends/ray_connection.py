"""The connection to a Ray cluster: whether anybody answers there, and what is said when nobody does any more."""

from __future__ import annotations

import re
import socket
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from karat.model import KaratError, Unfinished

SHOWN = 200
"""Characters of what Ray says about an error."""
ASKED = 5.0
"""Seconds from one look at the head of the cluster to the next."""
SILENCE = 30.0
"""Seconds of silence of the head, after which the connection is lost. After 60, Ray would end this process by itself,
without a chance to close files."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class LostCluster(Unfinished):
    """The cluster cannot be reached any more."""


class Connection:
    """A connection to a cluster, as long as it stands."""

    def __init__(self, ray: Any, address: str) -> None:
        self.ray, self.address = ray, address
        # Ray's client looks by itself, and raises after 30 seconds of silence.
        is_client = ray.util.client.ray.is_connected()
        self.head = "" if is_client else str(ray.get_runtime_context().gcs_address)
        self._asked = monotonic()
        self._silent_since: float | None = None
        self.is_lost = False

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """What Ray raises where the cluster cannot be reached any more becomes a message."""
        try:
            yield
        except KaratError:
            raise
        except Exception as error:
            # Ray's client raises plain exceptions, too, once its connection has ended.
            if isinstance(error, ConnectionError) or not self.ray.is_initialized():
                raise self._lost(in_short(error)) from None
            raise

    def check(self) -> None:
        """Raise if the head has not answered for a while; it is asked now and then."""
        now = monotonic()
        if not self.head or now - self._asked < ASKED:
            return
        self._asked = now
        try:
            _reach(self.head, patience=2.0)
        except ConnectionError as error:
            # Asked only where somebody waits for results: before this try it may not have been asked for a while.
            self._silent_since = self._silent_since or now
            if now - self._silent_since >= SILENCE:
                raise self._lost(f"its head has not answered for {SILENCE:.0f} s ({error})") from None
        else:
            self._silent_since = None

    def _lost(self, reason: str) -> LostCluster:
        self.is_lost = True
        where = "Ray on this machine" if self.address == "local" else f"the Ray cluster {self.address}"
        return LostCluster(
            f"the connection to {where} was lost: {reason}; when it works again (`ray status` on its head tells), give "
            "the same command again"
        )


def check_address(address: str) -> None:
    """Whether anything answers there: Ray itself would try for minutes."""
    if address == "local":
        return
    if address == "auto":
        # What Ray itself would take: the last cluster that was started here, which may be gone.
        try:
            from ray._private.services import canonicalize_bootstrap_address
        except ImportError:
            # Not part of Ray's public interface: without it, Ray says by itself that there is no cluster.
            return

        try:
            address = canonicalize_bootstrap_address("auto") or ""
        except (ConnectionError, ValueError):
            raise ConnectionError("none is known on this machine") from None
    _reach(address.removeprefix("ray://"), patience=10.0)


def _reach(address: str, *, patience: float) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=patience).close()
    except OSError as error:
        raise ConnectionError(f"{host}, port {port}: {in_short(error)}") from None


def in_short(error: Exception) -> str:
    """The first line of an error, and the last one, which has the reason where a traceback of Ray is between them."""
    ends = [line.rstrip(".:; ") for line in _lines(error)]
    if len(ends) == 1:
        return textwrap.shorten(ends[0], SHOWN, placeholder=" …")
    return ": ".join(textwrap.shorten(line, SHOWN // 2, placeholder=" …") for line in (ends[0], ends[-1]))


def last_line(error: Exception) -> str:
    """The last line of an error, without the colours in which Ray writes it."""
    return textwrap.shorten(_lines(error)[-1], SHOWN, placeholder=" …")


def _lines(error: Exception) -> list[str]:
    text = _COLOUR.sub("", str(error)).strip() or type(error).__name__
    return [line.strip() for line in text.splitlines()]
