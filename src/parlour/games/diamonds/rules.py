"""Diamonds, the digging game.  Clause ids (DM-n) refer to the rule book, ``book.md``.

:data:`STAGES` is the game at a glance.  A player's turn is in ``turn``, jokers are in ``jokers``, the cards and the
position in ``position``; advice for the search is in ``advice``.
"""

from parlour.games.diamonds.position import *
from parlour.games.diamonds.turn import *
from parlour.rules.vocabulary import *

PLAYERS = range(2, 4)  # DM-1
VERSION = 2
SINCE = {2: {"lower_spade": "stays"}}
HIDES_NOTHING = True  # DM-98


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: Diamonds, to: Listener) -> None:
    lay_out(s)
    if s.first_dealer == RANDOM:
        s.stage = DRAWING
    else:
        s.player = s.dealer = s.first_dealer  # DM-15


def draw_dealer(s: Diamonds, k: int, to: Listener) -> None:
    """The dealer has the first turn (DM-14, DM-15)."""
    note(to, "DM-14", "dealer", k)
    s.dealer = s.player = k
    s.stage = START


def next_deal(s: Diamonds, to: Listener) -> None:
    """DM-94."""
    s.dealer = s.player = next_seat(s, s.dealer)
    note(to, "DM-94", "deals", s.dealer, s.deal + 1)
    lay_out(s)
    s.stage = START


def returns(s: Diamonds, out: list[float]) -> None:
    divide(s, leaders(s), out)


def deal_returns(s: Diamonds, out: list[float]) -> None:
    """Write the returns of the game just won, as if it were a match of one game; its winner had the turn."""
    divide(s, 1 << s.player, out)


def divide(s: Diamonds, winners: int, out: list[float]) -> None:
    """Write the returns: the winners share 1, the others lose 1 between them; 0 if all have won."""
    k = count(winners)
    for p in range(s.players):
        if k == s.players:
            out[p] = 0.0
        else:
            out[p] = 1.0 / k if winners >> p & 1 else -1.0 / (s.players - k)


# ------------------------------------------------------------------------------------------ the stages at a glance


def chance(s: Diamonds) -> int:
    """The cards that may be turned up (DM-105), the piles that may be picked, or the seats that may deal first."""
    if s.stage == TURNING:
        return s.unseen
    return face_down(s) if s.stage == PICKING else (1 << s.players) - 1


def what_follows(s: Diamonds) -> int:
    """Return ``DEAL_OVER`` if another game follows, otherwise ``TERMINAL`` (DM-93)."""
    return DEAL_OVER if s.deal < s.games else TERMINAL


STAGES = (
    Stage(START, "start", "player", "DM-115", choices, choose, refuse_choice),
    Stage(OFFERED, "trade or keep", "player", "DM-115", (TRADE, KEEP), answer_offer, refuse_in_dig),
    Stage(BETWEEN, "between cards", "player", "DM-115", on_or_stop, go_on_or_stop, refuse_in_dig),
    Stage(TURNING, "card turned", CHANCE, "DM-115", happens=turn_card),
    Stage(PICKING, "pile picked", CHANCE, "DM-115", happens=pick_pile),
    Stage(DRAWING, "dealer drawn", CHANCE, "DM-115", happens=draw_dealer),
    Stage(OVER, "over", what_follows, "DM-115"),
)
actor, acting, legal, apply, happen, refuse_now = by_stage(STAGES)


def refuse(s: Diamonds, me: int, a: int) -> str:
    """Return DM-115 for actions that do not exist; otherwise the clause of the stage."""
    return refuse_now(s, me, a) if 0 <= a < ACTIONS else "DM-115"


# ------------------------------------------------------------------------------------------ what players see


def dealer_known(s: Diamonds) -> bool:
    return s.stage != DRAWING


def in_dig(s: Diamonds) -> bool:
    return (s.stage == OFFERED) | (s.stage == BETWEEN) | (s.stage == TURNING)


YES_NO = ("no", "yes")
# Everybody sees everything except the face-down cards (DM-96 to DM-98).
THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "player": seat().told(dealer_known),
    "dealer": seat().told(dealer_known),
    "deal": amount(9),
    "won": amount(9, per=SEATS, seats=True),
    "at": one_of(PILES).told(in_dig),
    "smashed": one_of(YES_NO).told(in_dig),
    "may_stop": one_of(YES_NO).told(lambda s: s.stage == BETWEEN),
    "played": one_of(YES_NO).told(lambda s: s.jokers_per_turn == ONE),
    "spade": one_of(("none", "-", *CARDS[SPADES:DIAMONDS]), per=SEATS, seats=True),
    "diamonds": cards(CARDS[DIAMONDS:JOKERS], per=SEATS, seats=True),
    "jokers": cards(CARDS[JOKERS:], per=SEATS, seats=True),
    "fresh": cards(CARDS[JOKERS:], per=SEATS, seats=True),
    "height": amount(DEPTH, per=PILES),
    "top": one_of(("none", *CARDS), per=PILES).told(lambda s, i: s.top[i] > 0),
    "debris": cards(CARDS),
    "unseen": cards(CARDS),
}
show, show_own = by_thing(THINGS)


def restore(s: Diamonds, me: int) -> None:
    """Work out the faces from tops and heights."""
    for i in range(PILES):
        if s.top[i] > 0:
            lay(s, i, s.top[i] - 1)
        else:
            s.face[i] = DOWN if s.height[i] > 0 else EMPTY


def redeal(s: Diamonds, me: int, rng: list[int]) -> None:
    """Nothing to do: a face-down card is undecided for everybody (DM-97)."""


# ------------------------------------------------------------------------------------------ names


def action_names(s: Diamonds) -> list[str]:
    piles, seats = range(PILES), range(SEATS)
    digs = [f"dig {i}" for i in piles] + ["dig ?"] + [f"destroy {i}" for i in piles]
    jokers = [f"steal {q}" for q in seats] + [f"switch {q}" for q in seats]
    return [*digs, "pass", "trade", "keep", "on", "stop", *jokers]


def outcome_name(s: Diamonds, k: int) -> str:
    if s.stage == TURNING:
        return CARDS[k]
    return f"pile {k}" if s.stage == PICKING else f"seat {k}"
