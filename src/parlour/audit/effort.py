"""How closely a setting is inspected: in which random games, and whether as closely as the default options.

Many random games are played quickly, without inspection.  The moments that occur in them show which few games contain
all kinds of moments, and whether an option changes what players know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parlour.audit.trails import Dice, kind
from parlour.engine.steps import Event
from parlour.rules.vocabulary import EVERYBODY, SEVERAL, Field

if TYPE_CHECKING:
    from parlour.core.game import Game

Habit = tuple[str, ...]
"""One way in which players learn something, or do not."""

OFTEN = 3
"""A habit that at least this many games with the usual options show, and half of them, is missing if none of the other
setting's games shows it."""


class HabitSurvey:
    """The habits that random games of one setting show: ``habits`` of a game, by its seed."""

    def __init__(self, game: Game, seeds: range, steps: int) -> None:
        self.game = game
        self.habits = {seed: self._play(seed, steps) for seed in seeds}
        self.seen = Counter(habit for shown in self.habits.values() for habit in shown)

    def _play(self, seed: int, steps: int) -> set[Habit]:
        """Return the game that :func:`~parlour.audit.trails.walk` plays with this seed."""
        game, kinds, habits = self.game, set[object](), set[Habit]()
        try:
            s, dice = game.start(), Dice(game, seed)
            for _ in range(steps):
                step = dice.step(s)
                if step is None:
                    break
                before, heard, actor = s.copy(), list[Event](), int(game.definition.rules.actor(s))
                game.definition.step(s, *step, heard)
                moment = kind(actor, heard)
                if moment not in kinds:
                    kinds.add(moment)
                    habits.update(_heard(heard), self._known(before))
        except Exception:  # the walk with this seed reports the error
            habits.add(("breaks", "off"))
        return habits

    def telling_games(self, least: int) -> list[int]:
        """A few games, at least ``least`` of them, that together show every habit that any game shows."""
        left, rest, chosen = set(self.seen), list(self.habits), list[int]()
        while rest and (left or len(chosen) < least):
            best = max(rest, key=lambda seed: len(self.habits[seed] & left))
            rest.remove(best)
            chosen.append(best)
            left -= self.habits[best]
        return sorted(chosen)

    def differs(self, usual: HabitSurvey) -> list[str]:
        """The ways in which players learn things here but not with the usual options, or the other way round.  A public
        event that occurs in only one of these games counts as rare, not as new; and if it is missing, that reveals
        nothing."""
        new = [h for h in sorted(self.seen.keys() - usual.seen.keys()) if not _open(h) or self.seen[h] > 1]
        often = max(OFTEN, len(usual.habits) // 2)
        gone = [h for h, games in sorted(usual.seen.items()) if games >= often and h not in self.seen and not _open(h)]
        return [" ".join(habit) for habit in new] + [f"never {' '.join(habit)}" for habit in gone]

    # ------------------------------------------------------------------ knowledge of players

    def _known(self, s: Any) -> Iterator[Habit]:
        """Describe who is asked and how, what is told to everybody and to single players, and what is hidden."""
        game, rules = self.game, self.game.definition.rules
        who = rules.actor(s)
        hush = "hushed" if game.definition.has("hushed") and rules.hushed(s) else "openly"
        yield "asks", "several" if who == SEVERAL else "one" if who >= 0 else "chance", hush
        told: list[Any] = []
        rules.show(s, told)
        yield from (("shows", thing, "to everybody") for thing, *_ in told)
        for p in self._players:
            told = []
            rules.show_own(s, p, told)
            for thing, index, _ in told:
                declared = game.definition.things[thing]
                mine = not declared.seats or index // declared.each == p
                yield "shows", thing, "to its owner" if mine else "to others"
        for p in (EVERYBODY, *self._players):
            yield from self._hidden(s, p)

    def _hidden(self, s: Any, p: int) -> Iterator[Habit]:
        """Describe the fields that ``hide`` wipes."""
        hide = getattr(self.game.definition.part("invariants"), "hide", None)
        if hide is None:
            return
        wiped = s.copy()
        hide(wiped, p)
        for name, field in self._fields.items():
            mine, left = getattr(s, name), getattr(wiped, name)
            if mine == left:
                continue
            if p == EVERYBODY:
                yield "hides", name, "from who watches"
            elif field.size != self._seats:
                yield "hides", name, "from players"
            else:
                own = mine[p] != left[p]
                others = any(a != b for q, (a, b) in enumerate(zip(mine, left, strict=True)) if q != p)
                yield from (("hides", name, "from its owner"),) * own
                yield from (("hides", name, "from others"),) * others

    @property
    def _players(self) -> range:
        """Three players: enough to see what an owner and what others know."""
        return range(min(3, self.game.players))

    @cached_property
    def _fields(self) -> dict[str, Field]:
        return {n: f for n, f in self.game.definition.fields.items() if n not in self.game.definition.options}

    @cached_property
    def _seats(self) -> int:
        return self.game.definition.max_players


def _open(habit: Habit) -> bool:
    return habit[0] == "says" and habit[-1] == "to everybody"


def _heard(heard: list[Event]) -> Iterator[Habit]:
    for _, event, audience, who, *_ in heard:
        apart = "to the one it is about" if audience == who else "to others"
        yield "says", event, "to everybody" if audience == EVERYBODY else apart
