"""Places for campaigns: the same tests run on SQLite and, where it is installed, on a real PostgreSQL."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the workbench is not installed (pip install '.[web]')")

from argon2 import PasswordHasher

from karat.campaign.campaign import Campaign, Place
from karat.campaign.people import passwords

NewPlace = Callable[[], Place]
USER = "postgres"
"""initdb refuses to work for root, so the server runs as this user then."""


def _program(name: str) -> str | None:
    """One of PostgreSQL's programs; Debian keeps them out of the path."""
    found = shutil.which(name)
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return found or (str(debian[-1]) if debian else None)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The folder of a running server's socket. It listens nowhere else, and is stopped and deleted at the end."""
    initdb, server = _program("initdb"), _program("pg_ctl")
    is_root = os.geteuid() == 0
    if initdb is None or server is None or (is_root and shutil.which("runuser") is None):
        pytest.skip("PostgreSQL is not installed")
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install '.[postgres]')")
    # A socket's path may have at most about 100 characters, which pytest's own folders exceed.
    folder = Path(tempfile.mkdtemp(prefix="karat-pg-"))
    if is_root:
        shutil.chown(folder, USER)
    as_user = ["runuser", "-u", USER, "--"] if is_root else []

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], cwd=folder, check=True, capture_output=True, timeout=120)

    try:
        run(initdb, "-D", str(folder / "data"), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        options = f"-k {folder} -c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=200"
        run(server, "-D", str(folder / "data"), "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield str(folder)
        finally:
            run(server, "-D", str(folder / "data"), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def places(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> NewPlace:
    """Gives a new, empty place at every call: a folder that does not exist yet, or an empty schema of a database."""
    if request.param == "sqlite":
        return lambda: tmp_path_factory.mktemp("place") / "campaign"
    socket: str = request.getfixturevalue("postgres_server")
    numbers = count(1)

    def new_schema() -> str:
        # A database of its own for every test is a thousand files, which take long to copy and to delete.
        import psycopg

        name = f"campaign_{next(numbers)}"
        with psycopg.connect(f"host={socket} user={USER} dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")  # type: ignore[arg-type,unused-ignore]
        return f"postgresql://{USER}@/postgres?host={socket}&options=-csearch_path%3D{name}"

    return new_schema


@pytest.fixture
def place(places: NewPlace) -> Place:
    """One empty place."""
    return places()


@pytest.fixture(scope="session")
def empty_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign that is made once and copied."""
    folder = tmp_path_factory.mktemp("empty") / "campaign"
    Campaign.create(folder, "A test").close()
    return folder


@pytest.fixture
def campaign(place: Place, empty_campaign: Path) -> Iterator[Campaign]:
    """A campaign without people and material."""
    if isinstance(place, Path):
        shutil.copytree(empty_campaign, place)
    with Campaign.open(place) if isinstance(place, Path) else Campaign.create(place, "A test") as made:
        yield made


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hashing is slow on purpose; what is tested does not depend on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield
