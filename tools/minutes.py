"""Work out how many minutes a match takes by each preset, and write them into ``presets.toml`` (by the standard rules,
into ``words.toml``).

Give the names of games, or none for all of them.
"""

from __future__ import annotations

import argparse
import re
from importlib import resources
from pathlib import Path

import parlour
from parlour.engine.definition import definition, shelf
from parlour.engine.presets import Preset
from parlour.server.page.house_rules import usual
from parlour.study.simulate import simulate

GAMES = 400
"""Games that are played for each figure; fewer of the long ones."""


def minutes(game: str, preset: Preset, games: int = GAMES) -> int:
    """Return how many minutes a match takes by simulation, one at least."""
    counts = definition(game).counts(**preset.options)
    loaded = parlour.load(game, min(counts, key=lambda n: (n != usual(game), n)), **preset.options)
    return max(1, round(simulate(loaded, games, player="rule-of-thumb").minutes))


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("games", nargs="*", metavar="game", help="all of them if none is given")
    games = said.parse_args().games
    if unknown := {*games} - {*shelf()}:
        said.error(f"there is no game {min(unknown)!r}; choose from: {', '.join(shelf())}")
    for game in games or shelf():
        for name, preset in definition(game).presets.items():
            standard = not preset.options
            file = Path(
                str(resources.files(definition(game).package).joinpath(f"{'words' if standard else 'presets'}.toml"))
            )
            found = minutes(game, preset)
            print(f"{game} {name}: {found} (was {preset.minutes})", flush=True)
            table = "game" if standard else name
            pattern = rf"(\[{table}\]\n(?:\w+ = .*\n)*?minutes = )\d+"
            file.write_text(re.sub(pattern, rf"\g<1>{found}", file.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
