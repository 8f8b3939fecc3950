"""The benchmark: any player in the same settings, with the same seeds (docs/benchmark.md).

In small games the score is computed: what the best opponent wins from the player.  In large ones the player meets a
panel.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parlour import __version__
from parlour.base.disk import put
from parlour.base.errors import ParlourError, unknown
from parlour.core.game import load
from parlour.players import kinds, make
from parlour.players.characters import CHARACTERS, thinks
from parlour.players.kind import Kind
from parlour.players.kinds import KINDS
from parlour.players.plugins import installed, is_own
from parlour.rules.bounds import bounds_of
from parlour.solve.exploiting import exploit
from parlour.solve.form import grow
from parlour.solve.policies import TablePolicy, read_policy, table_of
from parlour.solve.sampler import Sampler
from parlour.solve.sequences import SequenceForm
from parlour.solve.solver import Solver
from parlour.study.intervals import mean_estimate
from parlour.study.plan import Plan
from parlour.study.runners import Meeting, checked_number, runner_for
from parlour.study.standings import believed, lucks
from parlour.study.values import known

if TYPE_CHECKING:
    from parlour.study.runners import GameResult

__all__ = ["SETTINGS", "BenchmarkScore", "BenchmarkSetting", "answered", "score", "scored", "table"]

VERSION: Final = 2
"""The version of the benchmark: of settings, seeds and measures.  Scores of two versions are not compared."""
SEED: Final = 20_261_129
"""The seed of the deals of all matches."""
PANEL: Final = "rule-of-thumb"
"""The player in all other seats."""
CHEAP: Final = "random", PANEL, "learned"
"""Players who take no time: each plays :data:`LONG` games, and is a control variate for all others."""
LONG: Final = 24_000
"""The number of those games; their deals are others than those of a match."""
ANSWER: Final = "answer"
"""The name of the measure for what trained answers win."""
GAMES_LEARNED: Final = "games of learning"
"""The unit of its budget."""
ANSWERED: Final = 20_000
"""The number of games for that measurement."""
MOST_ASKED: Final = 3000
"""The most information sets in which a player that searches is asked; in a setting with more it is not measured."""
SOLVERS: Final = ("cfr+:", "mccfr:")
"""The names of solvers that stop after a number of iterations: over the whole tree, and by external sampling, where an
iteration is one walk for each seat."""


class BenchmarkSetting(NamedTuple):
    """A game for this number of players: ``games`` of a match against the panel; 0: exploitability is computed, with a
    player's choices averaged over this number of ``seeds``.

    >>> SETTINGS["hearts-full"].players, SETTINGS["commit-8"].games, isinstance(SETTINGS["kuhn"], BenchmarkSetting)
    (4, 0, True)
    """

    game: str
    players: int
    games: int = 0
    seeds: int = 4


SETTINGS: Final[Mapping[str, BenchmarkSetting]] = {
    one.game: one
    for one in (
        BenchmarkSetting("kuhn", 2),
        BenchmarkSetting("leduc", 2),
        BenchmarkSetting("commit-8", 2),
        BenchmarkSetting("diamondback-4", 2),
        BenchmarkSetting("diamondback-dealers-12", 2),
        BenchmarkSetting("diabolo-6", 2),
        BenchmarkSetting("commit-full", 3, games=2400),
        BenchmarkSetting("diamonds-full", 2, games=2400),
        BenchmarkSetting("hearts-full", 4, games=480),
        BenchmarkSetting("diabolo-full", 3, games=1200),
        BenchmarkSetting("dividha-full", 2, games=2400),
    )
}
"""The settings by name."""


class BenchmarkScore(NamedTuple):
    """The score of a player in a setting, by a ``measure``; ``budget``: the time or simulations that the player had.

    ``value``, ``low``, ``high``: in the game's own unit, for one deal, with the ends of a 95% interval (both equal to
    the value for exploitability, which is exact).  ``span``: half the distance between the lowest and the highest
    return of the game, in the same unit, to compare games.  ``asked``: the number of decisions that the player made.
    ``seconds``: of this machine's clock.  ``as_played``: half of that interval with the luck left in, in the game's own
    unit (returns only).  ``of``: what the player is made of (:func:`content`), in scores that are kept.

    >>> found = score("random", "kuhn")
    >>> found.span, found.low == found.value, isinstance(found, BenchmarkScore)
    (2.0, True, True)
    """

    player: str
    setting: str
    measure: str
    value: float
    low: float
    high: float
    span: float
    budget: str
    asked: float
    seconds: float
    as_played: float | None = None
    of: str = ""


@lru_cache(maxsize=2)
def _form(setting: str) -> SequenceForm:
    game = load(setting, SETTINGS[setting].players) if setting in SETTINGS else load(setting)
    return grow(game, positions=True, after=game.definition.made.after)


def score(player: str | TablePolicy, setting: str) -> BenchmarkScore | None:
    """Measure a player: a kind as :func:`parlour.players.make` takes it, ``cfr+:N`` or ``mccfr:N`` for a solver after N
    iterations, or a policy for the game of the setting.  Returns ``None`` if it cannot be measured there, because it is
    for another game or would have to make too many decisions.  Raises ``ParlourError`` if there is no such setting, or
    no such player.

    >>> from parlour.study.scoring import score
    >>> found = score("random", "kuhn")
    >>> round(found.value, 4), found.measure
    (0.4583, 'exploitability')
    """
    where, begun = _setting(setting), time.perf_counter()
    span = bounds_of(load(where.game, where.players)).span
    made = _worked_out(player, where) if not where.games else _played(player, where)
    if made is None:
        return None
    name = player if isinstance(player, str) else "a policy"
    measure, spent = "returns" if where.games else "exploitability", time.perf_counter() - begun
    worth = made.value, made.low, made.high
    return BenchmarkScore(name, setting, measure, *worth, span, made.budget, made.asked, spent, made.as_played)


def answered(player: str, setting: str, games: int) -> BenchmarkScore:
    """Train an answer to a player in this number of games (:mod:`parlour.study.training`), and measure what it wins
    from a table of that player in other games.  For two players, that is a lower bound of the player's exploitability.
    Raises ``ParlourError`` if there is no such setting, or if nobody can learn against such a player.

    >>> found = answered("random", "commit-8", 2000)
    >>> found.measure, found.value < score("random", "commit-8").value
    ('answer', True)
    """
    from parlour.study.training import Training, in_company

    where, begun = _setting(setting), time.perf_counter()
    game = load(where.game, where.players)
    training = Training(Plan(game, games, against=player))
    training.go_on()
    _, found = in_company(game, training.network(), player, ANSWERED, SEED)
    spent = time.perf_counter() - begun
    asked = f"{games:,} {GAMES_LEARNED}"
    return BenchmarkScore(
        player, setting, ANSWER, found.mean, found.low, found.high, bounds_of(game).span, asked, 0.0, spent
    )


def _named(name: str) -> str:
    if name not in SETTINGS:
        raise unknown("setting", name, SETTINGS)
    return name


def _setting(name: str) -> BenchmarkSetting:
    return SETTINGS[_named(name)]


class _Found(NamedTuple):
    """The parts of a score that are measured."""

    value: float
    low: float
    high: float
    budget: str
    asked: float
    as_played: float | None = None


def _worked_out(player: str | TablePolicy, where: BenchmarkSetting) -> _Found | None:
    """Return the exploitability in one deal, the player's budget, and the number of its decisions."""
    if isinstance(player, TablePolicy):
        if not _fits(player, where.game):
            return None
        plans, _ = player.plans(_form(where.game))
        lower, upper = Solver(_form(where.game)).bracket(plans)
        asked, budget = float(sum(map(len, player.tables))), _said(player.made)
    elif player.startswith("mccfr:"):
        sampler = Sampler(load(where.game, where.players), SEED, after=_form(where.game).after)
        sampler.run(iterations=_iterations(player))
        return _worked_out(table_of(sampler.found({"iterations": sampler.iterations})), where)
    elif player.startswith("cfr+:"):
        solver = Solver(_form(where.game), "cfr+", threads=1)
        last = solver.run(target=0.0, iterations=_iterations(player))
        lower, upper = last.lower, last.upper
        asked, budget = 0.0, f"{last.iterations:,} iterations of {solver.form.information_sets:,} information sets"
    else:
        form = _form(where.game)
        if thinks(Kind.parsed(player)) and form.information_sets > MOST_ASKED:
            return None
        found = exploit(form, lambda seed: make(player, form.game, seed), where.seeds)
        lower, upper = found.lower, found.upper
        asked, budget = float(found.asked), f"{where.seeds} seeds"
    value = max(0.0, (upper - lower) / 2)
    return _Found(value, value, value, budget, asked)


def _iterations(player: str) -> int:
    number = player.partition(":")[2]
    if not number.isdecimal() or not 0 < int(number) < 10**9:
        raise ParlourError("{player!r} must say how many iterations: cfr+:1000.", player=player)
    return int(number)


def _said(made: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{made[unit]:,} {unit}" for unit in ("decisions", "iterations") if isinstance(made.get(unit), int)
    )


def _played(player: str | TablePolicy, where: BenchmarkSetting) -> _Found | None:
    """Return the mean return of the player, alone against the panel.  Luck is taken out: by what cheap players bring in
    the same deals (:func:`parlour.study.reduction.beside_others`), and by a value network if there is one."""
    import numpy as np

    from parlour.study.reduction import beside_others

    if isinstance(player, TablePolicy) or player.startswith(SOLVERS):
        return None
    game, count = load(where.game, where.players), where.games // where.players
    match, long = range(count), range(count, count + LONG // where.players)
    cheap = [kind for kind in CHEAP if kind in kinds(game)]
    if player in cheap:
        deals = _deals(player, where, long)
        found = mean_estimate(_brought(player, where, long))
        as_played = found.half
    else:
        deals, net = _deals(player, where, match, luck=True), known(game)
        results = [fmean(one.returns[one.holder.index(0)] for one in deal) for deal in deals]
        beside, elsewhere = (np.array([_brought(kind, where, these) for kind in cheap]).T for these in (match, long))
        luck = None if net is None else lucks(deals, lambda one: one.holder.index(0))
        own = None if luck is None else believed(1, luck)
        found, as_played = beside_others(np.array(results), beside, elsewhere, luck, own), mean_estimate(results).half
    asked = sum(one.moves[one.holder.index(0)] for deal in deals for one in deal)
    games = f"{len(deals) * where.players:,} games"
    return _Found(found.mean, found.low, found.high, games, float(asked), as_played)


def _deals(player: str, where: BenchmarkSetting, deals: range, luck: bool = False) -> list[list[GameResult]]:
    game = load(where.game, where.players)
    seated = checked_number(game, [player, *[PANEL] * (where.players - 1)])
    return list(runner_for(Meeting(game, seated, SEED, known(game) if luck else None)).play(deals))


@lru_cache(maxsize=64)
def _brought(player: str, where: BenchmarkSetting, deals: range) -> list[float]:
    """What a player brings, alone against the panel, in each of these deals."""
    return [fmean(one.returns[one.holder.index(0)] for one in deal) for deal in _deals(player, where, deals)]


# ------------------------------------------------------------------------------------------ tables of scores


def scored(
    players: Sequence[str],
    settings: Sequence[str],
    file: Path | None = None,
    progress: Callable[[str], None] = lambda said: None,
    answer: int = 0,
    called: Mapping[str, str] = {},
    failed: Callable[[str, ParlourError], None] | None = None,
) -> list[BenchmarkScore]:
    """Measure players (kinds, or files that hold a policy) in settings.  ``file`` keeps the scores: those in it are not
    measured again as long as the player is the same (:func:`content`), and each new one is written at once.
    ``answer``: measure instead what an answer trained in that many games wins from them (:func:`answered`).
    ``called``: names under which players are listed instead of what is given.  Settings whose game does not have a
    player are left out.  What goes wrong in a measurement is raised, or told to ``failed`` and left out.  Raises
    ``ParlourError``, before anything is measured, for all players that none of these settings has, or if the file holds
    something else or cannot be written.

    >>> [(one.player, round(one.value, 4)) for one in scored(["random", "cfr+:100"], ["kuhn"])]
    [('random', 0.4583), ('cfr+:100', 0.0012)]
    """
    kept, told = _kept(file), set[str]()
    read = _all_read(players, [*map(_named, settings)], answer)
    if players:
        _keep(file, kept.values())  # before anything is measured: it may be impossible
    for given, player in read:
        name, of = called.get(given, given), content(given)
        budget = f"{answer:,} {GAMES_LEARNED}" if answer else ""
        for setting in settings:
            key, what = (name, setting, budget), f"{name}, {setting}"
            if key in kept and kept[key].of == of:
                progress(f"{what}: kept from before")
                continue
            if _not_there(given, player, setting, answer):
                continue
            again = kept.pop(key, None)
            progress(f"{what}: again, for the player is no longer the same" if again else what)
            if again:
                _keep(file, kept.values())
            try:
                found = answered(given, setting, answer) if answer else score(player, setting)
            except ParlourError as error:
                if failed is None:
                    raise
                failed(what, error)
                told.add(name)
                continue
            if found:
                kept[key] = found._replace(player=name, of=of)
                _keep(file, kept.values())
    measured = [one for one in kept.values() if one.setting in settings]
    if players and not measured and not told:
        raise ParlourError("{player} is not measured in any of these settings.", player=players[0])
    return measured


def content(player: str) -> str:
    """What a player is made of, so that a score of another player with the same name is not taken for theirs: a digest
    of the file of a policy, of the module of a player of your own, or of the file that a kind names; and for kinds that
    come with Parlour its version.

    >>> content("search:200").startswith("parlour ")
    True
    """
    kind, file = Kind.parsed(player), Path(player)
    if not file.is_file() and is_own(kind):
        path = installed().get(str(kind), str(kind)).rpartition(".")[0]
        file = Path(getattr(import_module(path), "__file__", None) or "")
    elif not file.is_file() and kind.setting:
        file = Path(kind.setting)
    if file.is_file():
        return f"sha256 {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"
    return f"parlour {__version__}"


def _not_there(given: str, player: str | TablePolicy, setting: str, answer: int) -> ParlourError | None:
    """Return why nobody can be measured in a setting, if that is so: its game does not have the player, or it is for
    another game."""
    where = _setting(setting)
    game = load(where.game, where.players)
    try:
        if answer:
            Plan(game, answer, against=given)
        elif isinstance(player, TablePolicy):
            if not _fits(player, setting):
                raise ParlourError("{player} is not measured in any of these settings.", player=given)
        elif player.startswith(SOLVERS):
            _iterations(player)
        else:
            _must_be_a_kind(player)
            make(player, game)
    except ParlourError as refusal:
        return refusal
    return None


def _all_read(players: Iterable[str], settings: Sequence[str], answer: int) -> list[tuple[str, str | TablePolicy]]:
    """Return the players, each with the policy in its file if it is one.  Raises an error that names all whom none of
    the settings has."""
    read, wrong = list[tuple[str, str | TablePolicy]](), list[ParlourError]()
    for given in players:
        try:
            read.append((given, player := _read(given)))
            refusals = list[ParlourError]()
            for setting in settings:
                if (refusal := _not_there(given, player, setting, answer)) is None:
                    break
                refusals.append(refusal)
            else:
                wrong += refusals[:1]
        except ParlourError as error:
            wrong.append(error)
    if len(wrong) > 1:
        raise ParlourError("{each}", each=" ".join(map(str, wrong)))
    if wrong:
        raise wrong[0]
    return read


def _must_be_a_kind(player: str) -> None:
    """Raise the error for a kind that no setting has, which lists those of all settings."""
    name = Kind.parsed(player).name
    if name not in (*KINDS, *CHARACTERS, "solved") and not is_own(Kind.parsed(player)):
        solvers = [f"{solver}N" for solver in SOLVERS]
        raise unknown("kind of player", name, [*KINDS, *installed(), *solvers, "solved:FILE"], CHARACTERS, alike=0.65)


def _read(player: str) -> str | TablePolicy:
    file = Path(player)
    named = file.suffix in (".json", ".solved") and ":" not in player
    return read_policy(file) if named or file.is_file() else player


def _fits(policy: TablePolicy, setting: str) -> bool:
    where = _setting(setting)
    return not where.games and policy.game == load(where.game, where.players)


def _kept(file: Path | None) -> dict[tuple[str, str, str], BenchmarkScore]:
    if file is None or not file.exists():
        return {}
    try:
        about = json.loads(file.read_text("utf-8"))
        if about["benchmark"] != VERSION:
            raise ValueError(about["benchmark"])
        found = [BenchmarkScore(**one) for one in about["scores"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise ParlourError(
            "{file} does not hold scores of version {version} of the benchmark; name another file.",
            file=file,
            version=VERSION,
        ) from None
    return {(one.player, one.setting, one.budget if one.measure == ANSWER else ""): one for one in found}


def _keep(file: Path | None, scores: Iterable[BenchmarkScore]) -> None:
    if file is not None:
        known = {"benchmark": VERSION, "parlour": __version__, "seed": SEED, "panel": PANEL}
        about = {**known, "scores": [one._asdict() for one in scores]}
        put(file, (json.dumps(about, indent=1) + "\n").encode())


def table(scores: Sequence[BenchmarkScore]) -> list[str]:
    """The lines of tables in Markdown: exploitability, returns against the panel, and what learned answers win.

    >>> table([score("random", "kuhn")])[2]
    '| `random` | 0.4583 |'
    """
    lines: list[str] = []
    for measure in ("exploitability", "returns", ANSWER):
        here = [one for one in scores if one.measure == measure]
        columns = [name for name in SETTINGS if any(one.setting == name for one in here)]
        if not here:
            continue
        cells = {(one.player, one.setting): one for one in here}
        lines += [""] * bool(lines)
        lines += [f"| {measure} | {' | '.join(f'`{name}`' for name in columns)} |", f"|---{'|---:' * len(columns)}|"]
        for player in dict.fromkeys(player for player, _ in cells):
            row = [_cell(cells.get((player, name))) for name in columns]
            lines.append(f"| `{player}` | {' | '.join(row)} |")
    return lines


def _cell(one: BenchmarkScore | None) -> str:
    if one is None:
        return "—"
    if one.measure != "exploitability":
        return f"{one.value:+.3f} ± {one.value - one.low:.3f}"
    return f"{one.value:.4f}" if one.value >= 1e-3 or one.value < 1e-12 else f"{one.value:.1e}"
