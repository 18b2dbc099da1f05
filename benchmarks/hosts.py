"""Whether a Ray cluster of several hosts gives the judgements of one process, also when a host or the head is lost.

    sudo python benchmarks/hosts.py         Linux; about five minutes

Four hosts with networks of their own are made on this machine (network namespaces, joined by a bridge): the first three
are a Ray cluster, and the last one is a laptop that sends work to it. They share the disk and the processors. Printed
are, per case, the seconds, how the command ended, and whether its judgements are those of one process, byte for byte.
Exit code 1: a case went wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from scaling import make_runs

BIN = Path(sys.executable).parent
NET = "10.77.0"
LAPTOP = 4
ENV = os.environ | {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}


def run(*words: object) -> None:
    subprocess.run([*map(str, words)], check=True, capture_output=True, env=ENV)


class Hosts:
    """Four network namespaces and a bridge; all processes in them end with them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, f"karat{os.getpid()}"

    def host(self, number: int) -> str:
        return f"{self.name}-{number}"

    def __enter__(self) -> Hosts:
        switch = self.host(0)
        run("ip", "netns", "add", switch)
        run("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", switch, "link", "set", "bridge", "up")
        for number in range(1, LAPTOP + 1):
            host, port = self.host(number), f"p{number}"
            run("ip", "netns", "add", host)
            run("ip", "-n", host, "link", "add", "net", "type", "veth", "peer", "name", port, "netns", switch)
            run("ip", "-n", switch, "link", "set", port, "master", "bridge", "up")
            run("ip", "-n", host, "addr", "add", f"{NET}.{number}/24", "dev", "net")
            run("ip", "-n", host, "link", "set", "net", "up")
            run("ip", "-n", host, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_: object) -> None:
        for number in range(LAPTOP + 1):
            self.end_processes(number)
            subprocess.run(["ip", "netns", "del", self.host(number)], check=False)

    def end_processes(self, number: int) -> None:
        found = subprocess.run(["ip", "netns", "pids", self.host(number)], capture_output=True, text=True, check=False)
        for process in map(int, found.stdout.split()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def cut(self, number: int) -> None:
        run("ip", "-n", self.host(0), "link", "set", f"p{number}", "down")

    def start_cluster(self) -> None:
        """Three hosts with a processor each; what was there before ends."""
        for number in range(1, LAPTOP):
            self.end_processes(number)
            run("ip", "-n", self.host(0), "link", "set", f"p{number}", "up")
        common = ("--num-cpus=1", "--disable-usage-stats", "--object-store-memory=100000000")
        head = (
            "--head",
            "--port=6379",
            "--include-dashboard=false",
            f"--temp-dir={self.folder / f'ray{time.time():.0f}'}",
        )
        for number in range(1, LAPTOP):
            place = head if number == 1 else (f"--address={NET}.1:6379",)
            address = f"--node-ip-address={NET}.{number}"
            run("ip", "netns", "exec", self.host(number), BIN / "ray", "start", *place, address, *common)

    def judged(self, number: int | None, engine: str, name: str) -> tuple[int, str]:
        """The exit code of a command on a host (None: on this machine), and a hash of what it wrote."""
        folder = self.folder / name
        where = [] if number is None else ["ip", "netns", "exec", self.host(number)]
        files = (self.folder / "key.jsonl", self.folder / "runs.jsonl")
        call = [BIN / "karat", "judge", *files, "--judge", "lexical", "--no-cache", "--engine", engine]
        done = subprocess.run(
            [*map(str, [*where, *call, "-o", f"{folder}/"])], capture_output=True, text=True, env=ENV, check=False
        )
        if done.returncode:
            print(f"    {done.stderr.strip().splitlines()[-1][:300]}")
        shards = sorted(folder.glob("part-*"))
        return done.returncode, hashlib.sha256(b"".join(shard.read_bytes() for shard in shards)).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snippets", type=int, default=40_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="karat-") as place, Hosts(Path(place)) as hosts:
        make_runs(hosts.folder, given.snippets)
        begin = time.perf_counter()
        _, wanted = hosts.judged(None, "local", "local")
        print(f"one process: {time.perf_counter() - begin:.0f} s")
        client, direct = f"ray://{NET}.1:10001", f"ray:{NET}.1:6379"
        # Who gives the command, to which address; what happens in the middle; how it should end.
        cases: list[tuple[str, int, str, Callable[[], None] | None, int]] = [
            ("on the head", 1, direct, None, 0),
            ("on another host of the cluster", 2, direct, None, 0),
            ("on a laptop", LAPTOP, client, None, 0),
            ("on a laptop; a host loses its network", LAPTOP, client, lambda: hosts.cut(3), 0),
            ("on another host; a host is switched off", 2, direct, lambda: hosts.end_processes(3), 0),
            ("on a laptop; the head is switched off", LAPTOP, client, lambda: hosts.end_processes(1), 5),
            ("on another host; the head is switched off", 2, direct, lambda: hosts.end_processes(1), 5),
        ]
        wrong = 0
        for at, (case, number, engine, happens, expected) in enumerate(cases):
            hosts.start_cluster()
            begin = time.perf_counter()
            # By then workers have started, and work.
            later = threading.Timer(14.0, happens) if happens is not None else None
            if later is not None:
                later.start()
            code, made = hosts.judged(number, engine, f"case{at}")
            if later is not None:
                later.join()
            is_same = made == wanted
            is_right = code == expected and is_same == (expected == 0)
            wrong += not is_right
            seconds = time.perf_counter() - begin
            print(f"{case}: {seconds:.0f} s, exit code {code}, {'same' if is_same else 'no'} judgements", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
