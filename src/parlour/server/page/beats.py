"""How a table shows what has happened, one event after another."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from parlour.base.languages import current
from parlour.base.languages import gettext as _
from parlour.engine.definition import Definition
from parlour.server.common import wire
from parlour.server.page.scene import Scene
from parlour.server.page.words import sentence_of_several


def beat_of(scene: Scene, said: wire.Sentence) -> dict[str, Any]:
    """Return how an event is shown. ``kind``: the kind of beat, to which its neighbours of the same kind belong too
    (``[beats]`` in the game's words; otherwise the event's own key). ``hold``: for how long it is looked at. ``many``:
    what is said of several players at once, with ``{who}`` for their names. ``name``: who this one is; ``mine``:
    whether that is the reader."""
    kind, *held = str(scene.what.words.get("beats", {}).get(said.event, said.event)).split()
    found: dict[str, Any] = {"kind": kind, "name": ""}
    if said.who >= 0:
        found["name"] = _("you") if said.who == scene.me else scene.called[said.who]
    if held:
        found["hold"] = int(held[0])
    if said.who == scene.me >= 0:
        found["mine"] = True
    if said.who >= 0 and said.event in scene.what.words.get("several", {}):
        found["many"] = sentence_of_several(current(), scene.about.game, scene.called, said.event, said.a, said.b)
    return found


def staged(what: Definition) -> Collection[str]:
    """Return the events that the table shows although nothing moves with them (``scene`` in the game's words)."""
    return tuple(what.words["game"].get("scene", ()))
