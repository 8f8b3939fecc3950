"""Hearts.  Clause ids (HE-n) refer to the rule book, ``book.md``.

A good one to read second: sealed choices (the passing), a match of several deals, and a redeal that knows who is void.
What other games of tricks have too is in ``parlour.tricks``.  Cards are numbered like those of OpenSpiel's ``hearts``.
"""

from typing import Any

from parlour.matchplay import deals_over
from parlour.tricks import (
    Passing,
    card_led,
    deal_next,
    following,
    gone,
    in_hands,
    in_trick,
    in_tricks,
    is_complete,
    lead_with,
    list_cards,
    open_things,
    pass_cards,
    play_passed,
    redeal_passed,
    redeal_tricks,
    still_to_pass,
    suit_of,
    take_trick,
    whose_turn,
)
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    Stage,
    amount,
    amount_option,
    by_stage,
    by_thing,
    cards,
    choice,
    count,
    lowest,
    note,
    number,
    numbers,
    one_of,
    values_of,
    whisper,
)

PLAYERS = range(4, 5)  # HE-1
VERSION = 1

CARDS = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")  # HE-2
DECK, HAND, PASSED = (1 << 52) - 1, 13, 3
LOW_CLUB, JACK, QUEEN = CARDS.index("2c"), CARDS.index("Jd"), CARDS.index("Qs")
CLUBS, HEARTS = suit_of(0), suit_of(2)
POINT_CARDS = HEARTS | 1 << QUEEN
ALL_POINTS = 26
PASS = 52  # a card is played by its number, and passed by this and its number
DEALING, PASSING, PLAYING, SETTLED, OVER = range(5)
WAYS = ("hold", "left", "across", "right")  # by how many seats cards are passed on
IN_TURN = (1, 3, 2, 0)  # from deal to deal (HE-8)


class Hearts(Passing):
    pass_cards: int = choice("rotate", "left", "right", "across", "no", clauses="HE-8")
    can_lead_any_club: int = choice("no", "yes", clauses="HE-11")
    no_pts_on_first_trick: int = choice("yes", "no", clauses="HE-14")
    must_break_hearts: int = choice("yes", "no", clauses="HE-15")
    can_lead_hearts_instead_of_qs: int = choice("no", "yes", clauses="HE-15")
    qs_breaks_hearts: int = choice("yes", "no", clauses="HE-16 HE-15")
    jd_bonus: int = choice("no", "yes", clauses="HE-3")
    avoid_all_tricks_bonus: int = choice("no", "yes", clauses="HE-22")
    target: int = amount_option(100, 1, 1000, clauses="HE-23", kind="i2")
    deals: int = amount_option("all", 1, 255, clauses="HE-23", all=0)

    stage: int = number()
    points: list[int] = numbers(4, "i2")
    before: list[int] = numbers(4, "i2")  # points when the last deal was settled


ROTATE, LEFT, *_MORE = values_of(Hearts, "pass_cards")
_, ANY_CLUB = values_of(Hearts, "can_lead_any_club")
NO_POINTS, _ = values_of(Hearts, "no_pts_on_first_trick")
_, NEED_NOT_BREAK = values_of(Hearts, "must_break_hearts")
_, HEARTS_INSTEAD = values_of(Hearts, "can_lead_hearts_instead_of_qs")
QUEEN_BREAKS, _ = values_of(Hearts, "qs_breaks_hearts")
_, JACK_BONUS = values_of(Hearts, "jd_bonus")
_, NO_TRICKS_BONUS = values_of(Hearts, "avoid_all_tricks_bonus")


# ------------------------------------------------------------------------------------------ the deal, and passing


def begin(s: Hearts, to: Any) -> None:
    s.dealer = s.players - 1
    note(to, "HE-5", "deals", s.dealer, 1)


def next_deal(s: Hearts, to: Any) -> None:
    s.stage = DEALING
    s.dealer = (s.dealer + 1) % s.players
    for p in range(s.players):
        s.before[p] = s.points[p]
    note(to, "HE-5", "deals", s.dealer, s.deal + 1)


def chance(s: Hearts) -> int:
    return DECK & ~in_hands(s)


def deal_card(s: Hearts, k: int, to: Any) -> None:
    deal_next(s, k)
    if s.dealt == HAND * s.players:
        for p in range(s.players):
            whisper(to, "HE-6", "dealt", p, HAND, s.hand[p])
        s.stage = PASSING
        if way(s) == 0:
            note(to, "HE-8", "hold", EVERYBODY)
            open_play(s, to)


def way(s: Hearts) -> int:
    """By how many seats cards are passed on; 0 if they are not."""
    return IN_TURN[s.deal % 4 if s.pass_cards == ROTATE else s.pass_cards - LEFT]


def may_pass(s: Hearts, me: int, acts: list[int]) -> int:
    return list_cards(s.hand[me] & ~s.sent[me], PASS, acts)


def choose_card(s: Hearts, me: int, a: int, to: Any) -> None:
    """Nobody hears of it before everybody has chosen (HE-10)."""
    s.sent[me] |= 1 << (a - PASS)
    if not still_to_pass(s, PASSED):
        pass_cards(s, way(s))
        for p in range(s.players):
            note(to, "HE-9", "passes", p, PASSED, (p + way(s)) % s.players)
            whisper(to, "HE-10", "gets", p, s.got[p], (p - way(s) + s.players) % s.players)
        open_play(s, to)


# ------------------------------------------------------------------------------------------ the play


def open_play(s: Hearts, to: Any) -> None:
    s.stage = PLAYING
    lead_with(s, LOW_CLUB)
    note(to, "HE-11", "opens", s.leader)


def is_broken(s: Hearts) -> bool:
    """Whether hearts may be led (HE-15, HE-16)."""
    breaks = HEARTS | (s.qs_breaks_hearts == QUEEN_BREAKS) << QUEEN
    return s.must_break_hearts == NEED_NOT_BREAK or gone(s) & breaks != 0


def playable(s: Hearts, me: int) -> int:
    """Set of the cards that a player may play (HE-11, HE-13 to HE-15)."""
    hand, is_first, led = s.hand[me], in_tricks(s) == 0, card_led(s)
    if led >= 0:
        hand = following(hand, led)
        wanted = hand & ~POINT_CARDS if is_first and s.no_pts_on_first_trick == NO_POINTS else hand
    elif is_first:
        wanted = hand & CLUBS if s.can_lead_any_club == ANY_CLUB else 1 << LOW_CLUB
    else:
        wanted = hand if is_broken(s) else hand & ~HEARTS
        if wanted == 1 << QUEEN and s.can_lead_hearts_instead_of_qs == HEARTS_INSTEAD:
            wanted = hand
    return wanted if wanted else hand


def may_play(s: Hearts, me: int, acts: list[int]) -> int:
    return list_cards(playable(s, me), 0, acts)


def refuse_card(s: Hearts, me: int, a: int) -> str:
    if not s.hand[me] >> a & 1:
        return "HE-12" if a < PASS else "HE-9"
    if card_led(s) >= 0:
        return "HE-14" if following(s.hand[me], card_led(s)) >> a & 1 else "HE-13"
    return "HE-15" if in_tricks(s) else "HE-11"


def play_card(s: Hearts, me: int, c: int, to: Any) -> None:
    """What may be played only for want of anything else shows what the player lacks (HE-19)."""
    was_broken, leads = is_broken(s), card_led(s) < 0
    if leads and not was_broken and HEARTS >> c & 1:
        s.lacks[me] = ~(HEARTS | (s.can_lead_hearts_instead_of_qs == HEARTS_INSTEAD) << QUEEN)
    if in_tricks(s) == 0 and POINT_CARDS >> c & 1 and s.no_pts_on_first_trick == NO_POINTS:
        s.lacks[me] = ~POINT_CARDS
    play_passed(s, me, c, DECK)
    note(to, "HE-12", "leads" if leads else "plays", me, c)
    if is_broken(s) and not was_broken:
        note(to, "HE-16", "breaks", me, c)
    if is_complete(s):
        points = worth(s, in_trick(s))
        note(to, "HE-17", "takes", take_trick(s, 0), points)
        if not in_hands(s):
            settle(s, to)


def play_on(s: Hearts, to: Any) -> None:
    """Where all see that only one card may be played, nobody is asked: the two of clubs (HE-11), last cards (HE-18)."""
    while s.stage == PLAYING:
        p = whose_turn(s)
        opens = gone(s) == 0 and s.can_lead_any_club != ANY_CLUB
        if not opens and count(s.hand[p]) > 1:
            return
        play_card(s, p, lowest(playable(s, p)), to)


# ------------------------------------------------------------------------------------------ the score


def worth(s: Hearts, those: int) -> int:
    """The points of a set of cards (HE-3)."""
    jack = 10 if s.jd_bonus == JACK_BONUS else 0
    return count(those & HEARTS) + 13 * (those >> QUEEN & 1) - jack * (those >> JACK & 1)


def settle(s: Hearts, to: Any) -> None:
    moon = 0  # set of whoever has taken all point cards
    for p in range(s.players):
        moon |= (s.taken[p] & POINT_CARDS == POINT_CARDS & DECK) << p
    for p in range(s.players):
        scored = worth(s, s.taken[p])
        if moon >> p & 1:
            note(to, "HE-21", "moon", p, ALL_POINTS)
        if moon:
            scored += -ALL_POINTS if moon >> p & 1 else ALL_POINTS
        elif s.taken[p] == 0 and s.avoid_all_tricks_bonus == NO_TRICKS_BONUS:
            note(to, "HE-22", "no_tricks", p, 5)
            scored -= 5
        s.points[p] += scored
        note(to, "HE-20", "scores", p, scored, s.points[p])
    s.taken[0] = s.taken[1] = s.taken[2] = s.taken[3] = s.dealt = s.leader = 0
    s.deal += 1
    s.stage = SETTLED
    if deals_over(s, 0) or max(s.points[0], s.points[1], s.points[2], s.points[3]) >= s.target:
        s.stage = OVER
        note(to, "HE-23", "over", EVERYBODY, s.deal)


def returns(s: Hearts, out: list[float]) -> None:
    """By how many points each player is below the average (HE-4)."""
    for p in range(s.players):
        out[p] = sum_of(s.points) / s.players - s.points[p]


def deal_returns(s: Hearts, out: list[float]) -> None:
    for p in range(s.players):
        out[p] = (sum_of(s.points) - sum_of(s.before)) / s.players - (s.points[p] - s.before[p])


def sum_of(points: list[int]) -> int:
    return points[0] + points[1] + points[2] + points[3]


# ------------------------------------------------------------------------------------------ the stages at a glance

STAGES = (
    Stage(DEALING, "dealing", CHANCE, "HE-6", happens=deal_card),
    Stage(PASSING, "passing", SEVERAL, "HE-9", may_pass, choose_card, several=lambda s: still_to_pass(s, PASSED)),
    Stage(PLAYING, "playing", whose_turn, "HE-12", may_play, play_card, refuse_card),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL, "HE-23"),
)
actor, acting, legal, apply, happen, refuse = by_stage(STAGES, then=play_on)


# ------------------------------------------------------------------------------------------ who knows what

MINE = cards(CARDS, per=4, seats=True, optional=True).told(own=lambda s, me: s.stage > DEALING)  # HE-7, HE-10
THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    **open_things(CARDS),
    "way": one_of(WAYS).told(lambda s: s.stage <= PLAYING, value=way),
    "hand": MINE,
    "sent": MINE,
    "got": MINE,
    "points": amount(100, per=4, seats=True),
    "before": amount(100, per=4, seats=True),
}
show, show_own = by_thing(THINGS)


def redeal(s: Hearts, me: int, rng: list[int]) -> None:
    if s.stage == PLAYING and way(s):
        redeal_passed(s, me, DECK, HAND, PASSED, way(s), rng)
    else:
        redeal_tricks(s, DECK, HAND, rng)


def action_names(s: Hearts) -> list[str]:
    return [*(f"play {c}" for c in CARDS), *(f"pass {c}" for c in CARDS)]


def outcome_name(s: Hearts, k: int) -> str:
    return CARDS[k]
