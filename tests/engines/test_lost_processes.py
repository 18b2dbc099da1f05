"""Worker processes that are killed, or end their work by themselves: what becomes of it, and which chunk is blamed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from karat.engines import engine, map_chunks, parcel_size
from karat.engines.backends.processes import Processes
from karat.engines.current import told
from karat.model import Unfinished


class EndAt:
    """Ends its worker at some numbers: always, or so many times at each (counted by files in a folder)."""

    def __init__(self, *numbers: int, folder: Path | None = None, times: int = 0) -> None:
        self.numbers, self.folder, self.times = numbers, folder, times

    def __call__(self, number: int) -> int:
        if number in self.numbers and self._is_to_end(number):
            os._exit(3)
        return number * number

    def _is_to_end(self, number: int) -> bool:
        if self.folder is None:
            return True
        ended = len(list(self.folder.glob(f"{number}-*")))
        if ended < self.times:
            (self.folder / f"{number}-{ended}").touch()
        return ended < self.times


def squares(work: EndAt, count: int, said: list[str] | None = None) -> list[int]:
    with engine("processes", workers=2, say=[].append if said is None else said.append):
        return list(map_chunks(work, range(count), names=[f"q{at}" for at in range(count)]))


def test_the_chunk_that_ends_its_worker_is_named() -> None:
    with pytest.raises(Unfinished, match=r"a worker process ended too early, 3 times at the same place") as raised:
        squares(EndAt(2), 4)
    assert raised.value.__notes__ == ["at q2"]


def test_a_chunk_may_end_its_worker_twice(tmp_path: Path) -> None:
    said: list[str] = []
    assert squares(EndAt(3, folder=tmp_path, times=2), 40, said) == [at**2 for at in range(40)]
    assert len(list(tmp_path.iterdir())) == 2
    assert {line.split(" (")[0] for line in said} == {"a worker process was lost; its work is done again"}


def test_it_is_told_where_no_engine_was_chosen(tmp_path: Path) -> None:
    said: list[str] = []
    with told(said.append):
        assert list(map_chunks(EndAt(1, folder=tmp_path, times=1), range(3), jobs=2)) == [0, 1, 4]
    assert said
    with told(said.append), engine("processes", workers=2, say=[].append):
        before = list(said)
        assert list(map_chunks(EndAt(1, folder=tmp_path, times=2), range(3))) == [0, 1, 4]
    assert said == before


@pytest.mark.parametrize("growth", [1, 16])
def test_deaths_at_other_places_do_not_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, growth: int) -> None:
    """Also where a parcel has several of the places."""
    monkeypatch.setattr(parcel_size, "GROWTH", growth)
    assert squares(EndAt(1, 5, 9, folder=tmp_path, times=2), 12) == [at**2 for at in range(12)]
    assert len(list(tmp_path.iterdir())) == 6


def test_workers_that_never_start_say_what_a_script_needs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import karat\nfrom karat.engines import map_chunks\n"
        "with karat.engine('processes', workers=2):\n    list(map_chunks(abs, [1, 2, 3]))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'in a script, call Karat under `if __name__ == "__main__":`' in done.stderr


def test_the_script_is_not_blamed_where_workers_have_worked() -> None:
    with pytest.raises(Unfinished) as raised:
        squares(EndAt(30), 40)
    assert "script" not in str(raised.value)


def test_processes_of_the_program_itself_are_left_alone() -> None:
    workers = Processes(EndAt(), workers=2)
    workers.start(0, [1])
    assert workers.wait()[0][0] == 0
    own = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
    own.start()
    try:
        workers.close(now=True)
        assert own.is_alive()
    finally:
        assert own.pid is not None
        os.kill(own.pid, signal.SIGKILL)
        own.join()
