"""The pieces that boards are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from markupsafe import Markup

from parlour.base import languages
from parlour.base.languages import gettext as _
from parlour.base.languages import ngettext
from parlour.core.drawing import Showdown, ShownHand
from parlour.engine.definition import definition
from parlour.server.page import decks
from parlour.server.page.environment import in_language
from parlour.server.page.people import Person
from parlour.server.page.scene import Scene
from parlour.server.page.words import CARD, drawing

AS_TEXT: Final = "\ufe0e"
"""Stands after the sign of a suit, so that it is drawn as a letter and not as a picture."""
_MARKED: Final = re.compile(r"\[([^\]]*)\](.*)\[/\]")


@cache
def macros(language: str) -> Any:
    """Return the macros of ``pieces.html``, which see nothing but their arguments."""
    return in_language(language).get_template("pieces.html").module


@lru_cache(maxsize=16_384, typed=True)  # ``typed``: markup and plain text of equal characters differ
def made(macro: Callable[..., Markup], *given: Hashable) -> Markup:
    """Return what a macro makes of these values; it is made only once. (Each language has macros of its own.)

    The macro must be one of a template of pieces that is imported without context, as is usual, so that it sees nothing
    but its arguments. (A macro of the board itself is a new one each time, so nothing would be gained.)
    """
    return macro(*given)


def piece(kind: str, *given: Hashable) -> Markup:
    """Return one of our own pieces.

    >>> str(piece("coins", 3, "coins")).partition(">")[0]
    '<span class="coins" data-n="3"'
    """
    return made(_macro(languages.current(), kind), *given)


@cache
def _macro(language: str, kind: str) -> Callable[..., Markup]:
    """Return one of the macros of ``pieces.html``."""
    macro: Callable[..., Markup] = getattr(macros(language), kind)
    return macro


class Pieces:
    """What a board is made of; templates of boards call it ``m``."""

    __slots__ = ("_scene",)

    made = staticmethod(made)

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def _offer(self, action: str) -> tuple[str, bool, str]:
        """Note that the board itself offers an action; return its name, whether it is legal, and its caption."""
        s = self._scene
        s.place(action)
        legal = s.can(action)
        return action, legal, s.caption(action) if legal else ""

    def face(self, name: str) -> Markup:
        """Return the picture of a card."""
        return piece("face", self._scene.about.game, name, self._scene.four_colours)

    def card(self, name: str, act: str | None = None, cls: str = "", note: Hashable = "", key: str = "") -> Markup:
        """Return a card. With ``act``, it is a button for that action: raised if the action is legal, otherwise
        answered with the clause. ``key`` tells the card from others of the same name on the board."""
        s = self._scene
        action = self._offer(act) if act and not s.still else ("", False, "")
        return piece("card", s.about.game, name, s.title(name), s.four_colours, *action, cls, note, key or name)

    def back(self, n: int = 1, act: str | None = None, label: str = "") -> Markup:
        """Return ``n`` cards face down."""
        s = self._scene
        action = self._offer(act) if act and not s.still else ("", False, "")
        label = label or ngettext("{n} card face down", "{n} cards face down", n)
        return piece("back", s.about.game, s.four_colours, n, label, *action)

    def fan(self, n: int) -> Markup:
        """Return a closed hand of ``n`` cards."""
        return piece("fan", self._scene.about.game, self._scene.four_colours, n)

    def backside(self) -> Markup:
        """Return the picture of a card face down."""
        return piece("backside", self._scene.about.game, self._scene.four_colours)

    def empty(self, label: str = "") -> Markup:
        """Return a place without a card."""
        return piece("empty", label or _("nothing"))

    def coins(self, n: int, label: str = "") -> Markup:
        """Return a number of coins."""
        return piece("coins", n, label)

    def act(self, action: str, text: str = "") -> Markup:
        """Return a button for an action."""
        s = self._scene
        if s.still:
            return Markup()
        s.place(action)
        return piece("act", action, s.can(action), text or s.caption(action))

    def stepper(
        self, kind: str, text: str, amounts: Sequence[int], value: int, by: int = 1, rest: tuple[str, int] = ("", 0)
    ) -> Markup:
        """Return a field for a number, with a button for this kind of action. ``by``: how much the buttons beside it
        change the number; ``rest``: what becomes of the rest, and of how many."""
        s = self._scene
        if s.still or not amounts:
            return Markup()
        for n in amounts:
            s.place(f"{kind} {n}")
        given = s.filled.get(f"amount {kind}", value)
        step = amounts[1] - amounts[0] if len(amounts) > 1 else 1
        return piece("stepper", kind, text, amounts[0], amounts[-1], given, step, max(by, step), *rest)

    def tablet(self, coins: Sequence[int]) -> Markup:
        """Return what a player has written on their tablet: the coins on Win and on Lose, or nothing if it is face
        down."""
        return piece("tablet", tuple(coins))

    def seat(
        self,
        one: Person,
        *,
        money: int | None = None,
        unit: str = "",
        gain: int = 0,
        left: int | None = None,
        has: Hashable = "",
        cards: Hashable = "",
        dealer: bool = False,
        out: str = "",
        waits: bool = False,
        won: bool | None = None,
    ) -> Markup:
        """Return a player at the table: a face, a name, what they have (``money`` in a ``unit``; ``gain``: what this
        deal has brought so far; ``left``: how many cards are left; ``has``: anything else), their cards, and what they
        did last, unless they wait for their first turn since (``waits``); or why they are ``out``. ``won``: whether
        they have won, where several players do."""
        did = "" if one.me or waits else self.did(one.seat)
        one = one if won is None else one._replace(lit=won)
        return piece("seat", one, money, unit, gain, left, has, cards, did, dealer, out)

    def did(self, seat: int) -> Markup:
        """Return what a player did last, in words, with the cards that it was about. A sign that touches a card stays
        with it."""
        s = self._scene
        words, cards = s.did(seat)
        return _did(languages.current(), s.about.game, words, tuple(cards)) if words else Markup()

    def token(self, card: str, before: str = "", after: str = "") -> Markup:
        """Return a card as a word of a sentence, with a sign before or after it."""
        return _token(self._scene.about.game, card, before, after)

    def dealt(self, seat: int, cards: Sequence[str | None]) -> Markup:
        """Return a player's cards, side by side; ``None``: face down."""
        s = self._scene
        return _dealt(languages.current(), s.about.game, s.four_colours, seat, tuple(cards))

    def showdown(self, shown: Showdown) -> Markup:
        """Return the end of a deal as a scene, in place of seats and stage."""
        s = self._scene
        about = ngettext("{n} hand, pot {pot}", "{n} hands, pot {pot}", shown.hands, pot=shown.pot)
        lanes, rest = (Markup("\n").join(map(self._hand, those)) for those in (shown.lanes, shown.rest))
        gone = tuple((s.company[one.seat], one.why, one.tablet) for one in shown.gone)
        return piece("showdown", about, shown.left, len(shown.lanes), lanes, rest, gone)

    def _hand(self, one: ShownHand) -> Markup:
        return piece("hand", self._scene.company[one.seat], self.dealt(one.seat, one.cards), *one[1:])

    def won(self, seats: Iterable[int], n: int, doubled: bool = False) -> Markup:
        """Return a gold chip for what these players have won (or lost) here: ``n`` each, perhaps ``doubled``."""
        people = self._scene.company
        return piece("won", tuple(people[p] for p in seats), n, doubled)

    def person(self, one: Person) -> Markup:
        """Return a player's face and name."""
        return piece("person", one)


@lru_cache(maxsize=4096)
def sign_of(game: str, card: str) -> tuple[str, str]:
    """Return a card in as few signs as it has at a terminal, and its colour there; or the ``sign`` that its deck has
    for it.

    >>> sign_of("pope_joan", "Td"), sign_of("diabolo", "R3")
    (('10♦\ufe0e', 'red'), ('3', 'red'))
    """
    own = getattr(definition(game).part("deck"), "sign", None)
    if own is not None:
        text, colour = own(card)
        return str(text), str(colour)
    found = _MARKED.fullmatch(drawing(game).marked(card))
    if found is None:
        return card, ""
    text, style = found[2], found[1].split()[-1]
    suit = {*text} & {*"♠♥♦♣"}
    return (text + AS_TEXT, "red" if suit & {*"♥♦"} else "") if suit else (text, style)


@lru_cache(maxsize=4096)
def _did(language: str, game: str, words: str, cards: tuple[str, ...]) -> Markup:
    """Return what a player did, in a language: the words, with these cards in place of :data:`CARD`."""
    before, _card, after = words.partition(CARD)
    word, _space, sign = before.rpartition(" ") if cards else (words, "", "")
    close, _space, rest = after.partition(" ")
    tokens = Markup("").join(_token(game, card, sign, close) for card in cards)
    span = Markup('<span class="word">{}</span>').format
    return (span(f"{word} ") if word else Markup("")) + tokens + (span(f" {rest}") if rest else Markup(""))


def _token(game: str, card: str, before: str, after: str) -> Markup:
    text, colour = sign_of(game, card)
    return piece("token", f"{before}{text}{after}", colour)


@lru_cache(maxsize=4096)
def _dealt(language: str, game: str, four_colours: bool, seat: int, cards: tuple[str | None, ...]) -> Markup:
    """Return the cards of a seat in one language, rendered once for everybody who sees them."""
    nothing, down = ("", False, "", ""), _("a card face down")
    return Markup("").join(
        piece("card", game, name, decks.title(game, name), four_colours, *nothing, "", f"{seat}.{k} {name}")
        if name
        else piece("back", game, four_colours, 1, down, *nothing[:3])
        for k, name in enumerate(cards)
    )
