"""``parlour solve``, ``parlour certify``, ``parlour exploit``: values of games for two, and how good players are."""

from __future__ import annotations

import itertools
import json
import textwrap
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from parlour.base.disk import put
from parlour.base.errors import ParlourError, unknown
from parlour.cli.common.completing import named_games, named_players
from parlour.cli.common.files import must_be_writable
from parlour.cli.common.options import (
    LONGEST,
    MOST_GIB,
    MOST_IN_BULK,
    MOST_ROWS,
    GameName,
    HouseRules,
    Jobs,
    Json,
    PresetName,
    Quiet,
    known,
    loaded,
    look_here,
)
from parlour.cli.common.progress import ProgressLine
from parlour.cli.common.stopping import stopped
from parlour.cli.common.wrapping import many
from parlour.engine.definition import definition
from parlour.engine.hashing import seed_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parlour.core.game import Game
    from parlour.solve.sampler import SampledValue, Sampler
    from parlour.solve.solver import Check, Solver
    from parlour.solve.strategy import Strategy

MOST_SEEDS = 10**6
COMPARED = 1000
"""About the most information sets with which those that are shown are compared: what all have alike is left out."""
SAMPLING = "mccfr"
Memory = Annotated[
    float, typer.Option("--memory", min=0, max=MOST_GIB, help="GiB that the tree and the solver may take.")
]
After = Annotated[
    list[str] | None,
    typer.Option("--after", help="A step that everybody sees, to begin the deal with (ante 10); may be repeated."),
]
Reduced = Annotated[
    bool, typer.Option("--reduced", help="Leave out actions that nobody needs, by the game's own proof.")
]


def solve(
    game: Annotated[
        str | None, typer.Argument(callback=known, autocompletion=named_games, help="A game for two.")
    ] = None,
    option: HouseRules = None,
    preset: PresetName = None,
    after: After = None,
    reduced: Reduced = False,
    target: Annotated[
        float | None,
        typer.Option("--target", min=0, max=MOST_GIB, help="Stop at this exploitability (default: 0.001)."),
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="dcfr (default), cfr+, pcfr+, or mccfr (samples).")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, max=MOST_IN_BULK, help="Stop after this many iterations.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, max=LONGEST, help="Stop after this many seconds.")
    ] = None,
    memory: Memory = 8.0,
    jobs: Jobs = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Where the strategy goes (default: GAME.solved, or GAME-2.solved)."),
    ] = None,
    compact: Annotated[bool, typer.Option("--compact", help="Write a smaller file, which can't be resumed.")] = False,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the convergence: FILE.svg.")] = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of --method mccfr.")] = 0,
    resume: Annotated[Path | None, typer.Option("--resume", help="Continue from this strategy file.")] = None,
    show: Annotated[Path | None, typer.Option("--show", help="Print a strategy file.")] = None,
    rows: Annotated[
        int,
        typer.Option(
            "--rows", min=0, max=MOST_ROWS, help="Rows to print with --show, an information set each; 0 prints all."
        ),
    ] = 40,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve one deal of a game for two: find a strategy for both seats, and bounds for the value of the game.

    Ctrl-C stops and saves; --resume continues.

    Example: parlour solve leduc --target 0.001 --out leduc.solved
    """
    seed_word(seed)
    if plot is not None and plot.suffix != ".svg":
        raise ParlourError("--plot draws FILE.svg, not {file!r}.", file=str(plot))
    if show is not None:
        if game or option or preset or after or reduced or method or iterations or seconds or out or plot or resume:
            raise ParlourError("--show prints a file and takes only --rows and --json; leave out the rest.")
        _show(show, rows, as_json)
        return
    from parlour.solve.form import TooLarge, grow
    from parlour.solve.solver import METHODS, USUAL, Solver, must_be_limits
    from parlour.solve.strategy import found, must_be_free, must_go_on, read, restored, save

    if method not in (None, *METHODS, SAMPLING):
        raise unknown("method", method, (*METHODS, SAMPLING))
    before = None if resume is None else read(resume)
    if before is not None:
        if game is not None or option or preset or after or reduced or method:
            raise ParlourError("--resume takes the game, the options and the method from its file; leave them out.")
        must_go_on(before)
        after, reduced = list(before.about["after"]), bool(before.about.get("reduced"))
        what, method = before.game, str(before.about["method"])
    elif game is None:
        raise ParlourError("Say which game to solve, or give --resume FILE or --show FILE.")
    else:
        what = _one_deal(game, option, preset, quiet or as_json)
    file = out or resume or Path(f"{what.id}.solved")
    must_be_writable(file)
    if out is not None:
        must_be_free(out, what, after or ())
    if plot is not None:
        must_be_writable(plot, b"<svg")
    if method == SAMPLING:
        for name, given in (("--reduced", reduced), ("--target", target is not None), ("--plot", plot is not None)):
            if given:
                raise ParlourError("--method mccfr samples and takes no {option}; leave it out.", option=name)
        must_be_limits(iterations, seconds)
        _sample(what, after or [], iterations, seconds, memory, seed, file, out is not None, as_json, quiet)
        return
    target = 0.001 if target is None else target
    must_be_limits(iterations, seconds, target)
    with ProgressLine(quiet or as_json) as progress:
        try:
            form = grow(what, memory=memory, after=after or (), reduced=reduced, progress=progress.grown)
        except TooLarge as why:
            raise ParlourError("{why} Or sample it: parlour solve --method mccfr.", why=why.args[0]) from None
        solver = Solver(form, method or USUAL, jobs)
        if before is not None:
            restored(before, solver)
        interrupted = False
        try:
            last = solver.run(target=target, iterations=iterations, seconds=seconds, progress=progress.checked)
        except KeyboardInterrupt:
            interrupted, last = True, solver.check()
    strategy = found(solver)
    if before is not None and solver.iterations == before.about["iterations"] and not (interrupted or quiet):
        typer.echo(f"Nothing is added: {resume} has {many(solver.iterations, 'iteration')} already.", err=True)
    if file != resume:
        file = _no_better_one(file, strategy, out is not None)
    save(strategy.compact() if compact else strategy, file)
    if plot is not None:
        from parlour.solve.plot import convergence

        put(plot, convergence(solver.checks, f"{_called(what)}: exploitability by iteration ({solver.method})"))
    if as_json:
        print(json.dumps({**_data(what, last, last.iterations, solver.seconds, form), "file": str(file)}))
    else:
        _print_solved(solver, last, file, target)
    if interrupted:
        goes_on = f"continue with: parlour solve --resume {file}"
        again = "a compact file can't be continued, so the same command begins again." if compact else goes_on
        raise stopped(f"Stopped after {many(last.iterations, 'iteration')}; {again}")


def _sample(
    game: Game,
    after: list[str],
    iterations: int | None,
    seconds: float | None,
    memory: float,
    seed: int,
    file: Path,
    is_named: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Sample a game whose tree is too large. If the tree can be grown after all, the bounds of the result are exact."""
    from parlour.solve.form import TooLarge, grow
    from parlour.solve.sampler import Sampler
    from parlour.solve.solver import Solver
    from parlour.solve.strategy import plans, save

    sampler, begun, whole = Sampler(game, seed, after=after, memory=memory), time.perf_counter(), True
    with ProgressLine(quiet or as_json) as progress:
        try:
            sampler.run(iterations=iterations, seconds=seconds, progress=progress.sampled)
        except KeyboardInterrupt:
            if not sampler.iterations:
                raise
            sampler.seconds, whole = time.perf_counter() - begun, False
        about: dict[str, Any] = {
            "method": SAMPLING,
            "value": None,
            "exploitability": None,
            "iterations": sampler.iterations,
            "seconds": sampler.seconds,
            "information_sets": sampler.sets,
            "nodes": None,
            "after": after,
            "checks": [],
        }
        estimate = sampler.estimate()
        try:
            form = grow(game, memory=memory, after=after, progress=progress.grown)
        except TooLarge:
            pass
        else:
            lower, upper = Solver(form).bracket(plans(sampler.found(about), form))
            about |= {"value": [lower, upper], "exploitability": (upper - lower) / 2, "nodes": form.nodes}
    strategy = sampler.found(about)
    file = _no_better_one(file, strategy, is_named)
    save(strategy, file)
    if as_json:
        known = {name: about[name] for name in ("value", "exploitability", "iterations", "seconds", "information_sets")}
        data = {"game": game.id, "options": dict(game.options), **known, "nodes": about["nodes"], "file": str(file)}
        print(json.dumps({**data, "estimate": {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}}))
    else:
        _print_sampled(game, sampler, estimate, about, file)
    if not whole:
        raise stopped(f"Stopped after {many(sampler.iterations, 'iteration')}; the same command begins again.")


def _print_sampled(game: Game, sampler: Sampler, estimate: SampledValue, about: dict[str, Any], file: Path) -> None:
    print(f"{_called(game, about['after'])}: {many(sampler.iterations, 'iteration')} of mccfr", end=" ")
    print(f"in {sampler.seconds:.1f} s.")
    print(f"{sampler.sets:,} information sets were met{'; the tables are full' * sampler.full}.")
    print(
        f"Both seats play what was found: player 0 gets {estimate.mean:+.4f}, 95% from {estimate.low:+.4f} to"
        f" {estimate.high:+.4f}, in {estimate.games:,} deals."
    )
    if estimate.unmet:
        print(f"In these deals, {estimate.unmet:,} decisions were in information sets that were never met.")
    if sampler.cut:
        print(f"Walks were long: at {sampler.cut:,} decisions only one action was tried, and nothing learned.")
    if about["value"] is None:
        print("This is an estimate: the tree is too large for a best response, so the game's value has no bounds.")
    else:
        print(f"The value to player 0 is from {about['value'][0]:+.6f} to {about['value'][1]:+.6f}.")
    print(f"Strategy: {file}")


def _no_better_one(first: Path, found: Strategy, is_named: bool) -> Path:
    """Return the file; or the next one, ``leduc-2.solved``, if that holds a strategy on which this one does not
    improve.  A file that nobody has named is not written over if it holds anything else either."""
    from parlour.solve.strategy import read

    file, after, bound = first, found.about["after"], found.about["exploitability"]
    for number in itertools.count(2):
        better, holds = file != first or not is_named, "something else"
        with suppress(ParlourError):  # it is no strategy, or it is not there
            there = read(file)
            if there.game == found.game and there.about["after"] == after:
                before = there.about["exploitability"]
                better, holds = before is not None and (bound is None or bound > before), "a better strategy"
        if not (better and file.is_file()):
            return file
        typer.echo(f"{file} is kept: it holds {holds}.", err=True)
        file = first.with_name(f"{first.stem}-{number}{first.suffix}")
    raise AssertionError


def certify(
    file: Annotated[Path, typer.Argument(help="A strategy file that `parlour solve` wrote.")],
    most: Annotated[
        int, typer.Option("--most", min=1, max=MOST_IN_BULK, help="Most nodes to visit before giving up.")
    ] = 3_000_000,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check a strategy file independently: by the rules as people play them, level by level, without the solver.

    The exit code is 1 if the file's own claims turn out to be wrong.

    Example: parlour certify leduc.solved
    """
    from parlour.solve.certify import certify as certified
    from parlour.solve.policies import table_of
    from parlour.solve.strategy import TABLE, read

    strategy = read(file)
    begun, tables = time.perf_counter(), table_of(strategy).tables
    with ProgressLine(quiet or as_json) as progress:
        walked = certified(
            strategy.game,
            lambda player, key: dict(tables[player].get(key, {})),
            after=strategy.about["after"],
            reduced=bool(strategy.about.get("reduced")),
            most=most,
            progress=lambda n: progress.grown(n, float(strategy.about["nodes"] or 0)),
        )
    seconds = time.perf_counter() - begun
    about = strategy.about
    said = None if about["method"] == TABLE else about["value"]  # of a table, reading it has worked out its value
    slack = 1e-5 * max(1.0, abs(walked.lower), abs(walked.upper))
    agrees = None if said is None else max(abs(walked.lower - said[0]), abs(walked.upper - said[1])) <= slack
    if as_json:
        data = _data(strategy.game, walked, int(about["iterations"]), seconds, walked)
        print(json.dumps({**data, "claims_hold": agrees}))
    else:
        print(f"{_called(strategy.game, about['after'])}: {walked.nodes:,} nodes.")
        print(f"They were walked as {walked.walked:,} by the interpreted rules, in {seconds:.1f} s.")
        print(f"Both seats follow the file: player 0 gets {walked.value:+.6f}.")
        print(f"Best responses: the value to player 0 is from {walked.lower:+.6f} to {walked.upper:+.6f}.")
        print(f"Exploitability: {walked.exploitability:.3g}.")
        if walked.missing:
            print(f"The file says nothing about {walked.missing:,} of {walked.information_sets:,} information sets.")
        print(
            "The file itself says nothing of its value: this is what was computed."
            if said is None
            else "That is what the file itself says."
            if agrees
            else f"The file is WRONG: it says from {said[0]:+.6f} to {said[1]:+.6f}."
        )
    if agrees is False:
        raise typer.Exit(1)


def exploit(
    game: GameName,
    player: Annotated[
        str,
        typer.Option(
            "--player",
            autocompletion=named_players,
            help="Kind of player to be measured: random, rule-of-thumb, search:2000, unbeatable …",
        ),
    ],
    option: HouseRules = None,
    preset: PresetName = None,
    after: After = None,
    reduced: Reduced = False,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, max=MOST_SEEDS, help="Seeds that the player's choices are averaged over.")
    ] = 16,
    memory: Memory = 8.0,
    rows: Annotated[int, typer.Option("--rows", min=0, max=MOST_ROWS, help="Rows to print, a hand each.")] = 10,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how exploitable a player is: what the best opponent wins from it in one deal, and with which hands.

    With --reduced the player is offered only the actions that are enough, and so is the best opponent.

    Example: parlour exploit leduc --player search:2000
    """
    from parlour.players import make
    from parlour.solve.exploiting import exploit as exploited
    from parlour.solve.form import grow

    look_here([player])
    what = _one_deal(game, option, preset, quiet or as_json)
    chooses = not hasattr(make(player, what), "chances")
    begun = time.perf_counter()
    with ProgressLine(quiet or as_json) as progress:
        form = grow(what, memory=memory, positions=True, after=after or (), reduced=reduced, progress=progress.grown)
    if chooses and seeds > 0 and not (quiet or as_json):
        typer.echo(f"Asking {player} {seeds} times (--seeds) in each of {form.information_sets:,} sets.", err=True)
    try:
        with ProgressLine(quiet or as_json) as progress:
            result = exploited(
                form,
                lambda seed: make(player, what, seed),
                seeds,
                lambda done, p: progress.asked(done + p * form.players[0].sets, form.information_sets),
            )
    except KeyboardInterrupt:
        raise stopped(
            f"Stopped after asking in {progress.done:,} of {form.information_sets:,} information sets. Nothing is kept;"
            " the same command begins again, and with fewer --seeds it takes less time."
        ) from None
    seconds = time.perf_counter() - begun
    if as_json:
        hands = [{"seat": h.seat, "seen": h.seen, "returns": h.returns} for h in result.hands[: rows or None]]
        data = _data(what, result, 0, seconds, form)
        print(json.dumps({**data, "player": player, "seeds": seeds, "asked": result.asked, "hands": hands}))
        return
    print(f"{_called(what, form.after)}: {player} asked in {result.asked:,} information sets, in {seconds:.1f} s.")
    print(f"In seat 0 it gets {result.lower:+.4f} against the best opponent;")
    print(f"in seat 1 it gets {form.constant - result.upper:+.4f}.")
    print(f"Exploitability: {result.exploitability:.4f} a deal. The value to player 0 is between the two:")
    print(f"from {result.lower:+.4f} to {result.upper:+.4f}.")
    if rows:
        print("\nWhat each first decision brings, on average over all deals, the least first:")
    for hand in result.hands[:rows]:
        print(textwrap.fill(f"  seat {hand.seat}  {hand.returns:+.4f}  {hand.seen}", 79, subsequent_indent=" " * 17))


# ------------------------------------------------------------------------------------------ what they share


def _one_deal(game: str, options: list[str] | None, preset: str | None, quiet: bool) -> Game:
    """Return the game with these options. A match of many deals becomes one deal, and this is said. If the options say
    how many deals there are, it is the deal that ``--after`` leads to."""
    from parlour.solve.form import single_deal

    try:
        what = loaded(game, 2, options, preset)
    except ParlourError as wrong:
        if 2 in definition(game).players:
            raise
        raise ParlourError(
            "{wrong} Only games for two are solved; in others, parlour match and parlour score measure players.",
            wrong=wrong.args[0],
        ) from None
    counted = any(option.replace(" ", "").startswith("deals=") for option in options or [])
    if not counted and (one := single_deal(what)):
        what = loaded(game, 2, [*(options or []), *(f"{name}={value}" for name, value in one.items())])
        if not quiet:
            said = ", ".join(f"{name}={value}" for name, value in one.items())
            typer.echo(f"A match is solved by deal: this is one deal ({said}).", err=True)
    return what


def _called(game: Game, after: Sequence[str] = ()) -> str:
    changed = [
        f"{n}={game.options[n]}" for n, o in game.definition.options.items() if game.options[n] != str(o.default)
    ]
    said = game.definition.called + (f" ({', '.join(changed)})" if changed else "")
    return said + (f", after {', '.join(after)}" if after else "")


def _data(game: Game, found: Any, iterations: int, seconds: float, size: Any) -> dict[str, Any]:
    return {
        "game": game.id,
        "options": dict(game.options),
        "value": [found.lower, found.upper],
        "exploitability": found.exploitability,
        "iterations": iterations,
        "seconds": seconds,
        "information_sets": size.information_sets,
        "nodes": size.nodes,
    }


def _print_solved(solver: Solver, last: Check, file: Path, target: float) -> None:
    form, game = solver.form, cast("Game", solver.form.game)
    each = 1000 * solver.seconds / max(1, solver.iterations)
    print(f"{_called(game, form.after)}: {form.nodes:,} nodes, {form.information_sets:,} information sets, one deal.")
    print(f"{many(last.iterations, 'iteration')} of {solver.method} in {solver.seconds:.2f} s, {each:.3f} ms each.")
    print(f"The value to player 0 is from {last.lower:+.6f} to {last.upper:+.6f}.")
    reached = "" if last.exploitability <= target else f", above the target of {target:g}"
    print(f"Exploitability: {last.exploitability:.3g}{reached}.")
    if form.constant:
        print(f"Returns of both players add up to {form.constant:g}.")
    print(f"Strategy: {file}")


def _show(file: Path, rows: int, as_json: bool) -> None:
    from parlour.solve.describing import Describer
    from parlour.solve.form import grow
    from parlour.solve.strategy import read

    strategy = read(file)
    reduced = bool(strategy.about.get("reduced"))
    form = grow(strategy.game, positions=True, after=strategy.about["after"], reduced=reduced)
    about, names = strategy.about, strategy.game.action_names
    listed = []
    for p, side in enumerate(strategy.players):
        numbers = {key: i for i, key in enumerate(side.key.tolist())}
        sets = [i for i, key in enumerate(form.players[p].key.tolist()) if key in numbers]
        ranked = sorted(sets, key=lambda i: -float(side.come[numbers[int(form.players[p].key[i])]]))
        describe = Describer(form, p, ranked[: rows or None], sets[:: 1 + len(sets) // COMPARED])
        for i in describe.in_order:
            mixed = side.at(numbers[int(form.players[p].key[i])])
            listed.append((p, describe(i), {names[a]: share for a, share in mixed.items()}))
    if as_json:
        sets_ = [{"player": p, "seen": seen, "chances": mixed} for p, seen, mixed in listed]
        print(json.dumps({"game": strategy.game.id, "options": dict(strategy.game.options), **about, "sets": sets_}))
        return
    made = f"{about['method']}, {many(about['iterations'], 'iteration')}"
    print(f"{_called(strategy.game, about['after'])}: a strategy by {made}.")
    if about["value"]:
        print(f"The value to player 0 is from {about['value'][0]:+.6f} to {about['value'][1]:+.6f}.")
        print(f"Exploitability: {about['exploitability']:.3g}.")
    for p in range(2):
        own = [(seen, mixed) for q, seen, mixed in listed if q == p]
        of = len(strategy.players[p].key)
        print(f"\nPlayer {p}: {len(own):,} of {of:,} information sets" + (" (--rows 0: all)" if len(own) < of else ""))
        for seen, said in own:
            shares = ", ".join(f"{name} {share:.1%}" for name, share in said.items() if share >= 0.0005)
            print(f"  {seen}: {shares}")
