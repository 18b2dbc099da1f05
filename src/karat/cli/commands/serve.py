"""karat serve"""

from __future__ import annotations

import ipaddress
import shlex
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from karat.cli.printing import echo
from karat.model import UsageError
from karat.model.errors import require

if TYPE_CHECKING:
    from karat.campaign.campaign import Campaign
    from karat.web.security import WebSettings

STOP_SECONDS = 10
BACKLOG = 256
READERS, WRITERS = 12, 6
"""Threads, more than cores. SQLite lets one writer in at a time, so that more of them would only wait."""


@click.command("serve")
@click.option(
    "--campaign",
    "place",
    metavar="DIR|URL",
    default="campaign",
    show_default=True,
    help="The campaign's folder, or the URL of a PostgreSQL database.",
)
@click.option("--create", is_flag=True, help="Make the campaign if there is none yet.")
@click.option(
    "--demo",
    is_flag=False,
    flag_value="news",
    type=click.Choice(["news", "judging"]),
    help="Open a filled campaign to try out; it is deleted at the end. news (without a word: this one): from relevance "
    "to adjudication; judging: answers judged against a key.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The network address to listen at.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="The port; 0: any free one."
)
@click.option(
    "--url",
    "address",
    metavar="URL",
    help="What people type into their browsers, if it is another address (behind a proxy): https://eval.example.org.",
)
def command(place: str, create: bool, demo: str | None, host: str, port: int, address: str | None) -> None:
    """Open the workbench, where people annotate in a browser.

    It listens on this machine only, until you say otherwise with --host. Stop it with Ctrl-C; everything that people
    did is saved at once. A new campaign prints a link with which the first organiser chooses a password.

    \b
    Example:
      karat serve --demo
      karat serve --demo judging
      karat serve --campaign storms --create
    """
    for module in ("litestar", "uvicorn", "jinja2", "sqlalchemy", "alembic", "argon2"):
        require(module, extra="web", purpose="The workbench")
    with ExitStack() as stack:
        listener = stack.enter_context(listening(host, port))
        port = listener.getsockname()[1]
        settings = web_settings(host, port, address)
        campaign = stack.enter_context(_demo(demo) if demo else _campaign(place, create, settings))
        _warn(host, settings)
        echo(f"The workbench is at {settings.address}  (stop it with Ctrl-C)", err=True)
        run_server(campaign, listener, settings)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that is bound before anything else is done: a port that is taken is said at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # Whoever comes before the server is ready waits instead of being turned away.
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise UsageError(f"cannot listen at {host} port {port}: {error.strerror}; choose another --port") from None
    with listener:
        yield listener


def web_settings(host: str, port: int, address: str | None) -> WebSettings:
    """Under which names the server answers."""
    from karat.web.security import WebSettings

    bracketed = f"[{host}]" if ":" in host else host
    named = urlsplit(address) if address else None
    if named is not None and (
        named.scheme not in ("http", "https") or not named.hostname or named.path not in ("", "/")
    ):
        raise UsageError(f"--url {address}: give the beginning of an address, such as https://eval.example.org")
    hosts = {"127.0.0.1", "localhost", "[::1]", bracketed.lower()}
    if named is not None:
        hosts.add(str(named.hostname))
    elif is_everywhere(host):
        hosts |= own_names()
    return WebSettings(
        hosts=tuple(sorted(hosts)),
        https=named is not None and named.scheme == "https",
        # Browsers send cookies to every port of a host: two servers on one machine must not end each other's sessions.
        session_cookie=f"karat-session-{port}",
        behind_proxy=named is not None,
        address=address.rstrip("/")
        if address
        else f"http://{'localhost' if is_everywhere(host) else bracketed}:{port}",
    )


def is_everywhere(host: str) -> bool:
    return host in ("0.0.0.0", "::")  # noqa: S104 - asked for, and warned about


def own_names() -> set[str]:
    """The names and addresses by which other machines may call this one."""
    name = socket.gethostname().lower()
    names = {name, socket.getfqdn().lower()}
    with suppress(OSError):
        names |= {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    return {f"[{each}]" if ":" in each else each for each in names}


def _warn(host: str, settings: WebSettings) -> None:
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    if not local and not settings.https:
        echo(
            "Warning: other machines can reach this server, and it does not use https: passwords and annotations can "
            "be read on the way. Put a proxy with https before it, and name it with --url https://...",
            err=True,
        )


@contextmanager
def _campaign(place: str, create: bool, settings: WebSettings) -> Iterator[Campaign]:
    from karat.campaign.campaign import Campaign
    from karat.campaign.people.accounts import accounts, create_account
    from karat.campaign.people.invitations import has_invitation, invite

    campaign = _created(place) if create else Campaign.open(place)
    try:
        with campaign.database.write() as connection:
            people = accounts(connection)
            organisers = [person for person in people if person.role == "organiser" and person.active]
            if not any(person.has_password for person in organisers):
                person = organisers[0] if organisers else create_account(connection, "organiser", "organiser")
                if has_invitation(connection, person.number):
                    # A new link would end the one that somebody has.
                    echo(
                        f"{person.name}, the organiser, has an invitation link that was not used yet. If it is lost: "
                        f"karat campaign invite {place} {shlex.quote(person.name)} --url {settings.address}",
                        err=True,
                    )
                else:
                    token = invite(connection, person.number)
                    echo(
                        f"The first organiser is {person.name}; choose a password here (the link works once):", err=True
                    )
                    echo(f"{settings.address}/invitation/{token}")
        yield campaign
    finally:
        campaign.close()


def _created(place: str) -> Campaign:
    """The campaign that is there, or a new one where there is none."""
    from karat.campaign.campaign import Campaign, is_url
    from karat.campaign.store.database import DATABASE_FILE

    if not is_url(place) and not (Path(place) / DATABASE_FILE).is_file():
        return Campaign.create(place, "Campaign")
    try:
        return Campaign.open(place)
    except UsageError:
        if not is_url(place):
            raise
        return Campaign.create(place, "Campaign")


@contextmanager
def _demo(which: str) -> Iterator[Campaign]:
    from karat.campaign.campaign import Campaign
    from karat.campaign.demo import fill_demo, fill_judging_demo

    with tempfile.TemporaryDirectory(prefix="karat-demo-") as folder:
        campaign = Campaign.create(Path(folder) / "campaign", "Karat demo")
        try:
            echo("The demo campaign; log in as one of these:", err=True)
            for login in (fill_judging_demo if which == "judging" else fill_demo)(campaign):
                echo(f"  {login.role:<12} name {login.name:<12} password {login.password}")
            yield campaign
        finally:
            campaign.close()


def run_server(campaign: Campaign, listener: socket.socket, settings: WebSettings) -> None:
    """Serve until Ctrl-C or SIGTERM; requests that are under way are finished first."""
    import uvicorn
    from litestar.concurrency import set_asyncio_executor

    from karat.web.app import create_app
    from karat.web.lanes import Lanes

    config = uvicorn.Config(
        create_app(campaign.database, settings=settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        backlog=BACKLOG,
        limit_concurrency=512,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=STOP_SECONDS,
        h11_max_incomplete_event_size=32 * 1024,
        ws="none",
        # What a request says about where it comes from is believed only behind the proxy that --url names.
        proxy_headers=settings.behind_proxy,
    )
    with Lanes(readers=READERS, writers=WRITERS) as executor:
        set_asyncio_executor(executor)
        uvicorn.Server(config).run(sockets=[listener])
