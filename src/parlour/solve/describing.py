"""Games and information sets in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.engine.telling import Item, view
from parlour.rules.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from parlour.solve.sequences import SequenceForm


class Describer:
    """Describes what a player sees in an information set, as far as it differs between the given sets, and those that
    they are ``among``.

    >>> import parlour
    >>> from parlour.solve.form import grow
    >>> form = grow(parlour.load("kuhn"), positions=True)
    >>> Describer(form, 0, range(6))(0)
    'moves made: 0; chips in the pot: 1, 1; hand: J, -'
    """

    in_order: Sequence[int]
    """The sets, ordered by the facts that only the player knows, then by those that everybody knows."""

    def __init__(self, form: SequenceForm, player: int, sets: Sequence[int], among: Sequence[int] = ()) -> None:
        self._texts: dict[int, dict[str, str]] = {}
        known: dict[int, tuple[list[Item], tuple[Item, ...]]] = {}
        for i in {*sets, *among}:
            position = form.position(player, i)
            own, open_ = view(form.game, position, player), view(form.game, position, EVERYBODY).items
            known[i] = [item for item in own.items if item not in open_], open_
            lines = own.text().splitlines()
            self._texts[i] = dict(line.split(": ", 1) for line in lines if ": " in line)
        self.in_order = sorted(sets, key=known.__getitem__)
        seen: dict[str, set[Any]] = {}
        for text in self._texts.values():
            for thing, said in text.items():
                seen.setdefault(thing, set()).add(said)
        self._varying = [
            thing
            for thing, said in seen.items()
            if len(said) > 1 or any(thing not in text for text in self._texts.values())
        ]

    def __call__(self, i: int) -> str:
        text = self._texts[i]
        return "; ".join(f"{thing}: {text[thing]}" for thing in self._varying if thing in text) or "the start"
