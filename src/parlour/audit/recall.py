"""Checks of players' knowledge: keys, legal actions, and the different forms of a view."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.audit.trails import Trail, heard_by
from parlour.base.errors import NoCompiler
from parlour.engine.information import Recollection, recollected
from parlour.engine.telling import View
from parlour.rules.vocabulary import EVERYBODY


class Partition:
    """Compares two descriptions of the same things: things that are equal in one must be equal in the other."""

    def __init__(self) -> None:
        self._there: dict[Any, Any] = {}
        self._back: dict[Any, Any] = {}

    def differs(self, a: Any, b: Any) -> str:
        """Return an empty text, or the name of the description that merges things that the other tells apart."""
        if self._there.setdefault(a, b) != b:
            return "first"
        return "second" if self._back.setdefault(b, a) != a else ""


def _crowds(material: Material) -> Iterator[Trail]:
    """Return trails that share keys with others: random walks, the whole tree if it is small, and histories that some
    player cannot tell from a real one."""
    for walked in material.walks:
        yield from walked.trails
    yield from material.tree
    for _, _, worlds in material.worlds:
        yield from worlds


def legal(material: Material, notes: Notes) -> None:
    """A player who may act at two positions with the same key has the same actions at both."""
    if material.game.definition.hides_nothing:
        notes.spare("the position itself is what a player knows (verified by the check `open`)")
        return
    _same_actions(material, notes)
    if material.in_small is not material:
        _same_actions(material.in_small, notes)
    if not notes.cases:
        notes.lack(material.why_no_worlds)


def _same_actions(material: Material, notes: Notes) -> None:
    found: dict[tuple[int, bytes], list[int]] = {}
    for trail in _crowds(material):
        for p in trail.acting:
            actions, known = trail.legal(p), found.get((p, trail.knows(p)))
            if known is None:
                found[p, trail.knows(p)] = actions
                notes.pass_over("the only position found of which a player knows so")
                continue
            notes.count()
            if known != actions:
                names = material.game.action_names
                here, there = ([names[a] for a in acts] for acts in (actions, known))
                notes.fault(f"legal here: {here}; legal elsewhere, where the player knows the same: {there}", trail, p)
                if notes.full:
                    return


def recall(material: Material, notes: Notes) -> None:
    """Keys are equal exactly when the readable information states are, and when the player's own histories are.  Every
    action of a player changes their key."""
    texts = [Partition() for _ in range(material.game.players)]
    owns = [Partition() for _ in range(material.game.players)]
    for trail in _crowds(material):
        for p, key in enumerate(trail.keys):
            notes.count()
            text = trail.memory.lines[p][0]
            side = owns[p].differs(key, trail.knows(p))
            if side == "first":
                notes.fault("a different history of the player's own has the same key", trail, p)
            elif side == "second":
                notes.fault("the same history of the player's own has a different key elsewhere", trail, p)
            if texts[p].differs(key, text):
                notes.fault("information key and information state distinguish different histories", trail, p)
        if notes.full:
            break
    for walked in material.walks:
        for before, after in zip(walked.trails, walked.trails[1:], strict=False):
            who = after.step[0]
            if who >= 0 and before.keys[who] == after.keys[who]:
                notes.fault("the player's own action left the key unchanged", after, who)


def tensors(material: Material, notes: Notes) -> None:
    """The tensors of information states are equal exactly when the keys are, with the small deck too, and the same in
    both bindings.  Where there is no C compiler, there is one binding only."""
    try:
        _alike(material, notes)
    except NoCompiler as error:
        notes.spare(str(error))
        return
    if material.in_small is not material:
        _alike(material.in_small, notes)
    for walked in material.walks[:1]:
        known = _recollection(walked.last)
        for p, tensor in enumerate(recollected(material.game, walked.last.steps)):
            notes.count()
            if not (tensor == known.tensor(p)).all():
                notes.fault("the tensor of the information state differs between the bindings", walked.last, p)


def _recollection(trail: Trail) -> Recollection:
    known = Recollection(trail.game)
    for who, action in trail.steps:
        known.take(action, who)
    return known


def _alike(material: Material, notes: Notes) -> None:
    known, seen = [Partition() for _ in range(material.game.players)], set[tuple[int, ...]]()
    forgotten = material.game.players + material.game.tensor_size
    for trail in _crowds(material):
        if (keys := tuple(trail.keys)) in seen:
            continue
        seen.add(keys)
        recollection = _recollection(trail)
        for p, key in enumerate(keys):
            notes.count()
            tensor = recollection.tensor(p)
            if tensor[forgotten]:
                notes.pass_over("a log that was full")
                continue
            side = known[p].differs(key, blake2b(tensor.tobytes(), digest_size=16).digest())
            if side:
                what = (
                    "tells apart what the key does not" if side == "first" else "is that of another information state"
                )
                notes.fault(f"the tensor of the information state {what}", trail, p)
                if notes.full:
                    return


def hidden(material: Material, notes: Notes) -> None:
    """A player who sees and hears nothing of a step keeps the same key."""
    noticed = 0
    for walked in material.walks:
        for before, after in zip(walked.trails, walked.trails[1:], strict=False):
            who = after.step[0]
            for p in range(material.game.players):
                if p == who:
                    continue
                same = before.sees(p) == after.sees(p)
                if not same or heard_by(after.heard, p):
                    noticed += 1
                    continue
                if before.ears(p):
                    notes.pass_over("a player has answered, and does not know yet that all answers are in")
                    continue
                notes.count()
                if before.keys[p] != after.keys[p]:
                    notes.fault("saw and heard nothing of the last step, and yet the key changed", after, p)
        if notes.full:
            return
    if not notes.cases and noticed:
        notes.spare(f"no step is hidden: {noticed} times a player might have missed one, and did not")


def writers(material: Material, notes: Notes) -> None:
    """JSON, text and tensor distinguish the same values of each thing, and the same whole views."""
    game = material.game
    parts: dict[tuple[int, str, str], Partition] = {}
    wholes: dict[tuple[int, str], Partition] = {}
    seen: set[tuple[Any, ...]] = set()

    def compare(p: int, view_: View, table: Callable[[str], Partition], trail: Trail, what: str) -> None:
        told = tuple(sorted(view_.items))
        for writer, write in WRITERS.items():
            if p == EVERYBODY and writer == "tensor":
                continue
            side = table(writer).differs(told, write(view_))
            if side:
                merged = "tells equal things apart" if side == "first" else "merges what is told differently"
                notes.fault(f"the {writer} {merged}: {what}", trail, p)

    for trail in [t for walked in material.walks for t in walked.trails] + material.tree:
        for p in range(EVERYBODY, game.players):
            whole = View(game, p, trail.sees(p))
            if (p, whole.items) in seen:
                continue
            seen.add((p, whole.items))
            compare(p, whole, lambda w, p=p: wholes.setdefault((p, w), Partition()), trail, "whole view")  # type: ignore[misc]
            for thing in game.definition.things:
                items = tuple(item for item in whole.items if item[0] == thing)
                if (p, thing, items) in seen:
                    continue
                seen.add((p, thing, items))
                notes.count()
                compare(
                    p, View(game, p, items),
                    lambda w, p=p, thing=thing: parts.setdefault((p, w, thing), Partition()),  # type: ignore[misc]
                    trail, " ".join(f"{name}[{i}]={value}" for name, i, value in items) or f"{thing} not told",
                )  # fmt: skip
        if notes.full:
            return


def _json(view_: View) -> str:
    return json.dumps(view_.observation(), ensure_ascii=False)


def _tensor(view_: View) -> bytes:
    return view_.tensor().flat.tobytes()


WRITERS: dict[str, Callable[[View], Any]] = {
    "JSON": _json,
    "text": View.text,
    "tensor": _tensor,
    "glance": View.glance,
}
