"""The table of Pope Joan: the layout as a board, players, sequence, the four suits, the hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.languages import and_list, counted, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now, short, sign, style, tidy
from parlour.games.pope_joan.position import GAME, LAYOUTS, POOL, POOL_NAMES
from parlour.rules.stops import drawing as stops
from parlour.rules.stops.drawing import deal_of, in_run_off, result, seen_of, spelt
from parlour.rules.stops.position import CARD_NAMES

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.core.drawing import Happening
    from parlour.engine.telling import View

__all__ = ["board", "caption", "card", "lines", "now", "picture", "result"]

GAMES = {"foster": "Foster's game", "foster_trump": "Foster's game with a trump", "classic": "the classic game"}
RANKS = {"Matrimony": "KQ", "Intrigue": "QJ", "Confederacy": "KJ", "Ace": "A", "King": "K", "Queen": "Q", "Knave": "J"}
LAYOUT = {"Ten": "Td", "Jack": "Jc", "Queen": "Qs", "King": "Kh"}  # the card of each pool in Foster's game
CELL = 16  # width of a compartment, in columns


def card(name: str) -> str:
    """Rich markup of a card; the name of a pool as it is."""
    return short(name) if name in CARD_NAMES else name


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """The counters on the pools of a card."""
    return ", ".join(f"{word(pool)} {n}" for pool, n in brings(view, action.partition(" ")[2]))


def brings(view: View, name: str) -> list[tuple[str, int]]:
    """The pools that a card can win, alone or with another one, with the counters that the viewer can hope for."""
    seen = seen_of(view)
    found = [(pool, _hope(view, seen, name, n, cards)) for pool, n, cards in _pools(view, seen) if name in cards and n]
    return [(pool, n) for pool, n in found if n]


def _hope(view: View, seen: dict[str, Any], name: str, n: int, cards: list[str]) -> int:
    """The most of a pool's ``n`` counters that a card in the viewer's hand can bring: all if no other card is needed,
    or if the viewer has the other one or has played it; half or nothing if another player has it (PJ-51, PJ-77);
    nothing if nobody can play it any longer."""
    played = [set(cards or ()) for cards in seen["played"]]
    for other in set(cards) - {name}:
        if other in seen["out"]:
            return 0
        if any(other in theirs for p, theirs in enumerate(played) if p != view.player):
            return n // 2 if _halves(view) else 0
        if view.player < 0 or other in {*stops.mine(view, seen), *played[view.player]}:
            continue
        if other in stops.nowhere(view, seen):
            return 0
        n = n // 2 if _halves(view) else 0  # the other card is in another hand, or in nobody's
    return n


def _halves(view: View) -> bool:
    """Whether two players share a pool for which each has played one of its cards."""
    return view.game.options["version"] == "foster_trump" or view.game.options["combo"] == "divide"


def board(view: View, told: Sequence[Happening]) -> dict[str, Any]:
    """Return what its page shows in addition to the view: the name of the game, the pools, and how each came to its
    counters."""
    seen = seen_of(view)
    accounts = _accounts(view, seen, stops.taken(told))
    common = stops.board(view, told, lambda c: [n for _, n in brings(view, c)])
    return {**common, "game": word(GAMES[view.game.options["version"]]), "pools": accounts}


def now(view: View, legal: Sequence[str]) -> Now:
    """The cards that may be led, or the question whether to lay another honour."""
    if "keep" in legal:
        card = view.observation()["offer"]
        pools = and_list([_("{n} on {pool}", n=n, pool=word(pool)) for pool, n in brings(view, card)])
        head = _("Lay the {card} with it, or keep it.", card=sign(card))
        return Now(head, _("It can win: {pools}.", pools=pools) if pools else "")
    return stops.lead_now(view, legal, lambda name: sum(n for _pool, n in brings(view, name)))


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences, in the order of interest."""
    seen = seen_of(view)
    layout = ", ".join(f"{word(pool)} {n}" for pool, n, *_cards in _pools(view, seen))
    out = [f"{_title(view, seen)}.", _("Layout: {layout}.", layout=layout)]
    if seen["turned"] != "none":
        out.append(_("Turned up: {cards}.", cards=spelt([seen["turned"]])))
    out += stops.lines(view, names, seen)
    if seen.get("stock"):
        out.append(_("The dead hand: {cards}.", cards=spelt(seen["stock"])))
    return out


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The layout, a line for each player, the suits, the sequence and the hand."""
    from rich.console import Group
    from rich.text import Text

    seen = seen_of(view)
    said = f"  {_title(view, seen)}"
    title = Text(said if len(said) <= width else ",\n  ".join(said.rsplit(", ", 1)), "dim")
    if seen["turned"] != "none":
        title.append(_(", turned up ")).append(sign(seen["turned"]), style(seen["turned"]))
    table = [title, *_board(view, seen, width), *stops.seats(names, seen)]
    table += stops.suits(view, seen, width) + stops.sequence(seen, width) + stops.hands(names, seen, view, width)
    return Group(*tidy(table))


def _title(view: View, seen: dict[str, Any]) -> str:
    version = view.game.options["version"]
    game = word(GAMES[version])
    parts = [game[:1].upper() + game[1:]]
    parts.append(_("run-off") if in_run_off(view, seen) else _("deal {deal}", deal=deal_of(view, seen)))
    if seen["dealt"] and seen["stage"] not in ("dealing", "run-off"):
        left_over = counted(52 - len(seen["out"]) - seen["dealt"], "card")
        parts.append(
            _("{cards} in the dead hand", cards=left_over)
            if version == "classic"
            else _("{cards} in the stock", cards=left_over)
        )
    return ", ".join(parts)


def _pools(view: View, seen: dict[str, Any]) -> Iterator[tuple[str, int, list[str]]]:
    """Each pool of this layout: its name, its counters, and the cards that win it."""
    options = view.game.options
    foster = options["version"] == "foster"
    suit = seen["turned"][1] if seen["turned"] != "none" else "d" if seen["stage"] == "run-off" else ""
    for pool, n in zip(POOL_NAMES, seen["pool"], strict=True):
        if n is None:
            continue
        if pool == "Pope":
            nine = options["version"] == "classic" or (
                options["pope"] == "9d" if foster else options["remove_8d"] == "yes"
            )
            cards = ["9d" if nine else "7d"]
        elif foster:
            cards = [LAYOUT[pool]]
        else:
            cards = [rank + suit for rank in RANKS.get(pool, "")]
        yield pool, n, cards


def _accounts(view: View, seen: dict[str, Any], taken: dict[int, list[tuple[int, int]]]) -> list[dict[str, Any]]:
    """Each pool with its counters, the counters from this deal's dressing, its cards with the player of each (or
    ``None``), those of its cards that nobody can play any more, and the players who have taken counters, with the
    amounts."""
    drawn = seen["stage"] == "drawing"
    whose = {} if drawn else {c: p for p, cards in enumerate(seen["played"]) for c in cards or ()}
    lost = stops.nowhere(view, seen).union(seen["out"])
    dressing = LAYOUTS[list(GAMES).index(view.game.options["version"])]
    left, found = seen["dressed"], []
    told_of = [k for k, n in enumerate(seen["pool"]) if n is not None]
    for k, (pool, n, cards) in zip(told_of, _pools(view, seen), strict=True):
        new = left if k == GAME else min(left, dressing[k][0])
        left -= new
        found.append(
            {
                "name": pool,
                "counters": n,
                "new": new,
                "cards": [(c, whose.get(c)) for c in cards],
                "lost": [c for c in cards if c in lost],
                "taken": taken.get(POOL + k, []),
            }
        )
    return found


def _board(view: View, seen: dict[str, Any], width: int) -> list[Text]:
    """The compartments side by side, four or five to a row, or as many as fit."""
    from rich.text import Text

    cells = [_cell(*pool) for pool in _pools(view, seen)]
    in_a_row = min(4 if len(cells) == 8 else 5, max(1, (width - 1) // (CELL - 1)))
    rows = [cells[i : i + in_a_row] for i in range(0, len(cells), in_a_row)]
    return [Text.assemble("  ", *line) for row in rows for line in zip(*row, strict=True)]


def _cell(pool: str, n: int, cards: Sequence[str]) -> tuple[Text, Text, Text]:
    """A compartment: its name in the upper edge, the cards that win it, its counters."""
    from rich.text import Text

    edge, inside = "" if n else "dim", CELL - 3
    middle = Text("│ ", edge)
    for name in cards:
        middle.append(sign(name) if len(name) > 1 else name, style(name) if len(name) > 1 else "").append(" ")
    middle.append(f"{n or '–'}".rjust(inside - 1 - len(middle)), "bold" if n else "dim").append(" │ ", edge)
    upper = Text(f"╭{f' {word(pool)} '[: inside - 1].ljust(inside - 1, '─')}╮ ", edge)
    return upper, middle, Text(f"╰{'─' * (inside - 1)}╯ ", edge)
