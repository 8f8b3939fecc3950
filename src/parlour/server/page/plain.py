"""What the plain board shows; it serves games that have no board of their own."""

from __future__ import annotations

from functools import cached_property

from parlour.base.languages import counted
from parlour.core.drawing import Fact, facts
from parlour.server.page.scene import Scene


class Plain:
    """The facts of a scene that its reader sees; the template of the plain board calls it ``plain``."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    @cached_property
    def facts(self) -> list[Fact]:
        """Everything the reader sees."""
        return facts(self._scene.view, self._scene.names) if self._scene.view is not None else []

    @cached_property
    def hand(self) -> Fact | None:
        """The first thing that is told of each player's cards: if possible, of cards that only the player sees."""
        held = [one for one in self.facts if one.seated and one.cards is not None]
        return next((one for one in held if one.own), held[0] if held else None)

    @cached_property
    def account(self) -> Fact | None:
        """What each player has, where the game says what counts (``account`` in its words)."""
        name = self._scene.what.words["game"].get("account")
        return next((one for one in self.facts if one.name == name and one.seated and one.cards is None), None)

    def unit_of(self, n: str) -> str:
        """The game's unit as it stands after this number; empty if the game names none."""
        words = self._scene.what.words["game"]
        if "unit" not in words or not n.lstrip("-").isdecimal():
            return ""
        return counted(int(n), str(words["unit"]), words.get("units")).partition(" ")[2]

    @cached_property
    def laid(self) -> Fact | None:
        """The first thing, seen by everybody, of which a player may have several cards."""
        held = [one for one in self.facts if one.seated and one.cards is not None and not (one.own or one.one)]
        return held[0] if held else None

    @cached_property
    def cards_to_play(self) -> dict[str, str]:
        """The action that each of the reader's cards stands for. A kind of action is about cards if each legal action
        of that kind names one of them. If two actions name the same card, they stay buttons."""
        cards = self.hand.cards[self._scene.me] if self.hand and self.hand.cards and self._scene.me >= 0 else []
        kinds: dict[str, list[str]] = {}
        for name in self._scene.legal:
            kinds.setdefault(name.partition(" ")[0], []).append(name)
        about = [name for names in kinds.values() if all(_card_in(name) in cards for name in names) for name in names]
        meant = [_card_in(name) for name in about]
        return {card: name for card, name in zip(meant, about, strict=True) if meant.count(card) == 1}


def _card_in(action: str) -> str:
    """Return what an action of two words is about."""
    return action.partition(" ")[2]
