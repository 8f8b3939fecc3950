"""The drawing of the table of Diamondback: the pot, and each player's coins and two cards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from parlour.base.languages import and_list, counted, current, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import Gone, Now, Showdown, ShownHand, sentence_of
from parlour.games.diamondback.deck import pair
from parlour.games.diamondback.match import hands_in_match, session
from parlour.games.diamondback.position import CARDS, HANDS, POINTS, kind_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from parlour.core.drawing import Happening
    from parlour.engine.ruleset import Ruleset
    from parlour.engine.telling import View

GAMES = {"standard": "Diamondback", "dealers": "Dealer's Diamondback", "match": "Match Diamondback"}
BETWEEN = ("between hands", "over")
ENDS = (  # events that report the end of a hand
    *("shows", "wins", "divide", "odd_stay", "odd_to_left", "carried", "keeps_seat", "unmatched"),
    *("dealer_folds", "pot_stays", "unopposed", "broke"),
)
BEGINS = ("deals", "antes")
"""Events at the beginning of a hand."""
TAKES = ("unmatched", "unopposed")
"""Events when a pot is taken without a showdown."""
STYLES = dict(zip(CARDS, ("bold magenta", "bright_cyan", "red", "yellow", "green"), strict=True))


def name(options: Mapping[str, str]) -> str:
    """The name of the game, one of three."""
    return word(GAMES[options["version"]])


def card(name: str) -> str:
    """Rich markup of a card."""
    return f"[{STYLES[name]}]{name}[/]"


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """The price of staying in, or the meaning of a vote."""
    seen = all_seen(view)
    if action in ("match", "pay"):
        return counted(price(view, seen), "coin")
    if action == "fold":
        paid = seen["before"][view.player] - seen["coins"][view.player]
        return _("{coins} lost", coins=counted(paid, "coin")) if paid > 0 else ""
    if action == "leave":
        whole = view.game.options["forfeit"] == "whole_stack"
        lost = seen["coins"][view.player] - (0 if whole else int(view.game.options["start_coins"]))
        return _("{coins} forfeited unless the match ends", coins=counted(lost, "coin")) if lost > 0 else ""
    return ""


def now(view: View, legal: Sequence[str]) -> Now:
    """The amounts that may be paid or the choices, and the coins in the pot."""
    seen, amounts = all_seen(view), [int(name.split()[1]) for name in legal if name.split()[-1].isdecimal()]
    kinds, pot = {name.split()[0] for name in legal}, _("The pot has {coins}.", coins=counted(seen["pot"], "coin"))
    up_to = _("{low} to {high} coins.", low=min(amounts), high=max(amounts)) if len(amounts) > 1 else ""
    if "match" in kinds:
        cost = _("Staying in costs {coins}.", coins=counted(price(view, seen), "coin"))
        return Now(_("Match or fold."), f"{cost} {pot}")
    if "wager" in kinds and "fold" in kinds:
        return Now(_("Open the betting, or fold."), f"{up_to} {pot}".strip())
    if "wager" in kinds:
        head = _("Wager again, or stop.") if "stop" in kinds else _("Make a wager.")
        return Now(head, f"{up_to} {pot}".strip())
    if "ante" in kinds:
        return Now(_("Set the ante."), f"{up_to} {_('Everybody pays the same.')}".strip())
    if "expose" in kinds:
        return Now(_("Turn up one card."), _("The other one stays hidden until the end."))
    if "pay" in kinds:
        return Now(_("Pay the ante, or sit out."), _("It is {coins}.", coins=counted(price(view, seen), "coin")))
    if "continue" in kinds:
        lost = caption("leave", view, ()) if "leave" in kinds else ""
        return Now(_("Play on, or vote to end."), _("Leaving: {lost}.", lost=lost) if lost else "")
    return Now(sentence_of([word(name) for name in legal]), pot)


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences."""
    seen = all_seen(view)
    out = [f"{heading(view, seen)}."]
    if seen.get("dealer") is not None:
        out.append(f"{pot_in_words(view, seen)}.")
    for p, name in enumerate(names):
        shown, place = cards_of(view, seen, p), ", ".join(filter(None, (role_of(seen, p), place_of(seen, p))))
        held = _("; cards: {cards}", cards=", ".join(word(c) if c else _("hidden") for c in shown)) if shown else ""
        out.append(
            _(
                "{name}: {coins}{held}{place}.",
                name=name,
                coins=counted(seen["coins"][p], "coin"),
                held=held,
                place=f"; {place}" if place else "",
            )
        )
    points = points_of(seen, view.player)
    return [*out, _("Your hand is worth {points} points.", points=points)] if points else out


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """A line for each player: name, coins, both cards, what they are doing; above it the pot."""
    from rich.console import Group
    from rich.table import Column, Table
    from rich.text import Text

    seen = all_seen(view)
    seats = Table.grid("", "", Column(justify="right"), "", "", padding=(0, 2))
    for p, name in enumerate(names):
        turn = seen.get("turn") == p
        label = Text.assemble(("▸ " if turn else "  ", "yellow"), (name, "bold" if turn else ""))
        faces = Text(" ").join(
            Text(f"[{word(c)}]", STYLES[c]) if c else Text("[░░░░]", "blue") for c in cards_of(view, seen, p)
        )
        role = Text(role_of(seen, p), "dim")
        seats.add_row(label, role, Text(counted(seen["coins"][p], "coin")), faces, Text(place_of(seen, p), "dim"))
    head = [Text(f"  {heading(view, seen)}", "dim")]
    if seen["stage"] != "over":
        head.append(Text(f"  {pot_in_words(view, seen)}", "bold"))
    points = points_of(seen, view.player)
    foot = [Text(_("  Your hand is worth {points} points.", points=points), "dim")] if points else []
    return Group(*head, seats, *foot)


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's coins and place."""
    seen = all_seen(view)
    worth = [(seen["coins"][p], seen["gone"][p] or 255) for p in range(len(names))]
    worth = [(coins, gone if coins == 0 else 255) for coins, gone in worth]
    return [
        _(
            "{name}: place {place}, {coins}.",
            name=name,
            place=1 + sum(w > mine for w in worth),
            coins=counted(mine[0], "coin"),
        )
        for name, mine in zip(names, worth, strict=True)
    ]


def board(view: View, told: Sequence[Happening]) -> dict[str, Any]:
    """Return what the page shows in addition to the view: each player's cards, place, and the value of their hand; the
    price of staying in; the showdown as far as it has been told; the winners of the pot, with their coins; the end of
    the previous hand.  Cards that were shown stay until the next hand."""
    seen = all_seen(view)
    between = seen["stage"] in BETWEEN
    now = of_this_hand(told)
    own = next((one for one in now if one.event == "dealt" and one.who == view.player), None)
    scene = showdown(view, seen, now)
    return {
        "which": which(view, seen),
        "between": between,
        "price": price(view, seen),
        "amounts": amounts,
        "before": end_of_hand(told),
        "showdown": scene,
        "won": won(scene, now),
        "own": [CARDS[own.a], CARDS[own.b]] if own else [],
        "points": points_of(seen, view.player),
        "players": [
            {
                "cards": (between and shown_by(now, p)) or cards_of(view, seen, p),
                "deals": role_of(seen, p) != "",
                "place": (place := place_of(seen, p)),
                "out": bool(place) and not between,
                "coins": seen["coins"][p],
            }
            for p in range(view.game.players)
        ],
    }


def shown_by(told: Sequence[Happening], p: int) -> tuple[str, ...]:
    """Return the cards that a player has shown in a hand."""
    return next(((CARDS[one.a], CARDS[one.b]) for one in told if one.event == "shows" and one.who == p), ())


def won(scene: Showdown | None, told: Sequence[Happening]) -> tuple[list[int], int] | None:
    """Return the winners of the pot of a finished hand, with or without a showdown ``scene``, and the coins of each;
    ``None`` if there is none."""
    for one in told:
        if one.event in (*TAKES, "wins"):
            return [one.who], one.a
    heirs = [lane for lane in scene.lanes if lane.won] if scene else []
    return ([lane.seat for lane in heirs], heirs[0].prizes[0][2]) if heirs else None


def amounts(legal: Collection[str], verb: str) -> list[int]:
    """Return the numbers that may be chosen."""
    return sorted(int(name.removeprefix(f"{verb} ")) for name in legal if name.startswith(f"{verb} "))


def of_this_hand(told: Sequence[Happening]) -> Sequence[Happening]:
    """Return the events since the hand began: since the ante if there is one, otherwise since the deal."""
    begun = (i for i in reversed(range(len(told))) if told[i].event in BEGINS)
    last = next(begun, 0)
    if told and told[last].event == "deals":
        ante = next(begun, last)
        last = ante if told[ante].event == "antes" else last
    return told[last:]


def showdown(view: View, seen: dict[str, Any], told: Sequence[Happening]) -> Showdown | None:
    """Return the showdown of this hand as far as it has been told; ``None`` if no hand has been shown.  Each hand has a
    lane until the pot is won or divided; then only the winning hands have one."""
    shown = {one.who: one for one in told if one.event == "shows"}
    if not shown:
        return None
    ended = next((one for one in told if one.event in ("wins", "divide", "carried")), None)
    hands = [p for p in range(view.game.players) if p in shown or p in seen["live"]]
    worth = {p: _worth(one.a, one.b) for p, one in shown.items()}
    best = max(worth.values())
    heirs = [p for p in hands if worth.get(p) == best] if ended is not None else []
    pot = seen["pot"] if ended is None else ended.a * (len(heirs) if ended.event == "divide" else 1)
    pays = ended is not None and ended.event != "carried"

    def hand(p: int) -> ShownHand:
        one = shown.get(p)
        gain = seen["coins"][p] - seen["before"][p]
        won = pays and p in heirs
        up = seen["up"][p]
        return ShownHand(
            seat=p,
            cards=(CARDS[one.a], CARDS[one.b]) if one else (None if up == "none" else up, None),
            hand=_hand_in_words(one.a, one.b) if one else "",
            prizes=(("", _("The pot"), ended.a if won and ended else 0),)
            if p in heirs or (ended is None and len(hands) == 1)
            else (),
            gain=gain if ended is not None and not won else 0,
            won=won and gain > 0,
        )

    lanes = heirs or hands
    return Showdown(
        hands=len(hands),
        pot=pot,
        left=0 if pays else pot,
        lanes=tuple(map(hand, lanes)),
        rest=tuple(hand(p) for p in hands if p not in lanes),
        gone=tuple(Gone(p, _("folded")) for p in seen["dealt"] if p not in hands),
    )


def _worth(one: int, other: int) -> int:
    return POINTS * kind_of(one, other)


def _hand_in_words(one: int, other: int) -> str:
    """Return two cards in words, and their points.

    >>> _hand_in_words(0, 4), _hand_in_words(3, 3)
    ('Magician and Priest, 30 points', 'Two Kings, 20 points')
    """
    cards = pair(CARDS[one]) if one == other else and_list([word(CARDS[one]), word(CARDS[other])])
    cards = f"{cards[:1].upper()}{cards[1:]}"
    return _("{cards}, {n} points", cards=cards, n=_worth(one, other))


def all_seen(view: View) -> dict[str, Any]:
    """The observation, with keys for everybody's cards even if none is told."""
    return {"up": [None] * 5, "hand": [None] * 5, **view.observation()}


def price(view: View, seen: dict[str, Any]) -> int:
    """The price of staying in."""
    doubles = view.game.options["version"] == "dealers" and seen["stage"] == "wager answered"
    return int(seen["wager"]) * (2 if doubles else 1)


def heading(view: View, seen: dict[str, Any]) -> str:
    """The name of the game, and the number of the hand."""
    return f"{word(GAMES[view.game.options['version']])}, {_hand_of(view, seen)}"


def which(view: View, seen: dict[str, Any]) -> str:
    """The number of the hand, to go with the name of the game, and the version if it is not the standard one."""
    version = {"dealers": _("Dealer's"), "match": _("Match")}.get(view.game.options["version"])
    return f"{version}, {_hand_of(view, seen)}" if version else _hand_of(view, seen)


def _hand_of(view: View, seen: dict[str, Any]) -> str:
    between = seen["stage"] in BETWEEN
    n = seen["deal"] + (not between and seen["stage"] != "settled")
    return _numbered(current(), view.game, between, n)


@lru_cache(maxsize=1024)
def _numbered(language: str, game: Ruleset[Any], between: bool, n: int) -> str:
    """A hand with its number in a language, or the time after it."""
    s = game.blank()
    hand = _("after hand {n}", n=n) if between else _("hand {n}", n=n)
    of = "" if session(s) else _(" of {n}", n=min(hands_in_match(s), s.deals or 255))
    return f"{hand}{of}"


def pot_in_words(view: View, seen: dict[str, Any]) -> str:
    """The pot, and the price of staying in."""
    text = _("Pot: {coins}", coins=counted(seen["pot"], "coin"))
    if seen["carried"] and seen["pot"]:
        text += _(", {n} of it carried over", n=seen["carried"])
    asked = _("ante") if seen["stage"] == "antes answered" else _("to stay in")
    return text + (f"; {asked}: {counted(price(view, seen), 'coin')}" if seen["wager"] else "")


def cards_of(view: View, seen: dict[str, Any], p: int) -> tuple[str | None, ...]:
    """The cards in front of a player, the exposed one first; ``None`` is face down."""
    up, hand = seen["up"][p], seen["hand"][p]
    up = None if up == "none" else up
    if hand and hand != "none":
        both: tuple[str | None, ...] = (*hand.split("-"),)
        return both if up in (None, both[0]) else both[::-1]
    if seen["stage"] in ("drawing for the deal", *BETWEEN):
        return (up,) if up else ()
    return (up, None) if p in seen["dealt"] and seen["stage"] not in ("dealing", "ante") else ()


def role_of(seen: dict[str, Any], p: int) -> str:
    """The words for a player who deals; otherwise empty."""
    if seen["stage"] == "between hands":
        return _("deals next") if seen["successor"] == p else ""
    return _("dealer") if seen.get("dealer") == p and seen["stage"] != "over" else ""


def place_of(seen: dict[str, Any], p: int) -> str:
    """Return whether a player is out of the hand or the match, or how they vote between hands."""
    if p not in seen["seated"]:
        return _("left after hand {n}", n=seen["gone"][p])
    if seen["stage"] == "between hands":
        return _("votes to end") if p in seen["ends"] else _("votes to leave") if p in seen["quits"] else ""
    if seen["stage"] in ("drawing for the deal", "ante", "antes answered", "over"):
        return ""
    if p not in seen["dealt"]:
        return _("sits this hand out")
    return "" if p in seen["live"] else _("folded")


def points_of(seen: dict[str, Any], player: int) -> int:
    """The points of a player's hand, 0 if it is unknown."""
    hand = seen["hand"][player] if player >= 0 else None
    return POINTS * (HANDS.index(hand) + 1) if hand in HANDS else 0


def end_of_hand(story: Sequence[Any]) -> list[Any]:
    """Return the latest sentences of a story that say how the last hand ended."""
    last = next((i for i in reversed(range(len(story))) if story[i].event in ENDS), -1)
    first = last
    while first > 0 and story[first - 1].event in ENDS:
        first -= 1
    return list(story[first : last + 1])
