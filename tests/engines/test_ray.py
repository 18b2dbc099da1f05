"""Ray on this machine: a cluster of several nodes, workers that are killed, nodes that are removed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.engines import engine, map_chunks
from karat.model import Unfinished, UsageError

# Before Ray is imported: nothing is reported, and nothing listens on the network.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
ray = pytest.importorskip("ray", reason="Ray is not installed (the extra `cluster`)")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three nodes, each with one processor; the first one is the head."""
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 << 20}
    made = Cluster(initialize_head=True, head_node_args=node)
    for _ in range(2):
        made.add_node(**node)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def address(cluster: Any) -> str:
    return f"ray:{cluster.address}"


class Slow:
    """Squares a number, after a while; leaves a line per call, so that it can be counted who worked where."""

    def __init__(self, folder: Path, seconds: float = 0.05) -> None:
        self.folder, self.seconds = folder, seconds

    def __call__(self, number: int) -> int:
        with (self.folder / f"{os.getpid()}").open("a") as file:
            file.write(f"{number}\n")
        time.sleep(self.seconds)
        return number * number


class Text:
    """Keeps a number as text."""

    def name(self, chunk: int) -> bytes:
        return b"%032d" % chunk

    def pack(self, result: int) -> bytes:
        return str(result).encode()

    def unpack(self, packed: bytes, chunk: int) -> int:
        return int(packed)


def workers_in(folder: Path) -> list[int]:
    return [int(file.name) for file in folder.iterdir() if file.name.isdigit()]


def test_results_are_those_of_one_process(address: str, tmp_path: Path) -> None:
    with engine(address, workers=2):
        assert list(map_chunks(Slow(tmp_path, 0.01), range(50))) == [number**2 for number in range(50)]
    # One of them may have done all of it before the other one had started.
    assert workers_in(tmp_path)
    assert os.getpid() not in workers_in(tmp_path)


def test_an_error_says_at_which_chunk(address: str) -> None:
    with engine(address, workers=2), pytest.raises(ZeroDivisionError) as raised:
        list(map_chunks(divide, [1, 2, 0, 3], names=["q1", "q2", "q3", "q4"]))
    assert raised.value.__notes__ == ["at q3"]


def divide(number: int) -> float:
    return 1 / number


def kill_one(folder: Path, done: threading.Event, killed: list[int]) -> None:
    """Kill the first worker that has begun."""
    while not done.is_set():
        if begun := workers_in(folder):
            time.sleep(0.1)
            os.kill(begun[0], signal.SIGKILL)
            killed.append(begun[0])
            return
        time.sleep(0.01)


@pytest.mark.parametrize("time_in_a_row", range(10))
def test_a_killed_worker_changes_nothing(address: str, tmp_path: Path, time_in_a_row: int) -> None:
    done, killed, said = threading.Event(), [], []
    killer = threading.Thread(target=kill_one, args=(tmp_path, done, killed))
    killer.start()
    try:
        with engine(address, workers=2, say=said.append):
            results = list(map_chunks(Slow(tmp_path, 0.02), range(150)))
    finally:
        done.set()
        killer.join()
    assert results == [number**2 for number in range(150)]
    assert killed
    assert any("a worker was lost" in line for line in said)
    # The work of the killed worker was done again, by a worker that came later or the one that stayed.
    assert len(workers_in(tmp_path)) >= 2


@pytest.mark.parametrize("time_in_a_row", range(10))
def test_a_removed_node_changes_nothing(cluster: Any, address: str, tmp_path: Path, time_in_a_row: int) -> None:
    node = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 << 20}
    extra = cluster.add_node(resources={"doomed": 1}, **node)
    results = []
    with engine(address, workers=4):
        mapped = map_chunks(Slow(tmp_path, 0.02), range(150))
        for _ in range(20):
            results.append(next(mapped))
        # Now and then at once, as when a machine loses its power; otherwise as when it is taken away in order.
        cluster.remove_node(extra, allow_graceful=time_in_a_row % 2 == 0)
        results += mapped
    assert results == [number**2 for number in range(150)]


def test_a_job_keeps_what_is_done(address: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with engine(address, workers=2, job=tmp_path / "job"):
        mapped = map_chunks(Slow(work), range(40), keep=Text())
        some = [next(mapped) for _ in range(15)]
        mapped.close()  # type: ignore[attr-defined]
    before = sum(len(file.read_text().split()) for file in work.iterdir())
    with engine(address, workers=2, job=tmp_path / "job"):
        assert list(map_chunks(Slow(work), range(40), keep=Text())) == [number**2 for number in range(40)]
    after = sum(len(file.read_text().split()) for file in work.iterdir())
    assert some == [number**2 for number in range(15)]
    # What was given out was not made again; what was under way at the end may be.
    assert after - before <= 40 - 15


def test_judging_in_a_cluster_is_judging_in_a_process(address: str) -> None:
    key, _, runs = karat.demo_files()
    wanted = karat.judge(key, runs, judge="lexical")
    with engine(address, workers=2):
        assert karat.judge(key, runs, judge="lexical").judgements == wanted.judgements


def test_nuggetizing_in_a_cluster_is_nuggetizing_in_a_process(address: str) -> None:
    pytest.importorskip("spacy")
    texts = ["President Ana Ruiz flew to Lima on Monday.", "Two men died in Rome."] * 100
    wanted = karat.nuggetize(texts=texts)
    with engine(address, workers=2):
        assert karat.nuggetize(texts=texts).snippets == wanted.snippets


def test_a_cluster_that_is_not_there_is_named() -> None:
    ray.shutdown()
    with engine("ray:127.0.0.1:9"), pytest.raises(Unfinished, match=r"no connection to the Ray cluster 127\.0\.0\.1:9"):
        list(map_chunks(abs, [1]))


def test_ray_of_this_machine_listens_only_on_this_machine(tmp_path: Path) -> None:
    ray.shutdown()
    with engine("ray", workers=2):
        assert list(map_chunks(Slow(tmp_path, 0.0), range(5))) == [0, 1, 4, 9, 16]
        assert ray.util.get_node_ip_address() == "127.0.0.1"
    assert not ray.is_initialized()


@pytest.mark.parametrize("name", ["cloud", "ray://", "ray://x", "processes:2", ""])
def test_an_engine_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is not one of local, processes, ray"), engine(name):
        pass
