"""The result of an audit: one for each check, with the shortest reproduction of any fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parlour.rules.vocabulary import CHANCE

if TYPE_CHECKING:
    from parlour.core.game import Game

KEPT = 25
"""How many faults a check keeps for one setting of a game before it stops looking; the shortest is shown."""

LEAKS = "swap"
"""The check that shows a leak most plainly."""
FOLLOWS = ("alongside", "asked", "legal", "recall", "tensors", "writers", "redeal", "odds", "undo", "bots")
"""The checks that may fail for no other reason than a leak."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A reproduction: apply ``script`` to ``game.new()`` (each step is ``who: name``) and look with ``seat``'s eyes.

    >>> import parlour
    >>> fault = Fault(parlour.load("kuhn"), "a card is in two places", ("chance: K", "chance: J"), seat=0)
    >>> fault.step, str(fault).splitlines()[-1]
    (2, '  after: chance: K / chance: J')
    """

    game: Game
    difference: str
    script: tuple[str, ...] = ()
    seat: int | None = None
    seed: int | None = None

    @property
    def step(self) -> int:
        """The number of steps that lead there, chance included."""
        return len(self.script)

    def __str__(self) -> str:
        where = [f"{self.game!r}{' with SMALL' if self.game.definition.is_small else ''}"]
        if self.script:
            where.append(f"step {self.step}" if self.seed is None else f"random game {self.seed}, step {self.step}")
        elif self.seed is not None:
            where.append(f"random game {self.seed}")
        if self.seat is not None:
            where.append(f"seat {self.seat}" if self.seat >= 0 else "spectator")
        played = f"\n  after: {' / '.join(self.script)}" if self.script else ""
        return f"{', '.join(where)}: {self.difference}{played}"

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able data."""
        return {
            "players": self.game.players,
            "options": dict(self.game.options),
            "seed": self.seed,
            "step": self.step,
            "seat": self.seat,
            "small": self.game.definition.is_small,
            "script": list(self.script),
            "difference": self.difference,
        }


@dataclass(slots=True)
class Notes:
    """What one check notes about one setting of a game."""

    game: Game
    check: str = ""
    in_full: bool = True
    cases: int = 0
    faults: list[Fault] = field(default_factory=list)
    spared: str = ""
    passed_over: Counter[str] = field(default_factory=Counter)
    lacking: str = ""

    def count(self, cases: int = 1) -> None:
        """Note that this many cases were checked."""
        self.cases += cases

    def pass_over(self, reason: str, cases: int = 1) -> None:
        """Note that cases were found but were unsuitable, for this reason."""
        self.passed_over[reason] += cases

    def lack(self, what: str) -> None:
        """Note what must be given before there can be anything to look at: a sentence without a full stop."""
        self.lacking = self.lacking or what

    @property
    def why_nothing(self) -> str:
        """Why there was nothing to look at, and what to do: what is lacking or, if nothing is known to be, what there
        was and why none of it was suitable."""
        if self.lacking or not self.passed_over:
            return self.lacking or "no game was played"
        seen = "; ".join(f"{n:,} × {reason}" for reason, n in self.passed_over.most_common())
        return f"{seen}. Look at more random games (--games), which may show some"

    def spare(self, reason: str) -> None:
        """Note that the check does not apply, for this reason, which has been verified."""
        self.spared = reason

    def fault(self, difference: str, trail: Any = None, seat: int | None = None) -> None:
        """Note that something is wrong after the steps of ``trail`` (a :class:`~parlour.audit.trails.Trail`)."""
        if trail is None:
            self.faults.append(Fault(self.game, difference))
        else:
            self.faults.append(Fault(trail.game, difference, trail.script, seat, trail.seed))

    @property
    def full(self) -> bool:
        """Whether enough faults were found to stop looking."""
        return len(self.faults) >= KEPT


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check: ``verdict`` is ``ok``, ``fault``, ``nothing checked`` (a failure too) or ``does not
    apply`` (with the verified ``reason``).  ``empty``: the fully inspected settings in which the check found nothing
    suitable, each with the cases there were and why they were unsuitable; all settings, if it found nothing anywhere.

    >>> from parlour.audit import audit
    >>> result = audit("kuhn", games=2, checks=["chance"])["chance"]
    >>> result.verdict, result.ok, result.faults
    ('ok', True, 0)
    """

    check: str
    words: str
    cases: int
    faults: int
    shortest: Fault | None
    reason: str
    empty: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """``ok``, ``fault``, ``nothing checked`` or ``does not apply``."""
        if self.faults:
            return "fault"
        if self.empty:
            return "nothing checked"
        return "ok" if self.cases else "does not apply"

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, and something was checked if the check applies."""
        return self.verdict in {"ok", "does not apply"}

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able data."""
        return {
            "check": self.check,
            "words": self.words,
            "cases": self.cases,
            "verdict": self.verdict,
            "faults": self.faults,
            "reason": self.reason,
            "empty": list(self.empty),
            "shortest": self.shortest.as_dict() if self.shortest else None,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The audit of one game under ``settings`` (number of players, house rules): one result for each check.
    ``in_full``: the settings that were inspected as closely as the default options, because they change what players
    know, each with that change.  ``left_out``: checks that were not made because games do not end, or for what is
    ``lacking``.  ``never_cited``: clauses marked ``act`` in the book that nothing in the rules cites.

    >>> from parlour.audit import audit
    >>> report = audit("kuhn", games=2, checks=["chance", "bounds"])
    >>> report.game, report.ok, [result.check for result in report.results]
    ('kuhn', True, ['chance', 'bounds'])
    """

    game: str
    settings: tuple[Game, ...]
    results: tuple[CheckResult, ...]
    in_full: Mapping[Game, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    lacking: str = ""
    never_cited: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every check that applies looked at something and found nothing wrong."""
        return all(result.ok for result in self.results)

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        return [result.check for result in self.results if not result.ok]

    def __getitem__(self, check: str) -> CheckResult:
        return {result.check: result for result in self.results}[check]

    def __str__(self) -> str:
        lines = [f"{self.game}: {len(self.settings)} settings, {'clean' if self.ok else 'FAULTY'}"]
        for result in self.results:
            lines.append(f"  {result.check:<13} {result.cases:>8} cases  {result.verdict}")
            lines += [f"    {line}" for line in str(result.shortest or "").splitlines()]
        return "\n".join([*lines, *(f"  {line}" for line in self.remarks)])

    @property
    def remarks(self) -> list[str]:
        """What there is to say besides the shortest fault of each check: by what nothing was checked and why, for all
        checks of which the same is true together; what nothing cites; and which checks were not made."""
        together: dict[tuple[str, ...], list[str]] = {}
        for result in self.results:
            if result.verdict == "nothing checked":
                together.setdefault(result.empty, []).append(result.check)
        found = [f"{', '.join(checks)}: nothing to check in {'; '.join(why)}." for why, checks in together.items()]
        after = [result.check for result in self.results if result.faults and result.check in FOLLOWS]
        if after and any(result.faults and result.check == LEAKS for result in self.results):
            found.insert(0, f"Mend `{LEAKS}` first: what it has found may show in {', '.join(after)} as well.")
        if self.never_cited:
            found.append(f"No event and no refusal cites {', '.join(self.never_cited)}, which the book marks [act].")
        return [*found, *([self.stopped] if self.left_out else [])]

    @property
    def stopped(self) -> str:
        """The sentence that says why checks were left out; empty if none was."""
        if not self.left_out:
            return ""
        if self.lacking:
            return f"{', '.join(self.left_out)}: not run: {self.lacking}."
        return f"Nothing else was checked: {self.game} must first come to an end."

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able data."""
        return {
            "game": self.game,
            "ok": self.ok,
            "settings": [{"players": g.players, "options": dict(g.options)} for g in self.settings],
            "in full": {repr(game): why for game, why in self.in_full.items()},
            "checks": [result.as_dict() for result in self.results],
            "left out": list(self.left_out),
        }


def summed(check: str, words: str, notes: Sequence[Notes]) -> CheckResult:
    """Add up the notes of one check on all settings of a game."""
    faults = [fault for note in notes for fault in note.faults]
    bare = [note for note in notes if not note.cases and not note.spared]
    nowhere = not any(note.cases for note in notes)
    reasons = [note.spared for note in notes]
    return CheckResult(
        check,
        words,
        sum(note.cases for note in notes),
        len(faults),
        min(faults, key=lambda fault: (fault.seed is None and not fault.script, fault.step), default=None),
        reasons[0] if reasons and all(reasons) else "",
        tuple(f"{note.game!r}: {note.why_nothing}" for note in bare if note.in_full or nowhere),
    )


def step_name(who: int, name: str) -> str:
    """Return a step in the form of a script."""
    return f"{'chance' if who == CHANCE else who}: {name}"
