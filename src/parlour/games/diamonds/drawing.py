"""The drawing of the table of Diamonds: nine piles in a square, the players beside it, the debris below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.languages import counted, ngettext, pgettext, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import SUITS, Now, french, sentence_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.engine.telling import View

SUIT_NAMES = {"D": "diamonds", "S": "spades", "H": "hearts", "C": "clubs", "X": "jokers"}
TREASURE = SUITS["D"][1]
JOKER = "magenta"
GRID = 30  # width of the square of piles, in columns


def target(view: View) -> int:
    """Diamonds needed (DM-17)."""
    return 7 if view.game.players == 2 else 5


def _seen(view: View) -> dict[str, Any]:
    """The observation, with nine tops even if none is told."""
    return {"top": [None] * 9, **view.observation()}


def card(name: str) -> str:
    """Rich markup of a card."""
    return f"[{JOKER}]★{name[1:]}[/]" if name[0] == "X" else french(name)


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """The player on whom a joker is played, or the effect of choosing a face-up card."""
    verb, _rest, number = action.partition(" ")
    seen = _seen(view)
    if verb in ("steal", "switch"):
        name = names[int(number)]
        return pgettext("steal", "from {name}", name=name) if verb == "steal" else _("with {name}", name=name)
    if verb in ("trade", "keep"):
        mine, turned = seen["spade"][view.player], seen["top"][seen["at"]]
        return _("{old} for {new}", old=mine, new=turned) if verb == "trade" else mine
    if verb == "dig" and number != "?":
        top, mine = seen["top"][int(number)], seen["spade"][view.player]
        if top and top[0] == "S":
            return _("take {card}", card=top) if mine == "none" else _("trade {old} for {new}", old=mine, new=top)
        return _("break {card}", card=top) if top else ""
    return ""


def now(view: View, legal: Sequence[str]) -> Now:
    """The choices, and the rocks that the viewer's spade breaks."""
    seen, me = _seen(view), view.player
    kinds = dict.fromkeys(name.split()[0] for name in legal)
    mine = seen["spade"][me]
    if "keep" in kinds:
        new = seen["top"][seen["at"]]
        head = _("Take the {new}, or keep your {old}.", new=_sign(new), old=_sign(mine))
        return Now(head, _("Your turn is over either way."))
    if "pass" in kinds:
        return Now(_("Pass."), _("You can neither dig nor destroy."))
    said = {"dig": _("dig"), "destroy": _("destroy a spade"), "on": _("dig on"), "stop": _("stop"),
            "steal": _("play a joker"), "switch": _("play a joker")}  # fmt: skip
    head = sentence_of(list(dict.fromkeys(said[kind] for kind in kinds)))
    if "on" in kinds:
        pile, n = seen["at"], seen["height"][seen["at"]]
        return Now(
            head, ngettext("Pile {pile} has {n} more card.", "Pile {pile} has {n} more cards.", n, pile=pile + 1)
        )
    if not kinds.keys() & {"dig"}:
        return Now(head, _("It must be lower than your {card}.", card=_sign(mine)) if "destroy" in kinds else "")
    if mine == "none":
        return Now(head, _("The first spade you turn up is yours."))
    return Now(head, _("Your {card} breaks every rock that is not higher.", card=_sign(mine)))


def _sign(name: str) -> str:
    """A card in a line of text."""
    return f"{name[1:]}{SUITS[name[0]][0]}" if name[0] in SUITS else name


# ------------------------------------------------------------------------------------------ the position in words


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences, in the order of interest."""
    seen = _seen(view)
    tops = seen["top"]
    face_up = [(i, n, tops[i]) for i, n in enumerate(seen["height"]) if tops[i]]
    face_down = [(i, n) for i, n in enumerate(seen["height"]) if n and not tops[i]]
    gone = [str(i + 1) for i, n in enumerate(seen["height"]) if not n]
    out = [_("The first to own {n} diamonds wins.", n=target(view))]
    if view.game.options["games"] != "1":
        won = ", ".join(f"{name} {n}" for name, n in zip(names, seen["won"], strict=True))
        out.append(_("Games won: {names}.", names=won))
    if face_down:
        piles = ", ".join(_("pile {pile} ({n} left)", pile=i + 1, n=n) for i, n in face_down)
        out.append(_("Face down: {piles}.", piles=piles))
    if face_up:
        piles = ", ".join(_("{card} on pile {pile} ({n} left)", card=top, pile=i + 1, n=n) for i, n, top in face_up)
        out.append(_("Face up: {piles}.", piles=piles))
    if gone:
        out.append(ngettext("Used up: pile {piles}.", "Used up: piles {piles}.", len(gone), piles=", ".join(gone)))
    out += [_("{name}: {holding}.", name=name, holding=_holding(seen, p)) for p, name in enumerate(names)]
    debris = "; ".join(f"{word(SUIT_NAMES[s])} {', '.join(ranks)}" for s, ranks in _suits(seen["debris"], "HCSX"))
    out.append(_("Debris: {debris}.", debris=debris or _("none")))
    hidden = ", ".join(f"{word(SUIT_NAMES[s])} {len(ranks)}" for s, ranks in _suits(seen["unseen"], "DSHCX"))
    out.append(_("Not yet seen: {hidden}.", hidden=hidden or _("nothing")))
    return out


def _holding(seen: dict[str, Any], p: int) -> str:
    spade = seen["spade"][p]
    parts = [
        _("no spade") if spade == "none" else _("spade {card}", card=spade),
        counted(len(seen["diamonds"][p]), "diamond"),
    ]
    if seen["jokers"][p]:
        parts.append(_("{jokers} to play", jokers=counted(len(seen["jokers"][p]), "joker")))
    if seen["fresh"][p]:
        parts.append(_("{jokers} found this turn", jokers=counted(len(seen["fresh"][p]), "joker")))
    return ", ".join(parts)


def _suits(cards: Sequence[str], order: str) -> Iterator[tuple[str, list[str]]]:
    """The cards by suit, without empty suits, each with its ranks, lowest first."""
    for suit in order:
        ranks = [name[1:] for name in cards if name[0] == suit]
        if ranks:
            yield suit, ranks


# ------------------------------------------------------------------------------------------ drawing for the terminal


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The square of piles and the players side by side (one below the other in a narrow terminal), then debris and
    unseen cards.

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
    table += _row(_("debris"), debris or [Text(_("none"), "dim")], width)
    table += _row(_("unseen"), hidden or [Text(_("none"), "dim")], width)
    for line in table:
        line.rstrip()
        line.no_wrap, line.overflow = True, "crop"
    return Group(_title(view, seen), *table)


SIGNS = {suit: sign for suit, (sign, _) in SUITS.items()} | {"X": "★"}
STYLES = {suit: style for suit, (_, style) in SUITS.items()} | {"X": JOKER}


def _title(view: View, seen: dict[str, Any]) -> Text:
    from rich.text import Text

    title = Text(_("  first to {n} ♦ wins", n=target(view)), "dim")
    title.highlight_regex(r"\d+ ♦", TREASURE)
    games = view.game.options["games"]
    if games != "1":
        title.append(_(" · game {deal} of {games}", deal=min(seen["deal"] + 1, int(games)), games=games))
    return title


def _square(view: View, seen: dict[str, Any], legal: Sequence[str]) -> list[Text]:
    """Nine piles, three lines of text each row of piles."""
    from rich.text import Text

    tops = seen["top"]
    open_piles = {int(a.split()[1]) for a in legal if a.split()[0] in ("dig", "destroy") and a[-1].isdecimal()}
    anywhere = "dig ?" in legal
    rows: list[Text] = []
    for row in range(3):
        upper, middle, lower = Text(), Text(), Text()
        for i in range(3 * row, 3 * row + 3):
            height, top = seen["height"][i], tops[i]
            may = i in open_piles or (anywhere and height and not top)
            upper.append(f"  {i + 1} ", "bold" if may else "dim")
            middle.append("    ")
            lower.append("    ")
            edge = "yellow" if seen.get("at") == i else "" if may else "dim"
            if not height:
                upper.append("      ")
                middle.append(_(" used "), "dim")
                lower.append(_("  up  "), "dim")
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
        head = Text.assemble(("▸ " if turn else "  ", "yellow"), (name, "bold" if turn else ""))
        if view.game.options["games"] != "1":
            head.append(_(", games won: {n}", n=seen["won"][p]), "dim")
        hand = Text("  ")
        hand.append_text(Text(_("no spade"), "dim") if spade == "none" else Text.from_markup(card(spade)))
        hand.append(" " * (12 - len(hand)))
        hand.append("♦" * found, TREASURE).append("·" * (target(view) - found), "dim").append(f"  {found}", "dim")
        jokers = Text("  ")
        ready, fresh = len(seen["jokers"][p]), len(seen["fresh"][p])
        jokers.append("★ " * ready, JOKER).append(
            _("joker to play") if ready == 1 else _("jokers to play") if ready else ""
        )
        jokers.append("  " if ready and fresh else "").append("☆ " * fresh, JOKER)
        jokers.append(_("for the next turn") if fresh else "", "dim")
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
    """Each player's diamonds or games, and their score."""
    seen = _seen(view)
    single = view.game.options["games"] == "1"
    most = max(seen["won"][: len(names)])
    out = []
    for p, name in enumerate(names):
        if single:
            has = _("{n} of {target} diamonds", n=len(seen["diamonds"][p]), target=target(view))
        else:
            has = _("{games} won", games=counted(seen["won"][p], "game"))
        ending = _("first to the target") if single else _("the most games")
        out.append(f"{name}: {has}{', ' + ending if seen['won'][p] == most else ''}.")
    return out
