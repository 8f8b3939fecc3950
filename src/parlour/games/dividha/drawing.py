"""The drawing of the table of Dividha: the pot, each player's coins and cards, and the viewer's tablet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import counted, pgettext, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now, sentence_of
from parlour.engine.telling import members
from parlour.games.dividha.hands import CARDS, CATEGORIES, SUIT_OF, category
from parlour.games.dividha.position import (
    BEFORE,
    BETTING,
    DISCARDING,
    OVER,
    PAYING,
    SETTLED,
    SPLITTING,
    TALKING,
    VOTING,
    Dividha,
)
from parlour.games.dividha.showdown import among, hand_of, kept, ranking_of, worth_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.engine.telling import View

WIDE = 72  # width of the table of players, in columns
STYLES = {"V": "bold bright_white", "L": "bold red", "U": "bright_cyan", "D": "green", "B": "yellow"}
STYLE = {name: STYLES[SUIT_OF[c]] if c > 1 else "bold magenta" for c, name in enumerate(CARDS)}


def written(name: str) -> str:
    """A card as people write it: a 6 of Heaven without the letter that distinguishes it from the others.

    >>> written("6Vb"), written("KV")
    ('6V', 'KV')
    """
    return name[:2] if name.startswith("6V") else name


MANY = 3
"""With more kinds of choice than this, the instruction leaves out the pot."""


def card(name: str) -> str:
    """Rich markup of a card, or of the name of a category."""
    return f"[{STYLE[name]}]{written(name)}[/]" if name in STYLE else f"[bold]{name}[/]"


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """The cost or the effect of an action."""
    s, me = _position(view), view.player
    verb, *rest = action.split()
    if verb == "check" and s.stage == TALKING:
        return _("the next ante is {n}", n=s.agreed or s.ante)
    if verb == "agree" and s.stage == VOTING:
        return _("the next ante is {n}", n=s.offer)
    if verb == "call":
        return counted(min(s.level - s.put[me], s.coins[me]), "coin")
    if verb == "raise" and s.stage == BETTING:
        more = int(rest[0]) - s.put[me]
        return _("all you have") if more == s.coins[me] else _("{n} more", n=more) if s.put[me] else ""
    if verb == "win" and s.stage in (SPLITTING, PAYING):
        return _("{n} on Lose", n=s.owed - int(rest[0]))
    if verb == "discard" and s.stage == DISCARDING:
        return _(
            "leaves {hand}",
            hand=_category(s, me, (s.private[me] | s.public[me]) & ~(1 << CARDS.index(rest[0]))),
        )
    if verb == "lay":
        return _names(among(kept(s, me), sum(1 << int(n) - 1 for n in rest)))
    if verb == "order":
        held = members(hand_of(s, me))
        return " ".join(written(CARDS[held[int(n) - 1]]) for n in rest if int(n) <= len(held))
    return ""


def now(view: View, legal: Sequence[str]) -> Now:
    """The choices, their costs, and the coins at stake."""
    s, me = _position(view), view.player
    kinds = dict.fromkeys(name.split()[0] for name in legal)
    if "win" in kinds:
        head = _("Divide your {coins}.", coins=counted(s.owed, "coin"))
        return Now(head, _("Win goes to the strongest hand, Lose to the weakest."))
    if "trade" in kinds:
        return Now(_("Trade a card, or no more."), _("You get another from the deck for it."))
    if "agree" in kinds:
        return Now(_("Agree or refuse."), _("The next ante would be {n}.", n=s.offer))
    if "discard" in kinds:
        return Now(_("Discard one card."), _("The other five are your hand."))
    if "lay" in kinds:
        return Now(_("Choose the cards of your hand."), _("Laying fewer than five can make it weaker."))
    if "name" in kinds:
        return Now(_("Name your hand."), _("A wrong name costs you."))
    if "order" in kinds:
        return Now(_("Lay your cards in order."), _("From the top down."))
    if "return" in kinds:
        return Now(_("Come back, or stay away."))
    said = {"check": _("check"), "call": _("call"), "raise": _("raise"), "fold": _("fold"), "leave": _("leave"),
            "propose": _("propose a lower ante"), "stand": _("trade no more")}  # fmt: skip
    head = sentence_of([said[kind] for kind in kinds if kind in said])
    pot = _("The pot has {coins}.", coins=counted(s.pot, "coin"))
    due = min(s.level - s.put[me], s.coins[me])
    if "call" in kinds and due > 0:
        cost = _("A call costs {coins}.", coins=counted(due, "coin"))
        return Now(head, cost if len(kinds) > MANY else f"{cost} {pot}")
    return Now(head, pot if s.pot else _("The ante is {n}.", n=s.ante))


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences."""
    s, me = _position(view), view.player
    out = [f"{_title(view)}. {_pot(s)}."]
    for p, name in enumerate(names):
        parts = [_("{name}: {coins}", name=name, coins=counted(s.coins[p], "coin"))]
        parts += [_("dealer")] if s.dealer == p and s.phase else []
        if s.paid[p] or s.fees[p]:
            parts.append(
                _("put in {n}", n=s.paid[p] + s.fees[p]) + (_(", in this round {n}", n=s.put[p]) if s.put[p] else "")
            )
        if p == me and s.private[p]:
            parts.append(_("your cards: {cards}", cards=_names(s.private[p])))
        elif s.down[p]:
            parts.append(_("{cards} face down", cards=counted(s.down[p], "card")))
        parts += [_("face up: {cards}", cards=_names(s.public[p]))] if s.public[p] else []
        parts += [_place(s, p)] if _place(s, p) else []
        out.append("; ".join(parts) + ".")
    return [*out, *(f"{line}." for line in _mine(view, s))]


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """A line for each player: name, coins, coins put in, cards; the pot above, the viewer's cards and tablet below.  In
    a narrow terminal, the same as sentences."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if width < WIDE:
        return Group(*(Text(line) for line in lines(view, names)))
    s, asked = _position(view), view.observation().get("turn")
    seats = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading, right in (
        ("", False),
        (_("coins"), True),
        (_("put in"), True),
        (_("round"), True),
        (_("cards"), False),
    ):
        seats.add_column(heading, justify="right" if right else "left", no_wrap=True)
    seats.add_column("", style="dim")
    for p, name in enumerate(names):
        turn = asked == p
        label = Text.assemble(("▸ " if turn else "  ", "yellow"), (name, "bold" if turn else ""))
        if s.dealer == p and s.phase:
            label.append(" ●", "dim")
        put_in = s.paid[p] + s.fees[p]
        numbers = (str(s.coins[p]), str(put_in) if put_in else "", str(s.put[p]) if s.put[p] else "")
        seats.add_row(label, *numbers, _faces(s, p, view.player), _place(s, p))
    head = [Text(f"  {_title(view)}", "dim"), Text(f"  {_pot(s)}", "bold")]
    return Group(*head, seats, *(Text(f"  {line}", "dim") for line in _mine(view, s)))


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's place and coins."""
    s = _position(view)
    return [
        _("{name}: place {place}, {coins}.", name=name, place=s.places[p], coins=counted(s.coins[p], "coin"))
        for p, name in enumerate(names)
    ]


def between_hands(view: View) -> bool:
    """Whether players are asked, between hands, for changes before the next one (DV-221)."""
    s = _position(view)
    return s.stage == TALKING or (s.stage == VOTING and s.phase == BEFORE)


def _position(view: View) -> Dividha:
    """The position as far as the viewer knows it."""
    from parlour.engine.telling import restored

    s: Dividha = restored(view)
    return s


def _title(view: View) -> str:
    seen = view.observation()
    hand = seen["deal"] + (seen["stage"] not in ("over", "settled"))
    part = "" if seen["stage"] in ("over", "first dealer") else f", {word(seen['phase'])}"
    if seen["stage"] == "over" or between_hands(view):
        return _("Dividha, after hand {n}; ante {ante}", n=hand, ante=seen["ante"])
    return _("Dividha, hand {n}{part}; ante {ante}", n=hand, part=part, ante=seen["ante"])


def _pot(s: Dividha) -> str:
    text = _("Pot {n}", n=s.pot)
    if s.forfeits:
        text += (
            _(", {n} of it forfeited", n=s.forfeits)
            if s.pot
            else _("; forfeited to the next Win pool: {n}", n=s.forfeits)
        )
    return text + (_("; level {n}", n=s.level) if s.level else "")


def _faces(s: Dividha, p: int, me: int) -> Text:
    """A player's cards: private ones face down unless they are the viewer's, then the public ones."""
    from rich.text import Text

    faces = [Text("░░", "blue")] * s.down[p] if p != me else _coloured(s.private[p])
    shown = _coloured(s.public[p])
    return Text(" ").join([*faces, *([Text("│", "dim")] if faces and shown else []), *shown])


def _coloured(cards: int) -> list[Text]:
    from rich.text import Text

    return [Text(written(CARDS[c]), STYLE[CARDS[c]]) for c in members(cards)]


def _names(cards: int) -> str:
    return " ".join(written(CARDS[c]) for c in members(cards))


def _place(s: Dividha, p: int) -> str:
    if s.places[p]:
        return _("place {n}", n=s.places[p])
    if s.away >> p & 1 or (s.gone >> p & 1 and not s.phase):
        return _("absent")
    if not s.phase:
        return ""
    if not s.live >> p & 1:
        return _("folded")
    if s.made[p]:
        return word(CATEGORIES[s.made[p]])
    return pgettext("player", "left") if s.gone >> p & 1 else _("all-in") if not s.coins[p] else ""


def _mine(view: View, s: Dividha) -> list[str]:
    """Return the viewer's tablet, and the best and worst hands that their cards can make."""
    me = view.player
    if me < 0 or s.stage == OVER or not s.paid[me]:
        return []
    win, lose = s.win[me] + s.fee_win[me], s.paid[me] - s.win[me] + s.fees[me] - s.fee_win[me] - s.owed * (s.turn == me)
    tablet = _("Your tablet: Win {win}, Lose {lose}", win=win, lose=lose)
    ends = _ends(s, me)
    return (
        [
            tablet,
            _("Your strongest five: {strong}; your weakest five: {weak}", strong=word(ends[1]), weak=word(ends[0])),
        ]
        if ends
        else [tablet]
    )


def weakest_and_strongest(view: View) -> tuple[str, str] | None:
    """Return the weakest and the strongest hand that the viewer's cards can make at the showdown, once they have
    six."""
    return _ends(_position(view), view.player)


def _ends(s: Dividha, me: int) -> tuple[str, str] | None:
    if me < 0 or s.stage >= SETTLED:
        return None
    six = s.private[me] | s.public[me]
    if six.bit_count() < 6 or not s.live >> me & 1:
        return None
    how = ranking_of(s, me)
    ranked = sorted(worth_of(how, six & ~(1 << c)) for c in members(six))
    return CATEGORIES[category(how, ranked[0])], CATEGORIES[category(how, ranked[-1])]


def _category(s: Dividha, p: int, hand: int) -> str:
    how = ranking_of(s, p)
    return word(CATEGORIES[category(how, worth_of(how, hand))])
