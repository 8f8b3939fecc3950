"""A scene as HTML: the regions of a table's page, and the pieces that boards are made of.

A piece, and each region but the board, is made of values that are handed to its template one by one; it sees nothing
else, so what was made once of the same values can be shown to anybody who is to be shown them.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from types import FunctionType, MethodType
from typing import Any, Final, cast
from urllib.parse import quote

import jinja2
from jinja2 import meta, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.ext import Extension
from jinja2.runtime import Macro
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

from parlour.base import languages
from parlour.base.disk import damaged, installed_text
from parlour.base.errors import ParlourError
from parlour.base.languages import gettext as _
from parlour.base.languages import ngettext
from parlour.core.drawing import Showdown, ShownHand
from parlour.core.game import Game
from parlour.core.lessons import places
from parlour.engine.definition import definition, games
from parlour.server.common import wire
from parlour.server.common.limits import BoundedCache
from parlour.server.common.phrases import PHRASES
from parlour.server.page import assets, decks, hints
from parlour.server.page.i18n import CALLABLES, MESSAGES, html
from parlour.server.page.scene import CARD, CHART, NOTHING, Person, RenderedPart, Scene, drawing, text_of
from parlour.server.table.competition_names import deals_alike

MANY, CROWD = 8, 17
"""From these numbers of others on they sit in rows, and with smaller faces."""
AS_TEXT: Final = "\ufe0e"
"""After a suit's sign: it is a letter, and no picture."""
_MARKED: Final = re.compile(r"\[([^\]]*)\](.*)\[/\]")
REGIONS: Final = ("join", "strip", "board", "held", "people", "story", "notes", "clauses", "end")


def _template(name: str) -> str | None:
    """The source of a template: of a game's folder (``game/NAME``), or of what the stops games have in common."""
    home, _, file = name.partition("/")
    package = "parlour.rules.stops" if home == "stops" else definition(home).package if home in games() else ""
    if not package or file not in ("table.html", "notes.html", "pieces.html"):
        return None
    source = resources.files(package).joinpath(file)
    return installed_text(package, file) if source.is_file() else None


_STRUCTS: Final = [nodes.Getattr(nodes.Name("s", "load"), name, "load") for name in ("telling", "about")]
"""What a scene is made of: structures, which have all their fields."""


class _Generator(CodeGenerator):
    """What templates print goes through :func:`html`, and functions are called as they are: none of ours wants to know
    the context, which would be looked up at every call."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write("environment.html(")
        if finalize.src is not None:
            self.write(finalize.src)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        self.write("environment.call(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        if node.node in _STRUCTS:
            self.visit(node.node, frame)
            self.write(f".{node.attr}")
        elif not isinstance(node.node, nodes.Name):
            super().visit_Getattr(node, frame)
        elif node.node.name in ("s", "m", "loop"):  # the scene, what boards are made of, where a loop is
            self.visit(node.node, frame)
            self.write(f".{node.attr}")
        else:  # most are dictionaries, so they are asked on the spot
            name = frame.symbols.ref(node.node.name)
            self.write(f"({name}[{node.attr!r}] if type({name}) is dict and {node.attr!r} in {name} else ")
            super().visit_Getattr(node, frame)
            self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        self.write("environment.")
        super().macro_def(macro_ref, frame)


class _Macro(Macro):
    """A macro that goes straight to work if it is given exactly its arguments; all of ours escape what they print."""

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        if kwargs or len(args) != self._argument_count or self.caller or self.catch_kwargs or self.catch_varargs:
            return super().__call__(*args, **kwargs)
        return str.__new__(Markup, self._func(*args))


class _InLanguage(NodeTransformer):
    """Messages without values are said once in a language, when a template is compiled for it."""

    def visit_Call(self, node: nodes.Call) -> nodes.Node:
        called, plain = node.node, [one.value for one in node.args if isinstance(one, nodes.Const)]
        if not isinstance(called, nodes.Name) or called.name not in MESSAGES or node.kwargs:
            return self.generic_visit(node)
        if len(plain) < len(node.args):  # not known before
            return self.generic_visit(node)
        return nodes.Const(CALLABLES[called.name](*plain), lineno=node.lineno)


class _Template(jinja2.Template):
    """A template that leaves nothing behind."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        """Return what the template prints.  A board's macros and its context hold on to each other, and to all that the
        page knows; that ends here, so that none of it waits for Python to look for such cycles."""
        context = self.new_context(dict(*args, **kwargs))
        try:
            return self.environment.concat(self.root_render_func(context))
        except Exception:
            self.environment.handle_exception()
        finally:
            context.vars.clear()


class _Environment(jinja2.Environment):
    """Jinja without its costs at each call, print and look-up: boards take two thirds of the time."""

    code_generator_class = _Generator
    template_class = _Template
    language = ""
    """The language that templates are compiled for."""
    found: dict[str, jinja2.Template]
    """Those that have been asked for, by name.  (Jinja's own store looks at the loader, too, at every look-up.)"""
    html = staticmethod(html)
    call: staticmethod[..., Any] = staticmethod(operator.call)
    Macro = _Macro

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        if not self.language:
            return tree
        with languages.speaking(self.language):
            return _InLanguage().visit(tree)  # type: ignore[no-any-return]

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> jinja2.Template:
        """Return a template, which stays as it was at first.  Raises ``ParlourError``, which names it, if its file has
        been damaged."""
        if (found := self.found.get(name)) is None:
            try:
                found = self.found[name] = super().get_template(name, parent, globals)
            except (jinja2.TemplateSyntaxError, UnicodeDecodeError):
                raise damaged(str(name)) from None
        return found

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return one dictionary, which is copied faster than a chain of two."""
        return {**self.globals, **d} if d else self.globals

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look into dictionaries first, so that ``v.pot`` does not fail before it is found; the slow way that knows of
        everything else is for what is not there."""
        try:
            return obj[attribute] if type(obj) in (dict, _Places) else getattr(obj, attribute)
        except (KeyError, AttributeError):
            return super().getattr(obj, attribute)


_BLOCKS: Final = (
    "section|div|p|h2|ul|li|dl|dt|dd|table|thead|tbody|tr|td|th|details|summary|form"  # that stand by themselves
    "|g|use|path|circle|ellipse|rect|line"  # and parts of a picture
)
_BREAK: Final = re.compile(rf"\n[ \t]*(?=</?(?:{_BLOCKS})\b)|(?<=\n)[ \t]+")


class _Outdent(Extension):
    """Templates are indented, and have lines, for those who read them; browsers load them without."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _BREAK.sub("", source)


TEMPLATES: Final = _Environment(
    extensions=[_Outdent, "jinja2.ext.i18n"],
    loader=jinja2.ChoiceLoader([jinja2.PackageLoader("parlour.server.page"), jinja2.FunctionLoader(_template)]),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    cache_size=0,
)
TEMPLATES.found = {}
TEMPLATES.newstyle_gettext = True  # type: ignore[attr-defined]
TEMPLATES.policies["ext.i18n.trimmed"] = True
TEMPLATES.globals.update(CALLABLES)
TEMPLATES.filters["capitalize"] = lambda text: str(text)[:1].upper() + str(text)[1:]  # and nothing becomes small
TEMPLATES.filters["path"] = lambda text: quote(str(text), safe="")
TEMPLATES.globals.update(
    CHART=CHART,
    definition=definition,
    text_of=text_of,
    title_of=decks.title,
    four_coloured=decks.four_coloured,
    dress=assets,
    phrases=PHRASES,
    in_book=languages.in_book,
    translated=languages.translated,
)


def template(name: str) -> jinja2.Template:
    """Return a template in the language that is spoken."""
    return _spoken(languages.current()).get_template(name)


@cache
def _spoken(language: str) -> _Environment:
    """The templates, compiled for a language."""
    spoken = TEMPLATES.overlay()
    spoken.language, spoken.found = language, {}
    return spoken


def compile_all(spoken: Iterable[str]) -> None:
    """Compile every template in these languages, so that the first visitor of a page does not wait for it (some 20 to
    150 ms each)."""
    pages = resources.files("parlour.server.page").joinpath("templates").iterdir()
    names = {
        *(one.name for one in pages if one.name.endswith(".html")),
        *map(board_of, games()),
        *filter(None, map(notes_of, games())),
    }
    for language in spoken:
        for name in sorted(names):
            try:
                _spoken(language).get_template(name)
            except ParlourError as wrong:
                warnings.warn(str(wrong), stacklevel=2)


# ------------------------------------------------------------------------------------------ pieces


@cache
def _pieces(language: str) -> Any:
    """The macros of ``pieces.html``, which know nothing but what they are given."""
    return _spoken(language).get_template("pieces.html").module


@lru_cache(maxsize=16_384, typed=True)  # what is HTML already is not the same as a text that reads like it
def made(macro: Callable[..., Markup], *given: Hashable) -> Markup:
    """Return what a macro makes of these values, made only once.  (Each language has macros of its own.)

    It must be one of a template of pieces, imported without context, as is usual: it sees only what it is given.  (A
    macro of the board itself is another one each time, and nothing is gained.)
    """
    return macro(*given)


def piece(kind: str, *given: Hashable) -> Markup:
    """One of our own pieces.

    >>> str(piece("coins", 3, "coins")).partition(">")[0]
    '<span class="coins" data-n="3"'
    """
    return made(_macro(languages.current(), kind), *given)


@cache
def _macro(language: str, kind: str) -> Callable[..., Markup]:
    """One of the macros of ``pieces.html``."""
    macro: Callable[..., Markup] = getattr(_pieces(language), kind)
    return macro


class Pieces:
    """What a board is made of; templates of boards call it ``m``."""

    __slots__ = ("_scene",)

    made = staticmethod(made)

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def _offer(self, action: str) -> tuple[str, bool, str]:
        """The board offers an action itself: its name, whether it is legal, how it reads."""
        s = self._scene
        s.place(action)
        legal = s.can(action)
        return action, legal, s.caption(action) if legal else ""

    def face(self, name: str) -> Markup:
        """The picture of a card."""
        return piece("face", self._scene.about.game, name, self._scene.four_colours)

    def card(self, name: str, act: str | None = None, cls: str = "", note: Hashable = "", key: str = "") -> Markup:
        """A card; with ``act`` a button that does it, raised if it is legal, otherwise answered with the clause.
        ``key`` tells it from cards of the same name elsewhere on the board."""
        s = self._scene
        action = self._offer(act) if act and not s.still else ("", False, "")
        return piece("card", s.about.game, name, s.title(name), s.four_colours, *action, cls, note, key or name)

    def back(self, n: int = 1, act: str | None = None, label: str = "") -> Markup:
        """Cards face down."""
        s = self._scene
        action = self._offer(act) if act and not s.still else ("", False, "")
        label = label or ngettext("{n} card face down", "{n} cards face down", n)
        return piece("back", s.about.game, s.four_colours, n, label, *action)

    def fan(self, n: int) -> Markup:
        """A closed hand of `n` cards."""
        return piece("fan", self._scene.about.game, self._scene.four_colours, n)

    def backside(self) -> Markup:
        """The picture of a card face down."""
        return piece("backside", self._scene.about.game, self._scene.four_colours)

    def empty(self, label: str = "") -> Markup:
        """A place without a card."""
        return piece("empty", label or _("nothing"))

    def coins(self, n: int, label: str = "") -> Markup:
        """A number of coins."""
        return piece("coins", n, label)

    def act(self, action: str, text: str = "") -> Markup:
        """A button."""
        s = self._scene
        if s.still:
            return Markup()
        s.place(action)
        return piece("act", action, s.can(action), text or s.caption(action))

    def stepper(
        self, kind: str, text: str, amounts: Sequence[int], value: int, by: int = 1, rest: tuple[str, int] = ("", 0)
    ) -> Markup:
        """A number to choose, with a button for this kind of action; ``by``: how much the buttons beside it change the
        number by; ``rest``: what becomes of the rest, and of how many."""
        s = self._scene
        if s.still or not amounts:
            return Markup()
        for n in amounts:
            s.place(f"{kind} {n}")
        given = s.filled.get(f"amount {kind}", value)
        step = amounts[1] - amounts[0] if len(amounts) > 1 else 1
        return piece("stepper", kind, text, amounts[0], amounts[-1], given, step, max(by, step), *rest)

    def tablet(self, coins: Sequence[int]) -> Markup:
        """What somebody has written on their tablet: coins on Win and on Lose; nothing: it is face down."""
        return piece("tablet", tuple(coins))

    def seat(
        self,
        one: Person,
        *,
        money: int | None = None,
        unit: str = "",
        gain: int = 0,
        left: int | None = None,
        has: Hashable = "",
        cards: Hashable = "",
        dealer: bool = False,
        out: str = "",
        waits: bool = False,
        won: bool | None = None,
    ) -> Markup:
        """Somebody at the table: a face, a name, what they have (``money`` of a ``unit``, what this deal has brought so
        far, how many cards are left, and ``has``: whatever else), their cards, and what they did last, unless they wait
        for their first turn since; or why they are ``out``.  ``won``: whether they have won, where several do."""
        did = "" if one.me or waits else self.did(one.seat)
        one = one if won is None else one._replace(lit=won)
        return piece("seat", one, money, unit, gain, left, has, cards, did, dealer, out)

    def did(self, seat: int) -> Markup:
        """What somebody did last, in words and the cards it was about; a sign that touches a card stands with it."""
        s = self._scene
        words, cards = s.did(seat)
        return _did(languages.current(), s.about.game, words, tuple(cards)) if words else Markup()

    def token(self, card: str, before: str = "", after: str = "") -> Markup:
        """A card as a word of a sentence, with a sign before or after it."""
        return _token(self._scene.about.game, card, before, after)

    def dealt(self, seat: int, cards: Sequence[str | None]) -> Markup:
        """Somebody's cards, side by side; ``None``: face down."""
        s = self._scene
        return _dealt(languages.current(), s.about.game, s.four_colours, seat, tuple(cards))

    def climax(self, shown: Showdown) -> Markup:
        """The end of a deal as a scene, in place of seats and stage."""
        s = self._scene
        about = ngettext("{n} hand, pot {pot}", "{n} hands, pot {pot}", shown.hands, pot=shown.pot)
        lanes, rest = (Markup("\n").join(map(self._hand, those)) for those in (shown.lanes, shown.rest))
        gone = tuple((s.company[one.seat], one.why, one.tablet) for one in shown.gone)
        return piece("climax", about, shown.left, len(shown.lanes), lanes, rest, gone)

    def _hand(self, one: ShownHand) -> Markup:
        return piece("hand", self._scene.company[one.seat], self.dealt(one.seat, one.cards), *one[1:])

    def won(self, seats: Iterable[int], n: int, doubled: bool = False) -> Markup:
        """A gold chip: what these people have won (or lost) here, each of them ``n``; whether that is ``doubled``."""
        people = self._scene.company
        return piece("won", tuple(people[p] for p in seats), n, doubled)

    def person(self, one: Person) -> Markup:
        """A face and a name."""
        return piece("person", one)


@lru_cache(maxsize=4096)
def sign_of(game: str, card: str) -> tuple[str, str]:
    """A card in as few signs as it has at a terminal, and its colour there, unless its deck has a ``sign`` for it.

    >>> sign_of("pope_joan", "Td"), sign_of("diabolo", "R3")
    (('10♦\ufe0e', 'red'), ('3', 'red'))
    """
    own = getattr(definition(game).part("deck"), "sign", None)
    if own is not None:
        text, colour = own(card)
        return str(text), str(colour)
    found = _MARKED.fullmatch(drawing(game).marked(card))
    if found is None:
        return card, ""
    text, style = found[2], found[1].split()[-1]
    suit = {*text} & {*"♠♥♦♣"}
    return (text + AS_TEXT, "red" if suit & {*"♥♦"} else "") if suit else (text, style)


@lru_cache(maxsize=4096)
def _did(language: str, game: str, words: str, cards: tuple[str, ...]) -> Markup:
    """What somebody did, in a language: words, with these cards where the words have :data:`CARD`."""
    before, _card, after = words.partition(CARD)
    word, _space, sign = before.rpartition(" ") if cards else (words, "", "")
    close, _space, rest = after.partition(" ")
    tokens = Markup("").join(_token(game, card, sign, close) for card in cards)
    return Markup('<span class="word">{} </span>{}<span class="word"> {}</span>').format(word, tokens, rest)


def _token(game: str, card: str, before: str, after: str) -> Markup:
    text, colour = sign_of(game, card)
    return piece("token", f"{before}{text}{after}", colour)


@lru_cache(maxsize=4096)
def _dealt(language: str, game: str, four_colours: bool, seat: int, cards: tuple[str | None, ...]) -> Markup:
    """The same cards of a seat in a language, made once for all who see them."""
    nothing, down = ("", False, "", ""), _("a card face down")
    return Markup("").join(
        piece("card", game, name, decks.title(game, name), four_colours, *nothing, "", f"{seat}.{k} {name}")
        if name
        else piece("back", game, four_colours, 1, down, *nothing[:3])
        for k, name in enumerate(cards)
    )


# ------------------------------------------------------------------------------------------ regions


@lru_cache(maxsize=256)
def board_of(game: str) -> str:
    """The template of a game's board: its own, or the plain one."""
    return f"{game}/table.html" if _template(f"{game}/table.html") is not None else "plain.html"


@lru_cache(maxsize=256)
def notes_of(game: str) -> str:
    """The template of what a game keeps for whoever looks it up: its own, or that of the games it belongs to; empty if
    it keeps nothing."""
    homes = (game, str(definition(game).words["game"].get("include", "")).rpartition(".")[2])
    return next((name for home in homes if _template(name := f"{home}/notes.html") is not None), "")


_kept_regions: Final = BoundedCache[Hashable, str](room=8 << 20)
"""The regions made last."""


def _region(language: str, name: str, given: tuple[tuple[str, Hashable], ...]) -> str:
    """A region that depends on the language and on what it is given, and on nothing else."""
    key = language, name, given
    html = _kept_regions.get(key)
    if html is None:
        html = template(f"{name}.html").render(given)
        _kept_regions.keep(key, html, 2 * len(html))  # most of what is given stands in it
    return html


def _region_of(name: str, scene: Scene, **given: Hashable) -> str:
    about = (("game", scene.about.game), ("code", scene.about.code), ("me", scene.me))
    return _region(languages.current(), name, (*about, *given.items()))


def _strip(s: Scene) -> str:
    idea = s.idea and (*s.idea, s.clause(s.idea[1]))
    held = s.deal if s.telling.held else ""
    tries = s.taught is not None and bool(s.taught.wrong) and _offer(s.taught.wrong) not in _board(s)
    return _region_of(
        "strip", s, unaided=s.telling.hushed or deals_alike(s.about.event), is_asked=s.is_asked, waits=s.waits,
        over=s.telling.over, held=held, now=s.now, idea=idea, is_lesson=s.about.lesson, taught=s.taught, tries=tries,
        taking_back=s.taking_back,
    )  # fmt: skip


def _board(s: Scene) -> str:
    s.placed.clear()
    context = context_of(s)
    table = "" if s.view is None else template(board_of(s.about.game)).render(context)
    left = Markup(template("choices.html").render(context)) if s.left() else ""
    made_of = _pieces(languages.current())
    html = f"{made_of.before_board(s.moment if s.is_asked else '', s.view is None)}{table}{left and made_of.acts(left)}"
    if s.hinted:
        html = html.replace(_offer(s.hinted), f'{_offer(s.hinted)} data-hinted="{escape(_("Hint"))}"')
    for kind, name in places(s.stop) if s.stop else ():
        there = place_of(kind, name)
        one = html.rpartition(there)  # the last one: of equal cards that is your own
        html = f'{one[0]}{there} data-pointed=""{one[2]}' if one[1] else html
    return html


def _offer(action: str) -> str:
    """What a button has that stands for an action."""
    return f'name="action" value="{escape(action)}"'


def place_of(kind: str, name: str) -> str:
    """Return what the HTML of a board has at a place that a lesson points at: a card, the button of a move, somebody's
    name plate, or whatever else the board has marked.

    >>> place_of("card", "S4"), place_of("player", "1"), place_of("pool", "Pair")
    ('data-key="S4"', 'data-seat="1"', 'data-mark="pool Pair"')
    """
    match kind:
        case "card":
            return f'data-key="{escape(name)}"'
        case "move":
            return _offer(name)
        case "amount":
            return f'name="kind" value="{escape(name)}"'
        case "pot":
            return 'data-key="pot"'
        case "player":
            return f'data-seat="{escape(name)}"'
        case _:
            return f'data-mark="{escape(f"{kind} {name}".strip())}"'


def _people(s: Scene) -> str:
    people = _region_of(
        "people", s, seats=s.company, closed=s.telling.closed, remarks=tuple(s.remarks[-12:]),
        muted=tuple(s.muted), is_host=s.is_host, host=s.host, allowed=tuple(s.telling.allowed), resumed=s.resumed,
        practice=s.telling.practice,
        rated=s.telling.match > 0 and not (s.telling.over or s.telling.practice or s.resumed or s.taught is not None),
        by_post=s.about.by_post,
        days=int(s.about.patience // 86400),
        reveal=s.about.reveal, house_rules=s.house_rules,
    )  # fmt: skip
    return people + (_region_of("chain", s, chain=s.chain) if s.chain else "")  # a new link with every move


def _story(s: Scene) -> str:
    return template("story.html").render(items=items(s, s.latest))


def _notes(s: Scene) -> str:
    """What has been played and scored, for whoever looks it up.  Most moves bring nothing new, so they are made again
    only if something is new that their template has read of the scene the last time."""
    name, speaks = notes_of(s.about.game), languages.current()
    if not name or s.view is None:
        return ""
    kept = s.made.get(name)
    if kept is not None and kept.language == speaks and kept.is_so_of(s):
        return kept.html
    read = dict[tuple[str, ...], Any]()
    html = template(name).render(context_of(cast(Scene, Noting(s, read)), _named_in(name)))
    s.made[name] = RenderedPart(html, speaks, read)
    return html


class Noting:
    """A scene that notes what is read of it."""

    def __init__(self, scene: Scene, read: dict[tuple[str, ...], Any]) -> None:
        self._scene, self._read = scene, read

    def __getattr__(self, name: str) -> Any:
        if isinstance(found := getattr(Scene, name, None), FunctionType):
            return MethodType(found, self)
        value = getattr(self._scene, name)
        if type(value) is dict:
            return _Places(name, value, self._read)
        self._read[(name,)] = value
        return value


class _Places(Mapping[str, Any]):
    """A dictionary of a scene that notes which of its places are read; whoever goes through it reads it all."""

    def __init__(self, name: str, values: dict[str, Any], read: dict[tuple[str, ...], Any]) -> None:
        self._name, self._values, self._read = name, values, read

    def __getitem__(self, place: str) -> Any:
        self._read[self._name, place] = self._values.get(place, NOTHING)
        return self._values[place]

    def __iter__(self) -> Iterator[str]:
        self._read[(self._name,)] = self._values
        return iter(self._values)

    def __len__(self) -> int:
        self._read[(self._name,)] = self._values
        return len(self._values)


@lru_cache(maxsize=256)
def _named_in(name: str) -> frozenset[str]:
    """The names that a template looks up, or all that it may use if it hands them on."""
    assert TEMPLATES.loader is not None
    tree = TEMPLATES.parse(TEMPLATES.loader.get_source(TEMPLATES, name)[0])
    handed_on = next(tree.find_all((nodes.Extends, nodes.Include)), None) is not None
    handed_on |= any(getattr(one, "with_context", False) for one in tree.find_all((nodes.Import, nodes.FromImport)))
    return frozenset(_CONTEXT if handed_on else meta.find_undeclared_variables(tree))


def _clauses(s: Scene) -> str:
    return _rules_now(languages.current(), s.game, tuple(s.clauses))


@lru_cache(maxsize=1024)
def _rules_now(language: str, game: Game, clauses: tuple[str, ...]) -> str:
    """These clauses of a game, with its house rules, in a language."""
    return template("clauses.html").render(clauses=[(name, text_of(game.told_clause(name).text)) for name in clauses])


def _held(s: Scene) -> str:
    """A deal that is over, while everybody looks at it."""
    if not s.telling.held:
        return ""
    number, wants = len(s.telling.sheet) - 1, s.me in s.telling.again
    alone = sum(one.guest and not one.away for one in s.telling.players) < 2
    return _region_of(
        "held", s, deal=s.deal, number=max(0, number), why=tuple(s.why), gains=tuple(s.gains), wants=wants,
        awaited=s.awaited, alone=alone, still=s.still or s.about.lesson,
        go_on=_("Go on") if "extra" in s.what.words["game"] else _("Next {deal}", deal=s.deal),
    )  # fmt: skip


def _end(s: Scene) -> str:
    if not s.telling.over:
        return ""
    return template("end.html").render(context_of(s), choices=choices_of(s))


def choices_of(s: Scene) -> str:
    """The reader's best and worst choice in a match that is over, with the way to each in its replay."""
    said = [(one, text) for one in s.looked_back or () if (text := hints.of_choice(s, one))]
    return template("moments.html").render(said=said, code=s.about.code) if said else ""


def _join(s: Scene) -> str:
    """The way to a seat, for whoever has none and does not only watch."""
    if not s.is_invited:
        return ""
    allowed, running = s.telling.allowed, bool(s.view) and not s.telling.over
    shut = _("The table is locked.") if "newcomers" not in allowed else ""
    if running and "takeovers" not in allowed:
        shut = shut or _("A bot’s seat can only be taken between matches.")
    return _region_of(
        "join", s, seats=s.company, host=s.host, goal=s.goal, shut=shut, reader=s.reader, has_begun=bool(s.view)
    )  # fmt: skip


_MAKERS: Final = {
    "join": _join, "strip": _strip, "board": _board, "held": _held, "people": _people, "story": _story,
    "notes": _notes, "clauses": _clauses, "end": _end,
}  # fmt: skip


def regions(scene: Scene, wanted: Iterable[str] = REGIONS) -> dict[str, str]:
    """Parts of a table's page, those that change, as HTML."""
    return {name: _MAKERS[name](scene) for name in wanted}


def items(scene: Scene, sentences: Iterable[wire.Sentence]) -> str:
    """Sentences of the story, as items of its list."""
    game, code = scene.about.game, scene.about.code
    return "".join(piece("told", game, code, scene.sentence(one), one.clause) for one in sentences)


def sitting(others: int) -> str:
    """How many sit round the table, for the style sheet.

    >>> sitting(3), sitting(9), sitting(20)
    ('n3', 'many', 'many crowd')
    """
    return f"n{others}" if others < MANY else "many" if others < CROWD else "many crowd"


_CONTEXT: Final[dict[str, Callable[[Scene], Any]]] = {
    "s": lambda s: s,
    "m": Pieces,
    "v": lambda s: s.v,
    "me": lambda s: s.me,
    "seats": lambda s: s.seats,
    "others": lambda s: s.others,
    "sitting": lambda s: sitting(len(s.others)),
    "can": lambda s: s.can,
    "title": lambda s: s.title,
    "game": lambda s: s.about.game,
}


def context_of(scene: Scene, names: Container[str] = _CONTEXT) -> dict[str, Any]:
    """What the templates of a table may use; of these ``names`` only."""
    return {name: found(scene) for name, found in _CONTEXT.items() if name in names}
