"""``python -m parlour.players.worker``: a process that searches, speaking lines of JSON over its standard streams.

It is told ``{"prepare": {"game", "players", "options", "kind"}}`` and says ``{"ready": …}`` with the same content when
the game is compiled for players of that kind; it is asked ``{"id", "kind", "view", "legal", "seed", "settings"}`` and
answers ``{"id", "action", "reason", "values", "visits"}`` and what else there is to the advice, or ``{"id", "error"}``.
The kind is ``search``, which may be left out, or ``best``.  It never sees more than a view, and ends as soon as its
input does.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from typing import Any

from parlour.game import load_package, view_from
from parlour.players.best import Best
from parlour.players.search import Search

SEARCHING: dict[str, type[Search]] = {"search": Search, "best": Best}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one message."""
    if "prepare" in message:
        wanted = message["prepare"]
        game = load_package(wanted["game"], wanted["players"], wanted["options"])
        SEARCHING[wanted.get("kind", "search")](game, binding="compiled").warm_up()
        return {"ready": wanted}
    view = view_from(message["view"])
    player = SEARCHING[message.get("kind", "search")](view.game, message["seed"], **message["settings"])
    advice = player.advise(view, message["legal"])
    told = {"action": advice.action, "reason": advice.reason, "values": advice.values, "visits": advice.visits}
    bounds: dict[str, Any] = {"low": advice.low, "high": advice.high, "varies": advice.varies, "exact": advice.exact}
    bounds |= {"error": advice.error, "errors": advice.errors}
    return {"id": message["id"], **told, **bounds}


def _read(messages: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        messages.put(line)
    os._exit(0)  # the parent is gone: do not finish compiling for nobody


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    messages: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(messages,), daemon=True).start()
    while True:
        message = json.loads(messages.get())
        try:
            said = answer(message)
        except Exception as failure:  # the parent then answers by itself
            said = {"id": message.get("id"), "error": repr(failure)}
        try:
            print(json.dumps(said), flush=True)
        except BrokenPipeError:
            os._exit(0)


if __name__ == "__main__":
    main()
