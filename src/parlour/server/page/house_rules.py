"""House rules on a form: chapter by chapter of the rule book, what was changed on top, and a link that carries them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from parlour.base.languages import either, gettext, translated
from parlour.base.languages.games import option_name
from parlour.engine.definition import definition, games
from parlour.engine.house_rules import option_values, players_allowed
from parlour.players.characters import EVERYBODY, characters
from parlour.server.web.new_table import NewTable, opened_as, wanted_table

if TYPE_CHECKING:
    from parlour.engine.definition import Definition
    from parlour.rules.vocabulary import Option

FIELD: Final = "option-"
"""The prefix of the form fields for house rules."""
FIRST: Final = ("diamonds", "pope_joan", "diabolo", "diamondback", "dividha", "matrimony", "commit", "newmarket")
"""The games that the pages show first, in this order, beginning with the one for beginners; the others follow by
title."""
TIMES: Final = {name: f"{NewTable.model_fields[name].default:g}" for name in ("grace", "patience")}
"""The fields for how long a table waits for a guest who has gone or is thinking, with their usual values."""


class OptionRow(NamedTuple):
    """A house rule on the form: its name, the option, the chosen value, whether that is not the standard one, and
    whether it can change anything beside the others."""

    name: str
    option: Option
    chosen: str
    changed: bool
    applies: bool


class OptionGroup(NamedTuple):
    """The house rules that belong to a section of the rule book; those that belong to none have an empty title."""

    title: str
    rows: Sequence[OptionRow]

    @property
    def changed(self) -> Sequence[OptionRow]:
        """The house rules that are not as usual."""
        return [row for row in self.rows if row.changed]

    @property
    def many(self) -> int:
        """How many of them are not as usual."""
        return len(self.changed)


def usual(game: str) -> int:
    """Return the number of players for a table if nobody chooses one: as many as make a good game,
    which are four, or what ``words.toml`` says under ``usual``; or the nearest number there is."""
    what = definition(game)
    wanted = int(what.words["game"].get("usual", 4))
    return min(what.counts(), key=lambda n: (abs(n - wanted), n))


def usual_bots(what: Definition) -> str:
    """Return the bots for a table if nobody chooses any: one of each character where a game has several of them;
    otherwise the usual ones (empty).

    >>> usual_bots(definition("diamonds")), usual_bots(definition("kuhn"))
    ('everybody', '')
    """
    return EVERYBODY if len(characters(what)) > 1 else ""


def is_for_study(what: Definition) -> bool:
    """Whether a game is meant to be studied, rather than played for an evening."""
    return bool(what.words["game"].get("study"))


def played() -> list[Definition]:
    """Return the games that are played for an evening, in the order in which pages show them."""
    known = [what for what in map(definition, games()) if not is_for_study(what)]
    return sorted(known, key=lambda what: (FIRST.index(what.id) if what.id in FIRST else len(FIRST), what.title))


def options_in(what: Definition, form: Mapping[str, str]) -> dict[str, str]:
    """Return the house rules that a form asks for: those of the preset that it names, if any, and those that it
    changes. Raises ``ParlourError`` if there is no such preset.

    >>> from parlour.engine.definition import definition
    >>> options_in(definition("diamonds"), {"preset": "three", "option-joker_when": "own_turn"})
    {'games': '3', 'joker_when': 'own_turn'}
    """
    preset = form.get("preset", "")
    return {**(what.preset(preset).options if preset else {}), **chosen_in(what, form)}


def chosen_in(what: Definition, form: Mapping[str, str]) -> dict[str, str]:
    """Return the house rules that a form changes, even any that the game does not have.

    >>> from parlour.engine.definition import definition
    >>> chosen_in(definition("diamonds"), {"option-games": "3", "option-first_spade": "dig_on", "name": "Ada"})
    {'games': '3'}
    """
    said = {key.removeprefix(FIELD): value.strip() for key, value in form.items() if key.startswith(FIELD)}
    standard = {name: str(option.default) for name, option in what.options.items()}
    return {name: value for name, value in said.items() if value and value != standard.get(name)}


def chapters(what: Definition, form: Mapping[str, str]) -> list[OptionGroup]:
    """Return the house rules with the values of a form, in the order of the book; the length of the match comes last.

    >>> from parlour.engine.definition import definition
    >>> [chapter.title for chapter in chapters(definition("commit"), {})][-3:]
    ['Payments', 'The end', '']
    """
    chosen = {name: form.get(FIELD + name, str(option.default)) for name, option in what.options.items()}
    found: dict[str, list[OptionRow]] = {clause.section: [] for clause in what.book.clauses.values()}
    found[""] = []
    for name, option in what.options.items():
        title = what.book[option.clauses[0]].section if option.clauses else ""
        changed = chosen[name] != str(option.default)
        found[title].append(OptionRow(name, option, chosen[name], changed, changed or option.applies(chosen)))
    return [OptionGroup(title, rows) for title, rows in found.items() if rows]


def needs(what: Definition, option: Option) -> str:
    """Return a sentence that says with which other options an option has any effect.

    >>> from parlour.engine.definition import definition
    >>> needs(game := definition("diamondback"), game.options["tie_dealer"])
    'Only with version: dealers, or next dealer: winner.'
    """
    said = [
        f"{option_name(name, what)}: {_either([option_name(word, what) for word in words])}"
        for name, words in option.conditions
    ]
    return gettext("Only with {conditions}.", conditions=gettext(", or ").join(said))


def _either(words: Iterable[str]) -> str:
    return translated(either(list(words)))


def in_labels(what: Definition, mistake: str) -> str:
    """Return what is wrong with a form, in the form's own names for house rules and their values.

    >>> from parlour.engine.definition import definition
    >>> in_labels(definition("dividha"), "ante_start=3 must be an even number (DV-43).")
    'Ante start: 3 must be an even number (DV-43).'
    >>> in_labels(definition("diamondback"), "diamondback: option wager_limit cannot be 'abc'; it is none.")
    "Option wager limit cannot be 'abc'; it is none."
    """
    names = "|".join(sorted(map(re.escape, what.options), key=len, reverse=True))
    said = re.sub(
        rf"\b({names})=(\w+)",
        lambda found: f"{option_name(found[1], what)}: {option_name(found[2], what)}",
        mistake.removeprefix(f"{what.id}: "),
    )
    said = re.sub(rf"\b({names})\b", lambda found: option_name(found[1], what) if "_" in found[1] else found[1], said)
    return said[:1].upper() + said[1:]


def times_in(form: Mapping[str, str]) -> dict[str, str]:
    """Return how long the table of a form waits for people, where that is not as usual.

    >>> times_in({"grace": "30", "patience": "90", "pace": "2"})
    {'patience': '90'}
    """
    said = {name: form.get(name, "").strip() for name in TIMES}
    return {name: value for name, value in said.items() if value and value != TIMES[name]}


def address(what: Definition, form: Mapping[str, str], usual: int) -> str:
    """Return the link that fills in the form with these values. ``usual``: the number of players that the link need not
    give.

    >>> from parlour.engine.definition import definition
    >>> address(definition("diamonds"), {"option-games": "3", "option-first_spade": "dig_on", "players": "2"}, 3)
    '/new/diamonds?players=2&option-games=3'
    """
    said = {"players": form.get("players", ""), "preset": form.get("preset", "")}
    if said["players"] == str(usual):
        said["players"] = ""
    said |= {FIELD + name: value for name, value in chosen_in(what, form).items()} | times_in(form)
    query = urlencode({name: value for name, value in said.items() if value})
    return f"/new/{what.id}?{query}" if query else f"/new/{what.id}"


def filled(what: Definition, query: Mapping[str, str], usual: int) -> dict[str, str]:
    """Return the form as a link fills it in: a preset, more house rules, and how long the table waits for people.
    Raises ``ParlourError`` if the game has no such preset, option or value, or is not for that many players."""
    options = options_in(what, query)
    players, times = query.get("players", ""), times_in(query)
    if not (options or players or times):
        return {}
    opened_as(wanted_table(game=what.id, **times))
    option_values(what, what.max_players, options)
    allowed = what.counts(**options)
    if players:
        players_allowed(what, int(players) if re.fullmatch(r"[0-9]{1,3}", players) else 0)
    else:
        players = str(usual if usual in allowed or not allowed else allowed[0])
    return {"players": players, **times, **{FIELD + name: value for name, value in options.items()}}


__all__ = [
    "FIELD", "TIMES", "OptionGroup", "OptionRow", "address", "chapters", "chosen_in", "filled", "in_labels",
    "is_for_study", "needs", "options_in", "played", "times_in", "usual", "usual_bots",
]  # fmt: skip
