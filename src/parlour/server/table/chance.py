"""Chance at a table: it follows from the fair deal where there is one, and never from a seed that a client may know."""

from __future__ import annotations

from collections.abc import Mapping

from parlour import replay
from parlour.core.fair_deal import keyed
from parlour.core.game import State
from parlour.core.ledger import fair_outcome
from parlour.core.lessons import Lesson
from parlour.rules.vocabulary import CHANCE
from parlour.server.common.outside import outside


def taken_up(record: str) -> State:
    """Return the match of a record as it continues at a table. From here on the server draws chance, because whoever
    brought the record may know its seed."""
    state = replay(record)
    state.leave_chance()
    state.seed = state.ledger.fair = None
    return state


def bots_seed(secret: bytes, state: State, seat: int) -> int:
    """Return the seed of a bot's next choice where a match is played at several tables. Neither earlier deals nor what
    others have done in this one change it."""
    first = state.deals[-1].steps if state.deals else 0
    answered = sum(step.player == seat for step in state.history[first:])
    return int.from_bytes(keyed(secret, f"parlour bot {seat} {len(state.deals)} {answered}".encode())[:8], "big")


def mix(state: State, nonces: Mapping[int, str]) -> None:
    """Let the players' nonces (in hexadecimal) take part in the fair deal from here on."""
    ledger = state.ledger
    if ledger.fair is not None:
        ledger.fair = ledger.fair.mixed(ledger.nodes, {int(p): bytes.fromhex(n) for p, n in nonces.items()})


def let_chance_decide(
    state: State,
    secret: bytes | None,
    deals: int | None = None,
    paused: bool = False,
    lesson: Lesson | None = None,
    read: int = 0,
) -> list[str]:
    """Let chance decide, up to the next choice of a player or the next pause that has not been made, and return the
    outcomes. In a lesson of which ``read`` stops have been left behind, chance brings what the lesson says, up to the
    next stop.

    ``deals``: once more than this many deals are over, chance waits for the nonces of the next one; ``paused``: the
    first pause has been made.
    """
    public, fell = state.ledger.fair, list[str]()
    if lesson is not None and not lesson.has_led_to(state):
        lesson = None  # a move that the lesson does not ask for, which will be refused
    if state.current_player != CHANCE:
        return fell
    if public is not None and secret is not None:
        state.ledger.fair = public.opened(secret)
    while state.current_player == CHANCE:
        if not paused and lesson is None and (state.hushed or (deals is not None and len(state.deals) > deals)):
            break
        if lesson is not None and lesson.stop_at(len(state.history), read) >= 0:
            break
        paused = False
        if lesson is not None and (said := lesson.next_step(len(state.history))) is not None:
            state.apply(said[1])
            fell.append(state.history[-1].name)
            continue
        outcome = state.draw_outcome([outside().chance.getrandbits(64)]) if public is None else fair_outcome(state)
        fell.append(state.name_of(outcome))
        state.apply(outcome)
    state.ledger.fair = public
    return fell


__all__ = ["bots_seed", "let_chance_decide", "mix", "taken_up"]
