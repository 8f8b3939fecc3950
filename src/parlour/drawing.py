"""Drawing of a table: by the game's own ``drawing`` module where it has one, otherwise plainly from the view.

A drawing may define any of these; what it leaves out is done plainly.

* ``picture(view, names, legal, width)``: the table for Rich, ``width`` columns wide;
* ``lines(view, names)``: the same in short plain sentences;
* ``card(name)``: Rich markup for a card, given its name in the rules' ``CARDS``;
* ``caption(action, view, names)``: a few words after the choice of that name, or ``""``;
* ``result(view, returns, names)``: at the end, a sentence for each player, with their score explained;
* ``board(view, told)``: what the game's page shows in addition to the view, for the template of its table; ``told``:
  what the viewer has been told in this match.

``names`` are the players' names by seat, ``legal`` the names of the actions that the viewer may choose now.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, Protocol

from parlour.engine.definition import counted
from parlour.engine.ruleset import Ruleset
from parlour.engine.steps import unnamed
from parlour.languages import ENGLISH, current, translated
from parlour.languages import gettext as _
from parlour.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.engine.definition import Definition
    from parlour.engine.telling import View
    from parlour.game import Game

__all__ = [
    "LONGEST",
    "SUITS",
    "Drawing",
    "Happening",
    "bounds_of",
    "cards_in_a_row",
    "clauses_of",
    "counted",
    "french",
    "refused_in_words",
    "score",
    "short",
    "shortened",
    "sign",
    "style",
    "tidy",
]

SUITS = {"S": ("♠", "bold"), "H": ("♥", "red"), "D": ("♦", "bright_cyan"), "C": ("♣", "green")}
"""Sign and style of the four French suits, by their letters."""
LONGEST = 20
"""Characters of a name, where others stand beside it."""


def french(card: str) -> str:
    """Rich markup for a card of a French pack.

    >>> french("H10")
    '[red]♥10[/]'
    """
    sign, style = SUITS[card[0]]
    return f"[{style}]{sign}{card[1:]}[/]"


def sign(name: str) -> str:
    """A card of that short name as it is drawn, without its colour.

    >>> sign("Td")
    '10♦'
    """
    return f"{name[0].replace('T', '10')}{SUITS[name[1].upper()][0]}"


def style(name: str) -> str:
    """The style of a card of that name, such as ``Td``."""
    return SUITS[name[1].upper()][1]


def short(name: str) -> str:
    """Rich markup for a card of a French pack by its short name.

    >>> short("Td")
    '[bright_cyan]10♦[/]'
    """
    return f"[{style(name)}]{sign(name)}[/]"


class Happening(Protocol):
    """Something that the viewer has been told: the key of the sentence, the player it is about, and two numbers."""

    @property
    def event(self) -> str: ...
    @property
    def who(self) -> int: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...


class Drawing:
    """The drawing of one game: its own parts, and the plain ones where it has none."""

    def __init__(self, game: Definition) -> None:
        own = game.part("drawing")

        def part(name: str, plain: Any) -> Any:
            return getattr(own, name, plain)

        self.picture: Callable[[View, Sequence[str], Sequence[str], int], RenderableType] = part("picture", picture)
        self.lines: Callable[[View, Sequence[str]], list[str]] = part("lines", lines)
        self.caption: Callable[[str, View, Sequence[str]], str] = part("caption", lambda action, view, names: "")
        self.result: Callable[[View, Sequence[float], Sequence[str]], list[str]] = part("result", result)
        self.board: Callable[[View, Sequence[Happening]], dict[str, Any]] = part("board", lambda view, told: {})
        card: Callable[[str], str] | None = part("card", None)
        self._card = card
        names = sorted(map(re.escape, getattr(game.rules, "CARDS", ())), key=len, reverse=True) if card else []
        self._cards = re.compile(rf"(?<![\w-])({'|'.join(names)})(?![\w-])") if names else None

    def marked(self, text: str) -> str:
        """``text`` as Rich markup, with the cards it names in their colours."""
        if self._cards is None or self._card is None:
            return _escaped(text)
        card = self._card
        parts = self._cards.split(text)  # text, card, text, card, …, text
        return "".join(card(part) if i % 2 else _escaped(part) for i, part in enumerate(parts))


def as_text(view: View, width: int = 80) -> str:
    """Return the table as the terminal draws it, without colours.

    >>> import parlour
    >>> len(as_text(parlour.load("leduc").new(seed=5).view(0)).splitlines()) > 1
    True
    """
    from rich.console import Console

    into = StringIO()
    names = unnamed(view.game.players)
    Console(file=into, width=width, color_system=None).print(
        Drawing(view.game.definition).picture(view, names, (), width)
    )
    return "\n".join(line.rstrip() for line in into.getvalue().rstrip().splitlines())


def _escaped(text: str) -> str:
    """``text`` as literal Rich markup, whatever markup follows."""
    from rich.markup import escape

    text = escape(text)
    return text + "\\" * ((len(text) - len(text.rstrip("\\"))) % 2)


def cards_in_a_row(cells: Sequence[tuple[str, str | None, str]]) -> RenderableType:
    """Draw cards side by side: a label above each, its name (``None``: face down; ``""``: no card), a remark below."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    def box(name: str | None) -> Text:
        if name == "":
            return Text("\n\n")
        face = Text("░░░░", "blue") if name is None else Text(f"{name:^4}", "bold")
        return Text.assemble("╭────╮\n│", face, "│\n╰────╯")

    row = Table.grid(padding=(0, 3))
    for _cell in cells:
        row.add_column(min_width=6)
    row.add_row(*(Text(label) for label, _, _ in cells))
    row.add_row(*(box(name) for _, name, _ in cells))
    row.add_row(*(Text(remark, "dim") for _, _, remark in cells))
    return Padding(row, (0, 0, 0, 2))


def shortened(name: str) -> str:
    """A name that leaves room for the rest of its line."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def tidy(table: Sequence[Text]) -> list[Text]:
    """Lines that are not folded."""
    for line in table:
        line.rstrip()
        line.no_wrap, line.overflow = True, "ellipsis"
    return list(table)


# ------------------------------------------------------------------------------------------ the plain drawing


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The view as sentences: one for each thing told."""
    return [f"{label}: {'; '.join(values)}." for label, values in facts(view, names)]


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The view as a small table: what belongs to players in columns, the rest above it."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table

    shared = Table.grid(padding=(0, 2))
    seated = Table(box=None, padding=(0, 2), pad_edge=False, header_style="bold")
    seated.add_column("")
    for name in names:
        seated.add_column(name)
    for (label, values), seated_ in zip(facts(view, names, bare=True), by_seat(view), strict=True):
        if seated_:
            seated.add_row(f"[dim]{label}[/]", *values)
        else:
            shared.add_row(f"[dim]{label}[/]", ", ".join(values))
    return Padding(Group(shared, "", seated) if seated.row_count else shared, (0, 0, 0, 2))


def by_seat(view: View) -> list[bool]:
    """For each thing told, whether it belongs to players."""
    return [view.game.definition.things[name].seats for name in view.observation()]


def facts(view: View, names: Sequence[str], bare: bool = False) -> list[tuple[str, list[str]]]:
    """Label and values of each thing told; values of players go with their names unless ``bare``."""
    labels = view.game.definition.worded.get("things", {})
    found = []
    for name, told in view.observation().items():
        thing = view.game.definition.things[name]

        def word(value: Any, kind: str = thing.kind) -> str:
            if value is None:
                return "-"
            if kind == "cards":
                return " ".join(value) or _("none")
            if kind == "seat_set":
                return " ".join(names[p] for p in value) or _("none")
            return names[value] if kind == "seat" else str(value)

        values = [word(v) for v in told] if thing.per > 1 else [word(told)]
        if thing.seats and not bare:
            values = [f"{who} {value}" for who, value in zip(names, values, strict=False)]
        elif not thing.seats and thing.per > 1:
            values = [v for v in values if v != "-"] or [_("none")]
        found.append((labels.get(name, name), values))
    return found


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's score."""
    return [f"{name}: {score(points)}." for name, points in zip(names, returns, strict=True)]


def score(points: float) -> str:
    """A return as people write it.

    >>> score(1.0), score(-0.5), score(0.0)
    ('+1', '-0.5', '0')
    """
    return f"{points:+g}" if points else "0"


def clauses_of(game: Game, action: int, view: View) -> list[str]:
    """Return the clauses by which ``action`` would be carried out by the viewer now, before chance or anybody else goes
    on: found by trying it in a world that the viewer cannot tell from the real one."""
    world = view.redeal(0)
    heard: list[Any] = []
    game.definition.rules.apply(world.position, view.player, action, heard)
    cited = [
        clause for clause, _, audience, who, *_ in heard if audience in (EVERYBODY, view.player) and who == view.player
    ]
    return list(dict.fromkeys(cited))


def bounds_of(game: Game, legal: Sequence[int], view: View) -> list[str]:
    """Return the clauses that forbid the viewer other actions of the kinds that they may choose among now (``legal``),
    those that forbid most of them first."""
    kinds, may = {game.action_names[a].split()[0] for a in legal}, set(legal)
    others = [a for a, name in enumerate(game.action_names) if a not in may and name.split()[0] in kinds]
    s, refuse = view.redeal(0).position, game.definition.rules.refuse
    found = Counter(str(refuse(s, view.player, a)) for a in others[:: len(others) // MOST_TRIED + 1])
    return [clause for clause, _ in found.most_common()]


def refused_in_words(what: Definition | Game, sentence: str, named: Callable[[str], str] = repr) -> str:
    """Return in the reader's language why something was refused; ``what``: the game, with its house rules if possible.
    ``named`` puts the name of an action into words.

    >>> from parlour.engine.definition import definition
    >>> from parlour.languages import speaking
    >>> with speaking("de"):
    ...     refused_in_words(definition("leduc"), "'fold' is not allowed now: You may ... (LE-12)").partition(":")[0]
    "'fold' geht jetzt nicht"
    """
    found = None if current() == ENGLISH else _REFUSAL.fullmatch(sentence)
    game = what.definition if isinstance(what, Ruleset) else what
    if found is None or found[4] not in game.book.clauses:
        return translated(sentence)
    text = what.told_clause(found[4]).text if isinstance(what, Ruleset) else game.text_of(found[4])
    why = {"action": named(found[1]), "why": text, "clause": found[4]}
    if found[3]:
        low, high = found[2], found[3]
        return _("{action} is not allowed now, only {low} to {high}: {why} ({clause})", low=low, high=high, **why)
    if found[2]:
        return _("{action} is not allowed now, only {low}: {why} ({clause})", low=found[2], **why)
    return _("{action} is not allowed now: {why} ({clause})", **why)


_REFUSAL = re.compile(r"'([^']+)' is not allowed now(?:, only (\d+)(?: to (\d+))?)?: .* \(([A-Z]+-\d+)\)", re.DOTALL)
MOST_TRIED = 200
"""The actions that are tried, to find out what forbids them."""
