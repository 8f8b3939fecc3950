"""Drawing for every game of stops, in the terminal and on the page: players, sequence, suits, hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from parlour.base.languages import counted, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import SUITS, Now, shortened, sign, style
from parlour.engine.telling import members
from parlour.rules.stops.position import ACE_HIGH, CARD_NAMES, NEXT, SEATS

if TYPE_CHECKING:
    from rich.text import Text

    from parlour.core.drawing import Happening
    from parlour.engine.telling import View

NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
RANKS = "A23456789TJQK"
PLAYED, NOWHERE, OUT = "·", "×", "–"  # marks in the table of suits; OUT: not playable in this deal
SUITS_WIDE = 45  # columns of that table without what the marks mean


def seen_of(view: View) -> dict[str, Any]:
    """The observation, with keys for hand, card and dealer even if they are not told."""
    return {"hand": [None] * SEATS, "card": None, "dealer": None, **view.observation()}


def deal_of(view: View, seen: dict[str, Any]) -> str:
    """The number of the deal in the match, as ``3 of 8``."""
    deals = _deals(view)
    return _("{deal} of {deals}", deal=min(seen["deal"] + (seen["stage"] != "settled"), deals), deals=deals)


def in_run_off(view: View, seen: dict[str, Any]) -> bool:
    """Whether the run-off is being dealt, or the match has ended with one: it counts as one more deal."""
    return bool(seen["stage"] == "run-off" or (seen["stage"] == "over" and seen["deal"] > _deals(view)))


def _deals(view: View) -> int:
    deals, most = int(view.game.options["rounds"]) * view.game.players, view.game.options["deals"]
    return deals if most == "all" else min(deals, int(most))


def by_suit(cards: Sequence[str]) -> list[list[str]]:
    """The cards by suit, in the order of the pack, without empty suits."""
    return [found for suit in NAMES if (found := [c for c in CARD_NAMES if c in cards and c[1] == suit])]


def spelt(cards: Sequence[str]) -> str:
    """Cards in words, suit by suit.

    >>> spelt(["Kd", "2c", "Td"])
    'clubs 2; diamonds 10 K'
    """
    return "; ".join(
        f"{word(NAMES[suit[0][1]])} {' '.join(c[0].replace('T', '10') for c in suit)}" for suit in by_suit(cards)
    )


def gone(seen: dict[str, Any]) -> set[str]:
    """Everything that has been played in this deal."""
    return {c for cards in seen["played"] for c in cards or ()}


def lead_now(view: View, legal: Sequence[str], worth: Callable[[str], int]) -> Now:
    """The choice of a leader in words: the cards that may be led, and the one that is worth most."""
    seen = seen_of(view)
    may = [name.partition(" ")[2] for name in legal]
    if len(mine(view, seen)) == 1:
        which = _("Your last card: you are out.")
    elif len(may) == len(mine(view, seen)):
        which = _("Any card.")
    elif len(may) == 1:
        which = _("Only the {card}.", card=sign(may[0]))
    else:
        which = _("The lowest card of a suit.")
    best = max(may, key=worth)
    prize = _("The {card} is worth {n}.", card=sign(best), n=worth(best)) if worth(best) else ""
    return Now(_("You lead."), " ".join(filter(None, (which, prize))))


def nowhere(view: View, seen: dict[str, Any]) -> set[str]:
    """Cards that nobody else can hold: every other player with cards lacks them, or the viewer sees the stock."""
    others = [p for p in range(view.game.players) if p != view.player and seen["held"][p]]
    if not others or seen["stage"] in ("drawing", "dealing"):
        return set()
    found = set(CARD_NAMES).intersection(*(seen["lacks"][p] for p in others)).union(seen.get("stock") or ())
    return found - gone(seen) - set(seen["out"]) - set(mine(view, seen))


def mine(view: View, seen: dict[str, Any]) -> list[str]:
    """The viewer's hand; empty for a spectator or while it is dealt."""
    return (seen["hand"][view.player] or []) if view.player >= 0 else []


def run_in_order(seen: dict[str, Any]) -> list[list[str]]:
    """The sequence on the table, the suit of the last card last."""
    return sorted(by_suit(seen["run"]), key=lambda suit: seen["card"] in suit)


def leads(seen: dict[str, Any], p: int) -> bool:
    return bool(seen["stage"] == "lead" and seen["player"] == p)


def status(seen: dict[str, Any], p: int) -> list[str]:
    """Return the words about a player, apart from their counters."""
    parts = [counted(seen["held"][p], "card")] if seen["dealt"] and seen["stage"] != "dealing" else []
    if seen["stage"] == "drawing" and seen["played"][p]:
        parts.append(_("draws {cards}", cards=" ".join(seen["played"][p])))
    if seen["dealer"] == p:
        parts.append(_("deals"))
    if leads(seen, p):
        parts.append(_("leads"))
    elif seen["run"] and seen["player"] == p:
        parts.append(_("played last"))
    return parts


# ------------------------------------------------------------------------------------------ the position in words


def lines(view: View, names: Sequence[str], seen: dict[str, Any], asked: str = "") -> list[str]:
    """Players, sequence, cards known to be nowhere and hand as short sentences; ``asked``: the card that is asked
    for."""
    out = []
    for p, name in enumerate(names):
        out.append(
            _(
                "{name}: {parts}.",
                name=name,
                parts=", ".join([counted(seen["coins"][p], "counter"), *status(seen, p)]),
            )
        )
    if seen["run"]:
        said = "; ".join(spelt(suit) for suit in run_in_order(seen))
        out.append(
            _(
                "On the table: {cards}{asked}.",
                cards=said,
                asked=_("; asked for: {card}", card=spelt([asked])) if asked else "",
            )
        )
    if gone(seen) and seen["dealt"]:
        out.append(_("Played in this deal: {cards}.", cards=spelt(sorted(gone(seen)))))
    if nowhere(view, seen):
        out.append(_("In nobody else's hand: {cards}.", cards=spelt(sorted(nowhere(view, seen)))))
    if seen["stage"] == "over":
        out += [
            _("Left in hand, {name}: {cards}.", name=names[p], cards=spelt(hand))
            for p, hand in enumerate(seen["hand"])
            if hand
        ]
    elif mine(view, seen):
        out.append(_("Your hand: {cards}.", cards=spelt(mine(view, seen))))
    return out


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's counters and place."""
    coins = view.observation()["coins"]
    return [
        _(
            "{name}: place {place}, {counters}.",
            name=name,
            place=1 + sum(c > coins[p] for c in coins[: len(names)]),
            counters=counted(coins[p], "counter"),
        )
        for p, name in enumerate(names)
    ]


# ------------------------------------------------------------------------------------------ data for the page


def board(view: View, told: Sequence[Happening], brings: Callable[[str], Sequence[int]]) -> dict[str, Any]:
    """Return the data that the page of every game of stops shows and that the view does not contain directly;
    ``brings``: the counters that a card can bring when it is led."""
    seen = seen_of(view)
    dealt = bool(seen["dealt"]) and seen["stage"] != "dealing"
    return {
        "deal": deal_of(view, seen),
        "run_off": in_run_off(view, seen),
        "left_over": 52 - len(seen["out"]) - seen["dealt"] if dealt else 0,
        "turns": turns(view, seen),
        "stop": stop(view, seen),
        "hand": by_suit(mine(view, seen)),
        "open": laid_open(seen, told),
        "notes": {c: " ".join(f"+{n}" for n in brings(c)) for c in mine(view, seen)},
        "suits": places(view, seen) if dealt else [],
        "ended": settlement(told) if seen["stage"] == "over" or not gone(seen) else [],
    }


def taken(told: Sequence[Happening]) -> dict[int, list[tuple[int, int]]]:
    """Return the players who have taken counters from the layout in this deal, with the numbers, by pool or card,
    numbered as in sentences."""
    found: dict[int, list[tuple[int, int]]] = {}
    for one in reversed(told):
        if one.event in ("deals", "run_off"):
            break
        if one.event in ("takes", "takes_half", "pope"):
            found.setdefault(one.b, []).insert(0, (one.who, one.a))
    return found


def laid_open(seen: dict[str, Any], told: Sequence[Happening]) -> dict[int, list[str]]:
    """Return the face-up cards of each player: drawn for the deal, shown at its end, or dealt to them in the
    run-off."""
    if seen["stage"] == "drawing":
        return {p: cards for p, cards in enumerate(seen["played"]) if cards}
    found: dict[int, int] = {}
    for one in reversed(told):
        if one.event in ("deals", "run_off"):
            break
        if one.event == "shows":
            found[one.who] = one.b
        elif one.event == "falls":
            found[one.who] = found.get(one.who, 0) | 1 << one.a
    return {p: [CARD_NAMES[c] for c in members(those)] for p, those in found.items()}


def settlement(told: Sequence[Happening]) -> list[Happening]:
    """The events that settled the last finished deal."""
    start = max((i for i, one in enumerate(told) if one.event == "out"), default=len(told))
    found = list(told[start:])
    end = next((i for i, one in enumerate(found) if one.event in ("deal_passes", "run_off", "ranks")), len(found))
    return found[:end]


def ace_high(view: View) -> int:
    """The number to add to a card to find the next one in ``NEXT``."""
    return ACE_HIGH if view.game.options.get("ace") == "high" else 0


def turns(view: View, seen: dict[str, Any]) -> list[tuple[int, list[str]]]:
    """Return the sequence on the table: each player in turn, with the cards they played."""
    whose = {c: p for p, cards in enumerate(seen["played"]) for c in cards or ()}
    found: list[tuple[int, list[str]]] = []
    for suit in run_in_order(seen):
        for c in sorted(suit, key=lambda c: c[0] == "A") if ace_high(view) else suit:
            if found and found[-1][0] == whose[c] and found[-1][1][-1][1] == c[1]:
                found[-1][1].append(c)
            else:
                found.append((whose[c], [c]))
    return found


def stop(view: View, seen: dict[str, Any]) -> tuple[str, str]:
    """The reason why the sequence on the table has ended (``top``, ``out``, ``gone`` or ``nobody``, by CO-19 to CO-22),
    and the card that stopped it; two empty strings if it has not ended, or if nobody could go on after a comet."""
    last = seen["card"]
    if seen["stage"] != "lead" or not seen["run"] or (len(by_suit(seen["run"])) > 1 and last == "9d"):
        return "", ""
    following = NEXT[ace_high(view) + CARD_NAMES.index(last)]
    if following < 0:
        return "top", last
    name = CARD_NAMES[following]
    return "out" if name in seen["out"] else "gone" if name in gone(seen) else "nobody", name


def places(view: View, seen: dict[str, Any]) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Each suit with its cards, and the place of each as far as the viewer knows: ``mine``, ``played``, ``nobody``,
    ``out`` or an empty string."""
    where = [
        ("mine", mine(view, seen)),
        ("played", gone(seen)),
        ("nobody", nowhere(view, seen)),
        ("out", seen["out"]),
    ]
    return [
        (name, tuple((r + suit, next((at for at, cards in where if r + suit in cards), "")) for r in RANKS))
        for suit, name in NAMES.items()
    ]


# ------------------------------------------------------------------------------------------ drawing for the terminal


def seats(names: Sequence[str], seen: dict[str, Any]) -> list[Text]:
    """A line for each player."""
    from rich.text import Text

    room = max(len(shortened(name)) for name in names)
    out = []
    for p, name in enumerate(names):
        turn = leads(seen, p)
        line = Text.assemble(("▸ " if turn else "  ", "yellow"))
        line.append(f"{shortened(name):<{room}}", "bold" if turn else "")
        line.append(f"{seen['coins'][p]:>6} ", "" if seen["coins"][p] >= 0 else "red").append(_("counters  "), "dim")
        out.append(line.append(" · ".join(status(seen, p)), "dim"))
    return out


def sequence(seen: dict[str, Any], width: int, asked: str = "") -> list[Text]:
    """The cards of this sequence in order, and the card that is asked for; on several lines if necessary."""
    from rich.text import Text

    if not seen["run"]:
        return []
    out = [Text.assemble((_("  on the table  "), "dim"))]
    parts = [
        Text(sign(name) + (" " if name != suit[-1] else "  "), style(name))
        for suit in run_in_order(seen)
        for name in suit
    ]
    parts += [Text.assemble((_("asked for: "), "dim"), (sign(asked), style(asked)))] if asked else []
    for part in parts:
        if len(out[-1]) + len(part.plain.rstrip()) > width:
            out.append(Text("       "))
        out[-1].append_text(part)
    return out


def suits(view: View, seen: dict[str, Any], width: int) -> list[Text]:
    """Four rows of thirteen places: the viewer's cards by their rank; played, out, or known to be in nobody's hand.
    What the marks mean stands beside them, or below if there is no room."""
    from rich.text import Text

    if seen["stage"] in ("drawing", "dealing"):
        return []
    own, played, lost, out = set(mine(view, seen)), gone(seen), nowhere(view, seen), set(seen["out"])
    legend = [(PLAYED, _("played"), played), (NOWHERE, _("in nobody else's hand"), lost), (OUT, _("not in play"), out)]
    remarks = [f"   {mark} {what}" for mark, what, there in legend if there]
    is_beside = SUITS_WIDE + max(map(len, remarks), default=0) <= width
    table = [Text("      " + "".join(f"{r.replace('T', '10'):>3}" for r in RANKS), "dim")]
    for suit, remark in zip_longest(NAMES, remarks if is_beside else (), fillvalue=""):
        row = Text.assemble("    ", (SUITS[suit.upper()][0], style(f"A{suit}")), " ")
        for rank in RANKS:
            name = rank + suit
            if name in own:
                row.append(f"{rank.replace('T', '10'):>3}", f"{style(name)} bold")
            else:
                row.append(f"{next((mark for mark, _, there in legend if name in there), ''):>3}", "dim")
        table.append(row.append(remark, "dim"))
    return table if is_beside else [*table, Text("".join(remarks), "dim")]


def hands(names: Sequence[str], seen: dict[str, Any], view: View, width: int) -> list[Text]:
    """The viewer's hand, or at the end everybody's remaining cards; on several lines if necessary."""
    from rich.text import Text

    over = seen["stage"] == "over"
    shown = [(names[p], hand) for p, hand in enumerate(seen["hand"]) if hand] if over else []
    if not over and mine(view, seen):
        shown = [(word("hand"), mine(view, seen))]
    out = []
    for label, hand in shown:
        out.append(Text.assemble((f"  {shortened(label)} ", "dim")))
        for suit in by_suit(hand):
            part = Text(" ")
            for name in suit:
                part.append(f" {sign(name)}", style(name))
            if len(out[-1]) + len(part) > width:
                out.append(Text("       "))
            out[-1].append_text(part)
    return out
