"""``parlour match``: bots against each other."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.base.errors import ParlourError, Stopped
from parlour.cli.common.completing import named_players
from parlour.cli.common.options import (
    MOST_GAMES,
    GameName,
    HouseRules,
    Jobs,
    Json,
    PresetName,
    Quiet,
    loaded,
    look_here,
)
from parlour.cli.common.progress import GamesBar
from parlour.cli.common.stopping import stopped
from parlour.cli.common.wrapping import many

if TYPE_CHECKING:
    from parlour.cli.common.figures import Figures
    from parlour.core.game import Game
    from parlour.study.intervals import Estimate
    from parlour.study.sequential import Decision
    from parlour.study.standings import ContestResult, ContestScore
    from parlour.study.values import Values

_WHO = (
    "A kind of player for each seat: random, rule-of-thumb, search (0.1 seconds a move; where players bluff, easier to"
    " exploit than it looks), search:0.5s (0.5 seconds a move), search:5000 (5,000 simulations a move), unbeatable"
    " (where the game has one), or your own by its dotted path: my_bot.First."
)


MOST = 1_000_000
"""The most games of a match that goes on until it is decided."""
FEWEST, MOST_BY_ITSELF = 200, 5000
"""The fewest and the most games of a match whose luck is worked out even if nobody asks for it. It takes some
milliseconds a game: more than the arena takes to play it, and much less than players that search."""


def match(
    game: GameName,
    players: Annotated[
        list[str] | None, typer.Argument(metavar="PLAYER...", help=_WHO, autocompletion=named_players)
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            max=MOST_GAMES,
            help="Games to play, rounded up to whole deals (default: 100; with --until-decided at most a million).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the deals and the players.")] = 0,
    option: HouseRules = None,
    preset: PresetName = None,
    jobs: Jobs = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where the games and all decisions go: a new folder."),
    ] = None,
    parquet: Annotated[bool, typer.Option("--with-parquet", help="Write the decisions as a Parquet file too.")] = False,
    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided",
            help="Stop as soon as it is certain enough whether the first player wins more, or less, than a fair share.",
        ),
    ] = False,
    error: Annotated[
        float,
        typer.Option(
            "--error",
            min=0,
            max=1,
            help="The highest probability of a wrong decision that you accept, however often it is checked.",
        ),
    ] = 0.05,
    within: Annotated[
        float,
        typer.Option(
            "--within", min=0, max=1, help="Also stop when the share is known to be fair to within this: 0.005."
        ),
    ] = 0.0,
    luck: Annotated[
        bool | None,
        typer.Option(
            "--luck/--no-luck",
            help="Work out how lucky everybody was, and show results with the luck taken out beside the plain ones. By"
            f" default in matches of {FEWEST} to {MOST_BY_ITSELF:,} games, and in longer ones if somebody searches.",
        ),
    ] = None,
    values: Annotated[
        Path | None,
        typer.Option(
            "--value-network", metavar="FILE", help="Your own value network for --luck, from parlour train --values."
        ),
    ] = None,
    everybody: Annotated[
        bool,
        typer.Option(
            "--round-robin",
            help="Let each player named meet each other at tables of the fewest seats, --games for each pair, and rate"
            " them.",
        ),
    ] = False,
    alpha: Annotated[
        bool, typer.Option("--alpha-rank", help="Rank them by α-rank too (needs the extra adapters).")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let bots play each other, every deal once for each rotation of the seats; show win shares and mean returns
    with 95% intervals.  As many play as are named.

    Example: parlour match diamonds random search --games 100
    """
    import json
    import os

    from parlour.base.extras import require
    from parlour.engine.hashing import seed_word
    from parlour.study.datasets import to_parquet
    from parlour.study.match import as_data, play
    from parlour.study.sequential import Sequential

    kinds = [kind for given in players or [] for kind in given.split(",") if kind]
    if not kinds:
        raise ParlourError("Say who plays, for example: parlour match {game} random search.", game=game)
    if parquet:
        require("study", "--with-parquet")
        if out is None:
            raise ParlourError("--with-parquet writes into the folder of --out; say which: --out FOLDER.")
    look_here(kinds)
    seed_word(seed)
    if alpha and not everybody:
        raise ParlourError("--alpha-rank belongs to --round-robin.")
    if everybody:
        if until_decided or out is not None or values is not None:
            raise ParlourError("--round-robin takes neither --until-decided nor --out nor --value-network.")
        _all_meet(loaded(game, None, option, preset), kinds, games or 100, seed, jobs, luck, alpha, as_json)
        return
    if len(kinds) not in (seats := loaded(game, None, None, None).definition.players):
        counts = "-".join(dict.fromkeys((str(seats[0]), str(seats[-1]))))
        raise ParlourError(
            "Name one player for each seat: {game} is for {counts} players, and you named {n}.",
            game=game,
            counts=counts,
            n=len(kinds),
        )
    what = loaded(game, len(kinds), option, preset)
    if not until_decided and (error, within) != (0.05, 0.0):
        raise ParlourError("--error and --within belong to --until-decided.")
    until = Sequential(1 / what.players, error, within) if until_decided else None
    games = games if games is not None else MOST if until else 100
    network = _network(what, kinds, games, luck, values)
    cores = jobs if jobs is not None else _sensible(kinds, games, os.cpu_count() or 1)
    whole = True
    try:
        with GamesBar(games, quiet or as_json) as progress:
            result = play(what, kinds, games, seed, cores, progress, out, until, network)
    except Stopped as stop:
        whole, result = False, stop.so_far
    if parquet and out is not None:
        to_parquet(out)
    if as_json:
        print(json.dumps(as_data(result)))
    else:
        _print(result)
    if not whole:
        again = "The same command begins again." if out is None else f"{out} has them; to play all, name a new folder."
        raise stopped(f"Stopped after {result.games:,} of {games:,} games; these are their figures. {again}")


def _all_meet(
    game: Game, kinds: list[str], games: int, seed: int, jobs: int | None, luck: bool | None, alpha: bool, as_json: bool
) -> None:
    """Print the ratings of a round robin, and what each player wins from each other."""
    import json
    import os

    from rich.console import Console

    from parlour.study.populations import alpha_rank, round_robin

    cores = jobs if jobs is not None else _sensible(kinds, games, os.cpu_count() or 1)
    found = round_robin(game, kinds, games, seed, cores, _network(game, kinds, games, luck, None))
    ranks = alpha_rank(found) if alpha else None
    if as_json:
        print(json.dumps({**found.as_data(), "seed": seed, **({"alpha_rank": ranks} if ranks else {})}))
        return
    best_first = sorted(range(len(kinds)), key=lambda i: -found.ratings[i].mean)
    ratings = _table("ratings (Elo)", "rating", "95%", *["α-rank"] * alpha)
    wins = _table("what each wins from the others, a game", *(str(i + 1) for i in best_first))
    for i in best_first:
        ranked = [f"{ranks[i]:.1%}"] if ranks else []
        ratings.add_row(f"{i + 1} {found.names[i]}", *_interval(found.ratings[i], "+.0f"), *ranked)
        each = [found.returns[i][j] for j in best_first]
        wins.add_row(str(i + 1), *("" if one is None else f"{one.mean:+.2f}" for one in each))

    console = Console()
    console.print(f"{game.definition.called}, {game.players} players: {many(games, 'game')} for each pair, seed {seed}")
    console.print(ratings, wins)


def _network(game: Game, kinds: list[str], games: int, luck: bool | None, file: Path | None) -> Values | None:
    """Return the value network by which luck is worked out; ``None`` if it is not worked out."""
    from parlour.base.extras import missing, require

    wanted = luck or file is not None
    if wanted:
        require("fast", "--luck" if file is None else "--value-network")
        if luck is False:
            raise ParlourError("--value-network is for working out luck; leave out --no-luck.")
    elif luck is False or missing("fast"):
        return None
    from parlour.players.kind import Kind
    from parlour.study.arena import all_compiled
    from parlour.study.values import known

    by_itself = games >= FEWEST and (
        games <= MOST_BY_ITSELF or not all_compiled(game, [Kind.parsed(kind) for kind in kinds])
    )
    found = known(game, file) if wanted or by_itself else None
    if wanted and found is None:
        raise ParlourError(
            "No value network comes with {name} for {players} players; `parlour train {id}"
            " --players {players} --values` makes one, and --value-network FILE uses it.",
            name=game.definition.said_name,
            players=game.players,
            id=game.id,
        )
    return found


def _sensible(kinds: list[str], games: int, cores: int) -> int:
    """Return how many processes are worth the half second that each takes to start: quick bots play a thousand games in
    that time."""
    from parlour.players.characters import thinks
    from parlour.players.kind import Kind

    return cores if games > 1000 or any(thinks(Kind.parsed(kind)) for kind in kinds) else 1


def _print(match: ContestResult) -> None:
    from rich.console import Console

    def rows(title: str, standings: tuple[ContestScore, ...]) -> Figures:
        table = _table(title, "won", "95%", "return", "95%", "moves", "ms a move")
        most = max(max(abs(s.returns.mean), s.returns.half) for s in standings)
        # so that columns stay about equally wide
        form = "+.2f" if not 10 <= most < math.inf else "+.1f" if most < 100 else "+.0f"
        for s in standings:
            won, gained = _interval(s.share, ".1%"), _interval(s.returns, form)
            table.add_row(s.name, *won, *gained, f"{s.moves:.1f}", f"{1000 * s.seconds:.2f}")
        return table

    console = Console()
    name = match.game.definition.called
    played = f"{many(match.games, 'game')}, {many(match.deals, 'deal')}, seed {match.seed}"
    console.print(f"{name}, {match.game.players} players: {played}")
    console.print(rows("players", match.players))
    console.print(rows("seats", match.seats))
    if any(s.adjusted for s in match.players):
        console.print(_without_luck("players, luck taken out", match.players))
        console.print(_without_luck("seats, luck taken out", match.seats))
        console.print(_narrowed(match), highlight=False)
    if match.decision:
        console.print(_in_words(match, match.decision), highlight=False)


def _table(title: str, *headings: str) -> Figures:
    """Return a table of players. On a narrow screen, long names go on in the next line, and figures stay whole."""
    from parlour.cli.common.figures import Figures

    return Figures("", *headings, title=f"\n{title}", flowing=[""])


def _without_luck(title: str, standings: tuple[ContestScore, ...]) -> Figures:
    table = _table(title, "won", "95%", "return", "95%")
    for s in standings:
        if s.adjusted:
            table.add_row(s.name, *_interval(s.adjusted.share, ".2%"), *_interval(s.adjusted.returns, "+.3f"))
    return table


def _narrowed(match: ContestResult) -> str:
    """Return a sentence that says how much narrower the first player's interval has become."""
    first = match.players[0]
    assert first.adjusted is not None
    before, after = (e.half for e in (first.share, first.adjusted.share))
    worth = "" if math.isinf(first.adjusted.worth) else f", as from {first.adjusted.worth:,.0f} games"
    return (
        f"Taking out the luck of the cards narrows {first.name}'s share from ± {100 * before:.2f} to"
        f" ± {100 * after:.2f} percentage points{worth}. Both tables estimate the same, without bias; each"
        " figure of the second is corrected on its own, so they need not add up."
    )


def _in_words(match: ContestResult, found: Decision) -> str:
    who, games = match.players[0].name, f"{match.games:,} games"
    verdict = {
        "more": f"Decided after {games}: {who} wins more than a fair share of {found.par:.1%}",
        "less": f"Decided after {games}: {who} wins less than a fair share of {found.par:.1%}",
        "equal": f"Decided after {games}: {who} wins a fair share of {found.par:.1%}, to within {found.margin:.1%}",
        "open": f"Not decided after {games} whether {who} wins more than a fair share of {found.par:.1%}",
    }[found.verdict]
    return (
        f"{verdict}; between {found.low:.1%} and {found.high:.1%}. However often this was checked, it is wrong with a"
        f" probability of at most {found.error:.1%}. (The intervals above hold only for a number of games that was"
        " fixed before.)"
    )


def _interval(e: Estimate, form: str) -> tuple[str, str]:
    return f"{e.mean:{form}}", f"{e.low:{form}} to {e.high:{form}}".replace("%", "", 1)
