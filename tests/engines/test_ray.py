"""Ray on this machine: a cluster of several nodes, workers that are killed, nodes that are removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.engines import engine, map_chunks
from karat.engines.backends import ray_workers
from karat.model import Unfinished, UsageError

# Before Ray is imported: nothing is reported, and nothing listens on the network.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# Ray makes a token where there is none, and from then on asks for it, also in the cluster that was there before.
os.environ["RAY_AUTH_MODE"] = "disabled"
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


@pytest.fixture
def address(cluster: Any) -> str:
    """The tests share a connection: Ray hangs now and then where a process connects many times."""
    if not ray.is_initialized():
        ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
    return f"ray:{cluster.address}"


@pytest.fixture
def address_alone(cluster: Any) -> Iterator[str]:
    """For a test that connects by itself."""
    ray.shutdown()
    yield f"ray:{cluster.address}"
    ray.shutdown()


class Slow:
    """Squares a number, after a while; leaves a line per call, so that it can be counted who worked where."""

    def __init__(self, folder: Path, seconds: float = 0.05) -> None:
        self.folder, self.seconds = folder, seconds

    def __call__(self, number: int) -> int:
        with (self.folder / f"{os.getpid()}").open("a") as file:
            file.write(f"{number}\n")
        time.sleep(self.seconds)
        return number * number


class StuckOn(Slow):
    """The same, but on one node it begins and does not end: what is done there can only be lost."""

    def __init__(self, folder: Path, seconds: float, node_id: str) -> None:
        super().__init__(folder, seconds)
        self.node_id = node_id

    @property
    def begun(self) -> Path:
        """This file is there as soon as that node works."""
        return self.folder / "begun"

    def __call__(self, number: int) -> int:
        if ray.get_runtime_context().get_node_id() == self.node_id:
            self.begun.touch()
            time.sleep(600)
        return super().__call__(number)


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


def test_results_are_those_of_one_process(address_alone: str, tmp_path: Path) -> None:
    with engine(address_alone, workers=2):
        assert list(map_chunks(Slow(tmp_path, 0.01), range(50))) == [number**2 for number in range(50)]
    # One of them may have done all of it before the other one had started.
    assert workers_in(tmp_path)
    assert os.getpid() not in workers_in(tmp_path)
    assert not ray.is_initialized()


def test_an_error_says_at_which_chunk(address: str) -> None:
    with engine(address, workers=2), pytest.raises(ZeroDivisionError) as raised:
        list(map_chunks(divide, [1, 2, 0, 3], names=["q1", "q2", "q3", "q4"]))
    assert raised.value.__notes__ == ["at q3"]


def divide(number: int) -> float:
    return 1 / number


def kill_one(folder: Path, done: threading.Event, killed: list[int], numbers: Numbers) -> None:
    """Kill the first worker that has begun; until then the work does not end."""
    while not done.is_set():
        if begun := workers_in(folder):
            time.sleep(0.1)
            os.kill(begun[0], signal.SIGKILL)
            killed.append(begun[0])
            numbers.most = numbers.given + 100
            return
        time.sleep(0.01)


@pytest.mark.parametrize("time_in_a_row", range(10))
def test_a_killed_worker_changes_nothing(address: str, tmp_path: Path, time_in_a_row: int) -> None:
    done, killed, said, numbers = threading.Event(), [], [], Numbers()
    killer = threading.Thread(target=kill_one, args=(tmp_path, done, killed, numbers))
    killer.start()
    try:
        with engine(address, workers=2, say=said.append):
            results = list(map_chunks(Slow(tmp_path, 0.02), numbers))
    finally:
        done.set()
        killer.join()
    assert results == [number**2 for number in range(numbers.given)]
    assert killed
    assert any("a worker was lost" in line for line in said)
    # The work of the killed worker was done again, by a worker that came later or the one that stayed.
    assert len(workers_in(tmp_path)) >= 2


@pytest.mark.parametrize("time_in_a_row", range(10))
def test_a_removed_node_changes_nothing(cluster: Any, address: str, tmp_path: Path, time_in_a_row: int) -> None:
    node = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 << 20}
    extra = cluster.add_node(**node)
    work, numbers, said = StuckOn(tmp_path, 0.02, extra.node_id), Numbers(), []

    def remove() -> None:
        # One of the four workers is on the new node: it is removed while that one works.
        while not work.begun.exists():
            time.sleep(0.01)
        numbers.most = numbers.given + 100
        # Now and then at once, as when a machine loses its power; otherwise as when it is taken away in order.
        cluster.remove_node(extra, allow_graceful=time_in_a_row % 2 == 0)

    remover = threading.Thread(target=remove)
    remover.start()
    try:
        with engine(address, workers=4, say=said.append):
            results = list(map_chunks(work, numbers))
    finally:
        work.begun.touch()
        remover.join()
    assert results == [number**2 for number in range(numbers.given)]
    assert any("a worker was lost" in line for line in said)


class Numbers:
    """Numbers from 0 on, until it is told how many are enough; some more may have been given out by then."""

    def __init__(self) -> None:
        self.given, self.most = 0, 10_000

    def __iter__(self) -> Iterator[int]:
        while self.given < self.most:
            self.given += 1
            yield self.given - 1


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


def test_a_cluster_that_ray_remembers_and_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself would try to reach it without end."""
    ray.shutdown()
    monkeypatch.setattr("ray._private.services.canonicalize_bootstrap_address", lambda address: "127.0.0.1:1")
    with pytest.raises(Unfinished, match=r"to a Ray cluster of this machine: 127\.0\.0\.1, port 1: .*refused"):
        list_squares("ray://auto")


@pytest.mark.parametrize("error", [RuntimeError, ray.exceptions.RayError])
def test_a_cluster_that_does_not_accept_us_is_not_called_missing(
    address_alone: str, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refuse(**options: object) -> None:
        raise error("Unauthenticated")

    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(Unfinished, match=r"did not let us in: Unauthenticated; .*RAY_AUTH_MODE=token"):
        list_squares(address_alone)


class Ending:
    """A worker that ends as soon as it is started, as where the cluster has another token."""

    def __init__(self, *given: object) -> None:
        pass

    def started(self) -> None:
        os._exit(1)


def test_workers_that_end_again_and_again_at_their_start_stop_the_work(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_workers, "_Actor", Ending)
    monkeypatch.setattr(ray_workers, "FAILED_STARTS", 2)
    monkeypatch.setattr(ray_workers, "_HINT", 0.0)
    with pytest.raises(Unfinished, match="workers in a row ended in the Ray cluster as soon as they were started: "):
        list_squares(address)


class Unloadable:
    """Can be loaded only where it was made, like something of a package that other machines lack."""

    def __reduce__(self) -> tuple[object, ...]:
        return load_here, (os.getpid(),)

    def __call__(self, number: int) -> int:
        return number


def load_here(process: int) -> Unloadable:
    if os.getpid() != process:
        raise ImportError("No module named 'encoder'")
    return Unloadable()


def test_work_that_cannot_be_loaded_by_workers_is_not_tried_without_end(address: str) -> None:
    with pytest.raises(Unfinished) as raised, engine(address, workers=2):
        list(map_chunks(Unloadable(), [1, 2, 3]))
    assert str(raised.value) == (
        "a worker of the Ray cluster cannot do this work: ImportError: No module named 'encoder'; is the same version "
        "of Karat, with the same optional parts, installed on all its machines?"
    )


def test_a_token_that_cannot_be_read_ends_in_a_message(tmp_path: Path) -> None:
    """Ray reads how it works with tokens once in a process, so this needs one of its own."""
    program = (
        "import karat\nfrom karat.engines import map_chunks\n"
        "with karat.engine('ray', workers=1):\n    list(map_chunks(abs, [1]))\n"
    )
    env = os.environ | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(tmp_path / "none")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=False)
    assert "karat.model.errors.Unfinished: Ray did not start here: " in done.stderr


def test_chunks_compute_with_one_thread(address: str) -> None:
    with engine(address, workers=2):
        assert all(set(of_chunk) == {1} for of_chunk in map_chunks(threads, range(4)))


def threads(_: int) -> list[int]:
    """How many threads matrix products use."""
    import numpy  # noqa: F401 - it brings the library that computes them
    from threadpoolctl import threadpool_info

    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def list_squares(address: str) -> None:
    with engine(address, workers=1):
        list(map_chunks(abs, [1, 2, 3]))
