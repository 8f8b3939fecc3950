"""The files of a match: each game as a record, and each decision as a line of JSON.

A folder has ``match.json`` (the game and its players), ``records/`` (one text for each game, ``docs/records.md``) and
``decisions.jsonl``.  It holds no times, so the same match writes the same bytes.  :func:`to_parquet` adds the decisions
as one flat table, for data frames.

>>> import polars, tempfile
>>> from parlour.study.match import play
>>> with tempfile.TemporaryDirectory() as folder:
...     match = play("kuhn", ["random", "random"], games=2, seed=1, records=Path(folder) / "match")
...     table = polars.read_parquet(to_parquet(Path(folder) / "match"))
...     table.columns == list(COLUMNS), len(digest(Path(folder) / "match"))
(True, 64)
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from parlour.base.disk import put
from parlour.base.errors import ParlourError, reason
from parlour.base.extras import needed
from parlour.players.kernels.arena import BY_WHOM

if TYPE_CHECKING:
    import polars

    from parlour.core.game import Game, State

__all__ = ["COLUMNS", "digest", "to_parquet"]

DECISIONS, MATCH, RECORDS = "decisions.jsonl", "match.json", "records"
TABLE = "decisions.parquet"
COLUMNS: Final = {
    "game": "the game's id",
    "deal": "which deal, from 0",
    "turn": "by how many seats the players have moved on: each deal is played once for each",
    "decision": "which decision of the game, from 0",
    "seat": "who decided",
    "player": "the name of the player who held that seat",
    "action": "the id of what they chose",
    "name": "the same in words",
    "legal": "the ids of what they might have chosen",
    "view": "what they saw, as JSON: the keys are the game's own",
    "return": "what the game brought them in the end",
    "returns": "what it brought each seat",
}
"""The columns of the table, the same for every game."""
CHUNK = 20_000
"""Decisions that are held as Python objects at a time."""


class Written:
    """An observer that writes a game down while it is played; ``names``: the players' names by seat.

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
        """Note the result."""
        self.record, self.returns = state.record(), tuple(state.returns())

    def lines(self) -> Iterator[str]:
        """Each decision as a line of JSON; ``return`` is the return of the player who decided."""
        for decision in self.decisions:
            yield json.dumps({**decision, "return": self.returns[decision["seat"]], "returns": self.returns})


def steps_of(state: State) -> list[int]:
    """The steps of a game, each as a number (:data:`parlour.players.kernels.arena.BY_WHOM`)."""
    return [step.action * BY_WHOM + max(step.player + 1, 0) for step in state.history]


class Steps:
    """An observer that keeps only the steps of a game: ``words``, once it is over."""

    names: tuple[str, ...] = ()
    words = b""

    def decide(self, state: State, seat: int, legal: Sequence[int], action: int) -> None:
        """Do nothing, because the state keeps its steps."""

    def end(self, state: State) -> None:
        """Keep the steps of the finished game."""
        self.words = little(array("i", steps_of(state)))


def little(words: array[int]) -> bytes:
    """Numbers of 32 bits as bytes, the lowest first on every machine."""
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()


def about(game: Game, kinds: Sequence[str], seed: int, **more: int) -> str:
    """The contents of ``match.json``."""
    found = {"game": game.id, "rules": game.definition.version, "players": game.players}
    found |= {"options": dict(game.options), "kinds": list(kinds), **more, "seed": seed}
    return json.dumps(found, indent=1) + "\n"


class Folder:
    """A folder for the files of a match.  ``match.json`` is written last: without it the match is unfinished, and is
    written again from the beginning.  Raises ``ParlourError`` if the folder holds anything else."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and (not folder.is_dir() or not _is_unfinished(folder)):
            raise ParlourError(
                "{folder!r} is not an empty folder; records of a match need one of their own.", folder=str(folder)
            )
        self.folder = folder
        self.records = folder / RECORDS
        try:
            self.records.mkdir(parents=True, exist_ok=True)
            for record in self.records.iterdir():
                record.unlink()
            put(self.folder / DECISIONS, "")
        except OSError as error:
            raise ParlourError(
                "The folder {folder!r} cannot be made: {why}.", folder=str(folder), why=reason(error)
            ) from None

    def finish(self, game: Game, kinds: Sequence[str], games: int, seed: int) -> None:
        """Write ``match.json``, with the number of games that the folder has."""
        put(self.folder / MATCH, about(game, kinds, seed, games=games))

    def add(self, game: Written) -> None:
        """Write the files of a game; games must come in order of deals.  Raises ``ParlourError`` if that fails."""
        try:
            (self.records / record_name(game.deal, game.turn)).write_text(game.record, "utf-8")
            with open(self.folder / DECISIONS, "a", encoding="utf-8") as out:
                out.writelines(f"{line}\n" for line in game.lines())
        except OSError as error:
            raise ParlourError(
                "The folder {folder!r} cannot be written: {why}.", folder=str(self.folder), why=reason(error)
            ) from None


def record_name(deal: int, turn: int) -> str:
    """The name of the record of a game."""
    return f"{deal:06}-{turn}.txt"


def _is_unfinished(folder: Path) -> bool:
    """Whether a folder holds nothing, or only the games of a match that was stopped."""
    records = folder / RECORDS
    known = {DECISIONS, RECORDS}.issuperset(file.name for file in folder.iterdir())
    return known and (not records.exists() or all(_GAME.fullmatch(file.name) for file in records.iterdir()))


_GAME: Final = re.compile(r"\d{6,}-\d+\.txt")
"""The name of the record of a game."""


def to_parquet(folder: str | Path) -> Path:
    """Write the decisions of a folder as ``decisions.parquet`` beside them, with the columns of :data:`COLUMNS`, and
    return that file (extra ``study``).  ``ParlourError`` if the folder holds no match, or not all of it.

    ``polars.read_parquet(file)`` and ``pandas.read_parquet(file)`` read it.
    """
    with needed("study"):
        import polars

    folder = Path(folder)
    small, text = polars.Int32, polars.String
    types: dict[str, Any] = dict.fromkeys(("deal", "turn", "decision", "seat", "action"), small)
    types |= dict.fromkeys(("game", "player", "name", "view"), text)
    types |= {"return": polars.Float64, "returns": polars.List(polars.Float64), "legal": polars.List(small)}
    schema = {name: types[name] for name in COLUMNS}
    parts: list[polars.DataFrame] = [polars.DataFrame(schema=schema)]
    try:
        said, found = json.loads((folder / MATCH).read_text("utf-8")), set[tuple[int, int]]()
        games = said["games"]
        with open(folder / DECISIONS, encoding="utf-8") as lines:
            while some := [_flat(said["game"], line) for line in islice(lines, CHUNK)]:
                found.update((one["deal"], one["turn"]) for one in some)
                parts.append(polars.DataFrame(some, schema))
    except OSError as error:
        raise ParlourError(
            "The folder {folder!r} holds no match: {why}.", folder=str(folder), why=reason(error)
        ) from None
    except (ValueError, KeyError, TypeError):
        raise ParlourError("{file} is damaged: it is not what Parlour wrote.", file=str(folder / DECISIONS)) from None
    if len(found) != games:
        raise ParlourError(
            "{file} has lost data: it has decisions of {found:,} games, and {match} counts {games:,}.",
            file=str(folder / DECISIONS), found=len(found), match=MATCH, games=games,
        )  # fmt: skip
    polars.concat(parts).write_parquet(out := io.BytesIO(), compression="zstd")
    put(folder / TABLE, out.getvalue())
    return folder / TABLE


def _flat(game: str, line: str) -> dict[str, Any]:
    decision = json.loads(line)
    return {**decision, "game": game, "view": json.dumps(decision["view"], separators=(",", ":"))}


def digest(folder: str | Path) -> str:
    """Return the SHA-256 (FIPS 180-4) of the records and decisions in a folder, and in the folders in it: of their
    names and bytes.  Tables of :func:`to_parquet` are left out, because their bytes depend on the version of Polars.
    """
    folder, found = Path(folder), hashlib.sha256()
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    for name in sorted(name for name in files if not name.endswith(TABLE)):
        content = files[name].read_bytes()
        found.update(f"{name}\n{len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()
