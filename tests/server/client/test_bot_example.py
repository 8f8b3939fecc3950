"""The bot of docs/bots.md, as it stands there, against a real server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.room_helpers import running
from tests.waiting import LIMIT

BOT = Path(__file__).parents[3] / "docs" / "examples" / "bot.py"


@pytest.mark.parametrize("game", ["kuhn", "diamonds"])
def test_the_bot_of_the_guide_plays_a_game_to_its_end(game: str, tmp_path: Path) -> None:
    with running(tmp_path / "log.db") as server:
        command = [sys.executable, str(BOT), server.lay(game)]
        played = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert played.returncode == 0, played.stderr
    assert '"frame"' not in played.stdout
    assert played.stdout.splitlines()[-1].startswith("Returns: [")


def test_the_bot_of_the_guide_is_about_thirty_lines() -> None:
    lines = [line for line in BOT.read_text().splitlines() if line.strip()]
    assert len(lines) <= 35
    assert all(len(line) <= 120 for line in lines)
