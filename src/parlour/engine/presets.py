"""House rules that go well together, as a game's ``presets.toml`` recommends them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from parlour.base.disk import installed_toml
from parlour.base.errors import ParlourError
from parlour.engine.house_rules import counts, option_values, refusal_of

if TYPE_CHECKING:
    from parlour.engine.folder import GameFolder


class Preset(NamedTuple):
    """House rules that go well together: a title, one sentence, the options that are not standard, how many minutes a
    match takes one person with the usual number of bots (0: unknown), and whether newcomers to the game begin with
    them."""

    name: str
    title: str
    about: str
    options: Mapping[str, str]
    minutes: int = 0
    newcomers: bool = False


def presets_of(game: GameFolder) -> Mapping[str, Preset]:
    """Return the presets of a game by name; none if there is no such file.  Raises ``ParlourError`` if it cannot be
    read, or names rules that the game does not have.
    """
    file = resources.files(game.package).joinpath("presets.toml")
    if not file.is_file():
        return {}
    try:
        found = {
            name: Preset(
                name,
                str(one["title"]),
                str(one["about"]),
                {n: str(v) for n, v in (one["options"] if name != "standard" else {}).items()},
                int(one.get("minutes", game.words["game"].get("minutes", 0) if name == "standard" else 0)),
                bool(one.get("newcomers", False)),
            )
            for name, one in installed_toml(game.package, "presets.toml").items()
        }
    except ParlourError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ParlourError(
            "{package}/presets.toml cannot be read ({error}): each preset has a title, about and options.",
            package=game.package,
            error=error,
        ) from None
    alike: dict[tuple[str, ...], str] = {}
    for preset in found.values():
        if why := _refused_by_all(game, preset.options):
            raise ParlourError(
                "{package}/presets.toml: preset {name}: {why}", package=game.package, name=preset.name, why=why
            )
        same = tuple(preset.options.get(name, str(option.default)) for name, option in game.options.items())
        if (first := alike.setdefault(same, preset.name)) != preset.name:
            raise ParlourError(
                "{package}/presets.toml: preset {name} has the same house rules as {first}.",
                package=game.package, name=preset.name, first=first,
            )  # fmt: skip
    return found


def _refused_by_all(game: GameFolder, options: Mapping[str, str]) -> str:
    """Why no number of players may play under these options; empty if some may."""
    if counts(game, **options):
        return ""
    try:
        players = min(game.players)
        return refusal_of(game, players, option_values(game, players, dict(options)))
    except ParlourError as error:
        return str(error)
