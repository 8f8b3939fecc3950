"""Drawing of a table: by the game's own ``drawing`` module if it has one, otherwise in a plain form from the view.

A drawing may define any of these functions; for the others there is a plain form.

* ``picture(view, names, legal, width)``: the table for Rich, ``width`` columns wide;
* ``lines(view, names)``: the same in short plain sentences;
* ``card(name)``: Rich markup for a card, given its name in the rules' ``CARDS``;
* ``caption(action, view, names)``: a few words after the choice of that name, or ``""``;
* ``now(view, legal)``: what the viewer may do now, as a :class:`Now`;
* ``result(view, returns, names)``: at the end, a sentence for each player, with their score explained;
* ``name(options)``: what the game is called under these house rules;
* ``board(view, told)``: what the game's page shows in addition to the view, for the template of its table; ``told``:
  what the viewer has been told in this match;

``names`` are the players' names by seat, ``legal`` the names of the actions that the viewer may choose now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from parlour.base import naming
from parlour.base.languages import and_list, current, either, figures, speaking, translated, word
from parlour.base.languages import gettext as _
from parlour.engine.sentences import counted
from parlour.engine.slips import or_else
from parlour.engine.steps import unnamed
from parlour.rules.vocabulary import Thing

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.engine.definition import Definition
    from parlour.engine.telling import View

__all__ = [
    "LONGEST",
    "SUITS",
    "Drawing",
    "Gone",
    "Happening",
    "Now",
    "Showdown",
    "ShownHand",
    "cards_in_a_row",
    "counted",
    "french",
    "score",
    "sentence_of",
    "short",
    "shortened",
    "sign",
    "style",
    "tidy",
]

SUITS = {"S": ("♠", "bold"), "H": ("♥", "red"), "D": ("♦", "bright_cyan"), "C": ("♣", "green")}
"""Sign and style of the four French suits, by their letters."""
_LETTERS = {sign: letter.lower() for letter, (sign, _) in SUITS.items()}
_MARKUP = re.compile(r"\[[^\[\]]*\]")
LONGEST = 20
"""The most letters of a name that shares its line with others."""
UNTOLD = "-"
"""The text for a value that the viewer has not been told."""
NOTHING = "none"
"""The name in rules for no card."""


class Now(NamedTuple):
    """What the viewer may do at this moment, in a few words (``head``), and what it is worth or what is special about
    it (``body``, may be empty): one line, two short sentences.  ``silence``: for a secret question, what silence means,
    unless that is no.

    >>> str(Now("Your turn.", "You may dig."))
    'Your turn. You may dig.'
    """

    head: str
    body: str = ""
    silence: str = ""

    def __str__(self) -> str:
        return f"{self.head} {self.body}".strip()


def french(card: str) -> str:
    """Rich markup for a card of a French pack.

    >>> french("H10")
    '[red]10♥[/]'
    """
    sign, style = SUITS[card[0]]
    return f"[{style}]{card[1:]}{sign}[/]"


def sign(name: str) -> str:
    """The text of a card by its short name, without its colour.

    >>> sign("Td")
    '10♦'
    """
    return f"{name[0].replace('T', '10')}{SUITS[name[1].upper()][0]}"


def style(name: str) -> str:
    """The style of a card by its short name, such as ``Td``.

    >>> style("Td")
    'bright_cyan'
    """
    return SUITS[name[1].upper()][1]


def short(name: str) -> str:
    """Rich markup for a card of a French pack by its short name.

    >>> short("Td")
    '[bright_cyan]10♦[/]'
    """
    return f"[{style(name)}]{sign(name)}[/]"


class Happening(Protocol):
    """An event that the viewer has been told: the key of its sentence, the player it is about, and two numbers.

    >>> import parlour
    >>> state = parlour.load("kuhn").new(seed=1); state.apply("bet")
    >>> told: Happening = state.events()[-1]
    >>> told.event, told.who
    ('bets', 0)
    """

    @property
    def event(self) -> str:
        """The key of the event among the game's sentences."""

    @property
    def who(self) -> int:
        """The player it is about."""

    @property
    def a(self) -> int:
        """The first number."""

    @property
    def b(self) -> int:
        """The second number."""


class ShownHand(NamedTuple):
    """A player's hand in the scene at the end of a deal: cards by name (``None``: not turned yet), and the name of the
    hand.

    ``tablet``: coins on Win and on Lose, nothing before it is turned; ``prizes``: those that go to this hand, each with
    a sign for the style sheet, a name, and the coins so far; ``gain``: what the player has won or lost in the deal,
    once that is announced; ``lit``: whether this hand has been found to be the best, or the worst; ``won``: whether it
    has gained.

    >>> ShownHand(1, ("K", None)).cards  # the second card has not been turned
    ('K', None)
    """

    seat: int
    cards: tuple[str | None, ...]
    hand: str = ""
    tablet: tuple[int, ...] | None = None
    prizes: tuple[tuple[str, str, int], ...] = ()
    gain: int = 0
    lit: bool = False
    won: bool = False


class Gone(NamedTuple):
    """A player who is no longer in the hand that is shown: the reason, and their tablet once it has been turned.

    >>> Gone(2, "folded").tablet is None
    True
    """

    seat: int
    why: str
    tablet: tuple[int, ...] | None = None


class Showdown(NamedTuple):
    """The end of a deal as a scene, as far as it has been told: the number of hands shown, the pot and how much of it
    has not been taken, hands in lanes (those shown now, later those that win a prize), all other hands, and the players
    without a hand.

    >>> king = ShownHand(0, ("K",), "a king", gain=3, won=True)
    >>> scene = Showdown(2, pot=6, left=0, lanes=(king,), gone=(Gone(1, "folded"),))
    >>> scene.lanes[0].hand, scene.gone[0].why
    ('a king', 'folded')
    """

    hands: int
    pot: int
    left: int
    lanes: tuple[ShownHand, ...]
    rest: tuple[ShownHand, ...] = ()
    gone: tuple[Gone, ...] = ()


class Drawing:
    """The drawing of one game: its own parts, and the plain form of the others.  ``result`` takes returns in the game's
    own unit.  What breaks off in an author's game gives way to the plain form, unless this is ``strict``."""

    def __init__(self, game: Definition, strict: bool = False) -> None:
        self._game, own = game, game.part("drawing")
        self._or = partial(or_else, guards=game.is_own and not strict)

        def part(name: str, plain: Any) -> Any:
            return self._or(getattr(own, name, plain), plain)

        self.picture: Callable[[View, Sequence[str], Sequence[str], int], RenderableType] = part("picture", picture)
        self.lines: Callable[[View, Sequence[str]], list[str]] = part("lines", lines)
        self.caption: Callable[[str, View, Sequence[str]], str] = part("caption", lambda action, view, names: "")
        self.name: Callable[[Mapping[str, str]], str] = part("name", lambda options: game.title)
        self.now: Callable[[View, Sequence[str]], Now] = part("now", now)
        self.result: Callable[[View, Sequence[float], Sequence[str]], list[str]] = part("result", result)
        self.board: Callable[[View, Sequence[Happening]], dict[str, Any]] = part("board", lambda view, told: {})
        self._card: Callable[[str], str] | None = part("card", None)
        self._names: tuple[str, ...] = tuple(getattr(game.rules, "CARDS", ())) if self._card else ()
        self._said = dict[str, tuple[dict[str, str], re.Pattern[str]]]()

    def reason(self, action: str, view: View, names: Sequence[str]) -> str:
        """The reason for a choice, in a sentence; ``""`` without a module of :mod:`parlour.core.reasons`."""
        own = self._game.part("reasons")
        said: str = self._or(own.reason, lambda *_: "")(action, view, names) if own else ""
        return said

    def marked(self, text: str) -> str:
        """``text`` as Rich markup, with the cards it names in their colours.

        >>> import parlour
        >>> Drawing(parlour.load("diamonds").definition).marked("Ann takes D7.")
        'Ann takes [bright_cyan]7♦[/].'
        >>> with parlour.base.languages.speaking("de"):
        ...     Drawing(parlour.load("diamondback").definition).marked("Ann deckt die Karte Dame auf.")
        'Ann deckt die Karte [red]Dame[/] auf.'
        """
        card = self._card
        if card is None:
            return _escaped(text)
        return self._with_cards(text, lambda name, said: said.join(card(name).rsplit(name, 1)), _escaped)

    def written(self, text: str, signs: bool = True) -> str:
        """``text`` with the cards it names as the table shows them, without colour; where there are no ``signs``, with
        the letters of the suits.

        >>> import parlour
        >>> Drawing(parlour.load("diamonds").definition).written("Ann takes D10.", signs=False)
        'Ann takes 10d.'
        """
        card = self._card
        if card is None:
            return text

        def one(name: str, said: str) -> str:
            if name != said:
                return said
            shown = _MARKUP.sub("", card(name))
            if signs:
                return shown
            letter = _LETTERS.get(shown[-1:])
            return f"{shown[:-1]}{letter}" if letter else name

        return self._with_cards(text, one, str)

    def _with_cards(self, text: str, card: Callable[[str, str], str], other: Callable[[str], str]) -> str:
        """``text`` with each card, by its name in rules and in the reader's language, and all between them put in
        another way."""
        if (language := current()) not in self._said:
            named = {name: name for name in self._names} | {word(name): name for name in self._names}
            longest = "|".join(map(re.escape, sorted(named, key=len, reverse=True)))
            self._said[language] = named, re.compile(rf"(?<![\w-])({longest or '(?!)'})(?![\w-])")
        named, pattern = self._said[language]
        parts = pattern.split(text)  # text, card, text, card, …, text
        return "".join(card(named[part], part) if i % 2 else other(part) for i, part in enumerate(parts))


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
    """Draw cards side by side: a label above each, its name (``None``: face down; ``""``: no card), a remark below.

    >>> from rich import print
    >>> print(cards_in_a_row([("yours", "K", ""), ("theirs", None, "")]))
      yours    theirs
      ╭────╮   ╭────╮
      │ K  │   │░░░░│
      ╰────╯   ╰────╯
    <BLANKLINE>
    """
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 3))
    for _cell in cells:
        row.add_column(min_width=6)
    row.add_row(*(Text(label) for label, _, _ in cells))
    row.add_row(*(_box(name) for _, name, _ in cells))
    row.add_row(*(Text(remark, "dim") for _, _, remark in cells))
    return Padding(row, (0, 0, 0, 2))


def _box(name: str | None) -> Text:
    """A card (``None``: face down; ``""``: no card)."""
    from rich.text import Text

    if name == "":
        return Text("\n\n")
    face = Text("░░░░", "blue") if name is None else Text(f"{name:^4}", "bold")
    edge = "─" * len(face)
    return Text.assemble(f"╭{edge}╮\n│", face, f"│\n╰{edge}╯")


def shortened(name: str) -> str:
    """A name that leaves room for the rest of its line.

    >>> shortened("Bartholomew the Twenty-second")
    'Bartholomew the Twe…'
    """
    return naming.shortened(name, LONGEST)


def tidy(table: Sequence[Text]) -> list[Text]:
    """Lines that Rich does not wrap.

    >>> from rich.text import Text
    >>> tidy([Text("one line  ")])[0].plain
    'one line'
    """
    for line in table:
        line.rstrip()
        line.no_wrap, line.overflow = True, "ellipsis"
    return list(table)


# ------------------------------------------------------------------------------------------ the plain drawing


class Fact(NamedTuple):
    """A thing that the viewer is told: its name, its label, and its values in words, one for each player if it is
    ``seated``.  ``cards``: the values as names of cards if they are cards, and none where no card is known; ``own``:
    whether each player is told only their own value, as of a hand; ``one``: whether there is a single value for each
    player, as one card to a trick; ``empty``: whether it is empty now."""

    name: str
    label: str
    values: list[str]
    seated: bool
    cards: list[list[str]] | None
    own: bool
    one: bool
    empty: bool


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The view as sentences: one for each thing told."""
    said = []
    for one in facts(view, names):
        values = [" ".join(pair) for pair in zip(names, one.values, strict=True)] if one.seated else one.values
        said.append(f"{one.label}: {'; '.join(values)}.")
    return said


def now(view: View, legal: Sequence[str]) -> Now:
    """That the viewer may act, with the game's sentence for the kind of action if they have only one."""
    words = view.game.definition.worded.get("actions", {})
    kinds = list(dict.fromkeys(name.partition(" ")[0] for name in legal))
    said = [str(words[kind]) for kind in kinds if kind in words]
    return Now(_("Your turn."), said[0] if len(said) == len(kinds) == 1 else "")


def sentence_of(choices: Sequence[str]) -> str:
    """A sentence that lists choices.

    >>> sentence_of(["dig", "destroy"]), sentence_of(["pass"])
    ('Dig or destroy.', 'Pass.')
    """
    said = translated(either(choices))
    return f"{said[:1].upper()}{said[1:]}."


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The view as a small table: what belongs to players in columns, the rest above it, the viewer's cards below."""
    from rich.columns import Columns
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    shared = Table.grid(padding=(0, 2))
    seated = Table(box=None, padding=(0, 2), pad_edge=False, header_style="bold")
    seated.add_column("")
    for name in names:
        seated.add_column(name)
    own: list[RenderableType] = []
    for one in facts(view, names):
        cards = one.cards[view.player] if one.cards and one.seated and view.player >= 0 else ()
        if cards:
            own += [Text(one.label, "dim"), Columns([_box(name) for name in cards], padding=(0, 1))]
        if one.seated and not (cards and one.values.count(UNTOLD) == len(names) - 1):
            seated.add_row(f"[dim]{one.label}[/]", *one.values)
        elif not one.seated:
            shared.add_row(f"[dim]{one.label}[/]", ", ".join(one.values))
    blocks = [*([one] for one in (shared, seated) if one.row_count), *([own] if own else ())]
    return Padding(Group(*[part for block in blocks for part in ("", *block)][1:]), (0, 0, 0, 2))


def facts(view: View, names: Sequence[str]) -> list[Fact]:
    """Everything that the viewer is told, in words."""
    what, found = view.game.definition, list[Fact]()
    labels = what.worded.get("things", {})
    cards = {*(getattr(what.part("deck"), "NAMES", ()) or getattr(what.rules, "CARDS", ()))}
    for name, told in view.observation().items():
        thing = what.things[name]
        each = list(told) if thing.per > 1 else [told]
        if thing.seats:
            each = each[: len(names) * thing.each]
        with speaking(what.language):
            values = [_in_words(value, thing, names) for value in each]
        known = [_cards_of(value, cards) for value in each]
        if thing.seats and thing.each > 1:
            turns = [slice(p * thing.each, (p + 1) * thing.each) for p in range(len(names))]
            values = [", ".join(value for value in values[turn] if value != UNTOLD) or UNTOLD for turn in turns]
            known = [[card for cards in known[turn] for card in cards] for turn in turns]
        if not thing.seats and thing.per > 1:
            values = [value for value in values if value != UNTOLD] or [_("none")]
        kinds = set(thing.names or ())
        are_cards = bool(kinds & cards) and kinds <= cards | {NOTHING}
        own = thing.own is not None or name == "hand"
        one = thing.seats and thing.each == 1 and not any(isinstance(value, list) for value in each)
        empty = not any(known) if are_cards else {*values} <= {UNTOLD, _("none")}
        found.append(
            Fact(name, labels.get(name, name), values, thing.seats, known if are_cards else None, own, one, empty)
        )
    return found


def _in_words(value: Any, thing: Thing, names: Sequence[str]) -> str:
    """A value that was told, in words."""
    if value is None:
        return UNTOLD
    if thing.kind == "cards":
        return " ".join(value) or _("none")
    if thing.kind == "seat_set":
        return and_list([names[p] for p in value]) or _("none")
    if thing.kind == "seat":
        return names[int(value)]
    return _("none") if value == NOTHING else word(str(value))


def _cards_of(value: Any, cards: Collection[str]) -> list[str]:
    """The cards among what was told: a set of them, or one."""
    return [name for name in (value if isinstance(value, list) else [value]) if name in cards]


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's score."""
    return [f"{name}: {score(points)}." for name, points in zip(names, returns, strict=True)]


def score(points: float) -> str:
    """A return, ``points`` in the game's own unit, as people write it.

    >>> score(1.0), score(-0.5), score(0.0)
    ('+1', '-0.5', '0')
    """
    return figures(f"{points:+g}") if points else "0"
