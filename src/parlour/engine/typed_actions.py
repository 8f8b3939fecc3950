"""Reading a line in which a player names one action or several in turn, and explaining a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from parlour.base.errors import IllegalAction, ParlourError, unknown
from parlour.base.languages import marked

LONGEST_NUMBER: Final = 60
"""A number with this many digits or more is not read as a number."""
REFUSALS: Final = (
    marked("{action} is not allowed now: {why} ({clause})"),
    marked("{action} is not allowed now, only {low}: {why} ({clause})"),
    marked("{action} is not allowed now, only {low} to {high}: {why} ({clause})"),
)
"""The templates of refusals, by how many amounts are allowed.  ``name``: the action; ``action``: the same in quotes."""


def read_line(state: Any, line: str, who: int) -> tuple[int, ...]:
    """Return the actions that ``who`` names in a line, as :meth:`parlour.State.sequence` describes."""
    game = state.game
    words = line.replace(",", " ").replace(";", " ").split()
    player = who if who >= 0 else None  # no player: the game is over, or chance decides
    if not words or " ".join(words).casefold() in game.action_ids or (len(words) < 2 and who not in state.acting):
        return (game.find_action(line),)
    if too_much := beyond(state, line, who):
        raise too_much
    trial, found = state.clone(), list[int]()
    trial.leave_chance()  # the trial must not reveal what chance will bring
    while words:
        if found and who not in trial.acting:
            last = game.action_names[found[-1]]
            raise ParlourError(
                "After {last!r} there is nothing more to choose: {words!r} is too much.",
                last=last,
                words=" ".join(words),
            )
        a, used = _first_named(trial, words, player)
        trial.apply(a, player)
        found.append(a)
        words = words[used:]
    return tuple(found)


def _first_named(state: Any, words: Sequence[str], who: int | None) -> tuple[int, int]:
    """Return the action at the beginning of a line, and the number of words that name it."""
    ids, names = state.game.action_ids, state.game.action_names
    for used in range(len(words), 0, -1):
        a = ids.get(" ".join(words[:used]).casefold())
        if a is not None:
            return a, used
    legal = [names[a] for a in state.legal_actions(who)]
    first, parted = words[0], [name.rpartition(" ") for name in legal]
    kinds = {kind for kind, _, last in parted if kind and last.isdecimal() == first.isdecimal()}
    a = ids.get(f"{kinds.pop()} {first}".casefold()) if len(kinds) == 1 else None
    if a is None:
        begins = any(name.startswith(f"{first.casefold()} ") for name in ids)
        raise unknown("action", " ".join(words[: 1 + begins]), legal)
    return a, 1


def refused(state: Any, a: int, who: int, name: str = "", may: Sequence[int] = ()) -> IllegalAction:
    """Return the error that refuses an action to ``who``.  ``name`` is the text that was typed for it; ``may`` lists
    the amounts that are allowed."""
    clause, name = str(state.game.definition.rules.refuse(state.position, who, a)), name or state.game.action_names[a]
    template = str(REFUSALS[min(len(may), 2)])
    values = {"name": name, "action": repr(name), "why": state.game.clause(clause).text, "clause": clause}
    if may:
        values |= {"low": may[0], "high": may[-1]}
    return IllegalAction(template, clause, **values)


def beyond(state: Any, line: str, who: int) -> IllegalAction | None:
    """Return the error for an amount for which there is no action, with the amounts that are allowed to ``who``;
    ``None`` if the line names no such amount, or if nobody is to act (``who`` < 0).

    >>> import parlour
    >>> state = parlour.load("diamondback", first_dealer=0).new(seed=1)
    >>> print(beyond(state, "wager 11", state.current_player))  # doctest: +ELLIPSIS
    'wager 11' is not allowed now, only 1 to 10: A wager is at most 10 coins, ... (DB-38)
    """
    kind, _, number = " ".join(line.split()).casefold().rpartition(" ")
    names = {int(name[len(kind) :]): a for name, a in state.game.action_ids.items() if _counts(name, kind)}
    if (
        who < 0
        or state.is_terminal
        or not (number.isdecimal() and len(number) < LONGEST_NUMBER)
        or not names
        or int(number) in names
    ):
        return None
    nearest = names[min(names, key=lambda n: abs(n - int(number)))]
    may = sorted(names.keys() & {n for n, a in names.items() if a in state.legal_actions(who)})
    return refused(state, nearest, who, f"{kind} {int(number)}", may)


def _counts(name: str, kind: str) -> bool:
    """Whether the name of an action consists of this kind and a number."""
    return bool(kind) and name.startswith(f"{kind} ") and name[len(kind) + 1 :].isdecimal()
