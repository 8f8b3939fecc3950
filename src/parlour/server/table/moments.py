"""What a seat is told of the moments between two tellings.

Rules need not provide a view in the middle of a step, and no audit looks at one. So a seat is told only what it could
work out from the tellings before and after, and from the sentences in between. A thing whose value is a number or a
player is told with its value at that moment, if it is told both before and after. A card is told if the seat has seen
it or heard of it by then. Everything else is told as it was before.
"""

from __future__ import annotations

from collections.abc import Iterable

from parlour.core.game import Game
from parlour.engine.sentences import fields_in
from parlour.engine.steps import Event
from parlour.engine.telling import Item, members
from parlour.rules.vocabulary import Thing


class Between:
    """The moments of one seat between two tellings."""

    def __init__(self, game: Game, before: Iterable[Item], after: Iterable[Item]) -> None:
        self._game = game
        self._now = {item[:2]: item for item in before}
        self._known = {item[:2]: item for item in after}
        self._ends = {*self._now.values(), *self._known.values()}
        self._cards = {name for item in self._ends for name in self._named(item)}

    def hear(self, event: Event) -> None:
        """Note that the seat is told this event, with the cards that its sentence names."""
        definition, cards = self._game.definition, self._game.definition.rules.CARDS
        _, key, _, _, a, b = event
        for field, spec in fields_in(definition.events[key]):
            number = {"a": a, "b": b}.get(field, 0)
            if spec == "card":
                self._cards.add(cards[number])
            elif spec == "cards":
                self._cards |= {cards[c] for c in members(number) if c < len(cards)}

    def tell(self, items: Iterable[Item] | None, event: Event) -> list[Item]:
        """Return what the seat is told of a view at the moment of an event. ``items``: the view; ``None`` if there is
        none."""
        if items is not None:
            there = {item[:2]: item for item in items}
            self._now = {
                place: item
                for place in (*self._now, *(one for one in there if one not in self._now))
                if (item := self._told(there.get(place), self._now.get(place))) is not None
            }
        return [*{**self._now, **self._carried(event)}.values()]

    def _told(self, item: Item | None, before: Item | None) -> Item | None:
        """Return a thing as the seat is told it, as it is now or as it was before; ``None`` if the seat is not told
        it."""
        if item is None:
            place = before and before[:2]
            return None if place not in self._known else before
        if item in self._ends:
            return item
        thing = self._game.definition.things[item[0]]
        at_both_ends = item[:2] in self._known and before is not None
        if self._is_of_cards(thing):
            return item if self._cards.issuperset(self._named(item)) else before
        return item if at_both_ends else before

    def _carried(self, event: Event) -> dict[tuple[str, int], Item]:
        """Return where an event itself says that a card lies (``moments`` in the game's words)."""
        carried = self._game.definition.words.get("moments", {}).get(event[1])
        if carried is None:
            return {}
        name, where, what = carried.split()
        numbers = {"who": event[3], "a": event[4], "b": event[5]}
        thing, index = self._game.definition.things[name], numbers[where]
        card = self._game.definition.rules.CARDS[numbers[what]]
        return {(name, index): (name, index, (thing.names or ()).index(card))}

    def _is_of_cards(self, thing: Thing) -> bool:
        cards = set(self._game.definition.rules.CARDS)
        return thing.kind == "cards" or (thing.kind == "one_of" and bool(cards & set(thing.names or ())))

    def _named(self, item: Item) -> list[str]:
        """Return the names in an item, such as those of cards."""
        thing = self._game.definition.things[item[0]]
        names = thing.names or ()
        if thing.kind == "cards":
            return [names[c] if names else str(c) for c in members(item[2])]
        return [names[item[2]]] if thing.kind == "one_of" and names else []


__all__ = ["Between"]
