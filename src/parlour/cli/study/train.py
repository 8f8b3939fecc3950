"""``parlour train``: a player learns a game by playing it."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour.base.errors import ParlourError
from parlour.cli.common.completing import named_players
from parlour.cli.common.files import must_be_writable
from parlour.cli.common.options import (
    MOST_IN_BULK,
    MOST_THREADS,
    GameName,
    HouseRules,
    Json,
    Players,
    PresetName,
    Quiet,
    loaded,
)
from parlour.cli.common.stopping import stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from parlour.core.game import Game
    from parlour.study.beliefs import BeliefsProgress as BeliefsReport
    from parlour.study.training import TrainingProgress

LINES = 20
MOST_PARTS = 1 << 20
HEADINGS = "    games    seconds   error   won against {:14}   return"
HEADINGS_OF_BELIEFS = "    games    seconds   bits a decision"


def train(
    game: GameName,
    players: Players = None,
    games: Annotated[
        int, typer.Option("--games", "-n", min=1, max=MOST_IN_BULK, help="Games to play, in all.")
    ] = 1_000_000,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the games and of the first weights.")] = 1,
    hidden: Annotated[int, typer.Option(min=8, max=512, help="Size of the hidden layer: 8, 16, 24 … 512.")] = 64,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where the player goes (default: GAME.npz).")
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            "-a",
            autocompletion=named_players,
            help="Kind of player against the learner: rule-of-thumb, random, learned or learned:FILE. Of others than"
            " rules of thumb, a best response is learned.",
        ),
    ] = "rule-of-thumb",
    option: HouseRules = None,
    preset: PresetName = None,
    parts: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_PARTS,
            help="Parts of a batch, in all of which the weights are the same: 2 for one or two cores. With hundreds"
            " it takes more games to learn as much, and a GPU needs thousands.",
        ),
    ] = 2,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            max=MOST_THREADS,
            help="How much to do at a time: threads that share the parts of a batch; the result is the same.",
        ),
    ] = 1,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="processor or gpu; the result is the same. Default: a GPU, if there is one and it turns out faster"
            " (only for 4,096 parts or more); otherwise the processor.",
        ),
    ] = None,
    afresh: Annotated[bool, typer.Option("--afresh", help="Begin again, whatever was kept.")] = False,
    values: Annotated[
        bool,
        typer.Option(
            "--values",
            help="Train a value network instead, by which parlour match takes out luck: minutes, in one go.",
        ),
    ] = False,
    beliefs: Annotated[
        bool,
        typer.Option(
            "--beliefs",
            help="Train a network that infers hidden cards from what others did, by which best can imagine worlds.",
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let a player learn a game by playing against itself and the rule of thumb, in compiled code on one core, on
    several, or on a GPU.

    Twenty times on the way it prints a line of its learning curve (games played, seconds, how wrong its expectations
    are, and what it wins against the others, with 95% intervals), writes the player, and keeps the state of the
    training beside it. If you stop it with Ctrl-C, the same command goes on from there. Name the player where players
    are named: learned:FILE.

    With --beliefs the learning curve says how many bits of the true world a decision reveals, in games that are not
    learned from.

    Example: parlour train diamonds --games 200000 --out mine.npz
    """
    from parlour.players.nets import others as networks
    from parlour.study.beliefs import Beliefs
    from parlour.study.gpu import device_name
    from parlour.study.plan import PARTS, Plan
    from parlour.study.training import GPU, PROCESSOR, Learning, Training
    from parlour.study.values import others as value_networks

    what = loaded(game, players, option, preset)
    if values and beliefs:
        raise ParlourError("Give --values or --beliefs, not both.")
    if on not in (None, PROCESSOR) and (values or beliefs):
        raise ParlourError("Networks of values and of beliefs learn on the processor: leave out --on {on}.", on=on)
    if values and parts != PARTS:
        raise ParlourError("Networks of values learn without parts: leave out --parts {parts}.", parts=parts)
    kind = ".values" if values else ".beliefs" if beliefs else ""
    file = out or Path(f"{what.id}{kind}.npz")
    must_be_writable(file)
    there = value_networks(file, what) if values else networks(file, what)[0]  # refuse a file of another kind
    kept = file.with_name(f"{file.name}.{what.players}.state")
    unfounded = str(what.players) in there and not kept.exists() and not values
    if file.exists() and not afresh and (not there or unfounded):
        raise ParlourError(
            "{file} holds a player already, of another game or another training; name another file, or --afresh to"
            " replace it.",
            file=file,
        )
    say = partial(print, file=sys.stderr if as_json else sys.stdout, flush=True)
    tell: Callable[[str], object] = str if quiet else say
    about = {"game": what.id, "players": what.players, "options": dict(what.options), "seed": seed, "file": str(file)}
    if values:
        curve = _learn_values(what, file, games, seed, hidden, tell)
        say(f"{file} takes luck out of matches: parlour match {game} … --value-network {file}.")
        if as_json:
            print(json.dumps({**about, "curve": curve}))
        return
    plan = Plan(what, games, seed, hidden, against, parts)
    training: Learning = Beliefs(plan, jobs) if beliefs else Training(plan, jobs, on)
    if kept.exists() and not afresh:
        training.load(kept)
        tell(f"Going on after {training.played:,} of {games:,} games.")
    if training.on == GPU:
        tell(f"Learning on {device_name()}.")
    others = "rules of thumb" if against == "rule-of-thumb" else against
    command, commit = _command(), _commit()

    def told(report: TrainingProgress | BeliefsReport) -> None:
        tell(f"{report.games:>9,} {report.seconds:>10.0f} {_result(report)}")
        training.export(file, command, commit)

    try:
        tell(HEADINGS_OF_BELIEFS if beliefs else HEADINGS.format(others))
        training.go_on(told, kept, lambda sentence: print(sentence, file=sys.stderr, flush=True))
    except KeyboardInterrupt:
        raise stopped(
            f"Stopped after {training.played:,} of {games:,} games; the same command goes on after {training.kept:,},"
            " when the training was last kept."
            if training.kept
            else f"Stopped after {training.played:,} of {games:,} games, before the first line of the learning curve;"
            " the same command begins again."
        ) from None
    training.export(file, command, commit)
    say(
        f"{file} is for best, which finds it in the game's folder as beliefs.npz."
        if beliefs
        else f"{file} plays as learned:{file}."
    )
    if as_json:
        print(json.dumps({**about, "curve": training.curve}))


def _result(report: TrainingProgress | BeliefsReport) -> str:
    """Return what stands on a line of a learning curve after the games and the seconds."""
    from parlour.study.training import TrainingProgress

    if not isinstance(report, TrainingProgress):
        return f"{report.bits.mean:>8.3f} ({report.bits.low:.3f} to {report.bits.high:.3f})"
    won = report.share
    share = f"{won.mean:6.1%} ({100 * won.low:.1f} to {100 * won.high:.1f})"
    return f"{report.error:>7.4f}   {share}     {report.returns.mean:+.3f}"


def _learn_values(
    game: Game, file: Path, games: int, seed: int, hidden: int, say: Callable[[str], Any]
) -> list[dict[str, float]]:
    """Train a value network and write it; return its learning curve."""
    from parlour.study.values import learn, write

    curve: list[dict[str, float]] = []
    headings = iter(["    games   error"])

    def told(played: int, error: float) -> None:
        for heading in headings:  # as soon as something has been learned; the first line may come much later
            say(heading)
        if played * LINES // games > len(curve):
            curve.append({"games": played, "error": error})
            say(f"{played:>9,} {error:>7.4f}")

    try:
        network = learn(game, games, seed, hidden, told)
    except KeyboardInterrupt:
        raise stopped(
            "Stopped. Values are learned in one go: nothing is kept, and the same command begins again."
        ) from None
    write(file, game, network, {"command": _command(), "commit": _commit()})
    return curve


def _command() -> str:
    """Return the command as it was given."""
    return " ".join(["parlour", *sys.argv[1:]])


def _commit() -> str:
    """Return the commit of the sources if they are in a repository, otherwise the version."""
    import subprocess

    import parlour

    ask = ["git", "-C", str(Path(parlour.__file__).parent), "rev-parse", "HEAD"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return f"version {parlour.__version__}"
    return said.stdout.strip()
