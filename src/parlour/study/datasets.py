"""What a match leaves behind for study: each game as a record, and each decision as a line of JSON.

A folder has ``match.json`` (what was played by whom), ``records/`` (a text a game, ``docs/records.md``) and
``decisions.jsonl``.  It holds no times, so the same match writes the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.errors import ParlourError

if TYPE_CHECKING:
    from parlour.game import Game, State

DECISIONS, MATCH, RECORDS = "decisions.jsonl", "match.json", "records"


class Written:
    """A game as it is written down while it is played; ``names`` are of the players, by seat.

    ``record`` is its record, once it is over; :meth:`lines` are its decisions.
    """

    def __init__(self, deal: int, turn: int, names: Sequence[str]) -> None:
        self.deal, self.turn, self.names = deal, turn, tuple(names)
        self.decisions: list[dict[str, Any]] = []
        self.record = ""
        self.returns: tuple[float, ...] = ()

    def decide(self, state: State, seat: int, legal: Sequence[int], action: int) -> None:
        """Note a decision before it is carried out."""
        self.decisions.append(
            {
                "deal": self.deal,
                "turn": self.turn,
                "decision": len(self.decisions),
                "seat": seat,
                "player": self.names[seat],
                "action": action,
                "name": state.game.action_names[action],
                "legal": list(legal),
                "view": state.observation(seat),
            }
        )

    def end(self, state: State) -> None:
        """Note how it came out."""
        self.record, self.returns = state.record(), tuple(state.returns())

    def lines(self) -> Iterator[str]:
        """Each decision as a line of JSON; ``return`` is what the game brought whoever decided."""
        for decision in self.decisions:
            yield json.dumps({**decision, "return": self.returns[decision["seat"]], "returns": self.returns})


class Folder:
    """A folder that takes what a match leaves behind.  ``ParlourError`` if something is in it already."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ParlourError(f"{str(folder)!r} is not an empty folder; records of a match need one of their own.")
        self.folder = folder
        self.records = folder / RECORDS
        try:
            self.records.mkdir(parents=True)
        except OSError as error:
            raise ParlourError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from None

    def begin(self, game: Game, kinds: Sequence[str], games: int, seed: int) -> None:
        """Write down what is played."""
        about = {"game": game.id, "rules": game.definition.version, "players": game.players}
        about |= {"options": dict(game.options), "kinds": list(kinds), "games": games, "seed": seed}
        (self.folder / MATCH).write_text(json.dumps(about, indent=1) + "\n", "utf-8")
        (self.folder / DECISIONS).write_text("", "utf-8")

    def add(self, game: Written) -> None:
        """Write a game down; games come in order of deals."""
        (self.records / f"{game.deal:06}-{game.turn}.txt").write_text(game.record, "utf-8")
        with open(self.folder / DECISIONS, "a", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in game.lines())
