"""One Card.  Clause ids (OC-n) refer to the rule book, ``book.md``."""

from parlour.rules.vocabulary import (
    CHANCE,
    EVERYBODY,
    TERMINAL,
    Listener,
    Position,
    Stage,
    amount,
    amount_option,
    by_stage,
    by_thing,
    draw,
    note,
    number,
    numbers,
    one_of,
    seat,
    seat_set,
    whisper,
)

PLAYERS = range(2, 4)  # OC-1
VERSION = 1

SEATS = 3
MOST_CARDS = 20
CARDS = tuple(str(n) for n in range(1, MOST_CARDS + 1))
STAY, SWAP = 0, 1
DEALING, CHOOSING, DRAWING, OVER = range(4)


class OneCard(Position):
    cards: int = amount_option(9, 8, MOST_CARDS, clauses="OC-2")

    stage: int = number()
    turn: int = number()  # whose turn it is
    dealt: int = number()  # cards dealt so far
    hand: list[int] = numbers(SEATS)  # the card plus 1; 0 if there is none, or it is not known
    aside: list[int] = numbers(SEATS)  # the card that a player has swapped, plus 1; 0 as in ``hand``
    swapped: int = number()  # set of the players who have swapped


def begin(s: OneCard, to: Listener) -> None:
    note(to, "OC-2", "shuffled", EVERYBODY, s.cards)


# ------------------------------------------------------------------------------------------ dealing


def chance(s: OneCard) -> int:
    """Return the set of the cards that are still in the deck."""
    left = (1 << s.cards) - 1
    for p in range(s.players):
        left &= ~((1 << s.hand[p] | 1 << s.aside[p]) >> 1)
    return left


def deal_card(s: OneCard, k: int, to: Listener) -> None:
    """Deal one card to a player; when everybody has one, tell each their own (OC-3)."""
    s.hand[s.dealt] = k + 1
    s.dealt += 1
    if s.dealt == s.players:
        s.stage = CHOOSING
        for p in range(s.players):
            whisper(to, "OC-3", "dealt", p, s.hand[p] - 1)


# ------------------------------------------------------------------------------------------ staying or swapping


def choose(s: OneCard, me: int, a: int, to: Listener) -> None:
    note(to, "OC-5", "swaps" if a == SWAP else "stays", me)
    if a == STAY:
        next_player(s, to)
        return
    s.swapped |= 1 << me
    s.aside[me] = s.hand[me]
    s.hand[me] = 0
    s.stage = DRAWING


def draw_card(s: OneCard, k: int, to: Listener) -> None:
    """Give the player a card for the one put aside (OC-6)."""
    s.hand[s.turn] = k + 1
    whisper(to, "OC-6", "draws", s.turn, k)
    next_player(s, to)


def next_player(s: OneCard, to: Listener) -> None:
    """Go on to the next player. When all have chosen, all cards are shown (OC-7), and the highest wins (OC-8)."""
    s.stage = CHOOSING
    s.turn += 1
    if s.turn == s.players:
        s.turn = 0
        s.stage = OVER
        for p in range(s.players):
            note(to, "OC-7", "shows", p, s.hand[p] - 1)
        note(to, "OC-8", "wins", winner(s), s.players - 1)


# ------------------------------------------------------------------------------------------ the end


def winner(s: OneCard) -> int:
    best = 0
    for p in range(s.players):
        if s.hand[p] > s.hand[best]:
            best = p
    return best


def returns(s: OneCard, out: list[float]) -> None:
    """Give the winner one point from each of the others (OC-8)."""
    for p in range(s.players):
        out[p] = s.players - 1.0 if p == winner(s) else -1.0


# ------------------------------------------------------------------------------------------ the stages at a glance

STAGES = (
    Stage(DEALING, "dealing", CHANCE, "OC-3", happens=deal_card),
    Stage(CHOOSING, "choosing", "turn", "OC-5", (STAY, SWAP), choose),
    Stage(DRAWING, "drawing", CHANCE, "OC-6", happens=draw_card),
    Stage(OVER, "over", TERMINAL, "OC-9"),
)
actor, acting, legal, apply, happen, refuse = by_stage(STAGES)


# ------------------------------------------------------------------------------------------ who knows what

THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "turn": seat().told(lambda s: (s.stage == CHOOSING) | (s.stage == DRAWING)),
    "dealt": amount(SEATS),
    "swapped": seat_set(),
    "hand": one_of(("none", *CARDS), per=SEATS, seats=True).told(
        lambda s, p: s.stage == OVER,  # OC-7
        own=lambda s, me: (s.stage == CHOOSING) | (s.stage == DRAWING),  # OC-4
    ),
    "aside": one_of(("none", *CARDS), per=SEATS, seats=True).told(own=lambda s, me: s.swapped >> me & 1),  # OC-4
}
show, show_own = by_thing(THINGS)


def redeal(s: OneCard, me: int, rng: list[int]) -> None:
    """Deal each card that ``me`` does not see from those that are left."""
    for p in range(s.players):
        hidden = p != me or s.stage == DEALING
        has_one = p < s.dealt and not (s.stage == DRAWING and p == s.turn)
        if hidden and has_one and s.hand[p] == 0:
            s.hand[p] = draw(rng, chance(s)) + 1
        if p != me and s.swapped >> p & 1:
            s.aside[p] = draw(rng, chance(s)) + 1


def action_names(s: OneCard) -> list[str]:
    return ["stay", "swap"]
