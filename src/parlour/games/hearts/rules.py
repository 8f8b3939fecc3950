"""Hearts.  Clause ids (HE-n) refer to the rule book, ``book.md``.

This is a good game to read second: it has sealed choices (the passing), a match of several deals, and a redeal that
respects known voids.  The rules it shares with other trick-taking games are in ``parlour.rules.tricks``.  Cards are
numbered as in OpenSpiel's ``hearts``.
"""

from parlour.rules import matchplay, tricks
from parlour.rules.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    Each,
    Listener,
    Stage,
    amount,
    amount_option,
    by_stage,
    by_thing,
    choice,
    count,
    lowest,
    note,
    number,
    numbers,
    one_of,
    switch,
    values_of,
    whisper,
)

PLAYERS = range(4, 5)  # HE-1
VERSION = 1

CARDS = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")  # HE-2
DECK, HAND, PASSED = (1 << 52) - 1, 13, 3
LOW_CLUB, JACK, QUEEN = CARDS.index("2c"), CARDS.index("Jd"), CARDS.index("Qs")
CLUBS, HEARTS = tricks.suit_of(0), tricks.suit_of(2)
POINT_CARDS = HEARTS | 1 << QUEEN
ALL_POINTS = 26
PASS = 52  # ids of actions: card to play it, PASS + card to pass it
DEALING, PASSING, PLAYING, SETTLED, OVER = range(5)
WAYS = (1, 3, 2, 0)  # seats to pass on: left, right, across, none; in the order of deals and of options (HE-8)


class Hearts(tricks.Passing):
    pass_cards: int = choice("rotate", "left", "right", "across", "no", clauses="HE-8")
    can_lead_any_club: int = switch("no", clauses="HE-11")
    no_pts_on_first_trick: int = switch("yes", clauses="HE-14")
    must_break_hearts: int = switch("yes", clauses="HE-15")
    can_lead_hearts_instead_of_qs: int = switch("no", clauses="HE-15", when="must_break_hearts=yes")
    qs_breaks_hearts: int = switch("yes", clauses="HE-16 HE-15", when="must_break_hearts=yes")
    jd_bonus: int = switch("no", clauses="HE-3")
    avoid_all_tricks_bonus: int = switch("no", clauses="HE-22")
    target: int = amount_option(100, 1, 1000, clauses="HE-23", kind="i2")
    deals: int = amount_option("all", 1, 255, clauses="HE-23", all=0)

    stage: int = number()
    points: list[int] = numbers(4, "i2")
    before: list[int] = numbers(4, "i2")  # each player's points when the last deal was settled


ROTATE, LEFT, *_MORE = values_of(Hearts, "pass_cards")


# ------------------------------------------------------------------------------------------ the deal, and passing


def begin(s: Hearts, to: Listener) -> None:
    s.dealer = s.players - 1
    note(to, "HE-5", "deals", s.dealer, 1)


def next_deal(s: Hearts, to: Listener) -> None:
    s.stage = DEALING
    s.dealer = (s.dealer + 1) % s.players
    matchplay.remember(s.points, s.before, s.players)
    note(to, "HE-5", "deals", s.dealer, s.deal + 1)


def chance(s: Hearts) -> int:
    return DECK & ~tricks.in_hands(s)


def deal_card(s: Hearts, k: int, to: Listener) -> None:
    if tricks.deal_next(s, k, HAND):
        for p in range(s.players):
            whisper(to, "HE-6", "dealt", p, HAND, s.hand[p])
        s.stage = PASSING
        if way(s) == 0:
            note(to, "HE-8", "hold", EVERYBODY)
            open_play(s, to)


def way(s: Hearts) -> int:
    """Return how many seats on cards are passed; 0 if they are not passed."""
    return WAYS[s.deal % 4 if s.pass_cards == ROTATE else s.pass_cards - LEFT]


def yet_to_pass(s: Hearts) -> int:
    return tricks.still_to_pass(s, PASSED)


def may_pass(s: Hearts, me: int) -> int:
    return s.hand[me] & ~s.sent[me]


def choose_card(s: Hearts, me: int, a: int, to: Listener) -> None:
    """Choose a card to pass; nothing is told before everybody has chosen (HE-10)."""
    s.sent[me] |= 1 << (a - PASS)
    if not yet_to_pass(s):
        tricks.pass_cards(s, way(s))
        for p in range(s.players):
            note(to, "HE-9", "passes", p, PASSED, (p + way(s)) % s.players)
            whisper(to, "HE-10", "gets", p, s.got[p], (p - way(s) + s.players) % s.players)
        open_play(s, to)


# ------------------------------------------------------------------------------------------ the play


def open_play(s: Hearts, to: Listener) -> None:
    s.stage = PLAYING
    tricks.lead_with(s, LOW_CLUB)
    note(to, "HE-11", "opens", s.leader)


def is_broken(s: Hearts) -> bool:
    """Whether hearts may be led (HE-15, HE-16)."""
    return not s.must_break_hearts or tricks.gone(s) & with_queen(HEARTS, s.qs_breaks_hearts) != 0


def with_queen(those: int, too: int) -> int:
    """Return these cards, with the queen of spades if an option says so."""
    return those | too << QUEEN


def playable(s: Hearts, me: int) -> int:
    """Return the set of the cards that a player may play (HE-11, HE-13 to HE-15)."""
    hand, is_first, led = s.hand[me], tricks.in_tricks(s) == 0, tricks.card_led(s)
    if led >= 0:
        hand = tricks.following(hand, led)
        wanted = hand & ~POINT_CARDS if is_first and s.no_pts_on_first_trick else hand
    elif is_first:
        wanted = hand & CLUBS if s.can_lead_any_club else 1 << LOW_CLUB
    else:
        wanted = hand if is_broken(s) else hand & ~HEARTS
        if wanted == 1 << QUEEN and s.can_lead_hearts_instead_of_qs:
            wanted = hand
    return wanted if wanted else hand


def refuse_card(s: Hearts, me: int, a: int) -> str:
    if not s.hand[me] >> a & 1:
        return "HE-12" if a < PASS else "HE-9"
    if tricks.card_led(s) >= 0:
        return "HE-14" if tricks.following(s.hand[me], tricks.card_led(s)) >> a & 1 else "HE-13"
    return "HE-15" if tricks.in_tricks(s) else "HE-11"


def play_card(s: Hearts, me: int, c: int, to: Listener) -> None:
    """Play a card.  If it is allowed only for want of any other, everybody learns what the player lacks (HE-19)."""
    was_broken, leads = is_broken(s), tricks.card_led(s) < 0
    if leads and not was_broken and HEARTS >> c & 1:
        s.lacks[me] = ~with_queen(HEARTS, s.can_lead_hearts_instead_of_qs)
    if tricks.in_tricks(s) == 0 and POINT_CARDS >> c & 1 and s.no_pts_on_first_trick:
        s.lacks[me] = ~POINT_CARDS
    tricks.play_passed(s, me, c, DECK)
    note(to, "HE-12", "leads" if leads else "plays", me, c)
    if is_broken(s) and not was_broken:
        note(to, "HE-16", "breaks", me, c)
    if tricks.is_complete(s):
        points = worth(s, tricks.in_trick(s))
        note(to, "HE-17", "takes", tricks.take_trick(s, 0), points)
        if not tricks.in_hands(s):
            settle(s, to)


def play_on(s: Hearts, to: Listener) -> None:
    """Play on without asking while everybody knows that only one card may be played (HE-11, HE-18)."""
    while s.stage == PLAYING:
        p = tricks.whose_turn(s)
        if (tricks.gone(s) or s.can_lead_any_club) and count(s.hand[p]) > 1:
            return
        play_card(s, p, lowest(playable(s, p)), to)


# ------------------------------------------------------------------------------------------ the score


def worth(s: Hearts, those: int) -> int:
    """The points of a set of cards (HE-3)."""
    return count(those & HEARTS) + 13 * (those >> QUEEN & 1) - 10 * (those >> JACK & s.jd_bonus)


def settle(s: Hearts, to: Listener) -> None:
    shooter = tricks.owner(s.taken, POINT_CARDS & DECK, s.players)
    for p in range(s.players):
        scored = worth(s, s.taken[p])
        if p == shooter:
            note(to, "HE-21", "moon", p, ALL_POINTS)
            scored -= ALL_POINTS
        elif shooter >= 0:
            scored += ALL_POINTS
        elif s.taken[p] == 0 and s.avoid_all_tricks_bonus:
            note(to, "HE-22", "no_tricks", p, 5)
            scored -= 5
        s.points[p] += scored
        note(to, "HE-20", "scores", p, scored, s.points[p])
    tricks.gather(s)
    s.stage = SETTLED
    if matchplay.deals_over(s, 0) or max(s.points[0], s.points[1], s.points[2], s.points[3]) >= s.target:
        s.stage = OVER
        note(to, "HE-23", "over", EVERYBODY, s.deal)


def returns(s: Hearts, out: list[float]) -> None:
    """Write by how many points each player is below the average (HE-4)."""
    matchplay.below_average(s.points, s.players, out)


def deal_returns(s: Hearts, out: list[float]) -> None:
    matchplay.gains(s.points, s.before, s.players, out)
    matchplay.below_average(out, s.players, out)


# ------------------------------------------------------------------------------------------ stages and observations

STAGES = (
    Stage(DEALING, "dealing", CHANCE, "HE-6", happens=deal_card),
    Stage(PASSING, "passing", SEVERAL, "HE-9", Each(may_pass, PASS), choose_card, several=yet_to_pass),
    Stage(PLAYING, "playing", tricks.whose_turn, "HE-12", Each(playable), play_card, refuse_card),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL, "HE-23"),
)
actor, acting, legal, apply, happen, refuse = by_stage(STAGES, then=play_on)

THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    **tricks.open_things(CARDS),
    "way": one_of(("hold", "left", "across", "right")).told(lambda s: s.stage <= PLAYING, value=way),
    **tricks.own_things(CARDS, lambda s, me: s.stage > DEALING),  # HE-7, HE-10
    **dict.fromkeys(("points", "before"), amount(100, per=4, seats=True)),
}
show, show_own = by_thing(THINGS)


def redeal(s: Hearts, me: int, rng: list[int]) -> None:
    tricks.redeal_passed(s, me, DECK, HAND, PASSED, way(s), rng)


def action_names(s: Hearts) -> list[str]:
    return [*(f"play {c}" for c in CARDS), *(f"pass {c}" for c in CARDS)]
