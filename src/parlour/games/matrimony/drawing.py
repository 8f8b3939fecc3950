"""The table of Matrimony: the layout with its five pools, and each player's counters and cards."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from parlour.base.languages import counted, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now, short
from parlour.games.matrimony.deal import combinations
from parlour.games.matrimony.position import BEST, PACK, POOL, POOLS, staked_deals
from parlour.games.matrimony.rules import PLAYERS

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.core.drawing import Happening
    from parlour.engine.telling import View

WINNING = ("K Q", "Q J", "K J", "two alike", "A♦")
STAKES = tuple(pool.lower() for pool in POOLS)
QUESTION = ("pool", "whole")
BOARD = 64  # width from which the layout is drawn as a board, in columns
LONG, MIDDLING = 8, 16  # most players that are listed in one column, and in two


def card(name: str) -> str:
    """Rich markup of a card, or of the name of a pool."""
    return f"[bold]{name}[/]" if name in POOLS else short(name)


# ------------------------------------------------------------------------------------------ the position in words


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences."""
    seen = _seen(view)
    layout = ", ".join(f"{word(pool)} {n}" for pool, n in zip(POOLS, seen["pools"], strict=True))
    out = [f"{_title(view, seen, names)}.", _("On the layout: {layout}.", layout=layout)]
    if seen["shown"]:
        out.append(_("Shown in this deal: {pools}.", pools=", ".join(map(word, seen["shown"]))))
    for p, name in enumerate(names):
        parts = [counted(seen["counters"][p], "counter")]
        staked = [f"{word(pool)} {n}" for pool, n in zip(POOLS, _stakes(seen, p), strict=True) if n]
        if staked:
            parts.append(_("stakes {stakes}", stakes=", ".join(staked)))
        cards = _cards(view, seen, p)
        if cards:
            parts.append(_("cards: {cards}", cards=", ".join(c or _("face down") for c in cards)))
        parts += _shows(seen, p)
        out.append(_("{name}: {parts}.", name=name, parts="; ".join(parts)))
    return out + _question(view, seen, names)


def board(view: View, told: Sequence[Happening]) -> dict[str, Any]:
    """Return what its page shows in addition to the view: the pools, and the cards and counters of each player.  While
    players stake, the cards of the last deal stay on view, with the pools they have won."""
    seen = _seen(view)
    players = range(view.game.players)
    last, old = _last_deal(told), seen["stage"] == "staking"
    cards = [_last_cards(view, last, p) if old and p in seen["dealt"] else _cards(view, seen, p) for p in players]
    # secret stakes are all laid at once
    laid = players if view.game.options["stake_visibility"] == "open" else range(0)
    pools = [
        {"name": pool, "counters": n, "new": sum(_stakes(seen, p)[k] for p in laid), "staked": seen["pool"] == pool}
        | {"taken": [(one.who, one.a) for one in last if _takes(one, k)]}
        for k, (pool, n) in enumerate(zip(POOLS, seen["pools"], strict=True))
    ]
    return {
        "deal": _deal(view, seen),
        "pools": pools,
        "cards": cards,
        "old": old and bool(last),
        "won": [[said for one in last if one.who == p and (said := _claim(one))] for p in players],
        "stakes": [[(pool, n) for pool, n in zip(POOLS, _stakes(seen, p), strict=True) if n] for p in players],
    }


def _takes(one: Happening, pool: int) -> bool:
    """Whether an event takes this pool; a player who sweeps the layout counts as winning Best."""
    return (one.event == "wins" and one.b == POOL + pool) or (pool == BEST and one.event in ("wins_best", "sweeps"))


def _last_deal(told: Sequence[Happening]) -> Sequence[Happening]:
    """The events since the last cards were dealt."""
    start = max((i for i, one in enumerate(told) if one.event == "deals"), default=len(told))
    return told[start:]


def _last_cards(view: View, last: Sequence[Happening], p: int) -> list[str | None]:
    """The cards that a player was dealt in the last deal; ``None`` is one that nobody has seen."""
    if not last:
        return []
    up = [PACK[one.a] for one in last if one.event == "gets" and one.who == p]
    down = [PACK[one.a] for one in last if one.event == "exposes" and one.who == p]
    return [*[None] * (_down(view) - len(down)), *down, *up]


def _claim(one: Happening) -> str:
    """Return in a few words what a combination has won; empty if there is no claim."""
    match one.event:
        case "wins":
            return f"{word(POOLS[one.b - POOL])}: {one.a}"
        case "wins_best":
            return f"{word('Best')}: {one.a}"
        case "sweeps":
            return _("The whole layout: {n}", n=one.a)
        case "wins_nothing":
            return _("{pool}: nothing on it", pool=word(POOLS[one.a - POOL]))
        case "too_late":
            return _("{pool}: too late", pool=word(POOLS[one.a - POOL]))
    return ""


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """Where the counters go that are taken or laid."""
    if action.startswith("take"):
        return _("counters to stake")
    pool = _seen(view)["pool"]
    return _("on {pool}", pool=word(pool)) if pool in POOLS else ""


def now(view: View, legal: Sequence[str]) -> Now:
    """The number of counters that may be staked, in all or on a pool."""
    amounts = [int(name.split()[1]) for name in legal]
    low, high = min(amounts), max(amounts)
    pool = _seen(view)["pool"]
    if legal[0].startswith("take"):
        return Now(_("Choose your stake."), _("{low} to {high} counters for the five pools.", low=low, high=high))
    head = _("Put counters on {pool}.", pool=word(pool)) if pool in POOLS else _("Put counters on the pool.")
    if low == high:
        return Now(head, counted(low, "counter") + ".")
    return Now(head, _("{low} to {high}; the rest goes on the pools after it.", low=low, high=high))


def _seen(view: View) -> dict[str, Any]:
    """The observation, with keys for everybody's stakes even if none is told, and the question to the player who is
    known to be asked."""
    nothing = [None] * max(PLAYERS)
    seen = {**dict.fromkeys((*STAKES, *QUESTION), nothing), "at": None, "dealer": None, **view.observation()}
    me = view.player
    # secret stakes: the viewer sees only their own question
    asked = me if seen["at"] is None and me >= 0 else seen["at"]
    seen.update({name: seen[name][asked] if asked is not None else None for name in QUESTION})
    if seen["at"] is None and seen["pool"] not in (None, "done"):
        seen["at"] = me
    return seen


def _deal(view: View, seen: dict[str, Any]) -> str:
    if seen["stage"] == "drawing for the deal":
        return _("Drawing for the first deal, the lowest card deals")
    deals = staked_deals(view.game.blank())
    number = seen["deal"] + (seen["stage"] not in ("over", "settled"))
    return (
        _("Deal {number} of {deals}", number=number, deals=deals)
        if number <= deals
        else _("Deal {number}, without stakes", number=number)
    )


def _title(view: View, seen: dict[str, Any], names: Sequence[str]) -> str:
    title = _deal(view, seen)
    if seen["dealer"] is None:
        return title
    dealer = names[seen["dealer"]]
    title += _(", dealt by you") if dealer == _("You") else _(", dealt by {dealer}", dealer=dealer)
    return title + (_("; the stake is {counters}", counters=counted(seen["stake"], "counter")) if seen["stake"] else "")


def _stakes(seen: dict[str, Any], p: int) -> list[int]:
    """The known stakes of a player on each pool in this deal."""
    return [seen[pool][p] or 0 for pool in STAKES]


def _cards(view: View, seen: dict[str, Any], p: int) -> list[str | None]:
    """The cards in front of a player; ``None`` is face down."""
    hand = list(seen["hand"][p])
    if p not in seen["dealt"] or seen["stage"] in ("drawing for the deal", "staking"):
        return hand
    return [None] * (1 + _down(view) - max(1, len(hand))) + hand


def _down(view: View) -> int:
    """The number of cards dealt to every player face down."""
    return 1 if view.game.options["cards"] == "one_down" else 2


def _shows(seen: dict[str, Any], p: int) -> list[str]:
    """The combinations among the face-up cards of a player."""
    found = combinations(sum(1 << PACK.index(c) for c in seen["hand"][p]))
    return [word(pool) for k, pool in enumerate(POOLS) if found >> k & 1]


def _question(view: View, seen: dict[str, Any], names: Sequence[str]) -> list[str]:
    """Return the question about the viewer's stake."""
    if seen["stage"] != "staking" or seen["pool"] in (None, "done") or seen["at"] != view.player:
        return []
    if seen["pool"] == "in all":
        return [_("How many counters do you stake in all?")]
    left = seen["whole"] - sum(_stakes(seen, view.player))
    rest = _("; the rest goes on Best") if seen["pool"] == "Pair" else ""
    return [
        _("How many counters go on {pool}? {left} left to lay{rest}.", pool=word(seen["pool"]), left=left, rest=rest)
    ]


# ------------------------------------------------------------------------------------------ drawing for the terminal


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The layout as a board; below it the players, in several columns if there are many."""
    from rich.console import Group
    from rich.text import Text

    seen = _seen(view)
    title = Text(f"  {_title(view, seen, names)}", "dim")
    question = [Text(f"  {line}") for asked in _question(view, seen, names) for line in wrap(asked, width - 2)]
    table = [*_board(seen, width), *_seats(view, seen, names, width)]
    for line in table:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(title, *table, *question)


def _board(seen: dict[str, Any], width: int) -> list[Text]:
    """Five compartments with their counters; the one being staked on has a bright edge, one whose combination was shown
    is dim."""
    from rich.text import Text

    staked = seen.get("pool")
    rows = []
    if width < BOARD:
        for pool, wins, n in zip(POOLS, WINNING, seen["pools"], strict=True):
            style = "dim" if pool in seen["shown"] else "yellow" if pool == staked else ""
            lies_on, won_by = f"  {word(pool):<12}", f"{word(wins):<13}"
            rows.append(Text.assemble(lies_on, (won_by, "dim"), (f"{n:>6}", "bold"), style=style))
        return rows
    cell = min(14, (width - 8) // 5)
    styles = ["dim" if pool in seen["shown"] else "" for pool in POOLS]
    edge = ["yellow" if pool == staked else "dim" for pool in POOLS]

    def row(left: str, between: str, right: str, parts: Sequence[str], style: Sequence[str]) -> Text:
        line = Text("  ")
        for k, part in enumerate(parts):
            bright = edge[k] if edge[k] != "dim" or not k else edge[k - 1]
            line.append(between if k else left, bright).append(f"{part:^{cell}}"[:cell], style[k])
        return line.append(right, edge[-1])

    rule = ["─" * cell] * 5
    return [
        row("┌", "┬", "┐", rule, edge),
        row("│", "│", "│", [word(pool) for pool in POOLS], styles),
        row("│", "│", "│", [word(wins) for wins in WINNING], ["dim"] * 5),
        row("│", "│", "│", [str(n or "·") for n in seen["pools"]], [f"bold {style}" for style in styles]),
        row("└", "┴", "┘", rule, edge),
    ]


def _seats(view: View, seen: dict[str, Any], names: Sequence[str], width: int) -> list[Text]:
    """The players, column by column."""
    from rich.text import Text

    n = len(names)
    columns = min(1 if n <= LONG else 2 if n <= MIDDLING else 3, max(1, width // 26))
    room = (width - 2) // columns
    height = -(-n // columns)
    rows = [Text("  ") for _ in range(height)]
    for p in range(n):
        cell = _seat(view, seen, names[p], p, room)
        cell.truncate(room, pad=p + height < n)
        rows[p % height].append_text(cell)
    return rows


def _seat(view: View, seen: dict[str, Any], name: str, p: int, room: int) -> Text:
    """Draw one player: turn, name, whether they deal, counters, and cards or stake."""
    from rich.text import Text

    turn, wide = seen["at"] == p, room > 50
    longest = 20 if wide else max(4, room - 17)
    called = name if len(name) <= longest else name[: longest - 1] + "…"
    cell = Text.assemble(("▸" if turn else " ", "yellow"), (f"{called:<{longest}}", "bold" if turn else ""))
    cell.append("●" if seen["dealer"] == p else " ", "dim").append(f"{seen['counters'][p]:>5}", "bold" if wide else "")
    if p not in seen["seated"]:
        return cell.append(_(" out"), "dim")
    for c in _cards(view, seen, p):
        cell.append(" ").append_text(Text.from_markup(card(c)) if c else Text("▒▒", "blue"))
    staked = _stakes(seen, p)
    if any(staked):
        each = ":  " + " ".join(str(n or "·") for n in staked)
        cell.append(_("  stakes {n}{each}", n=sum(staked), each=each) if wide else f" +{sum(staked)}", "dim")
    return cell.append("  " + ", ".join(_shows(seen, p)), "dim") if wide else cell


# ------------------------------------------------------------------------------------------ the end


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's place and counters."""
    counters = view.observation()["counters"]
    return [
        _(
            "{name}: place {place}, {counters}.",
            name=name,
            place=1 + sum(n > mine for n in counters),
            counters=counted(mine, "counter"),
        )
        for name, mine in zip(names, counters, strict=True)
    ]
