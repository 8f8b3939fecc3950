"""The drawing of the table of Diabolo: five rows between devils and angels, the players below, the hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.languages import ENGLISH, and_list, counted, current, either, ngettext, translated, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now
from parlour.games.diabolo.bags import COLOUR_NAMES
from parlour.games.diabolo.position import HAND, NAMED, ROW

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.core.drawing import Happening
    from parlour.engine.telling import View

COLOURS = {"R": "red", "Y": "yellow", "G": "green", "P": "purple", "B": "blue"}
STYLES = {"R": "bold red", "Y": "bold yellow", "G": "bold green", "P": "bold magenta", "B": "bold bright_blue"}
SIDE = 10  # width of one side of a row, in columns


def card(name: str) -> str:
    """Rich markup of a card, several equal cards, or a colour."""
    return f"[{STYLES[name[0].upper()]}]{name}[/]"


def spelt(bag: Sequence[str] | None, colour: str = "") -> list[str]:
    """The cards of a bag, one by one; only those of a colour, if one is given."""
    return [name for names in bag or () for name in names.split() if name.startswith(colour)]


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """Return the sums of the row after a placement."""
    verb, _space, rest = action.partition(" ")
    if verb != "place":
        return ""
    name, side = rest.split()
    devils, angels = (worth(bag, name[0]) for bag in view.observation()["side"])
    if side == "left":
        devils += int(name[1])
    else:
        angels += int(name[1])
    return _("{colour} {devils} to {angels}", colour=word(COLOURS[name[0]]), devils=devils, angels=angels)


def worth(bag: Sequence[str], colour: str) -> int:
    """The sum of the cards of a colour."""
    return sum(int(name[1]) for name in spelt(bag, colour))


def column(view: View) -> str:
    """The letters of the colours from top to bottom."""
    return view.game.options["column_order"]


def _seats(view: View, seen: dict[str, Any]) -> list[list[str]]:
    """Return the words about each player."""
    out = []
    for p in range(view.game.players):
        parts = [_("total {total}", total=seen["total"][p])]
        if seen["points"][p]:
            parts.append(_("this round {points}", points=f"{seen['points'][p]:+d}"))
        parts.append(_("Doubler spent") if seen["spent"][p] == "yes" else _("Doubler"))
        answer = seen["answer"][p] if "answer" in seen else None
        if answer not in (None, "none"):
            parts.append(_("says yes") if answer == "yes" else _("says no"))
        known = spelt(seen["known"][p])
        if known and p != view.player:
            parts.append(_("has shown {cards}", cards=" ".join(known)))
        if "named" in seen and seen["named"][p]:
            parts.append(_("named {sums}", sums=sums_said(seen["named"][p])))
        if "laid" in seen and seen["laid"][p]:
            parts.append(_("{cards} face down", cards=counted(seen["laid"][p], "card")))
        out.append(parts)
    return out


def sums_said(bits: Sequence[str]) -> str:
    """The sums that a player has named."""
    said = {bit[0]: 0 for bit in bits if bit.endswith("said")}
    for bit in bits:
        if not bit.endswith("said"):
            said[bit[0]] += int(bit[1:])
    return ", ".join(f"{word(COLOURS[letter])} {total}" for letter, total in said.items())


def round_number(view: View, seen: dict[str, Any]) -> tuple[int, int]:
    """The number of the round, and of how many."""
    rounds = {2: 4}.get(view.game.players, view.game.players)
    if view.game.options["deals"] != "all":
        rounds = min(rounds, int(view.game.options["deals"]))
    return min(seen["deal"] + (seen["stage"] != "settled"), rounds), rounds


def heading(view: View, seen: dict[str, Any]) -> str:
    """The number of the round, and of the cards in the pile."""
    number, rounds = round_number(view, seen)
    return _(
        "round {number} of {rounds}, {cards} in the pile",
        number=number,
        rounds=rounds,
        cards=counted(seen["stock"], "card"),
    )


def hand_size(seen: dict[str, Any], p: int) -> int:
    """The number of a player's cards, which everybody can see (DI-94); 0 during the deal."""
    if seen["stage"] in ("lot", "dealing"):
        return 0
    return HAND + (seen["player"] == p and seen["stage"] in ("place", "discard", "discard drawn"))


# ------------------------------------------------------------------------------------------ scoring


class Scored(NamedTuple):
    """A scored row: its colour, whether it is positive, negative or even, the points of each player, and the players
    for whom a Doubler doubles them."""

    colour: str
    how: str
    brings: dict[int, int]
    doubled: set[int]

    @property
    def chips(self) -> list[tuple[list[int], int, bool]]:
        """Groups of players who get the same points from the row, with the points and whether they are doubled; the
        highest first."""
        kinds = sorted({(n, p in self.doubled) for p, n in self.brings.items()}, key=lambda kind: -abs(kind[0]))
        return [([p for p, m in self.brings.items() if (m, p in self.doubled) == kind], *kind) for kind in kinds]


def scoring(story: Sequence[Happening]) -> list[Scored]:
    """Return the rows scored last, from the events of the story."""
    last = max((i for i, said in enumerate(story) if said.event == "round_over"), default=len(story))
    rows: list[Scored] = []
    for said in story[last:]:
        if said.event in ("positive", "negative", "even"):
            rows.append(Scored(COLOUR_NAMES[said.a - NAMED], said.event, {}, set()))
        elif said.event in ("gains", "gains_double", "loses"):
            rows[-1].brings[said.who] = -said.a if said.event == "loses" else said.a
            if said.event == "gains_double":
                rows[-1].doubled.add(said.who)
    return rows


def this_round(story: Sequence[Happening]) -> Sequence[Happening]:
    """The events since the round was dealt."""
    start = next((i for i in range(len(story) - 1, -1, -1) if story[i].event == "deals"), 0)
    return story[start:]


def board(view: View, told: Sequence[Happening]) -> dict[str, Any]:
    """Return what its page shows in addition to the view: the round, the rows from top to bottom, which of them is now
    scored, and the cards that lie open before each player."""
    seen, story = view.observation(), this_round(told)
    scored = {row.colour: row for row in scoring(story)}
    now = [*scored][-1] if scored and not any(said.event == "total" for said in story) else ""
    is_over = any(said.event == "round_over" for said in story)
    rows = list[dict[str, Any]]()
    for letter in column(view):
        left, right = (spelt(bag, letter) for bag in seen["side"])
        colour = COLOURS[letter]
        state = "lit" if colour == now else "past" if colour in scored else "later" if is_over else ""
        sums = {"devils": worth(left, letter), "angels": worth(right, letter), "locked": len(left) + len(right) == ROW}
        row = {"letter": letter, "colour": colour, "left": left[::-1], "right": right, "state": state}
        rows.append({**row, **sums, "scored": scored.get(colour)})
    lit = next((row["letter"] for row in rows if row["state"] == "lit"), "")
    return {
        "round": round_number(view, seen),
        "rows": rows,
        "lit": lit,
        "is_over": is_over,
        "open": [spelt(bag, lit) for bag in seen["known"]],
    }


# ------------------------------------------------------------------------------------------ the position in words


def now(view: View, legal: Sequence[str]) -> Now:
    """The rows that take a card, or the effect of a Doubler."""
    seen = view.observation()
    if legal[0].startswith("doubler"):
        letter = column(view)[int(seen["row"])]
        held = worth(seen["hand"][view.player], letter)
        return Now(
            _("Commit your Doubler, or keep it."), _("You hold {n} in {colour}.", n=held, colour=word(COLOURS[letter]))
        )
    if legal[0].startswith("discard"):
        return Now(_("Discard one card."), _("You can place none of your seven."))
    letters = dict.fromkeys(name.split()[1][0] for name in legal)
    names = {name[0].upper(): word(name) for name in COLOUR_NAMES}
    locked = [names[one[0]] for one in seen["hand"][view.player] or () if one[0] not in letters]
    body = _("Left for the devils, right for the angels.")
    if locked:
        colours, shut = translated(either([names[one] for one in letters])), list(dict.fromkeys(locked))
        body = ngettext(
            "{colours}; {shut} is locked.", "{colours}; {shut} are locked.", len(shut),
            colours=f"{colours[:1].upper()}{colours[1:]}", shut=and_list(shut),
        )  # fmt: skip
    return Now(_("Place one card."), body)


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences, in the order of interest."""
    seen = view.observation()
    title = heading(view, seen)
    out = [f"{title[:1].upper()}{title[1:]}."]
    for letter in column(view):
        left, right = (spelt(bag, letter) for bag in seen["side"])
        if left or right:
            sums = _(
                "{devils} to {angels}", devils=worth(seen["side"][0], letter), angels=worth(seen["side"][1], letter)
            )
            locked = _(", locked") if len(left) + len(right) == 5 else ""
            cards = _(
                "devils {devils}; angels {angels}",
                devils=" ".join(left) or _("none"),
                angels=" ".join(right) or _("none"),
            )
            out.append(
                _(
                    "{colour} row: {cards}; {sums}{locked}.",
                    colour=word(COLOURS[letter].capitalize()) if current() == ENGLISH else word(COLOURS[letter]),
                    cards=cards,
                    sums=sums,
                    locked=locked,
                )
            )
    empty = [word(COLOURS[x]) for x in column(view) if not any(spelt(bag, x) for bag in seen["side"])]
    if empty:
        out.append(_("Empty: {rows}.", rows=", ".join(empty)))
    if seen["discards"]:
        out.append(_("Discards: {cards}.", cards=" ".join(spelt(seen["discards"]))))
    out += [_("{name}: {parts}.", name=names[p], parts=", ".join(parts)) for p, parts in enumerate(_seats(view, seen))]
    if "hand" in seen:
        out.append(_("Your hand: {cards}.", cards=" ".join(spelt(seen["hand"][view.player])) or _("none")))
    return out


# ------------------------------------------------------------------------------------------ drawing for the terminal


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The rows, devils on the left, angels on the right; then the players, the discards and the viewer's hand."""
    from rich.console import Group
    from rich.text import Text

    seen = view.observation()
    table = [Text(f"  {heading(view, seen)}", "dim"), Text.assemble((f"   {_('devils'):<14}{_('angels')}", "dim"))]
    table += [_row(view, seen, letter, legal) for letter in column(view)]
    table.append(Text())
    for p, parts in enumerate(_seats(view, seen)):
        turn = seen.get("player") == p and seen["stage"] != "over"
        name = (names[p], "bold" if turn else "")
        line, room = Text.assemble(("▸ " if turn else "  ", "yellow"), name, "  "), width - len(names[p]) - 4
        fit = max((k for k in range(1, len(parts) + 1) if len(" · ".join(parts[:k])) <= room), default=len(parts))
        table.append(line.append_text(_coloured(" · ".join(parts[:fit]))))
        table += [_coloured(f"    {' · '.join(parts[fit:])}")] * (fit < len(parts))
    if seen["discards"]:
        table.append(Text.assemble((_("  discards  "), "dim"), _coloured(" ".join(spelt(seen["discards"])))))
    if "hand" in seen:
        table.append(Text.assemble((_("  hand  "), "dim"), _coloured(" ".join(spelt(seen["hand"][view.player])))))
    for text in table:
        text.rstrip()
        text.no_wrap, text.overflow = True, "ellipsis"
    return Group(*table)


def _coloured(words: str) -> Text:
    """Words, cards among them in their colours."""
    from rich.text import Text

    text = Text(words)
    text.highlight_regex(r"\b[RYGPB][1-5]\b", lambda name: STYLES[name[0]])
    return text


def _row(view: View, seen: dict[str, Any], letter: str, legal: Sequence[str]) -> Text:
    """One row: the devils' cards, their sum, the colour, the angels' sum and cards."""
    from rich.text import Text

    left, right = (spelt(bag, letter) for bag in seen["side"])
    devils, angels = (worth(bag, letter) for bag in seen["side"])
    locked = len(left) + len(right) == 5
    may = any(a.startswith(f"place {letter}") for a in legal)
    middle = f"{'[' if locked else ' '}{word(COLOURS[letter]):^6}{']' if locked else ' '}"
    row = Text("  ")
    row.append(" ".join(reversed(left)).rjust(SIDE - 2), STYLES[letter])
    row.append(f" {devils:>2} ", "bold" if devils > angels else "dim")
    row.append(middle, f"{STYLES[letter]} reverse" if may else STYLES[letter])
    row.append(f" {angels:<2} ", "bold" if angels > devils else "dim")
    return row.append(" ".join(right), STYLES[letter])


# ------------------------------------------------------------------------------------------ the end


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Totals, and what they are worth."""
    seen = view.observation()
    out = []
    for p, name in enumerate(names):
        highest = _(", the highest") if seen["total"][p] == max(seen["total"]) else ""
        out.append(_("{name}: total {total}{highest}.", name=name, total=seen["total"][p], highest=highest))
    return out
