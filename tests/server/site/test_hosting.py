"""What docs/hosting.md says works: copies made while people play, an upgrade that loses no move, a proxy in front."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from parlour.server.client.client import QUIET
from parlour.server.client.tickets import Ticket
from parlour.server.store.store import Store
from tests.postgres import Postgres
from tests.waiting import LIMIT, until
from tools.failover import House, Place, measure
from tools.load import free_port

DEPLOY = Path(__file__).parents[3] / "deploy"


def backed_up(database: str, folder: Path, *more: str) -> Path:
    """A copy that the script makes."""
    environment = os.environ | {"PARLOUR_DATABASE": database}
    words = [sys.executable, str(DEPLOY / "backup.py"), *more, str(folder)]
    return Path(subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


@contextlib.asynccontextmanager
async def playing(places: list[Place]) -> AsyncIterator[None]:
    """Guests play at their tables as long as the block lasts."""
    async with contextlib.AsyncExitStack() as stack:
        tasks = []
        for place in places:
            for guest in place.guests:
                guest.quiet = QUIET
                await stack.enter_async_context(guest)
                tasks.append(asyncio.create_task(guest.play()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def play_for_a_while(house: House) -> None:
    """Until everybody has moved since now."""
    moment = time.time()
    await until(lambda: len(house.done_since(moment)) == len(house.guests), "somebody does not move")


@contextlib.asynccontextmanager
async def house_at(database: str, output: Path, tables: int = 2) -> AsyncIterator[House]:
    """A server on a database, with some tables."""
    house = House(database, output)
    try:
        async with house.balancer.running():
            await house.start()
            await house.open(tables)
            yield house
    finally:
        for server in house.servers:
            server.end()


async def goes_on(copy: str, before: House, output: Path) -> None:
    """The tables of a copy of the database go on at a new server, for the same guests, from where they were."""
    async with house_at(copy, output, 0) as house:
        for place in before.places:
            tickets = [guest.ticket for guest in place.guests]
            mine = [Ticket(house.balancer.url, t.table, t.link, t.seat, t.token) for t in tickets]
            house.places.append(Place(place.name, [type(place.guests[0])(ticket) for ticket in mine]))
        async with playing(house.places):
            await play_for_a_while(house)
    for place, new in zip(before.places, house.places, strict=True):  # what was done before the copy belongs to it too
        for guest, later in zip(place.guests, new.guests, strict=True):
            later.deeds = {**guest.deeds, **later.deeds}
            for deed in guest.deeds.values():
                deed.done = 0.0  # some of it came after the copy
    house.check()
    house.store.close()


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
async def test_a_database_is_copied_while_people_play_and_the_copy_goes_on(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, restored, few = f"sqlite:///{tmp_path}/room.db", f"sqlite:///{tmp_path}/restored.db", 1
    if kind == "postgresql":
        postgres: Postgres = request.getfixturevalue("postgres")
        monkeypatch.setenv("PG_DUMP", str(postgres._program("pg_dump")))
        database, restored, few = postgres.new_database(), postgres.empty_database(), 2
    async with house_at(database, tmp_path / "output", few) as house:
        async with playing(house.places):
            await play_for_a_while(house)
            copy = await asyncio.to_thread(backed_up, house.database, tmp_path / "copies")
            await play_for_a_while(house)  # nobody was disturbed
        assert copy.stat().st_mode & 0o077 == 0
        assert [file.name for file in copy.parent.iterdir()] == [copy.name]
        if kind == "postgresql":
            words = [str(postgres._program("pg_restore")), "--no-owner", f"--dbname={restored}", str(copy)]
            await asyncio.to_thread(partial(subprocess.run, words, check=True))
        else:
            shutil.copy(copy, tmp_path / "restored.db")
        await goes_on(restored, house, tmp_path / "output")
        if kind == "postgresql":
            house.store.close()


def test_the_last_copies_are_kept(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path}/room.db").close()
    folder = tmp_path / "copies"
    folder.mkdir()
    for day in range(5):
        (folder / f"parlour-2020-01-0{day}-000000.db").touch()
    made = backed_up(f"sqlite:///{tmp_path}/room.db", folder, "--keep", "3")
    assert sorted(folder.iterdir()) == [*(folder / f"parlour-2020-01-0{day}-000000.db" for day in (3, 4)), made]


@pytest.mark.long
async def test_an_upgrade_loses_no_move(tmp_path: Path) -> None:
    """The server is told to stop while people play, and another one on its database and its port takes its place."""
    async with house_at(f"sqlite:///{tmp_path}/room.db", tmp_path / "output") as house, playing(house.places):
        for _ in range(3):
            await play_for_a_while(house)
            (old,) = house.servers
            old.send(signal.SIGTERM)
            assert await old.ended() == 0, (tmp_path / "output").read_text()
            house.servers.clear()
            await house.start(old.port)
        await play_for_a_while(house)
    house.check()
    house.store.close()


@pytest.mark.long
def test_an_upgrade_of_one_server_after_the_other_loses_no_move(postgres: Postgres, tmp_path: Path) -> None:
    found = asyncio.run(measure(postgres, tmp_path / "output", [signal.SIGTERM] * 2, tables=2))
    assert len(found["SIGTERM"]) == 12


NAME = "parlour.example.org"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a certificate of our own, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    folder = tmp_path_factory.mktemp("tls")
    names = f"subjectAltName=DNS:{NAME},DNS:localhost,IP:127.0.0.1"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    keys = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run([*words, "-addext", names, *keys], check=True, capture_output=True)
    return folder


def caddy(folder: Path, certificate: Path, port: int, to: int) -> list[str]:
    """Caddy with our configuration, at another port and with a certificate of our own."""
    text = (DEPLOY / "Caddyfile").read_text()
    text = text.replace("{\n\tservers", "{\n\tadmin off\n\tauto_https off\n\tservers", 1)
    keys = f"tls {certificate}/fullchain.pem {certificate}/privkey.pem"
    text = text.replace(f"{NAME} {{\n", f"https://localhost:{port} {{\n\t{keys}\n", 1)
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{to}").replace("/var/log/caddy/", f"{folder}/")
    (folder / "Caddyfile").write_text(text)
    return ["caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]


def nginx(folder: Path, certificate: Path, port: int, to: int) -> list[str]:
    """The same with nginx."""
    text = (DEPLOY / "nginx.conf").read_text()
    text = text.replace("/etc/letsencrypt/live/parlour.example.org", str(certificate))
    text = text.replace("listen [::]:80;", "").replace("listen [::]:443 ssl http2;", "")
    text = text.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
    text = text.replace("listen 443 ssl http2;", f"listen 127.0.0.1:{port} ssl http2;")
    text = text.replace("server 127.0.0.1:8000", f"server 127.0.0.1:{to}").replace(NAME, "localhost")
    kept = "".join(f"{one}_temp_path {folder}/{one};" for one in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    whole = f"daemon off; pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off; {kept} {text} }}"
    (folder / "nginx.conf").write_text(whole)
    return ["nginx", "-e", "stderr", "-c", f"{folder}/nginx.conf"]


@pytest.mark.parametrize("proxy", [caddy, pytest.param(nginx, marks=pytest.mark.long)])
async def test_people_and_programs_play_through_a_proxy(
    proxy: Any, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With TLS, a page, a bot over its WebSocket, the proxy's limits, the address and the scheme that the proxy saw."""
    if shutil.which(proxy.__name__) is None:
        pytest.skip(f"there is no {proxy.__name__}")
    port = free_port()
    here = f"https://localhost:{port}"
    trusted = ssl.create_default_context(cafile=str(certificate / "fullchain.pem"))
    async with house_at(f"sqlite:///{tmp_path}/room.db", tmp_path / "output", 0) as house:
        words = proxy(tmp_path, certificate, port, house.servers[0].port)
        with (tmp_path / "proxy").open("wb") as output, contextlib.ExitStack() as stack:
            process = subprocess.Popen(words, stdout=output, stderr=output)
            stack.callback(process.wait, LIMIT)
            stack.callback(process.terminate)
            async with httpx.AsyncClient(base_url=here, verify=trusted, timeout=LIMIT) as http:
                while True:
                    with contextlib.suppress(httpx.TransportError):
                        if (await http.get("/health")).is_success:
                            break
                    assert process.poll() is None, (tmp_path / "proxy").read_text()
                    await asyncio.sleep(0.05)
                page = await http.get("/", headers={"accept": "text/html"})
                assert "Parlour" in page.text
                assert page.headers["strict-transport-security"] == "max-age=31536000"
                wanted = {"game": "leduc", "name": "Zoé", "bots": "random", "pace": 0}
                made = await http.post("/api/1/tables", json=wanted, headers={"origin": here})
                assert made.status_code == 201, made.text
                assert made.json()["link"].startswith(f"{here}/t/")
                assert "Secure" in made.headers["set-cookie"]
                elsewhere = await http.post("/api/1/tables", json=wanted, headers={"origin": "https://x.example"})
                assert elsewhere.status_code == 403
                assert (await http.post("/api/1/tables", content=b" " * 3_000_000)).status_code == 413
                left = await http.post("/api/1/tables", json={"game": "leduc", "bots": "random", "pace": 0})
                words = [sys.executable, "-c", "from parlour.cli.app import main; main()"]
                words += ["bot", left.json()["link"], "--player", "random", "--matches", "1"]
                environment = os.environ | {"SSL_CERT_FILE": str(certificate / "fullchain.pem")}
                played = await asyncio.to_thread(
                    subprocess.run, words, env=environment, capture_output=True, text=True, timeout=LIMIT
                )
                assert played.returncode == 0, played.stderr
                assert "0: " in (await http.get(f"/api/1/tables/{left.json()['table']}/record")).text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_the_units_are_well_formed(tmp_path: Path) -> None:
    for file in DEPLOY.glob("parlour*.*"):
        text = file.read_text().replace("/opt/parlour/bin/parlour", "/bin/true")
        (tmp_path / file.name.replace("@", "@8001")).write_text(text.replace("/opt/parlour/bin/python", "/bin/true"))
    said = subprocess.run(
        ["systemd-analyze", "verify", *tmp_path.iterdir()], capture_output=True, text=True, check=False
    )
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.parametrize(
    ("name", "line"), [("Caddyfile", "header_up -Forwarded"), ("nginx.conf", 'proxy_set_header Forwarded "";')]
)
def test_no_proxy_packs_what_is_a_secret(name: str, line: str) -> None:
    """How long a page is, packed, tells what goes well with the cards on it (``docs/security.md``).  Nor does it pass
    on where a guest claims to come from: the other header of this kind is set by the proxy."""
    said = [text.partition("#")[0].split() for text in (DEPLOY / name).read_text().splitlines()]
    assert not [words for words in said if words[:1] == ["encode"] or words[:2] == ["gzip", "on;"]]
    assert line.split() in said
