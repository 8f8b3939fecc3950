"""The table of Diamonds in the terminal: nine piles in a square, the players beside it, the debris below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parlour.drawing import SUITS, counted, french

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.engine.telling import View

SUIT_NAMES = {"D": "diamonds", "S": "spades", "H": "hearts", "C": "clubs", "X": "jokers"}
TREASURE = SUITS["D"][1]
JOKER = "magenta"
GRID = 30  # columns of the square of piles


def target(view: View) -> int:
    """Diamonds needed (DM-17)."""
    return 7 if view.game.players == 2 else 5


def _seen(view: View) -> dict[str, Any]:
    """The observation, with nine tops even where none is told."""
    return {"top": [None] * 9, **view.observation()}


def card(name: str) -> str:
    """Rich markup of a card."""
    return f"[{JOKER}]★{name[1:]}[/]" if name[0] == "X" else french(name)


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """Whom a joker is played on, and what choosing a face-up card amounts to."""
    word, _, number = action.partition(" ")
    seen = _seen(view)
    if word in ("steal", "switch"):
        return f"{'from' if word == 'steal' else 'with'} {names[int(number)]}"
    if word in ("trade", "keep"):
        mine, turned = seen["spade"][view.player], seen["top"][seen["at"]]
        return f"{mine} for {turned}" if word == "trade" else mine
    if word == "dig" and number != "?":
        top, mine = seen["top"][int(number)], seen["spade"][view.player]
        if top and top[0] == "S":
            return f"take {top}" if mine == "none" else f"trade {mine} for {top}"
        return f"break {top}" if top else ""
    return ""


# ------------------------------------------------------------------------------------------ in words


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences, in the order of interest."""
    seen = _seen(view)
    tops = seen["top"]
    face_up = [(i, n, tops[i]) for i, n in enumerate(seen["height"]) if tops[i]]
    face_down = [(i, n) for i, n in enumerate(seen["height"]) if n and not tops[i]]
    gone = [str(i) for i, n in enumerate(seen["height"]) if not n]
    out = [f"The first to own {target(view)} diamonds wins."]
    if view.game.options["games"] != "1":
        won = ", ".join(f"{name} {n}" for name, n in zip(names, seen["won"], strict=True))
        out.append(f"Games won: {won}.")
    if face_down:
        out.append("Face down: " + ", ".join(f"pile {i} of {n}" for i, n in face_down) + ".")
    if face_up:
        out.append("Face up: " + ", ".join(f"{top} on pile {i} of {n}" for i, n, top in face_up) + ".")
    if gone:
        out.append(f"Used up: {'pile' if len(gone) == 1 else 'piles'} {', '.join(gone)}.")
    out += [f"{name}, seat {p}: {_holding(seen, p)}." for p, name in enumerate(names)]
    debris = "; ".join(f"{SUIT_NAMES[s]} {', '.join(ranks)}" for s, ranks in _suits(seen["debris"], "HCSX"))
    out.append(f"Debris: {debris or 'none'}.")
    hidden = ", ".join(f"{SUIT_NAMES[s]} {len(ranks)}" for s, ranks in _suits(seen["unseen"], "DSHCX"))
    out.append(f"Not yet seen: {hidden or 'nothing'}.")
    return out


def _holding(seen: dict[str, Any], p: int) -> str:
    spade = seen["spade"][p]
    parts = ["no spade" if spade == "none" else f"spade {spade}", counted(len(seen["diamonds"][p]), "diamond")]
    if seen["jokers"][p]:
        parts.append(f"{counted(len(seen['jokers'][p]), 'joker')} to play")
    if seen["fresh"][p]:
        parts.append(f"{counted(len(seen['fresh'][p]), 'joker')} found this turn")
    return ", ".join(parts)


def _suits(cards: Sequence[str], order: str) -> Iterator[tuple[str, list[str]]]:
    """The suits that are there, each with its ranks, lowest first."""
    for suit in order:
        ranks = [name[1:] for name in cards if name[0] == suit]
        if ranks:
            yield suit, ranks


# ------------------------------------------------------------------------------------------ as a picture


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """Square of piles and players side by side (one below the other where it is narrow), then debris and unseen cards.

    A pile that the viewer may choose has a bright number; the pile being dug has a bright edge.
    """
    from rich.console import Group
    from rich.text import Text

    seen = _seen(view)
    piles, seats = _square(view, seen, legal), _seats(view, seen, names)
    table: list[Text] = []
    if width >= GRID + 28:
        for i, line in enumerate(piles):
            block, row = divmod(i, 3)
            beside = seats[block][row] if block < len(seats) else Text()
            table.append(Text.assemble(line, "   ", beside))
    else:
        table += piles
        table += [line for block in seats for line in block if line.plain.strip()]
    debris = [Text.assemble((SIGNS[s], STYLES[s]), " " + " ".join(r)) for s, r in _suits(seen["debris"], "HCSX")]
    hidden = [Text.assemble((SIGNS[s], STYLES[s]), f" {len(r)}") for s, r in _suits(seen["unseen"], "DSHCX")]
    table += _row("debris", debris or [Text("none", "dim")], width)
    table += _row("unseen", hidden or [Text("none", "dim")], width)
    for line in table:
        line.rstrip()
        line.no_wrap, line.overflow = True, "crop"
    return Group(_title(view, seen), *table)


SIGNS = {suit: sign for suit, (sign, _) in SUITS.items()} | {"X": "★"}
STYLES = {suit: style for suit, (_, style) in SUITS.items()} | {"X": JOKER}


def _title(view: View, seen: dict[str, Any]) -> Text:
    from rich.text import Text

    title = Text.assemble("  first to ", (f"{target(view)} ♦", TREASURE), " wins", style="dim")
    games = view.game.options["games"]
    if games != "1":
        title.append(f" · game {min(seen['deal'] + 1, int(games))} of {games}")
    return title


def _square(view: View, seen: dict[str, Any], legal: Sequence[str]) -> list[Text]:
    """Nine piles, three lines of text each row of piles."""
    from rich.text import Text

    tops = seen["top"]
    open_piles = {int(a.split()[1]) for a in legal if a.split()[0] in ("dig", "destroy") and a[-1].isdigit()}
    anywhere = "dig ?" in legal
    rows: list[Text] = []
    for row in range(3):
        upper, middle, lower = Text(), Text(), Text()
        for i in range(3 * row, 3 * row + 3):
            height, top = seen["height"][i], tops[i]
            may = i in open_piles or (anywhere and height and not top)
            upper.append(f"  {i} ", "bold" if may else "dim")
            middle.append("    ")
            lower.append("    ")
            edge = "yellow" if seen.get("at") == i else "" if may else "dim"
            if not height:
                upper.append("      ")
                middle.append(" used ", "dim")
                lower.append("  up  ", "dim")
                continue
            upper.append("╭────╮", edge)
            middle.append("│", edge)
            if top:
                middle.append_text(Text.from_markup(f" {card(top)}{' ' * (3 - len(top))}"))
            else:
                middle.append("░░░░", "blue")
            middle.append("│", edge)
            lower.append("╰──", edge)
            lower.append(str(height), "" if may else "dim")
            lower.append("─╯", edge)
        rows += [upper, middle, lower]
    return rows


def _seats(view: View, seen: dict[str, Any], names: Sequence[str]) -> list[list[Text]]:
    """Three lines for each player: name, spade and diamonds, jokers."""
    from rich.text import Text

    blocks = []
    for p, name in enumerate(names):
        turn = seen.get("player") == p and seen["stage"] != "over"
        spade, found = seen["spade"][p], len(seen["diamonds"][p])
        head = Text.assemble(("▸ " if turn else "  ", "yellow"), (name, "bold" if turn else ""), (f"  seat {p}", "dim"))
        if view.game.options["games"] != "1":
            head.append(f", games won: {seen['won'][p]}", "dim")
        hand = Text("  ")
        hand.append_text(Text("no spade", "dim") if spade == "none" else Text.from_markup(card(spade)))
        hand.append(" " * (12 - len(hand)))
        hand.append("♦" * found, TREASURE).append("·" * (target(view) - found), "dim").append(f"  {found}", "dim")
        jokers = Text("  ")
        ready, fresh = len(seen["jokers"][p]), len(seen["fresh"][p])
        jokers.append("★ " * ready, JOKER).append("joker to play" if ready == 1 else "jokers to play" if ready else "")
        jokers.append("  " if ready and fresh else "").append("☆ " * fresh, JOKER)
        jokers.append("for the next turn" if fresh else "", "dim")
        blocks.append([head, hand, jokers])
    return blocks


def _row(label: str, groups: Sequence[Text], width: int) -> list[Text]:
    """Groups beside each other, on as many lines as they need."""
    from rich.text import Text

    lines = [Text.assemble(("  " + label, "dim"))]
    for group in groups:
        if len(lines[-1]) + 3 + len(group) > width and len(lines[-1]) > 10:
            lines.append(Text(" " * 8))
        lines[-1].append("  ").append_text(group)
    return lines


# ------------------------------------------------------------------------------------------ the end


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's diamonds or games, and what they are worth."""
    seen = _seen(view)
    single = view.game.options["games"] == "1"
    most = max(seen["won"][: len(names)])
    out = []
    for p, name in enumerate(names):
        if single:
            has = f"{len(seen['diamonds'][p])} of {target(view)} diamonds"
        else:
            has = f"{counted(seen['won'][p], 'game')} won"
        ending = "first to the target" if single else "the most games"
        out.append(f"{name}: {has}{', ' + ending if seen['won'][p] == most else ''}.")
    return out
