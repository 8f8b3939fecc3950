"""The bench beside other libraries, and the page that is made from it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tools.peers.__main__ import main
from tools.peers.libraries import PEERS, WHOLE, Peer
from tools.peers.page import markdown


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> str:
    monkeypatch.setattr(sys, "argv", ["peers", *line.split()])
    main()
    return capsys.readouterr().out


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_peer_that_counts_as_installed_plays(peer: Peer) -> None:
    """PettingZoo is there for the adapters, but its card games need more: that must not end a bench after minutes."""
    for name in peer.games.values() if peer.version() else ():
        for driver in (peer.driver, *(one for mode, one in peer.more.items() if mode not in WHOLE)):
            assert driver(name)(20) >= 20


def test_peers_are_measured_in_the_same_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = run(monkeypatch, capsys, "leduc --quick --mode step")
    engines = {line.split()[2] for line in out.splitlines() if line.startswith("leduc")}
    assert engines == {"parlour", *(p.name for p in PEERS if p.mode == "step" and "leduc" in p.games and p.version())}
    absent = {p.name for p in PEERS if not p.version()}
    assert {line.split()[0] for line in out.splitlines() if "is not installed" in line} == absent


def test_the_page_is_what_its_data_say_and_names_the_commit_that_was_measured() -> None:
    docs = Path(__file__).parents[2] / "docs"
    found = json.loads((docs / "bench.json").read_text("utf-8"))
    assert re.fullmatch("[0-9a-f]{8}", found["commit"]), "measured on sources that were never committed"
    assert (docs / "bench.md").read_text("utf-8") == markdown(found), "python -m tools.peers --page docs/bench.json"
    assert f"Measured on {found['date'][:10]} at commit {found['commit']}: " in markdown(found)
