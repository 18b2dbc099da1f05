from __future__ import annotations

import inspect
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from multiprocessing import util
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import karat
from karat.engines import map_chunks
from karat.engines.one_thread import one_thread
from karat.model import Unfinished, UsageError


class Power(msgspec.Struct):
    exponent: int

    def __call__(self, base: int) -> int:
        return int(base**self.exponent)


def sleep(seconds: float) -> tuple[float, int]:
    time.sleep(seconds)
    return seconds, os.getpid()


def refuse(chunk: int) -> int:
    if chunk == 2:
        raise UsageError("two is too many")
    return chunk


def leave(_: int) -> None:
    os._exit(3)


def threads(_: int) -> list[int]:
    """How many threads matrix products use."""
    import numpy  # noqa: F401 - it brings the library that computes them
    from threadpoolctl import threadpool_info

    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_compute_with_one_thread_in_every_engine(jobs: int) -> None:
    """The last digits of matrix products depend on their number."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(2, user_api="blas"):
        before = threads(0)
        found = list(map_chunks(threads, [1, 2, 3], jobs=jobs))
        assert threads(0) == before
    assert all(set(of_chunk) == {1} for of_chunk in found)


def test_a_chunk_that_loads_numpy_computes_with_one_thread_too() -> None:
    program = (
        "import os; os.environ['OPENBLAS_NUM_THREADS'] = '2'\n"
        + inspect.getsource(threads)
        + (
            "from karat.engines import map_chunks\n"
            "import sys; assert 'numpy' not in sys.modules\n"
            "print(*map_chunks(threads, [1, 2]))\n"
        )
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"[1]"}


def test_blocks_of_several_threads_may_overlap() -> None:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(2, user_api="blas"):
        before, first, second = threads(0), one_thread(), one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(threads(0)) == {1}
        second.__exit__(None, None, None)
        assert threads(0) == before


@given(st.lists(st.integers(-9, 9), max_size=9), st.integers(0, 4))
def test_results_come_in_order(numbers: list[int], exponent: int) -> None:
    assert list(map_chunks(Power(exponent), numbers)) == [number**exponent for number in numbers]


def test_processes_give_the_same_in_the_same_order() -> None:
    # More chunks than are handed over at first, and the first one is the slowest.
    seconds = [0.2, *(at / 1000 for at in range(20))]
    results = list(map_chunks(sleep, iter(seconds), jobs=2))
    assert [slept for slept, _ in results] == seconds
    assert os.getpid() not in {process for _, process in results}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_says_at_which_chunk(jobs: int) -> None:
    with pytest.raises(UsageError, match="two is too many") as raised:
        list(map_chunks(refuse, [1, 2, 3], jobs=jobs, names=["q1", "q2", "q3"]))
    assert raised.value.__notes__ == ["at q2"]


def test_chunks_without_names_are_counted() -> None:
    with pytest.raises(UsageError) as raised:
        list(map_chunks(refuse, [1, 2]))
    assert raised.value.__notes__ == ["at chunk 2"]


def test_the_names_are_tracked_as_results_come() -> None:
    seen: list[str] = []

    def track(names: Sequence[str]) -> Iterable[str]:
        for name in names:
            yield name
            seen.append(name)

    results = map_chunks(Power(1), [1, 2], names=["a", "b"], track=track)
    assert (next(results), list(seen)) == (1, [])
    assert (list(results), seen) == ([2], ["a", "b"])


def test_chunks_are_not_taken_before_they_are_needed() -> None:
    chunks = iter(range(1000))
    results = map_chunks(Power(1), chunks)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    assert next(chunks) < 6


def test_an_interrupt_ends_the_processes() -> None:
    before = set(multiprocessing.active_children())
    chunks = iter([0.0] + [600.0] * 100)
    results = map_chunks(sleep, chunks, jobs=2)
    assert next(results)[0] == 0.0
    assert len(list(chunks)) > 80
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    assert [process for process in multiprocessing.active_children() if process not in before] == []


def write_at_the_end(file: Path) -> None:
    util.Finalize(None, file.write_text, args=["written"], exitpriority=1)


def test_processes_end_by_themselves_when_all_results_were_taken(tmp_path: Path) -> None:
    files = [tmp_path / str(at) for at in range(5)]
    results = map_chunks(write_at_the_end, files, jobs=2)
    for _ in files:
        next(results)
    # The end of the results was never asked for.
    results.close()  # type: ignore[attr-defined]
    assert [file.name for file in files if not file.exists()] == []


def test_a_process_that_dies_is_reported() -> None:
    with pytest.raises(Unfinished, match="ended before they had done anything, 3 times at the same place") as raised:
        list(map_chunks(leave, [1, 2], jobs=2, names=["q1", "q2"]))
    assert raised.value.__notes__ == ["at q1"]


def test_there_is_at_least_one_job() -> None:
    with pytest.raises(UsageError, match="jobs=0 must be at least 1"):
        list(map_chunks(Power(1), [1], jobs=0))
    assert list(map_chunks(Power(1), [], jobs=4, names=[])) == []


def flags(_: int) -> tuple[bool, str | None]:
    return sys.flags.safe_path, os.environ.get("PYTHONSAFEPATH")


@pytest.mark.parametrize("before", [None, "", "yes"])
def test_processes_start_with_a_safe_path_and_the_environment_stays(
    before: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    results = map_chunks(flags, [1, 2, 3], jobs=2)
    answers = [next(results)]
    assert os.environ.get("PYTHONSAFEPATH") == before
    answers += results
    assert {safe for safe, _ in answers} == {True}
    assert os.environ.get("PYTHONSAFEPATH") == before


@pytest.mark.parametrize(("options", "code"), [(["-E"], 1), (["-E", "-P"], 0), (["-I"], 0)])
def test_python_that_ignores_its_environment_starts_no_unsafe_process(options: list[str], code: int) -> None:
    folder = str(Path(karat.__file__).parents[1])
    program = (
        f"import sys; sys.path.insert(0, {folder!r})\n"
        "from karat.engines import map_chunks\n"
        "print(list(map_chunks(abs, [-1, -2], jobs=2)))\n"
    )
    done = subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert done.stdout == ("[1, 2]\n" if code == 0 else "")
    assert ("use `python -P -E`" in done.stderr) == bool(code)


class Disguised(Exception):
    """Becomes something else when it is sent from a worker."""

    def __reduce__(self) -> tuple[object, ...]:
        return int, ("5",)


class Leaving(Exception):
    """Would end the process that receives it."""

    def __reduce__(self) -> tuple[object, ...]:
        return sys.exit, (7,)


def raise_it(error: type[Exception]) -> None:
    raise error("it failed")


@pytest.mark.parametrize("error", [Disguised, Leaving])
def test_an_error_that_would_become_something_else_is_told_in_words(error: type[Exception]) -> None:
    with pytest.raises(RuntimeError, match=rf"a worker failed:\n(.|\n)*{error.__name__}: it failed"):
        list(map_chunks(raise_it, [error, error], jobs=2))


def test_workers_without_a_name_are_processes() -> None:
    with karat.engine(workers=2) as chosen:
        assert chosen is not None
        assert (chosen.kind, chosen.workers) == ("processes", 2)
    with pytest.raises(UsageError, match="workers=0 must be at least 1"), karat.engine(workers=0):
        pass
    with karat.engine() as chosen:
        assert chosen is None
