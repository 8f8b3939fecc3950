"""Work out which settings of a game the tests try.

That takes seconds a game, every process of a run needs them, and they depend on nothing but the options of a game and
which of them it refuses together.  So they are kept in ``tests/settings``, one file for each game, which this writes::

    .venv/bin/python -m tools.covering          # the files of all games (make settings)
    .venv/bin/python -m tools.covering diabolo  # or of some

``test_settings.py`` says when a file is out of date, and its long test whether it is what is worked out here.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import Any

import parlour
from parlour.engine.definition import Definition, definition
from parlour.engine.house_rules import house_rules, option_values, refusal_of, sample_values
from tests.helpers import DIGITS, GAMES, KINDS, NOT_SET, Setting, file_of, numbers


def digest(game: str) -> str:
    """What the file says that it was worked out from, see :func:`origin`."""
    return file_of(game).read_text("utf-8").partition("from ")[2].split()[0]


def text(game: str, found: Mapping[str, list[Setting]]) -> str:
    """The file of a game with these settings."""
    values: dict[str, dict[str, None]] = {name: {} for name in definition(game).options}
    for one in (one for settings in found.values() for one in settings):
        for name, value in one.options:
            values[name][value] = None
    name = definition(game).name
    lines = [
        f"# Settings of {name} that the tests try; worked out from {origin(game, found['plain'])} by covering.py.",
        "# First the values of each option; then lines of a number of players and which value each option has.",
        *(" ".join((name, *few)) for name, few in values.items()),
    ]
    for kind in KINDS:
        lines += ["", kind]
        for one in found[kind]:
            row = (
                DIGITS[[*few].index(dict(one.options)[n])] if n in dict(one.options) else NOT_SET
                for n, few in values.items()
            )
            lines.append(" ".join((str(one.players), "".join(row))).strip())
    return "\n".join(lines) + "\n"


def origin(game: str, plain: list[Setting]) -> str:
    """A digest of what the settings of a game depend on: its numbers of players, the values of its options, and which
    two of them it refuses together, beside what each number of players needs (``plain``)."""
    what, seen = definition(game), hashlib.sha256()
    always = {one.players: dict(one.options) for one in plain}
    for players in numbers(game):
        values = {name: sample_values(option, players) for name, option in what.options.items()}
        seen.update(repr((players, values, [*what.players], players in always)).encode())
        if players in always and what.has("refuse_options"):
            seen.update(bytes(_refused(what, players, always[players])))
    return seen.hexdigest()[:16]


def _refused(what: Definition, players: int, always: Mapping[str, str]) -> Iterator[bool]:
    """For every two values of two options, whether the rules refuse them together."""
    base = option_values(what, players, dict(always))
    s: Any = house_rules(what, players, base)
    tried = [
        (name, option_values(what, players, {name: value})[name])
        for name, option in what.options.items()
        for value in sample_values(option, players)
    ]
    for (a, x), (b, y) in combinations(tried, 2):
        setattr(s, a, x)
        setattr(s, b, y)
        yield bool(what.rules.refuse_options(s))
        setattr(s, a, base[a])
        setattr(s, b, base[b])


# ------------------------------------------------------------------------------------------ working them out


def worked_out(game: str) -> dict[str, list[Setting]]:
    """The settings of a game, by kind."""
    return {"plain": _plain(game), "one by one": _one_by_one(game), "pairwise": _pairwise(game)}


def _setting(game: str, players: int, options: Mapping[str, str]) -> Setting:
    """The options in the order in which the game declares them."""
    return Setting(game, players, tuple((name, options[name]) for name in definition(game).options if name in options))


def _if_allowed(game: str, players: int, **options: str) -> Setting | None:
    """The setting with these options and what they and that number of players need, or ``None`` if it is refused."""
    what = definition(game)
    chosen = what.options_for(players, **options)
    return _setting(game, players, chosen) if what.allows(players, chosen) else None


def _plain(game: str) -> list[Setting]:
    """The default rules, for each number of players."""
    return [found for players in numbers(game) if (found := _if_allowed(game, players))]


def _one_by_one(game: str) -> list[Setting]:
    """Each value of each option that is not the default, alone, for each number of players."""
    return [
        found
        for players in numbers(game)
        for name, option in definition(game).options.items()
        for value in sample_values(option, players)[1:]
        if name not in definition(game).options_for(players)
        if (found := _if_allowed(game, players, **{name: value}))
    ]


def _pairwise(game: str) -> list[Setting]:
    """Settings in which every two values of two options meet that the game allows together, for each number of players;
    in a game of several versions (option ``version``) every two values that its version has."""
    what = definition(game)
    if len(what.options) < 2:
        return []
    if "version" in what.options:
        return _by_version(game)
    return [_setting(game, players, row) for players in numbers(game) for row in _covering(game, players)]


def _by_version(game: str) -> list[Setting]:
    what = definition(game)
    found: list[Setting | None] = []
    for players in numbers(game):
        values = {name: sample_values(option, players) for name, option in what.options.items()}
        for version in values.get("version", [""]):
            fixed = {"version": version} if version else {}
            mine = {
                name: [v for v in tried if not version or what.allows(players, {name: v, **fixed})]
                for name, tried in {**values, **{name: [v] for name, v in fixed.items()}}.items()
            }
            always = what.options_for(players)
            found += [_if_allowed(game, players, **{**row, **always}) for row in _array(_frozen(mine))]
    return [one for one in found if one]


def _covering(game: str, players: int) -> list[dict[str, str]]:
    """A covering array.  What a row has too much for the game to allow it comes in rows of its own."""
    always = definition(game).options_for(players)
    parts = dict(_parts(game, players))
    rows = []
    for row in _array(tuple((name, _values(game, players, name, parts)) for name in definition(game).options)):
        whole = {**row, **always}
        allowed = _allowed(game, players, whole)
        rows.append(whole if allowed else _together(game, players, [parts[part] for part in whole.items()]))
    met = {pair for row in rows for pair in combinations(sorted(row.items()), 2)}
    missing = [pair for pair in combinations(sorted(parts), 2) if pair[0][0] != pair[1][0] and pair not in met]
    while missing:
        row = _together(game, players, [{**parts[a], **parts[b]} for a, b in missing if _agree(parts[a], parts[b])])
        left = [pair for pair in missing if not {*pair} <= {*row.items()}]
        if len(left) == len(missing):
            break  # they never go together
        rows.append(row)
        missing = left
    return rows


def _values(game: str, players: int, name: str, parts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    if name in definition(game).options_for(players):
        return tuple(sample_values(definition(game).options[name], players))
    return tuple(value for option, value in parts if option == name)


def _parts(game: str, players: int) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Each value of each option that is allowed, with what it needs (one other option at most)."""
    what = definition(game)
    always = what.options_for(players)
    others = [(n, v) for n, option in what.options.items() for v in sample_values(option, players)[1:]]
    for name, option in what.options.items():
        for value in [always[name]] if name in always else sample_values(option, players):
            alone = {**always, name: value}
            for needed in ({}, *({n: v} for n, v in others if n not in alone)):
                if _allowed(game, players, {**alone, **needed}):
                    yield (name, value), {**alone, **needed}
                    break


def _together(game: str, players: int, parts: list[dict[str, str]]) -> dict[str, str]:
    """Those of the choices that can be combined, taken in order."""
    row: dict[str, str] = {}
    for part in parts:
        if not part.items() <= row.items() and _agree(row, part) and _allowed(game, players, {**row, **part}):
            row.update(part)
    return row


def _agree(one: dict[str, str], other: dict[str, str]) -> bool:
    return all(one.get(name, value) == value for name, value in other.items())


def _allowed(game: str, players: int, options: dict[str, str]) -> bool:
    what = definition(game)
    return not refusal_of(what, players, option_values(what, players, options))


def _frozen(values: Mapping[str, Iterable[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(few)) for name, few in values.items())


@cache
def _array(values: tuple[tuple[str, tuple[str, ...]], ...]) -> list[dict[str, str]]:
    from covertable import make

    return [*make({name: list(few) for name, few in values})]


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("games", nargs="*", metavar="game", help="all of them if none is given")
    games = said.parse_args().games
    if unknown := {*games} - {*GAMES}:
        said.error(f"there is no game {min(unknown)!r}; choose from: {', '.join(GAMES)}")
    parlour.register("sampler")
    for game in games or GAMES:
        found = worked_out(game)
        file_of(game).write_text(text(game, found), "utf-8")
        print(f"{game}: {', '.join(f'{len(some)} {kind}' for kind, some in found.items())}")


if __name__ == "__main__":
    main()
