"""A scene as HTML: the regions of a table's page.

A piece, and each region but the board, is made of values that are handed to its template one by one. The template sees
nothing else, so what was made once can be shown to every reader who is to be shown the same values.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup, escape

from parlour.base import languages
from parlour.base.languages import gettext as _
from parlour.base.languages.games import rules_in_words
from parlour.core.game import Game
from parlour.core.lessons import places
from parlour.engine.definition import shelf
from parlour.server.common import wire
from parlour.server.common.limits import BoundedCache
from parlour.server.page.environment import board_of, fault_in, notes_of, template
from parlour.server.page.pieces import Pieces, macros, piece
from parlour.server.page.plain import Plain
from parlour.server.page.scene import Scene
from parlour.server.page.words import clause_of
from parlour.server.table.competition_names import deals_alike

STORY: Final = 16
"""The most sentences of the story that the page shows at once."""
MANY, CROWD = 8, 17
"""The numbers of other players from which they sit in rows, and from which they have smaller faces."""
REGIONS: Final = ("join", "strip", "board", "held", "people", "story", "notes", "clauses", "end")


_kept_regions: Final = BoundedCache[Hashable, str](room=8 << 20)
"""The regions that were made last."""


def _region(language: str, name: str, given: tuple[tuple[str, Hashable], ...]) -> str:
    """Return a region that depends on the language and on what it is given, and on nothing else."""
    key = language, name, given
    html = _kept_regions.get(key)
    if html is None:
        html = template(f"{name}.html").render(given)
        _kept_regions.keep(key, html, 2 * len(html))  # the key is about as long: its values are in the text
    return html


def _region_of(name: str, scene: Scene, **given: Hashable) -> str:
    about = (("game", scene.about.game), ("code", scene.about.code), ("me", scene.me))
    return _region(languages.current(), name, (*about, *given.items()))


def _strip(s: Scene) -> str:
    held = s.deal if s.telling.held else ""
    tries = s.taught is not None and bool(s.taught.wrong) and _offer(s.taught.wrong) not in board(s, or_plain=True)
    return _region_of(
        "strip", s, unaided=s.telling.hushed or deals_alike(s.about.event), is_asked=s.is_asked, waits=s.waits,
        over=s.telling.over, held=held, now=s.now, idea=s.idea, is_lesson=s.about.lesson, taught=s.taught, tries=tries,
        taking_back=s.taking_back, slow=tuple((s.seats[p], is_slow) for p, is_slow in s.slow.items() if s.then is None),
        players=s.about.players, house_rules=tuple(s.about.options.items()),
    )  # fmt: skip


def board(s: Scene, or_plain: bool = False) -> str:
    """Return the board, with what is legal and not on it. ``or_plain``: the plain board, with a sentence, where that of
    somebody's own game cannot be drawn."""
    s.placed.clear()
    context = context_of(s)
    table = "" if s.view is None else _table(s, context, or_plain)
    left = Markup(template("choices.html").render(context)) if s.left() else ""
    made_of = macros(languages.current())
    if s.missing:
        table = _region_of(
            "gathering", s, title=s.what.title, seats=s.company, awaits=s.about.awaits, missing=s.missing,
            event=s.about.event, again=tuple(s.telling.again), awaited=s.awaited,
        )  # fmt: skip
    is_empty = s.view is None and not s.missing
    html = f"{made_of.before_board(s.moment if s.is_asked else '', is_empty)}{table}{left and made_of.acts(left)}"
    if s.hinted:
        html = html.replace(_offer(s.hinted), f'{_offer(s.hinted)} data-hinted="{escape(_("Hint"))}"')
    if s.stop:
        move = s.stop.do or s.stop.wrong
        asked = ("move", move) if _offer(move) in html else ("amount", move.rpartition(" ")[0])
        for kind, name in (*places(s.stop), asked):
            html = _pointed(html, place_of(kind, name))
    return html


def _pointed(html: str, there: str) -> str:
    """Return a board on which the last such place is pointed at (of equal cards, the reader's own), and once only."""
    before, found, after = html.rpartition(there)
    is_there = found and " data-pointed" not in before.rpartition("<")[2] + after.partition(">")[0]
    return f'{before}{there} data-pointed=""{after}' if is_there else html


def _table(s: Scene, context: Mapping[str, Any], or_plain: bool) -> str:
    name = board_of(s.about.game)
    try:
        return template(name).render(context)
    except Exception:
        if not or_plain or name == "plain.html" or s.about.game in shelf():
            raise
        _tell(s.about.game, fault_in(name, context))
    s.placed.clear()
    sentence = _("The board of this game can’t be drawn, so here is the plain one; the server’s log says why.")
    return f'<p class="dim">{escape(sentence)}</p>{template("plain.html").render(context)}'


@lru_cache(maxsize=256)
def _tell(game: str, fault: str) -> None:
    """Say once in the server's log what its author can mend."""
    logging.getLogger("parlour.server").error("the board of %s cannot be drawn: %s", game, fault)


def _offer(action: str) -> str:
    """Return the attributes that the button of an action has in its HTML."""
    return f'name="action" value="{escape(action)}"'


def place_of(kind: str, name: str) -> str:
    """Return what the HTML of a board has at a place that a lesson points at: a card, the button of a move, a player's
    name plate, or anything else that the board has marked.

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
        reveal=s.about.reveal, house_rules=rules_in_words(_house_rules(s.game), s.game.definition),
    )  # fmt: skip
    return people + (_region_of("chain", s, chain=s.chain) if s.chain else "")  # the link is new with every move


def _house_rules(game: Game) -> dict[str, str]:
    """Return the options that differ from the standard ones."""
    usual = game.definition.options
    return {name: value for name, value in game.options.items() if value != str(usual[name].default)}


def _minutes(game: Game) -> int:
    """Return about how many minutes a match takes with bots; 0 if nobody has measured it under these house rules."""
    rules, usual = _house_rules(game), game.definition.options
    for preset in game.definition.presets.values():
        if rules == {name: value for name, value in preset.options.items() if value != str(usual[name].default)}:
            return preset.minutes
    return 0 if rules else int(game.definition.words["game"].get("minutes", 10))


def _story(s: Scene) -> str:
    return template("story.html").render(items=items(s, reversed(s.story[-STORY:])))


def _notes(s: Scene) -> str:
    """Return what has been played and scored, for a reader who looks it up."""
    name, context = notes_of(s.about.game), context_of(s)
    if not name or s.view is None:
        return ""
    try:
        return template(name).render(context)
    except Exception:
        if s.about.game in shelf():
            raise
        _tell(s.about.game, fault_in(name, context))
        return ""


def _clauses(s: Scene) -> str:
    return _rules_now(languages.current(), s.game, tuple(s.clauses))


@lru_cache(maxsize=1024)
def _rules_now(language: str, game: Game, clauses: tuple[str, ...]) -> str:
    """Return these clauses of a game, with its house rules, in a language."""
    return template("clauses.html").render(clauses=[(name, clause_of(game, name)) for name in clauses])


def _held(s: Scene) -> str:
    """Return the region of a finished deal, while everybody looks at it."""
    if not s.telling.held:
        return ""
    number, wants = len(s.telling.sheet) - 1, s.me in s.telling.again
    return _region_of(
        "held", s, deal=s.deal, number=max(0, number), why=tuple(s.why), gains=tuple(s.gains), wants=wants,
        awaited=s.awaited, still=s.still or s.about.lesson,
        go_on=_("Go on") if "extra" in s.what.words["game"] else _("Next {deal}", deal=s.deal),
    )  # fmt: skip


def _end(s: Scene) -> str:
    if not s.telling.over or s.is_invited:
        return ""
    return template("end.html").render(context_of(s), sealed=deals_alike(s.about.event))


def _join(s: Scene) -> str:
    """Return the way to a seat, for a reader who has none and does not only watch."""
    if not s.is_invited:
        return ""
    allowed, running = s.telling.allowed, bool(s.view) and not s.telling.over
    shut = _("The table is locked.") if "newcomers" not in allowed else ""
    if running and "takeovers" not in allowed:
        shut = shut or _("A bot’s seat can only be taken between matches.")
    return _region_of(
        "join", s, seats=s.company, host=s.host, goal=s.goal, shut=shut, reader=s.filled.get("name") or s.reader,
        has_begun=bool(s.view), wrong=s.why_not, minutes=_minutes(s.game),
        house_rules=rules_in_words(_house_rules(s.game), s.game.definition),
    )  # fmt: skip


_MAKERS: Final = {
    "join": _join, "strip": _strip, "board": lambda s: board(s, or_plain=True), "held": _held, "people": _people,
    "story": _story, "notes": _notes, "clauses": _clauses, "end": _end,
}  # fmt: skip


def regions(scene: Scene, wanted: Iterable[str] = REGIONS) -> dict[str, str]:
    """Return those parts of a table's page that change, as HTML."""
    return {name: _MAKERS[name](scene) for name in wanted}


def items(scene: Scene, sentences: Iterable[wire.Sentence]) -> str:
    """Return sentences of the story, as items of its list."""
    game, code = scene.about.game, scene.about.code
    return "".join(piece("told", game, code, scene.sentence(one), one.clause) for one in sentences)


def sitting(others: int) -> str:
    """Return the class of the style sheet for this number of other players.

    >>> sitting(3), sitting(9), sitting(20)
    ('n3', 'many', 'many crowd')
    """
    return f"n{others}" if others < MANY else "many" if others < CROWD else "many crowd"


_CONTEXT: Final[dict[str, Callable[[Scene], Any]]] = {
    "s": lambda s: s,
    "m": Pieces,
    "v": lambda s: s.v,
    "plain": Plain,
    "me": lambda s: s.me,
    "seats": lambda s: s.seats,
    "others": lambda s: s.others,
    "sitting": lambda s: sitting(len(s.others)),
    "can": lambda s: s.can,
    "title": lambda s: s.title,
    "game": lambda s: s.about.game,
}


def context_of(scene: Scene) -> dict[str, Any]:
    """Return what the templates of a table may use."""
    return {name: found(scene) for name, found in _CONTEXT.items()}
