"""Search that never keeps a person waiting: it compiles in a process of its own, and until then answers by
interpreting."""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from functools import cache
from operator import index
from typing import TYPE_CHECKING, Any

from parlour.engine.compiling import HERE
from parlour.engine.telling import View
from parlour.players.player import Advice, Player
from parlour.players.search import Search

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

Loaded = tuple["Ruleset[Any]", str]
"""A game, and the kind of player for which it is loaded."""
PATIENCE = 5.0  # seconds beyond a move's own time before a worker is given up
ATTEMPTS = 3  # workers that may die before a game is ready
QUICK = 0.25  # seconds an interpreted search takes
PACE = {"search": 20_000, "best": 1000}  # simulations that a worker surely makes in a second


class BackgroundSearch:
    """A player that searches (``kind``: ``search`` or ``best``), with the same settings, for people who do not wait for
    a compiler.

    A worker process (one for all such players) loads or compiles the game; it gets views and nothing else.  Until it is
    ready, and whenever it fails, a search runs interpreted, a hundred times less thoroughly; ``best`` then chooses what
    it would do without imagining anything.  A worker that dies is replaced; it ends with this process.  ``ready()``
    says whether the worker already answers.
    """

    def __init__(
        self,
        game: Ruleset[Any],
        seed: int = 0,
        *,
        kind: str = "search",
        explore: float | None = None,
        **budget: Any,
    ) -> None:
        from parlour.players.best import Best

        settings = budget if explore is None else {**budget, "explore": explore}
        full = Best(game, seed, background=True, **settings) if kind == "best" else Search(game, seed, **settings)
        self.name, self.game, self._kind = full.name, game, kind
        plain: dict[str, Any] = {n: getattr(full, n) for n in ("seconds", "simulations", "explore") if n in settings}
        self._request = {"kind": kind, "seed": index(seed), "settings": {**settings, **plain}}
        self._wait = PATIENCE + (full.seconds or (full.simulations or 0) / PACE[kind])
        self._quick = Search(game, seed, seconds=QUICK, explore=full.explore, binding="interpreted")
        self._imagines = not isinstance(full, Best) or full.imagines
        self._instead: Player = full.by_itself if isinstance(full, Best) else self._quick
        self._worker = shared_worker()
        self._worker.prepare(game, kind)

    def ready(self) -> bool:
        """Whether the worker has loaded this game and would answer at once: while it loads another, nobody waits."""
        return self._worker.prepare(self.game, self._kind)

    def choose(self, view: View, legal: Sequence[int]) -> int:
        if len(legal) == 1:
            return legal[0]
        answer = self._answer(view, legal) if self._imagines else None
        return self._instead.choose(view, legal) if answer is None else answer.action

    def advise(self, view: View, legal: Sequence[int]) -> Advice:
        """See :meth:`parlour.players.search.Search.advise`."""
        answer = self._answer(view, legal) if len(legal) > 1 else None
        return self._quick.advise(view, legal) if answer is None else answer

    def _answer(self, view: View, legal: Sequence[int]) -> Advice | None:
        """What the worker says, if it can."""
        if not self.ready():
            return None
        answer = self._worker.ask({**self._request, "view": view.dump(), "legal": list(legal)}, self._wait)
        if answer is None or answer.get("action") not in legal:
            return None
        values = {int(a): float(v) for a, v in answer["values"].items()}
        visits = {int(a): n for a, n in answer["visits"].items()}
        bounds = answer["low"], answer["high"], answer["varies"], answer["exact"], answer["error"]
        errors = {int(a): float(error) for a, error in answer["errors"].items()}
        return Advice(answer["action"], answer["reason"], values, visits, *bounds, errors)


@cache
def shared_worker() -> Worker:
    """The worker of this process."""
    worker = Worker()
    atexit.register(worker.close)
    return worker


class Worker:
    """The parent's end of :mod:`parlour.players.worker`: it starts the worker, feeds it, replaces it and ends it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._games: dict[Loaded, bool] = {}
        self._failures: Counter[Loaded] = Counter()
        self._closed = False
        self._asked = 0

    @property
    def pid(self) -> int | None:
        """The worker's process id, or ``None`` while there is no worker."""
        return self._process.pid if self._process else None

    def prepare(self, game: Ruleset[Any], kind: str = "search") -> bool:
        """Have a game loaded for a kind of player, without waiting; return whether it is, and the worker is not busy
        with another."""
        wanted = game, kind
        with self._lock:
            if self._process and self._process.poll() is not None:
                self._gone()
            hopeless = self._closed or self.given_up(game, kind)
            if self._process is None and not hopeless:
                self._start()
            if self._process and wanted not in self._games and not hopeless:
                self._games[wanted] = False
                self._send({"prepare": {**game_data(game), "kind": kind}})
            self._collect()
            return self._games.get(wanted, False) and all(self._games.values())

    def given_up(self, game: Ruleset[Any], kind: str = "search") -> bool:
        """Whether too many workers have died over this game to try another."""
        return self._failures[game, kind] >= ATTEMPTS

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Return the answer to a request; ``None`` if the worker fails or takes longer than this many seconds."""
        with self._lock:
            self._asked += 1
            self._send({**request, "id": self._asked})
            try:
                while (answer := self._answers.get(timeout=seconds)) is not None:
                    if answer.get("id") == self._asked:
                        return answer
                    self._take(answer)
            except queue.Empty:
                pass
            self._gone()
            return None

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._closed = True
            self._gone()

    def _start(self) -> None:
        path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "parlour.players.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={
                    **os.environ,
                    "PYTHONPATH": path,
                    HERE: "1",
                },  # so that the worker finds your own games too
                start_new_session=True,  # Ctrl-C in the terminal is not meant for it
            )
        except OSError:
            self._closed = True
            return
        self._answers = queue.Queue()
        threading.Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True).start()

    def _gone(self) -> None:
        """End what is left of the worker; its end counts against the games that it had yet to load."""
        process, self._process = self._process, None
        if process is None:
            return
        self._failures.update(wanted for wanted, ready in self._games.items() if not ready)
        self._games = {}
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has died; the missing answer says so

    def _collect(self) -> None:
        while not self._answers.empty():
            self._take(self._answers.get())

    def _take(self, answer: dict[str, Any] | None) -> None:
        """Note which game is ready."""
        for game, kind in self._games:
            if answer is not None and answer.get("ready") == {**game_data(game), "kind": kind}:
                self._games[game, kind] = True


def _listen(pipe: Any, answers: queue.Queue[dict[str, Any] | None]) -> None:
    """Read the worker's lines until it closes its end."""
    try:
        for line in pipe:
            answers.put(json.loads(line))
    except ValueError:
        pass  # half a line, or the pipe was closed here
    answers.put(None)


def game_data(game: Ruleset[Any]) -> dict[str, Any]:
    """Return what another process needs to load a game."""
    return {"game": game.definition.package, "players": game.players, "options": dict(game.options)}
