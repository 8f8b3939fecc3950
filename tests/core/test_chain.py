"""A chain through a record: nothing in it is changed unnoticed, and no link tells of hidden cards."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import re
from pathlib import Path
from random import Random

import httpx
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Route, expect

import parlour
from parlour.base.errors import ParlourError
from parlour.core.chain import canonical, check, head, link_after
from parlour.core.fair_deal import commitment
from parlour.core.notes import Link, Seated
from parlour.core.verifying import Verdict, verify
from parlour.server.client.witness import Witness
from parlour.server.common import wire
from parlour.server.live import moves, proof, seating
from parlour.server.live.tables import Tables
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table
from parlour.server.web.api import API
from tests.core import fair_by_hand
from tests.helpers import Says, the_rest_long, there
from tests.page_helpers import Person
from tests.room_helpers import Guest, QuickBots, Server, bearer
from tests.waiting import until, wait_until
from tests.worlds import Listener, opened

SECRET = bytes(range(32))
VECTOR = "316456a94c12f78a32e8b3bdeb9d99004fc8a3060d1b5c56d4422f43cf3bf1d9"


def owed(table: Table) -> bool:
    """Do what the croupier does when a link is due; whether it was."""
    if proof.owes_link(table):
        table.commit(proof.bind(table, SECRET))
        return True
    return False


def begun(game: str, terms: log.Opened | None = None, nonces: dict[int, bytes] | None = None) -> Table:
    """A table at which a guest sits, and a match has begun."""
    table = Table(terms or opened(parlour.load(game), maker="zoe"))
    for change in (seating.sit(table, 0, "Zoé", "zoe"), moves.commit_to(table, SECRET)):
        table.commit(change)
    assert not owed(table)
    table.commit(moves.go_on(table, SECRET, nonces or {}))
    return table


def acts(table: Table, seat: int, choice: int = 0) -> None:
    """Somebody chooses one of what they may do."""
    action = table.game.action_names[table.known.question(seat)[1][choice]]
    table.commit(moves.act(table, seat, action, SECRET))


def match(game: str = "leduc", steps: int = 1000, terms: log.Opened | None = None) -> Table:
    """A match of two guests, one of whom comes late and goes again; with all its links, and the secret told."""
    table = begun(game, terms, {0: bytes(32)})
    for number in range(steps):
        owed(table)
        if table.is_over:
            break
        if number in (1, 2):
            table.commit(seating.sit(table, 1, "Abe", "abe") if number == 1 else seating.leave(table, 1))
            owed(table)
        if table.waits_for_chance:
            table.commit(moves.go_on(table, SECRET, {}))
            continue
        acts(table, table.asked[0], -1)
    if not table.is_over:
        table.commit(Change(log.Closed("enough.")))
        owed(table)
    table.commit(proof.reveal(SECRET))
    return table


def verdict_on(record: str) -> Verdict | None:
    try:
        return verify(record)
    except ParlourError:
        return None


def links_of(record: str) -> list[str]:
    """The links of a record that is found to be fair."""
    verdict = verify(record)
    assert (verdict.is_fair, there(verdict.chain).holds) == (True, True)
    return list(there(verdict.chain).links)


@pytest.mark.parametrize("game", ["leduc", "kuhn", "diabolo", "commit"])
def test_the_chain_of_a_match_holds(game: str) -> None:
    """Also if the table is closed early."""
    table = match(game, 60)
    record = proof.record(table, WATCHER)
    assert verify(record).is_whole == there(table.state).is_terminal
    links = links_of(record)
    assert len(links) == record.count("\nlink: ") > 2
    assert parlour.replay(record).record() == record
    assert fair_by_hand.links(record) == links  # made from the page alone


def test_a_running_table_of_older_rules_goes_on_as_it_was() -> None:
    now = opened(parlour.load("sampler"), maker="zoe")
    options = {name: value for name, value in now.options.items() if name != "broke"}
    record = match(terms=replace(now, rules=2, options=options)).playing.record()
    assert "\nrules: 2\n" in record
    assert "option broke" not in record
    links = links_of(record)
    assert fair_by_hand.links(record) == links
    with pytest.raises(ParlourError, match="The table has rules 1 of sampler; this software has rules 3"):
        Table(replace(now, rules=1, options=options))


def test_a_fixed_vector() -> None:
    """Whoever writes another verifier may begin with these."""
    assert canonical({"did": [0, "raise"], "a": "é"}) == '{"a":"é","did":[0,"raise"]}'.encode()
    assert check(parlour.load("kuhn").new(seed=1), SECRET) is None
    assert link_after(commitment(SECRET), {"did": [0, "raise"]}, SECRET) == VECTOR
    state = parlour.load("kuhn").new()
    assert canonical(head(state)) == b'{"commitment":"","game":"kuhn","options":{},"players":2,"rules":1}'


def test_whatever_is_changed_is_noticed() -> None:
    """Each line left out, doubled, swapped with the next, taken from another place, or with another word."""
    record = proof.record(match(), WATCHER)
    assert verify(record).is_fair
    lines = record.split("\n")
    swaps = {"Zoé": "Ann", "Abe": "Max", "raise": "call", "call": "raise", "guest": "bot", "J1": "J2", "K1": "K2"}
    tried = 0
    for i, line in enumerate(lines[:-1]):
        if not line or line.startswith(("#", "deal ")):
            continue
        changes = [[], [line, line], [line[:-1] + ("0" if line[-1] != "0" else "1")]]
        changes += [[re.sub(rf"\b{old}\b", new, line)] for old, new in swaps.items() if re.search(rf"\b{old}\b", line)]
        for change in changes:
            if line.startswith("returns") and not change:
                continue  # it follows from the moves
            forged = "\n".join([*lines[:i], *change, *lines[i + 1 :]])
            verdict = verdict_on(forged)
            assert verdict is None or not verdict.is_fair, f"{line!r} became {change!r}"
            tried += 1
    assert tried > 50


def test_a_record_that_was_cut_off_says_so(tmp_path: Path, says: Says) -> None:
    """Cut at any step, with the secret at the end; with a chain, and as records were before there were chains."""
    record = proof.record(match(), WATCHER)
    body = [line for line in record.split("\n") if not line.startswith(("returns", "secret"))]
    plain = [line for line in body if not line.startswith(("link: ", "sat: "))]
    file = tmp_path / "match.parlour"
    for lines, is_chained in ((body, True), (plain, False)):
        steps = [i for i, line in enumerate(lines) if re.match(r"\d+: ", line)]
        for i in steps:
            cut = "\n".join([*lines[:i], f"secret: {SECRET.hex()}", ""])
            verdict = verify(cut)
            assert not verdict.is_whole
            words = " ".join(verdict.in_words(cut, ["Zoé", "Ben"]))
            assert "UNFINISHED" in words
            assert ("carries no chain" in words) is not is_chained
        file.write_text(cut)
        code, out, _ = says(f"verify {file}")
        assert code == (1 if is_chained and not verdict.is_fair else 3)
        assert "The record is UNFINISHED" in out


def test_a_link_noted_at_the_table_shows_whether_the_server_made_another_chain(tmp_path: Path, says: Says) -> None:
    """A whole chain remade is sound in itself; a link that somebody kept gives it away."""
    mine, other = proof.record(match(), WATCHER), proof.record(match(), WATCHER).replace("Zoé", "Ann")
    state = parlour.replay(other)
    notes, state.ledger.notes = state.ledger.notes, []
    for note in notes:
        state.ledger.notes.append(note)
        if isinstance(note, Link):
            del state.ledger.notes[-1]
            state.ledger.notes.append(Link(note.at, _anew(state, note.at)))
    forged = state.record()
    assert verify(forged).is_fair
    noted = next(line for line in mine.split("\n") if line.startswith("link: "))[6:]
    witness = Witness()
    witness.linked(wire.ChainLink(match=1, link=noted))
    assert not any("lacks a link" in said for said in witness.against(mine, ["Zoé", "Ben"]))
    assert any("lacks a link" in said for said in witness.against(forged, ["Zoé", "Ben"]))
    for text, code, said in ((mine, 0, "is in the record"), (forged, 1, "is NOT in the record")):
        file = tmp_path / "match.parlour"
        file.write_text(text)
        ended, out, _ = says(f"verify {file} --link {noted[:12]}")
        assert (ended, said in out) == (code, True)
        assert "only a link that you noted at the table" in out


def _anew(state: parlour.State, at: int) -> str:
    from parlour.core.chain import present_link

    so_far = state.clone()
    so_far.log = so_far.log[:at]
    return present_link(so_far, SECRET)


def test_a_link_does_not_give_hidden_cards_away() -> None:
    """Nobody without the secret can try out which cards lead to it: with another secret, other links."""
    table = begun("kuhn")
    owed(table)
    state = there(table.state)
    assert proof.link(table)
    tried = set[str]()
    sat = [note for note in state.ledger.notes[:2] if isinstance(note, Seated)]
    for cards in itertools.permutations("JQK", 2):
        link = bytes.fromhex(state.ledger.fair.commitment)  # type: ignore[union-attr]
        for entry in (head(state), *({"sat": [n.seat, "guest" if n.guest else "bot", n.name]} for n in sat),
                      *({"chance": card} for card in cards)):  # fmt: skip
            link = hashlib.sha256(b"parlour chain 1: link" + link + canonical(entry)).digest()
        tried.add(link.hex())
    assert proof.link(table) not in tried


def test_a_link_is_told_only_when_everybody_sees_that_something_happened() -> None:
    """At the beginning, when a seat changes hands, at the end of a deal and of the match; not at hidden steps."""
    table = begun("commit")
    assert owed(table)
    told, deals = 0, 0
    for _ in range(200):
        if table.is_over:
            break
        if table.waits_for_chance:
            table.commit(moves.go_on(table, SECRET, {}))
        else:
            acts(table, table.asked[0])
        assert table.state is not None
        assert owed(table) is (len(table.state.deals) > deals or table.is_over)
        told, deals = told + 1, len(table.state.deals)
    assert told
    assert not owed(begun("kuhn", opened(parlour.load("kuhn"), reveal=False)))  # nobody could ever check it


def test_no_link_is_told_while_answers_given_at_once_come_in() -> None:
    """They are put in order of seats when the last is there, so a link before that would no longer follow."""
    table = begun("diabolo")
    owed(table)
    while len(table.asked) < 2:
        acts(table, table.asked[0])
        owed(table)
    first, *others = [seat for seat in sorted(table.asked, reverse=True) if seat]  # the bots'
    others.append(0)
    acts(table, first)
    table.commit(seating.sit(table, first, "Abe", "abe"))
    assert not owed(table)
    for seat in others:
        while seat in table.asked and table.state is not None and table.state.is_sealed:
            acts(table, seat)
    assert owed(table)
    assert there(check(there(table.state), SECRET)).holds


def test_guests_are_told_links_and_find_them_in_the_record(house: Server) -> None:
    made = house.make("kuhn")
    table, token = made["table"], made["token"]
    with Guest(house, table, token) as zoe:
        zoe.to_the_end()
        zoe.until(lambda frame: isinstance(frame, wire.Revealed))
        seen = [frame for text in zoe.frames if isinstance(frame := wire.decode(text), wire.ChainLink)]
    record = httpx.get(f"{house.url}{API}/tables/{table}/record", headers=bearer(token)).text
    links = links_of(record)
    assert {frame.link for frame in seen} <= {*links}
    assert seen[-1].link == links[-1]
    with Guest(house, table, token) as again:
        assert again.until(lambda frame: isinstance(frame, wire.ChainLink)).link == seen[-1].link


def test_a_server_that_starts_again_goes_on_with_the_same_chain(tmp_path: Path) -> None:
    async def play() -> None:
        url = f"sqlite:///{tmp_path}/log.db"
        first = Tables(Store(url), QuickBots())
        live = await first.open(opened(parlour.load("leduc"), maker="zoe"))
        zoe = Listener("zoe")
        live.connect(zoe)
        await live.do("zoe", wire.Sit(id="sit", name="Zoé", seat=0))
        await until(lambda: bool(proof.link(live.table) and 0 in live.table.asked))
        before, name = proof.link(live.table), live.id
        await first.close()
        second = Tables(Store(url), QuickBots())
        live = await second.get(name)
        assert proof.link(live.table) == before
        live.connect(Listener("zoe"))
        for number in itertools.count():
            await until(lambda: live.table.is_over or 0 in live.table.asked)
            if live.table.is_over:
                break
            await live.do("zoe", wire.Act(id=str(number), action="call"))
        await until(lambda: "secret: " in proof.record(live.table, 0))
        assert before in links_of(proof.record(live.table, 0))
        await second.close()

    asyncio.run(play())


@pytest.mark.parametrize("seat", the_rest_long([0, -1], [0]), ids=["a guest", "a spectator"])
def test_the_page_shows_a_link_also_one_told_after_it_came_and_before_its_socket(
    browser: Browser, house: Server, monkeypatch: pytest.MonkeyPatch, seat: int
) -> None:
    """It is not part of the moment that a page shows: nothing else has changed."""
    monkeypatch.setattr(proof, "owes_link", lambda _: False)
    with Person(browser, house) as zoe, Person(browser, house) as abe:
        code = zoe.opens("kuhn")
        zoe.waits()
        live, looks = house.tables.live[code], zoe if seat == 0 else abe

        def script(route: Route) -> None:
            monkeypatch.undo()
            house.run(live.stir)
            wait_until(lambda: proof.link(live.table))
            route.continue_()

        looks.page.route("**/parlour.js", script)
        looks.page.goto(f"/t/{code}")
        shown = proof.link(live.table)
        expect(looks.page.locator(".chain code")).to_have_text(shown)
        looks.page.unroute_all()
        zoe.plays(zoe.by_mouse, Random(1))
        wait_until(lambda: "secret: " in proof.record(live.table, 0))
        zoe.page.goto(f"/t/{code}/verify")
        assert "The deal was fair" in zoe.page.locator("h1").inner_text()
        assert f"link: {shown}" in zoe.context.request.get(f"/t/{code}/record").text()
        assert zoe.complaints == looks.complaints == []
