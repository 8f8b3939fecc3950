"""Commit.  Clause ids (CO-n) refer to the rule book, ``book.md``; what all stops games share is in ``parlour.stops``.

What only the comet's holder may do must not show.  So whenever a card is asked for and the comet may still be in a
hand, there is one step that only he can fill with a choice; if nobody has one, chance takes the step, with the single
outcome that the question goes round.  The same holds for the choice between two cards after the comet.
"""

from typing import Any

from parlour.matchplay import deals_over, everybody_sits, gains, pay, place
from parlour.stops.play import (
    ACES,
    CARD_NAMES,
    DEALING,
    DRAWING,
    EIGHT_OF_DIAMONDS,
    KINGS,
    LEADING,
    NEXT,
    NINE_OF_DIAMONDS,
    OUT,
    OVER,
    PACK,
    RANKS,
    RUNNING,
    SETTLED,
    STAGES,
    TEN_OF_DIAMONDS,
    Stops,
    ask,
    assign,
    collect,
    deal_hidden,
    deny,
    distance,
    eldest_leads,
    fill_stock,
    gather,
    give,
    holder,
    is_stopped,
    lead,
    left_of,
    list_cards,
    only_card,
    pay_to,
    put,
    refuse_lead,
    restore_table,
    seats_between,
    show_hands,
    show_table,
    take_lead,
)
from parlour.stops.play import THINGS as STOPS_THINGS
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    TERMINAL,
    amount,
    amount_option,
    choice,
    count,
    lowest,
    note,
    number,
    one_of,
    seat_option,
    seat_set,
    tell,
    whisper,
)

PLAYERS = range(2, 9)  # CO-5
VERSION = 1

CARDS = CARD_NAMES
COMET, TEN = NINE_OF_DIAMONDS, TEN_OF_DIAMONDS
BONUS = KINGS | 1 << COMET  # cards that are paid for whenever they are played
ASKING, CHOOSING = 7, 8  # stages besides those of all games of stops: see the top of this file
LEAD, PLAY_COMET, PASS, TAKE = 0, 52, 53, 54  # the first action of each kind

# Options with two values: 0 is the default, the other is 1.
WINNER = CAP = 1
DRAW = 255

DECK = PACK & ~(1 << EIGHT_OF_DIAMONDS)  # CO-1
LEFT_OVER = 3  # at least so many cards (CO-10)


def cards_each(players: int, literal: bool) -> int:
    """As many as leave some over; or as many as go round, but nine for five players (CO-10)."""
    most = (count(DECK) - (0 if literal else LEFT_OVER)) // max(1, players)
    return min(most, 9) if players == 5 else most


EACH = tuple(cards_each(n, literal) for literal in (False, True) for n in range(10))  # at 10 * deal_table + players


class Commit(Stops):
    pool_stake: int = amount_option(1, 1, 1000, clauses="CO-8", kind="i4")
    start_counters: int = amount_option(100, 0, 1000, clauses="CO-54", kind="i4")
    first_dealer: int = seat_option("draw", clauses="CO-6", draw=DRAW)
    deal_table: int = choice("three_stops", "literal", clauses="CO-10")
    comet_self: int = choice("no", "yes", clauses="CO-33")
    king_penalty: int = choice("all_others", "winner", clauses="CO-49 CO-50 CO-51")
    shortfall: int = choice("credit", "cap", clauses="CO-57")
    rounds: int = amount_option(2, 1, 31, clauses="CO-55")

    pool: int = number("i4")
    wanted: int = number("i1")  # the card that is asked for
    asked: int = number("i2")  # set with the one player who has a choice that nobody else must notice
    drawing: int = number("i2")  # set of those who draw for the first deal


# ------------------------------------------------------------------------------------------ the deal


def each(s: Commit) -> int:
    """How many cards every player gets (CO-10)."""
    return EACH[10 * s.deal_table + s.players]


def begin(s: Commit, to: Any) -> None:
    everybody_sits(s)
    for p in range(s.players):
        s.coins[p] = s.before[p] = s.start_counters
    if s.first_dealer == DRAW:
        draw_for_deal(s, s.seated)
    else:
        s.dealer = s.first_dealer
        start_deal(s, to)


def draw_for_deal(s: Commit, those: int) -> None:
    """They draw from the full pack (CO-6)."""
    gather(s, DECK)
    s.stage = DRAWING
    s.drawing = those
    s.player = lowest(those)


def drawn(s: Commit, c: int, to: Any) -> None:
    """A card is drawn; after the last one the lowest deals, or those who tie draw again (CO-6)."""
    note(to, "CO-6", "draws", s.player, c)
    s.played[s.player] = 1 << c
    s.gone |= 1 << c
    s.stock ^= 1 << c
    later = s.drawing >> (s.player + 1)
    if later:
        s.player += 1 + lowest(later)
        return
    best = RANKS
    those = 0
    for p in range(s.players):
        if s.played[p]:
            r = lowest(s.played[p]) % RANKS
            if r <= best:
                those = (those if r == best else 0) | 1 << p
                best = r
    if count(those) > 1:
        note(to, "CO-6", "draw_again", EVERYBODY, count(those))
        draw_for_deal(s, those)
    else:
        s.drawing = 0
        s.dealer = lowest(those)
        note(to, "CO-6", "deals_first", s.dealer)
        start_deal(s, to)


def start_deal(s: Commit, to: Any) -> None:
    """Everybody pays into the pool (CO-8), and the pack is dealt (CO-9)."""
    for p in range(s.players):
        paid = pay(s.coins, p, s.pool_stake, s.shortfall == CAP)
        note(to, "CO-8", "stakes", p, paid)
        s.pool += paid
    gather(s, DECK)
    s.stage = DEALING
    note(to, "CO-9", "deals", s.dealer, each(s))


def deal_card(s: Commit, c: int, to: Any) -> None:
    give(s, c)
    if s.dealt == each(s) * s.players:
        note(to, "CO-11", "stock", EVERYBODY, count(s.stock))
        for p in range(s.players):
            whisper(to, "CO-12", "dealt", p, count(s.hand[p]), s.hand[p])
        eldest_leads(s, to)
        go_on(s, -1, to)


# ------------------------------------------------------------------------------------------ the play


def go_on(s: Commit, led: int, to: Any) -> None:
    """A card is led (``led``, if that is not -1), and what follows by itself, until somebody has a choice or the deal
    is over."""
    c = led
    while True:
        if c >= 0:
            lead(s, c, to)
            if ACES >> c & 1:
                note(to, "CO-44", "paid", s.player, collect(s, s.player, 1), c)
            play(s, s.player, c, to)
            c = -1
        elif s.stage == RUNNING:
            follow(s, to)
        elif s.stage == OUT:
            settle(s, to)
        else:
            c = only_card(s, to) if s.stage == LEADING else -1
            if c < 0:
                return


def play(s: Commit, p: int, c: int, to: Any) -> None:
    """A card is laid on the table, and paid for (CO-43, CO-45 to CO-47)."""
    put(s, p, c)
    if BONUS >> c & 1:
        if c == COMET:
            note(to, "CO-45", "paid", p, collect(s, p, 2), c)
        else:
            note(to, "CO-43", "paid", p, collect(s, p, 1), c)


def follow(s: Commit, to: Any) -> None:
    """The next card is played by the same player, or asked for, or the same player leads (CO-15 to CO-23)."""
    p = s.player
    n = NEXT[s.card]
    if is_stopped(s, n, to):
        take_lead(s, p)
    elif s.hand[p] >> n & 1:
        note(to, "CO-15", "goes_on", p, n)
        play(s, p, n, to)
    else:
        note(to, "CO-16", "fails", p, n)
        s.wanted = n
        if s.gone >> COMET & 1:
            go_round(s, to)
        else:
            s.stage = ASKING
            s.asked = may_play_comet(s)


def may_play_comet(s: Commit) -> int:
    """Who is asked for the wanted card, does not hold it and holds the comet: a set of one player or of none (CO-30,
    CO-32, CO-33)."""
    comet = holder(s, COMET)
    if (comet == 0) | ((comet == 1 << s.player) & (s.comet_self == 0)):
        return 0
    first = s.player if s.comet_self else left_of(s, s.player)
    wanted = holder(s, s.wanted)
    if wanted and distance(s, first, lowest(wanted)) <= distance(s, first, lowest(comet)):
        return 0
    return comet


def go_round(s: Commit, to: Any) -> None:
    """The wanted card is asked for round the table (CO-17 to CO-19; where the comet has interrupted a sequence, and was
    not led, CO-35, CO-36 and CO-39)."""
    p = s.player
    n = s.wanted
    interrupted = (s.card == COMET) & (n != TEN)
    s.wanted = 0
    q = ask(s, n, to)
    if q >= 0:
        if interrupted:
            note(to, "CO-36", "continues", q, n)
        else:
            note(to, "CO-17", "plays", q, n)
        play(s, q, n, to)
    else:
        if interrupted:
            note(to, "CO-39", "unanswered", p)
        else:
            note(to, "CO-19", "silent_stop", p, n)
        take_lead(s, p)


def put_comet(s: Commit, me: int, to: Any) -> None:
    """The comet interrupts the sequence: two cards can continue, if the ten has not been played (CO-30, CO-34)."""
    n = s.wanted
    s.wanted = 0
    first = left_of(s, s.player)
    asked = distance(s, first, me) if me != s.player else 0
    deny(s, first, n, asked, to)
    note(to, "CO-30", "comet", me, n)
    s.lacks[s.player] |= 1 << n
    s.lacks[me] |= 1 << n
    for _ in range(asked):
        s.lacks[first] |= 1 << n
        first = left_of(s, first)
    play(s, me, COMET, to)
    if s.stage == RUNNING:
        s.wanted = n
        if (s.gone | s.out) >> TEN & 1:
            go_round(s, to)
        else:
            note(to, "CO-34", "either", EVERYBODY, n, TEN)
            s.stage = CHOOSING
            s.asked = may_take(s)


def may_take(s: Commit) -> int:
    """Who is the first to hold one of the two cards and holds both: a set of one player or of none (CO-37)."""
    q = s.player
    for _ in range(s.players):
        q = left_of(s, q)
        has_wanted = s.hand[q] >> s.wanted & 1
        has_ten = s.hand[q] >> TEN & 1
        if has_wanted | has_ten:
            return (has_wanted & has_ten) << q
    return 0


def continue_comet(s: Commit, chosen: int, to: Any) -> None:
    """The first player who holds one of the two cards plays it; who holds both, the one he has ``chosen`` (CO-35 to
    CO-39)."""
    p = s.player
    n = s.wanted
    s.wanted = 0
    q = p
    for _ in range(s.players):
        q = left_of(s, q)
        has_wanted = s.hand[q] >> n & 1
        has_ten = s.hand[q] >> TEN & 1
        if has_wanted | has_ten:
            c = chosen if has_wanted & has_ten else n if has_wanted else TEN
            note(to, "CO-36", "continues", q, c)
            play(s, q, c, to)
            return
        note(to, "CO-35", "has_neither", q, n, TEN)
        s.lacks[q] |= 1 << n | 1 << TEN
    note(to, "CO-39", "unanswered", p)
    take_lead(s, p)


# ------------------------------------------------------------------------------------------ settlement


def settle(s: Commit, to: Any) -> None:
    """A player is out: he takes the pool, and Kings and the comet are paid for that are left in hands (CO-48 to
    CO-53)."""
    winner = s.player
    note(to, "CO-27", "out", winner)
    show_hands(s, to)
    note(to, "CO-48", "takes_pool", winner, s.pool)
    s.coins[winner] += s.pool
    s.pool = 0
    p = winner
    for _ in range(s.players - 1):
        p = left_of(s, p)
        if s.hand[p] & BONUS:
            kings = count(s.hand[p] & KINGS)
            if kings:
                note(to, "CO-49", "pays_kings", p, kings, penalty(s, p, winner, kings))
            if s.hand[p] >> COMET & 1:
                note(to, "CO-50", "pays_comet", p, penalty(s, p, winner, 2))
    s.deal += 1
    s.stage = SETTLED
    if deals_over(s, s.rounds * s.players):
        s.stage = OVER
        for p in range(s.players):
            note(to, "CO-58", "ranks", p, place(s.coins, s.seated, p), s.coins[p])


def penalty(s: Commit, p: int, winner: int, n: int) -> int:
    """A player pays so much to every other player, clockwise, or to the winner alone (CO-51, CO-57); what he pays."""
    total = 0
    q = left_of(s, p)
    while q != p:
        if (s.king_penalty != WINNER) | (q == winner):
            total += pay_to(s, p, q, n)
        q = left_of(s, q)
    return total


def next_deal(s: Commit, to: Any) -> None:
    for p in range(s.players):
        s.before[p] = s.coins[p]
    s.dealer = left_of(s, s.dealer)
    note(to, "CO-7", "deal_passes", s.dealer, s.deal + 1)
    start_deal(s, to)


def returns(s: Commit, out: list[float]) -> None:
    """Counters won or lost in the match."""
    for p in range(s.players):
        out[p] = float(s.coins[p] - s.start_counters)


def deal_returns(s: Commit, out: list[float]) -> None:
    """Counters won or lost since the deal before was settled."""
    gains(s.coins, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: Commit) -> int:
    if s.stage == LEADING:
        return s.player
    if s.stage <= DEALING:
        return CHANCE
    if s.stage >= ASKING:
        return lowest(s.asked) if s.asked else CHANCE
    return DEAL_OVER if s.stage == SETTLED else TERMINAL


def chance(s: Commit) -> int:
    """The cards that may be drawn or dealt; else that the question goes round."""
    return s.stock if s.stage <= DEALING else 1


def happen(s: Commit, k: int, to: Any) -> None:
    if s.stage == DEALING:
        deal_card(s, k, to)
    elif s.stage == DRAWING:
        drawn(s, k, to)
    else:
        answer(s, CHANCE, k, to)


def legal(s: Commit, me: int, acts: list[int]) -> int:
    if s.stage == LEADING:
        return list_cards(s.hand[me], LEAD, acts)
    if s.stage == ASKING:
        acts[0] = PLAY_COMET
        acts[1] = PASS
    else:
        acts[0] = TAKE + min(s.wanted, TEN)
        acts[1] = TAKE + max(s.wanted, TEN)
    return 2


def likely(s: Commit, me: int, acts: list[int]) -> int:
    """Lead a King or the comet, else the lowest of cards that follow each other; play the comet when it is possible."""
    if s.stage == ASKING:
        acts[0] = PLAY_COMET
        return 1
    if s.stage == LEADING:
        mine = s.hand[me]
        return list_cards(mine & BONUS if mine & BONUS else mine & ~((mine & ~KINGS) << 1), LEAD, acts)
    return legal(s, me, acts)


def hushed(s: Commit) -> bool:
    """Whether somebody may be asked what nobody else must notice: see the top of this file."""
    return s.stage >= ASKING


def silence(s: Commit, me: int) -> int:
    """Who says nothing keeps the comet, or plays the card that was asked for first."""
    return TAKE + s.wanted if s.stage == CHOOSING else PASS


def apply(s: Commit, me: int, a: int, to: Any) -> None:
    if s.stage == LEADING:
        go_on(s, a - LEAD, to)
    else:
        answer(s, me, a, to)


def answer(s: Commit, me: int, a: int, to: Any) -> None:
    """The step that somebody may have filled with a choice: ``me`` did ``a``, or chance let the question go round."""
    s.asked = 0
    if s.stage == CHOOSING:
        if me != CHANCE:
            whisper(to, "CO-37", "chooses", me, a - TAKE)
        continue_comet(s, a - TAKE, to)
    elif a == PLAY_COMET:
        put_comet(s, me, to)
    else:
        if me != CHANCE:
            whisper(to, "CO-31", "keeps", me)
        go_round(s, to)
    go_on(s, -1, to)


# ------------------------------------------------------------------------------------------ telling

THINGS = {
    "stage": one_of((*STAGES, "question", "two cards")),
    "drawing": seat_set(),
    "pool": amount(20),
    "wanted": one_of(CARDS),
    **STOPS_THINGS,
    "asked": seat_set(optional=True),
}


def show(s: Commit, to: Any) -> None:
    show_table(s, to)
    tell(to, "pool", 0, s.pool)
    tell(to, "drawing", 0, s.drawing)
    if s.stage >= ASKING:
        tell(to, "wanted", 0, s.wanted)


def show_own(s: Commit, me: int, to: Any) -> None:
    """His hand, once it is complete, and that he has a choice which nobody else must notice."""
    if (s.stage > DEALING) & (s.stage != OVER):
        tell(to, "hand", me, s.hand[me])
        if s.asked >> me & 1:
            tell(to, "asked", 0, s.asked)


def restore(s: Commit, me: int) -> None:
    restore_table(s)
    if s.stage == DRAWING:
        s.stock = DECK & ~s.gone


def redeal(s: Commit, me: int, rng: list[int]) -> None:
    """The cards I do not see may be anywhere, but in no hand whose holder has said that he lacks them."""
    if s.stage == DRAWING:
        return
    fill_stock(s)
    if (s.stage == ASKING) & (s.hand[me] >> s.wanted & 1 == 0):
        assign(s, s.wanted, may_hold_wanted(s, me), rng)
    deal_hidden(s, rng)
    if s.stage == ASKING:
        s.asked = may_play_comet(s)
    elif s.stage == CHOOSING:
        s.asked = may_take(s)


def may_hold_wanted(s: Commit, me: int) -> int:
    """Where the wanted card may be, as far as ``me`` knows, who does not have it (-1: a spectator): a set of seats and,
    as member number ``players``, the stock.  Who holds the comet can tell more from being asked, or from not being
    asked: nobody before him has the card, or somebody."""
    others = ((2 << s.players) - 1) & ~(1 << s.player)
    if me < 0:
        return others
    others &= ~(1 << me)
    if (me == s.player) | (s.hand[me] >> COMET & 1 == 0):
        return others
    before_me = seats_between(s, s.player, me)
    return others & ~before_me if s.asked else before_me


# ------------------------------------------------------------------------------------------ names and refusals


def action_names(s: Commit) -> list[str]:
    return [*(f"lead {c}" for c in CARDS), "comet", "pass", *(f"take {c}" for c in CARDS)]


def outcome_name(s: Commit, k: int) -> str:
    return CARDS[k] if s.stage <= DEALING else "round"


def refuse(s: Commit, me: int, a: int) -> str:
    if s.stage == OVER:
        return "CO-55"
    if s.stage == DRAWING:
        return "CO-6"
    if s.stage == DEALING:
        return "CO-9"
    if a >= TAKE:
        return "CO-37"
    if a >= PLAY_COMET:
        if s.stage == LEADING and me == s.player:
            return "CO-25" if a == PASS else "CO-40"
        if a == PASS:
            return "CO-31"
        if s.hand[me] >> COMET & 1 == 0:
            return "CO-30"
        if s.stage == ASKING and me == s.player:
            return "CO-33"
        if s.stage == ASKING and s.hand[me] >> s.wanted & 1:
            return "CO-32"
        return "CO-41" if s.stage == LEADING else "CO-30"
    return refuse_lead(s, me)
