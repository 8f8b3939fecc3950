"""What a shell completes: games, presets, house rules and players; :func:`words_as_typed` is for Bash."""

from __future__ import annotations

import os
from collections.abc import Iterable, MutableMapping
from typing import Final

from parlour.core.game import load
from parlour.engine.definition import definition, folders_here, games, register_local, smaller

ASKED: Final = "_PARLOUR_COMPLETE"
"""The variable in which a shell says that it asks for completions, and which shell it is."""
BASH: Final = "complete_bash"
RULE: Final = "_PARLOUR_RULE"
"""Where the name of a house rule is kept of which Bash asks for the value."""
LINES: Final = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The variables in which Bash, and the other shells, give the command line."""


def words_as_typed(env: MutableMapping[str, str]) -> None:
    """Put ``NAME=VALUE`` together again in a question of Bash, for which it is three words, of which it completes only
    the last: if that is asked for, its name is kept aside.

    >>> asked = {ASKED: BASH, "COMP_WORDS": "parlour play kuhn --option a = b --option c = d", "COMP_CWORD": "10"}
    >>> words_as_typed(asked)
    >>> asked["COMP_WORDS"].split(), asked["COMP_CWORD"], asked[RULE]
    (['parlour', 'play', 'kuhn', '--option', 'a=b', '--option', 'd'], '6', 'c')
    """
    env.pop(RULE, None)
    if env.get(ASKED) != BASH or not env.get("COMP_CWORD", "").isdecimal():
        return
    words, at = list[str](), int(env["COMP_CWORD"])
    for word in env.get("COMP_WORDS", "").split()[: at + 1]:
        if words and (word == "=" or words[-1].endswith("=")):
            words[-1] += word
            at -= 1
        else:
            words.append(word)
    if at < len(words) and "=" in words[-1]:
        env[RULE], _equals, words[-1] = words[-1].partition("=")
        words[-1] = words[-1] or '""'
    env["COMP_WORDS"], env["COMP_CWORD"] = "\n".join(words), str(at)


def named_games(incomplete: str) -> list[str]:
    """Return the names that a shell completes for a game, those of folders here included.  A folder is read only if
    its whole name is typed: then its sizes are completed too."""
    _register([incomplete])
    return [name for name in [*games(), *folders_here(), *smaller()] if name.startswith(incomplete)]


def _register(words: Iterable[str]) -> None:
    """Register the games whose folders lie here if one of the words is their name, or that of one of their sizes."""
    for name in {word.partition("-")[0] for word in words}.intersection(folders_here()):
        register_local(name)


def named_presets(incomplete: str) -> list[tuple[str, str]]:
    """Return the presets that a shell completes, each with what it is: those of the game that is named, or of all."""
    found = dict[str, str]()
    for game in _games_named():
        for name, preset in definition(game).presets.items():
            found.setdefault(name, preset.about)
    return [(name, about) for name, about in found.items() if name.startswith(incomplete)]


def named_house_rules(incomplete: str) -> list[tuple[str, str]]:
    """Return the house rules that a shell completes, each with what it decides: the names that fit; if there is one
    only, its values."""
    name, equals, begun = incomplete.partition("=")
    if alone := os.environ.get(RULE, ""):
        name, equals, begun = alone, "=", incomplete
    of = {game: definition(game).words.get("options", {}) for game in _games_named()}
    names = {one: words["about"] for rules in of.values() for one, words in rules.items()}
    fitting = [one for one in names if one == name or (not equals and one.startswith(name))]
    if len(fitting) > 1 and not equals:
        return [(f"{one}=", names[one]) for one in fitting]
    if not fitting:
        return []
    found = dict[str, str]()
    for game, rules in of.items():
        if option := definition(game).options.get(fitting[0]):
            for value in option.words or [str(option.default)]:
                found.setdefault(str(value), str(rules[fitting[0]].get(value, "")))
    lead = "" if alone else f"{fitting[0]}="
    return [(lead + value, about) for value, about in found.items() if value.startswith(begun)]


def named_players(incomplete: str) -> list[tuple[str, str]]:
    """Return the players that a shell completes, each with what it is: those of the game that is named, or of all."""
    from parlour.players import kinds
    from parlour.players.characters import CHARACTERS
    from parlour.players.strengths import strengths

    named = _games_named()
    about = {name: one.about for name, one in CHARACTERS.items()}
    about |= {one.kind: one.about for game in named for one in strengths(definition(game))}
    found = [kind for game in named for kind in kinds(load(game))] + [*CHARACTERS]
    return [(kind, str(about.get(kind, ""))) for kind in dict.fromkeys(found) if kind.startswith(incomplete)]


def _games_named() -> list[str]:
    """Return the games that a command line names; all, if it names none.  (Typer does not tell what stands before an
    option that still lacks its value.)"""
    words = " ".join(os.environ.get(name, "") for name in LINES).split()
    _register(words)
    return [word for word in dict.fromkeys(words) if word in games() or word in smaller()] or games()
