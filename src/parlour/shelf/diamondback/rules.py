"""Diamondback, Dealer's Diamondback and Match Diamondback.  Clause ids (DB-n) refer to the rule book, ``book.md``.

Cards of one rank are alike, so a hand is one of fourteen kinds, numbered by what it is worth: kind h is worth 5 * h
points.  Sets of seats are integers, one bit a seat.
"""

from typing import Any

from parlour.matchplay import (
    Match,
    after,
    deals_over,
    everybody_sits,
    gains,
    is_seated,
    leave_table,
    most,
    odd_coins,
    share_out,
)
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    amount,
    amount_option,
    below,
    choice,
    count,
    lowest,
    note,
    number,
    numbers,
    one_of,
    seat,
    seat_option,
    seat_set,
    tell,
    whisper,
)

PLAYERS = range(2, 6)  # DB-9; five only with seats_max=5
VERSION = 1

SEATS = 5
CARDS = ("Magician", "Priestess", "Queen", "King", "Priest")  # high to low in the draw for the first deal (DB-12)
PRIEST = 4
POINTS = 5  # a hand is worth this times its kind

# Table 2, from the lowest hand up: the higher card of each kind, then the lower one.  Kind 0 is a hand not known.
HIGHER = (0, 4, 3, 2, 3, 2, 0, 2, 1, 1, 1, 0, 0, 1, 0)
LOWER = (0, 4, 4, 4, 3, 2, 4, 3, 4, 2, 3, 3, 2, 1, 1)
KIND = tuple(
    next((h for h in range(1, 15) if (HIGHER[h], LOWER[h]) == (min(a, b), max(a, b))), 0)
    for a in range(5)
    for b in range(5)
)
HANDS = tuple(f"{CARDS[HIGHER[h]]}-{CARDS[LOWER[h]]}" for h in range(1, 15))

# A stock of cards is one integer with a byte for each rank.
MAGICIAN = 1
EACH_FURTHER = 2 << 8 | 3 << 16 | 4 << 24 | 5 << 32  # what each player but one adds to it (Table 1)

DRAWING, ANTE, PAYING, DEALING, OPENING, ANSWER, EXPOSING, SEALED, FURTHER, SAYING, VOTING, SETTLED, OVER = range(13)
FOLD, MATCH_IT, STOP, ON, EXPOSE, PAY, DECLINE, CONTINUE, END, LEAVE, WAGER = 0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 13

# Values of options that are not the default, 0.
DEALERS, MATCH = 1, 2
WINNER, KEEP = 1, 2
TO_FOLD = SHOWDOWN = LEFT_OF_DEALER = NO = YES = NEAREST_LEFT = WITHIN_HAND = WHOLE_STACK = 1
OTHERS_TOGETHER, ALL_TOGETHER = 1, 2
DIVIDE, CARRY = 1, 2
DRAW = 255


class Diamondback(Match):
    version: int = choice("standard", "dealers", "match", clauses="DB-62 DB-65 DB-71 DB-75")
    seats_max: int = amount_option(4, 4, 5, clauses="DB-2 DB-9 DB-48 DB-49 DB-50 DB-51")
    start_coins: int = amount_option(100, 1, 1000, clauses="DB-10 DB-83", kind="i2")
    first_dealer: int = seat_option("draw", clauses="DB-11", draw=DRAW)
    next_dealer: int = choice("rotate", "winner", "keep", clauses="DB-15")
    wager_limit: int = amount_option(10, 1, 1000, clauses="DB-38 DB-64 DB-69", kind="i2", none=0)
    short_stack: int = choice("cap", "fold", clauses="DB-38 DB-39 DB-64 DB-69 DB-70")
    min_second_wagers: int = amount_option(1, 0, 20, clauses="DB-27 DB-39", kind="i1")
    max_second_wagers: int = amount_option("none", 1, 20, clauses="DB-30", kind="i1", none=0)
    exposure: int = choice("sequential", "others_together", "all_together", clauses="DB-24 DB-25")
    tie_scope: int = choice("dealt_in", "showdown", clauses="DB-47 DB-48 DB-49 DB-50 DB-51 DB-52")
    odd_coin: int = choice("stay", "left_of_dealer", clauses="DB-53")
    broke_tie: int = choice("stay", "divide", "carry", clauses="DB-55")
    dealer_fold: int = choice("yes", "no", clauses="DB-42 DB-93")
    hands: int = amount_option("usual", 1, 200, clauses="DB-58", usual=0)
    dealer_tops_up: int = choice("no", "yes", clauses="DB-67 DB-69")
    ante_decline: int = choice("no", "yes", clauses="DB-63")
    tie_dealer: int = choice("keep", "nearest_left", clauses="DB-72")
    match_unit: int = choice("session", "within_hand", clauses="DB-29 DB-31 DB-75")
    forfeit: int = choice("winnings", "whole_stack", clauses="DB-83")
    match_max_hands: int = amount_option(200, 1, 200, clauses="DB-87")

    turn: int = number("i1")  # who is to act: a player, or what `actor` says else
    stage: int = number("i1")
    successor: int = number("i1")  # who deals next
    coins: list[int] = numbers(SEATS, "i2")
    before: list[int] = numbers(SEATS, "i2")  # coins when the last hand was settled
    gone: list[int] = numbers(SEATS)  # the hand after which a player left, 0 while he is there
    kept: int = number("i1")  # set of the players without coins whose seat waits for a carried pot (DB-55)
    pot: int = number("i2")
    carried: int = number("i2")  # how much of it was there before the hand
    dealt: int = number("i1")  # set of the players dealt in
    live: int = number("i1")  # set of those in the hand; in the draw, of those who draw
    hand: list[int] = numbers(SEATS, "i1")  # kind of hand, 0 if not known
    up: list[int] = numbers(SEATS, "i1")  # the card exposed (or drawn) plus 1; at a sealed choice, the one chosen
    wager: int = number("i2")  # the wager or ante that is being answered
    rounds: int = number("i2")  # further wagers made in this hand
    ends: int = number("i1")  # set of the players who said `end` (between hands) or `stop` (match_unit=within_hand)
    quits: int = number("i1")  # set of the players who said `leave`
    heirs: int = number("i1")  # set of those who would divide a pot left at the end (DB-60)
    left: int = number("i8")  # the stock that is being dealt from
    at: int = number("i1")  # who gets the next card
    out: int = number("i1")  # cards dealt so far
    first: list[int] = numbers(SEATS, "i1")  # while dealing: a player's first card plus 1


# ------------------------------------------------------------------------------------------ seats, coins and cards


def ask(s: Diamondback, stage: int, who: int) -> None:
    """It is ``who``'s turn: a player's, or whose `actor` says."""
    s.stage = stage
    s.turn = who


def who_has(what: list[int], those: int, value: int) -> int:
    """Which of those have just this."""
    found = 0
    for p in range(SEATS):
        found |= (what[p] == value) << p
    return found & those


def opponents(s: Diamondback) -> int:
    """Those in the hand but the dealer."""
    return s.live & ~(1 << s.dealer)


def poorest(s: Diamondback, those: int) -> int:
    """The coins of the poorest of those."""
    coins = s.coins[lowest(those)]
    while those:
        coins = min(coins, s.coins[lowest(those)])
        those &= those - 1
    return coins


def within_limit(s: Diamondback, coins: int) -> int:
    """No more than the table limit."""
    return min(coins, s.wager_limit) if s.wager_limit else coins


def pay(s: Diamondback, p: int, coins: int) -> None:
    s.coins[p] -= coins
    s.pot += coins


def full_deck(n: int) -> int:
    """The stock for n players (DB-2)."""
    return MAGICIAN + (n - 1) * EACH_FURTHER


def in_stock(stock: int, rank: int) -> int:
    return stock >> (8 * rank) & 255


def within_hand(s: Diamondback) -> bool:
    return (s.version == MATCH) & (s.match_unit == WITHIN_HAND)


def session(s: Diamondback) -> bool:
    """Whether the players say between hands if they go on (DB-75)."""
    return (s.version == MATCH) & (s.match_unit != WITHIN_HAND)


# ------------------------------------------------------------------------------------------ the draw for the first deal


def begin(s: Diamondback, to: Any) -> None:
    everybody_sits(s)
    for p in range(s.players):
        s.coins[p] = s.before[p] = s.start_coins
    if s.first_dealer == DRAW:
        draw_for_deal(s, s.seated)
    else:
        s.successor = s.first_dealer
        start_hand(s, to)


def draw_for_deal(s: Diamondback, those: int) -> None:
    """They draw from a full deck (DB-11, DB-14)."""
    s.live = those
    s.left = full_deck(s.players)
    s.at = lowest(those)
    for p in range(s.players):
        s.up[p] = 0
    ask(s, DRAWING, CHANCE)


def drawn(s: Diamondback, k: int, to: Any) -> None:
    """A card is drawn; after the last one the highest deals, or those who tie draw again (DB-13)."""
    note(to, "DB-11", "draws", s.at, k)
    s.up[s.at] = k + 1
    if s.live >> (s.at + 1):
        s.at = after(s.live, s.at)
        return
    best = PRIEST + 1
    for p in range(s.players):
        if s.up[p] > 0:
            best = min(best, s.up[p])
    highest = who_has(s.up, s.live, best)
    if count(highest) > 1:
        note(to, "DB-13", "draw_again", EVERYBODY, count(highest))
        draw_for_deal(s, highest)
    else:
        s.successor = lowest(highest)
        s.left = s.at = 0
        note(to, "DB-12", "deals_first", s.successor)
        start_hand(s, to)


# ------------------------------------------------------------------------------------------ the ante and the deal


def start_hand(s: Diamondback, to: Any) -> None:
    """A hand begins: in Dealer's Diamondback with the ante (DB-62), otherwise with the deal."""
    s.dealer = s.successor
    if not is_seated(s, s.successor):
        s.dealer = after(s.seated, s.successor)  # he has left since
    s.carried = s.pot
    s.rounds = s.ends = s.quits = s.heirs = s.successor = 0
    for p in range(s.players):
        s.up[p] = s.hand[p] = 0
    s.live = 0
    s.dealt = s.seated
    if s.version == DEALERS:
        highest = highest_ante(s)
        if highest > 1:
            s.dealt = 1 << s.dealer
            ask(s, ANTE, s.dealer)
            return
        if highest == 1:
            lay_ante(s, 1, to)
            return
        note(to, "DB-94", "no_ante", s.dealer)
    deal(s, to)


def highest_ante(s: Diamondback) -> int:
    """DB-64."""
    top = s.coins[s.dealer] if s.short_stack == TO_FOLD else poorest(s, s.seated)
    return within_limit(s, top)


def lay_ante(s: Diamondback, n: int, to: Any) -> None:
    note(to, "DB-62", "antes", s.dealer, n)
    pay(s, s.dealer, n)
    s.wager = n
    s.dealt = 1 << s.dealer
    ask_for_ante(s, s.dealer, to)


def ask_for_ante(s: Diamondback, p: int, to: Any) -> None:
    """Those after p pay the ante (DB-63), or are asked whether they do [ante_decline]."""
    q = after(s.seated, p)
    while q != s.dealer:
        if s.coins[q] < s.wager:
            note(to, "DB-64", "sits_out", q)
        elif s.ante_decline:
            ask(s, PAYING, q)
            return
        else:
            pay_ante(s, q, to)
        q = after(s.seated, q)
    s.wager = 0
    if s.dealt == 1 << s.dealer:
        note(to, "DB-63", "unopposed", s.dealer, s.pot)
        s.live = s.dealt
        collect(s, s.dealer)
    else:
        deal(s, to)


def pay_ante(s: Diamondback, p: int, to: Any) -> None:
    note(to, "DB-63", "pays_ante", p, s.wager)
    pay(s, p, s.wager)
    s.dealt |= 1 << p


def deal(s: Diamondback, to: Any) -> None:
    """The deck is for the number dealt in (DB-3); the dealer's left gets the first card (DB-17)."""
    note(to, "DB-16", "deals", s.dealer, count(s.dealt))
    s.live = s.dealt
    s.left = full_deck(count(s.dealt))
    s.at = after(s.dealt, s.dealer)
    ask(s, DEALING, CHANCE)


def give_card(s: Diamondback, k: int, to: Any) -> None:
    p = s.at
    if s.first[p] == 0:
        s.first[p] = k + 1
    else:
        s.hand[p] = KIND[5 * (s.first[p] - 1) + k]
    s.at = after(s.dealt, p)
    s.out += 1
    if s.out == 2 * count(s.dealt):
        s.left = s.at = s.out = 0
        for q in range(s.players):
            if s.hand[q] > 0:
                s.first[q] = 0
                whisper(to, "DB-18", "dealt", q, HIGHER[s.hand[q]], LOWER[s.hand[q]])
        open_betting(s, to)


# ------------------------------------------------------------------------------------------ betting


def highest_wager(s: Diamondback) -> int:
    """DB-38, and DB-69 where the others pay double; 0 if there can be no wager."""
    double = s.version == DEALERS
    top = within_limit(s, s.coins[s.dealer] >> (double & s.dealer_tops_up))
    return top if s.short_stack == TO_FOLD else min(top, poorest(s, opponents(s)) >> double)


def owed(s: Diamondback) -> int:
    """What an opponent pays to stay in: the wager (DB-40), in Dealer's Diamondback twice the wager (DB-65, DB-66)."""
    return s.wager << (s.version == DEALERS)


def open_betting(s: Diamondback, to: Any) -> None:
    highest = highest_wager(s)
    if highest == 0:
        if s.version == DEALERS:
            note(to, "DB-70", "no_wager", s.dealer)
        else:
            note(to, "DB-39", "no_wager", s.dealer)
        ask_for_cards(s)
    elif highest == 1 and not may_fold(s):
        lay_wager(s, 1, to)
    else:
        ask(s, OPENING, s.dealer)


def may_fold(s: Diamondback) -> bool:
    """Whether the dealer may fold instead of opening (DB-42, DB-93)."""
    return (s.version != DEALERS) & (s.dealer_fold != NO)


def lay_wager(s: Diamondback, n: int, to: Any) -> None:
    if s.up[s.dealer] == 0:
        note(to, "DB-20", "wagers", s.dealer, n)
    else:
        if s.rounds < s.min_second_wagers:
            note(to, "DB-27", "wagers_again", s.dealer, n)
        else:
            note(to, "DB-29", "wagers_again", s.dealer, n)
        s.rounds += 1
    pay(s, s.dealer, n)
    s.wager = n
    if not ask_next(s, s.dealer, to):
        unmatched(s, to)


def ask_next(s: Diamondback, p: int, to: Any) -> bool:
    """The next opponent after p answers the wager (DB-22); false if there is none."""
    q = after(s.live, p)
    if s.short_stack == TO_FOLD:
        while q != s.dealer and s.coins[q] < owed(s):
            note(to, "DB-38", "cannot_pay", q)
            s.live &= ~(1 << q)
            q = after(s.live, q)
    if q == s.dealer:
        return False
    ask(s, ANSWER, q)
    return True


def answer(s: Diamondback, me: int, a: int, to: Any) -> None:
    opening = s.up[s.dealer] == 0
    if a == FOLD:
        if opening:
            note(to, "DB-21", "folds", me)
        else:
            note(to, "DB-43", "folds", me)
        s.live &= ~(1 << me)
    else:
        if s.version == DEALERS:
            if opening:
                note(to, "DB-65", "doubles", me, owed(s))
            else:
                note(to, "DB-66", "doubles", me, owed(s))
        elif opening:
            note(to, "DB-40", "matches", me, s.wager)
        else:
            note(to, "DB-28", "matches", me, s.wager)
        pay(s, me, owed(s))
    if not ask_next(s, me, to):
        if opponents(s):
            answered(s, to)
        else:
            unmatched(s, to)


def unmatched(s: Diamondback, to: Any) -> None:
    note(to, "DB-35", "unmatched", s.dealer, s.pot)
    collect(s, s.dealer)


def answered(s: Diamondback, to: Any) -> None:
    """Everybody has answered, and somebody is still in: cards are turned up, or the betting goes on."""
    if (s.version == DEALERS) & s.dealer_tops_up:
        note(to, "DB-67", "tops_up", s.dealer, s.wager)
        pay(s, s.dealer, s.wager)
    s.wager = 0
    if s.up[s.dealer] == 0:
        ask_for_cards(s)
    else:
        bet_further(s, to)


def bet_further(s: Diamondback, to: Any) -> None:
    """Another wager is due, or open to the dealer, or the betting is closed (DB-27 to DB-31, DB-39)."""
    if s.max_second_wagers and s.rounds >= s.max_second_wagers:
        note(to, "DB-30", "enough", s.dealer, s.rounds)
        show_down(s, to)
    elif highest_wager(s) == 0:
        note(to, "DB-39", "closes", s.dealer)
        show_down(s, to)
    elif within_hand(s) and s.rounds >= s.min_second_wagers:
        ask(s, SAYING, after(s.live, s.dealer))
    else:
        ask_for_wager(s, to)


def ask_for_wager(s: Diamondback, to: Any) -> None:
    """Where one coin is all that he can wager, and he must, it is done without asking."""
    if highest_wager(s) == 1 and not may_stop(s):
        lay_wager(s, 1, to)
    else:
        ask(s, FURTHER, s.dealer)


def may_stop(s: Diamondback) -> bool:
    """DB-29."""
    return (s.rounds >= s.min_second_wagers) & (not within_hand(s))


def say(s: Diamondback, me: int, a: int, to: Any) -> None:
    """Everybody in the hand says whether the betting is over, the dealer last [match_unit=within_hand]."""
    if a == STOP:
        note(to, "DB-31", "says_stop", me)
        s.ends |= 1 << me
    else:
        note(to, "DB-31", "says_on", me)
    if me != s.dealer:
        ask(s, SAYING, after(s.live, me))
        return
    over = 2 * count(s.ends) > count(s.live)
    s.ends = 0
    if over:
        show_down(s, to)
    else:
        ask_for_wager(s, to)


# ------------------------------------------------------------------------------------------ cards are turned up


def ask_for_cards(s: Diamondback) -> None:
    """Everybody in the hand turns up a card, the dealer last (DB-23 to DB-25)."""
    if s.exposure:
        ask(s, SEALED, SEVERAL)
    else:
        ask(s, EXPOSING, after(s.live, s.dealer))


def acting(s: Diamondback) -> int:
    """Those who have still to choose which card to turn up [exposure]."""
    return who_has(s.up, s.live if s.exposure == ALL_TOGETHER else opponents(s), 0)


def choose_card(s: Diamondback, me: int, card: int, to: Any) -> None:
    s.up[me] = card + 1
    if s.stage == SEALED:
        whisper(to, "DB-24", "chooses", me, card)
        if acting(s):
            return
        q = s.dealer
        for _ in range(count(s.live)):
            q = after(s.live, q)
            if s.up[q] > 0:
                exposed(s, q, to)
    else:
        exposed(s, me, to)
    if s.up[s.dealer] > 0:
        bet_further(s, to)
    else:
        ask(s, EXPOSING, s.dealer if s.exposure else after(s.live, me))


def exposed(s: Diamondback, p: int, to: Any) -> None:
    if p == s.dealer:
        note(to, "DB-25", "exposes", p, s.up[p] - 1)
    else:
        note(to, "DB-23", "exposes", p, s.up[p] - 1)


# ------------------------------------------------------------------------------------------ the pot


def show_down(s: Diamondback, to: Any) -> None:
    """All second cards are turned (DB-32, DB-33); the pot is won, divided or carried."""
    for p in range(s.players):
        if s.live >> p & 1:
            note(to, "DB-32", "shows", p, HIGHER[s.hand[p]], LOWER[s.hand[p]])
    winners = most(s.hand, s.live)
    if count(winners) == 1:
        best = lowest(winners)
        note(to, "DB-34", "wins", best, s.pot, POINTS * s.hand[best])
        collect(s, best)
    else:
        tie(s, winners, to)


def collect(s: Diamondback, p: int) -> None:
    """The pot is won."""
    s.coins[p] += s.pot
    s.pot = s.kept = 0
    settle(s, 1 << p)


def settle(s: Diamondback, heirs: int) -> None:
    """The pot is settled; ``heirs`` have won or tied, or are the others if the dealer has folded."""
    s.heirs = heirs
    ask(s, SETTLED, DEAL_OVER)


def tie(s: Diamondback, winners: int, to: Any) -> None:
    """Section 5 of the book."""
    n = count(s.live) if s.tie_scope == SHOWDOWN else count(s.dealt)
    t = count(winners)
    if t < n:
        if t == 2 and n < 5:
            note(to, "DB-48", "divide", EVERYBODY, s.pot // t, t)
        elif t == 3 and n == 4:
            note(to, "DB-50", "divide", EVERYBODY, s.pot // t, t)
        else:
            note(to, "DB-51", "divide", EVERYBODY, s.pot // t, t)
        divide(s, winners, to)
    elif s.broke_tie == DIVIDE and who_has(s.coins, winners, 0):
        note(to, "DB-55", "divide", EVERYBODY, s.pot // t, t)
        divide(s, winners, to)
    else:
        carry(s, winners, n, to)
    settle(s, winners)


def divide(s: Diamondback, winners: int, to: Any) -> None:
    """DB-53."""
    odd = share_out(s.coins, winners, s.pot)
    s.pot = s.kept = 0
    if odd and s.odd_coin == LEFT_OF_DEALER:
        odd_coins(s.coins, winners, s.players, s.dealer, odd)
        note(to, "DB-53", "odd_to_left", EVERYBODY, odd)
    elif odd:
        s.pot = odd
        note(to, "DB-53", "odd_stay", EVERYBODY, odd)


def carry(s: Diamondback, winners: int, n: int, to: Any) -> None:
    """All n have tied; those without coins keep their seats (DB-55)."""
    if n < count(s.dealt):
        note(to, "DB-52", "carried", EVERYBODY, s.pot)
    elif n == 2:
        note(to, "DB-47", "carried", EVERYBODY, s.pot)
    else:
        note(to, "DB-49", "carried", EVERYBODY, s.pot)
    if s.broke_tie != CARRY:
        s.kept |= who_has(s.coins, winners, 0)
        for p in range(s.players):
            if s.kept >> p & 1:
                note(to, "DB-55", "keeps_seat", p)


def dealer_folds(s: Diamondback, to: Any) -> None:
    note(to, "DB-93", "dealer_folds", s.dealer, s.pot)
    s.live = opponents(s)
    settle(s, s.live)


# ------------------------------------------------------------------------------------------ between hands


def finish_hand(s: Diamondback, to: Any) -> None:
    """Who has no coins leaves, then the next dealer is fixed, or the match is over."""
    shown = s.live if s.up[s.dealer] > 0 and opponents(s) else 0  # DB-36, DB-45
    s.wager = 0
    s.deal += 1
    for p in range(s.players):
        s.hand[p] *= shown >> p & 1
        if is_seated(s, p) and s.coins[p] == 0 and not s.kept >> p & 1:
            note(to, "DB-56", "broke", p)
            leave_table(s, p)
            s.gone[p] = s.deal
    if count(s.seated) < 2:
        last = lowest(s.seated) if s.seated else 0
        if session(s) and s.coins[last] == s.players * s.start_coins:
            note(to, "DB-86", "all_coins", last, s.coins[last])
        else:
            note(to, "DB-59", "one_left", EVERYBODY)
        end_match(s, to)
    elif deals_over(s, hands_in_match(s)):
        if session(s):
            note(to, "DB-87", "last_hand", EVERYBODY, s.deal)
        else:
            note(to, "DB-58", "last_hand", EVERYBODY, s.deal)
        end_match(s, to)
    else:
        name_successor(s, to)


def hands_in_match(s: Diamondback) -> int:
    if session(s):
        return s.match_max_hands  # DB-87
    return s.hands if s.hands else 15 if s.players == 5 else 12  # DB-58


def name_successor(s: Diamondback, to: Any) -> None:
    """Who deals next: DB-15, DB-71 to DB-73, DB-93."""
    how = WINNER if s.version == DEALERS else s.next_dealer
    p = s.dealer
    if how == KEEP:
        note(to, "DB-15", "deals_again", p)
    elif not s.live >> s.dealer & 1:  # the dealer has folded
        p = after(s.seated, p)
        note(to, "DB-93", "deals_next", p)
    elif how != WINNER:
        p = after(s.seated, p)
        note(to, "DB-15", "deals_next", p)
    elif count(s.heirs) == 1:
        p = lowest(s.heirs)
        note(to, "DB-71", "deals_next", p)
    else:
        if s.tie_dealer == NEAREST_LEFT:
            p = after(s.heirs, p)
        note(to, "DB-72", "deals_next", p)
    if not is_seated(s, p):
        p = after(s.seated, p)
        note(to, "DB-73", "deals_instead", p)
    s.successor = p


def next_deal(s: Diamondback, to: Any) -> None:
    """After a hand: in a Match session everybody says whether he goes on (DB-76); otherwise the next hand begins."""
    for p in range(s.players):
        s.before[p] = s.coins[p]
    if session(s):
        note(to, "DB-76", "asks", s.successor)
        ask(s, VOTING, s.successor)
    else:
        start_hand(s, to)
        if s.stage == SETTLED:  # nobody else has paid the ante
            finish_hand(s, to)


def vote(s: Diamondback, me: int, a: int, to: Any) -> None:
    """DB-77."""
    if a == END:
        note(to, "DB-77", "for_end", me)
        s.ends |= 1 << me
    elif a == LEAVE:
        note(to, "DB-77", "for_leaving", me)
        s.quits |= 1 << me
    else:
        note(to, "DB-77", "for_more", me)
    s.turn = after(s.seated, me)
    if s.turn == s.successor:
        count_votes(s, to)


def count_votes(s: Diamondback, to: Any) -> None:
    asked, said = count(s.seated), count(s.ends)
    if 2 * said > asked or s.ends | s.quits == s.seated:
        if 2 * said <= asked:
            note(to, "DB-80", "agreed", EVERYBODY)
        elif asked == 2:
            note(to, "DB-78", "agreed", EVERYBODY)
        else:
            note(to, "DB-79", "agreed", EVERYBODY)
        note(to, "DB-81", "keep_coins", EVERYBODY)
        end_match(s, to)
        return
    for p in range(s.players):
        if s.quits >> p & 1:
            forfeit_coins(s, p, to)
    if count(s.seated) == 1:
        last = lowest(s.seated)
        note(to, "DB-84", "last_one", last, s.pot)
        pay(s, last, -s.pot)
        end_match(s, to)
    else:
        start_hand(s, to)


def forfeit_coins(s: Diamondback, p: int, to: Any) -> None:
    """DB-82, DB-83."""
    lost = max(0, s.coins[p] - (0 if s.forfeit == WHOLE_STACK else s.start_coins))
    note(to, "DB-82", "goes", p, s.coins[p] - lost)
    note(to, "DB-83", "forfeits", p, lost)
    pay(s, p, lost)
    leave_table(s, p)
    s.kept &= ~(1 << p)
    s.gone[p] = s.deal


def end_match(s: Diamondback, to: Any) -> None:
    """A pot still in the middle is divided (DB-60); then the ranking (DB-61)."""
    if s.pot > 0:
        note(to, "DB-60", "divide_rest", EVERYBODY, s.pot, count(s.heirs))
        odd = share_out(s.coins, s.heirs, s.pot)
        odd_coins(s.coins, s.heirs, s.players, s.dealer, odd)
    s.pot = s.kept = s.ends = s.quits = s.heirs = s.successor = 0
    ask(s, OVER, TERMINAL)
    for p in range(s.players):
        note(to, "DB-61", "ranks", p, rank(s, p), s.coins[p])


def rank(s: Diamondback, p: int) -> int:
    """The place of a player at the end, from 1 (DB-61)."""
    place = 1
    for q in range(s.players):
        place += worth(s, q) > worth(s, p)
    return place


def worth(s: Diamondback, p: int) -> int:
    """Coins; below one coin, how long he stayed."""
    return 256 * s.coins[p] + (s.gone[p] if s.coins[p] == 0 and s.gone[p] else 255)


def returns(s: Diamondback, out: list[float]) -> None:
    """Coins won or lost in the match."""
    for p in range(s.players):
        out[p] = float(s.coins[p] - s.start_coins)


def deal_returns(s: Diamondback, out: list[float]) -> None:
    """Coins won or lost since the hand before was settled."""
    gains(s.coins, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: Diamondback) -> int:
    return s.turn


def chance(s: Diamondback) -> int:
    """The ranks that are left."""
    ranks = 0
    for k in range(5):
        ranks |= (in_stock(s.left, k) > 0) << k
    return ranks


def weight(s: Diamondback, k: int) -> int:
    return in_stock(s.left, k)


def happen(s: Diamondback, k: int, to: Any) -> None:
    s.left -= 1 << (8 * k)
    if s.stage == DEALING:
        give_card(s, k, to)
    else:
        drawn(s, k, to)
    if s.stage == SETTLED:
        finish_hand(s, to)


def legal(s: Diamondback, me: int, acts: list[int]) -> int:
    n = 2
    if s.stage == ANSWER:
        acts[0] = FOLD
        acts[1] = MATCH_IT
    elif (s.stage == EXPOSING) | (s.stage == SEALED):
        acts[0] = EXPOSE + HIGHER[s.hand[me]]
        acts[1] = EXPOSE + LOWER[s.hand[me]]
        n = 1 + (acts[0] != acts[1])  # DB-26
    elif s.stage == OPENING:
        acts[0] = FOLD
        n = name_amounts(acts, may_fold(s), WAGER, highest_wager(s))
    elif s.stage == FURTHER:
        acts[0] = STOP
        n = name_amounts(acts, may_stop(s), WAGER, highest_wager(s))
    elif s.stage == ANTE:
        n = name_amounts(acts, 0, highest_id(s), highest_ante(s))
    elif s.stage == SAYING:
        acts[0] = STOP
        acts[1] = ON
    elif s.stage == PAYING:
        acts[0] = PAY
        acts[1] = DECLINE
    else:
        acts[0] = CONTINUE
        acts[1] = END
        acts[2] = LEAVE
        n = 3
    return n


def name_amounts(acts: list[int], n: int, ids: int, highest: int) -> int:
    """All amounts up to the highest, after the first n acts; ``ids`` are their ids less the amount."""
    for i in range(highest):
        acts[n + i] = ids + 1 + i
    return n + highest


def highest_id(s: Diamondback) -> int:
    """The id of the highest wager; antes follow it."""
    return WAGER + within_limit(s, s.players * s.start_coins)


# ------------------------------------------------------------------------------------------ what is worth a thought


def beats(hand: int, card: int) -> int:
    """Of a hundred, how often this hand beats another one, of which that card (or none, -1) is known, half a win for a
    tie; with the cards of three players."""
    left = [in_stock(full_deck(3), k) - (k == HIGHER[hand]) - (k == LOWER[hand]) for k in range(5)]
    first = range(5) if card < 0 else [card]
    ways = [(KIND[5 * a + b], left[a] * (left[b] - (a == b))) for a in first for b in range(5)]
    won = sum(n * (2 * (hand > other) + (hand == other)) for other, n in ways)
    return 50 * won // max(1, sum(n for _, n in ways))


BEATS = tuple(beats(hand, card - 1) for hand in range(15) for card in range(6))  # by hand, and card turned up plus 1


def candidates(s: Diamondback, me: int, acts: list[int]) -> int:
    """Of many amounts, one coin, a quarter, a half and all that may be named."""
    n = legal(s, me, acts)
    amounts = (s.stage == OPENING) | (s.stage == FURTHER) | (s.stage == ANTE)
    other = int(acts[0] < PAY)  # he may also fold or stop
    highest = n - other
    if not amounts or highest < 8:
        return n
    ids = acts[n - 1] - highest
    acts[other] = ids + 1
    acts[other + 1] = ids + highest // 4
    acts[other + 2] = ids + highest // 2
    acts[other + 3] = ids + highest
    return other + 4


def likely(s: Diamondback, me: int, acts: list[int]) -> int:
    """What a sensible player might do, by the odds of his hand against what lies open: he matches when the price is
    right, and as dealer wagers much or gets out.  With the worst hand of all he may bluff."""
    n = candidates(s, me, acts)
    wagers = (s.stage == OPENING) | (s.stage == FURTHER)
    if s.stage == ANSWER:
        acts[0] = MATCH_IT if win_odds(s, me) * (s.pot + owed(s)) > 100 * owed(s) else FOLD
        return 1
    if not wagers or n < 3:
        return n
    if win_odds(s, me) * count(s.live) > 100:
        acts[0] = acts[n - 2]
    elif s.hand[me] > 1:
        return 1
    acts[1] = acts[n - 1]
    return 2


def win_odds(s: Diamondback, me: int) -> int:
    """Of a hundred, how often the hand beats all others in the hand, each known by the card he has turned up."""
    odds = 100
    for p in range(s.players):
        if p != me and s.live >> p & 1:
            odds = odds * BEATS[6 * s.hand[me] + s.up[p]] // 100
    return odds


def apply(s: Diamondback, me: int, a: int, to: Any) -> None:
    if s.stage == ANSWER:
        answer(s, me, a, to)
    elif (a >= EXPOSE) & (a < PAY):
        choose_card(s, me, a - EXPOSE, to)
    elif (s.stage == OPENING) | (s.stage == FURTHER):
        if a > WAGER:
            lay_wager(s, a - WAGER, to)
        elif a == STOP:
            note(to, "DB-31", "stops", me)
            show_down(s, to)
        else:
            dealer_folds(s, to)
    elif s.stage == SAYING:
        say(s, me, a, to)
    elif s.stage == ANTE:
        lay_ante(s, a - highest_id(s), to)
    elif s.stage == PAYING:
        if a == PAY:
            pay_ante(s, me, to)
        else:
            note(to, "DB-63", "declines", me)
        ask_for_ante(s, me, to)
    else:
        vote(s, me, a, to)
    if s.stage == SETTLED:
        finish_hand(s, to)


# ------------------------------------------------------------------------------------------ telling

STAGES = (
    "drawing for the deal",
    "ante",
    "antes answered",
    "dealing",
    "opening wager",
    "wager answered",
    "exposing",
    "exposing together",
    "further wager",
    "stop or on",
    "between hands",
    "settled",
    "over",
)
THINGS = {
    "stage": one_of(STAGES),
    "turn": seat(),
    "dealer": seat(),
    "successor": seat(),
    "deal": amount(12),
    "seated": seat_set(),
    "dealt": seat_set(),
    "live": seat_set(),
    "kept": seat_set(),
    "coins": amount(400, per=SEATS, seats=True),
    "before": amount(400, per=SEATS, seats=True),
    "gone": amount(12, per=SEATS, seats=True),
    "pot": amount(100),
    "carried": amount(100),
    "wager": amount(10),
    "rounds": amount(10),
    "at": seat(),
    "out": amount(10),
    "up": one_of(("none", *CARDS), per=SEATS, seats=True),
    "hand": one_of(("none", *HANDS), per=SEATS, seats=True),
    "ends": seat_set(),
    "quits": seat_set(),
    "heirs": seat_set(),
}


def show(s: Diamondback, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    if s.turn >= 0:
        tell(to, "turn", 0, s.turn)
    if s.stage != DRAWING:
        tell(to, "dealer", 0, s.dealer)
    tell(to, "deal", 0, s.deal)
    tell(to, "seated", 0, s.seated)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "live", 0, s.live)
    tell(to, "kept", 0, s.kept)
    tell(to, "pot", 0, s.pot)
    tell(to, "carried", 0, s.carried)
    tell(to, "wager", 0, s.wager)
    tell(to, "rounds", 0, s.rounds)
    tell(to, "out", 0, s.out)
    tell(to, "ends", 0, s.ends)
    tell(to, "quits", 0, s.quits)
    tell(to, "heirs", 0, s.heirs)
    for p in range(s.players):
        tell(to, "coins", p, s.coins[p])
        tell(to, "before", p, s.before[p])
        tell(to, "gone", p, s.gone[p])
        if s.up[p] > 0 and s.stage != SEALED:
            tell(to, "up", p, s.up[p])
        if s.hand[p] > 0 and s.stage >= VOTING:
            tell(to, "hand", p, s.hand[p])
    if (s.stage == DRAWING) | (s.stage == DEALING):
        tell(to, "at", 0, s.at)
    if s.stage == VOTING:
        tell(to, "successor", 0, s.successor)


def show_own(s: Diamondback, me: int, to: Any) -> None:
    """A hand is told when all are dealt (DB-18); a folded one stays with its owner until the cards are gathered."""
    if s.hand[me] > 0 and OPENING <= s.stage < VOTING:
        tell(to, "hand", me, s.hand[me])
    if s.up[me] > 0 and s.stage == SEALED:
        tell(to, "up", me, s.up[me])


def restore(s: Diamondback, me: int) -> None:
    if s.stage == DRAWING or s.stage == DEALING:
        s.turn = CHANCE
    elif s.stage == SEALED:
        s.turn = SEVERAL
    elif s.stage == OVER:
        s.turn = TERMINAL
    if s.stage == DRAWING:
        s.left = full_deck(s.players)
        for p in range(s.players):
            if s.up[p] > 0:
                s.left -= 1 << (8 * (s.up[p] - 1))


def redeal(s: Diamondback, me: int, rng: list[int]) -> None:
    """Cards I do not see are any of those left.  A card that a player has exposed may have been either of his two, but
    if he holds a pair there is only one way to hold it: half as many deals have it."""
    if s.stage == DEALING:
        s.left = full_deck(count(s.dealt))
        p = s.dealer
        for _ in range(s.out):
            p = after(s.dealt, p)
            card = draw_card(s, rng)
            if s.first[p] == 0:
                s.first[p] = card + 1
            else:
                s.hand[p] = KIND[5 * (s.first[p] - 1) + card]
    elif OPENING <= s.stage < VOTING:
        while not deal_hidden(s, me, rng):
            pass
        s.left = 0


def deal_hidden(s: Diamondback, me: int, rng: list[int]) -> bool:
    """Deal everybody else's cards; false if it has to be done again."""
    s.left = full_deck(count(s.dealt))
    if s.hand[me] > 0:
        s.left -= 1 << (8 * HIGHER[s.hand[me]])
        s.left -= 1 << (8 * LOWER[s.hand[me]])
    for p in range(s.players):
        if p != me and s.up[p] > 0:
            s.left -= 1 << (8 * (s.up[p] - 1))
    for p in range(s.players):
        if p != me and s.dealt >> p & 1:
            one = s.up[p] - 1 if s.up[p] > 0 else draw_card(s, rng)
            other = draw_card(s, rng)
            if s.up[p] > 0 and one == other and below(rng, 2) == 0:
                return False
            s.hand[p] = KIND[5 * one + other]
    return True


def draw_card(s: Diamondback, rng: list[int]) -> int:
    """A random card from the stock."""
    cards_left = 0
    for k in range(5):
        cards_left += in_stock(s.left, k)
    n = below(rng, cards_left)
    card = 0
    while n >= in_stock(s.left, card):
        n -= in_stock(s.left, card)
        card += 1
    s.left -= 1 << (8 * card)
    return card


# ------------------------------------------------------------------------------------------ names and refusals


def action_names(s: Diamondback) -> list[str]:
    few = ["fold", "match", "stop", "on", *(f"expose {c}" for c in CARDS), "pay", "decline", "continue", "end", "leave"]
    wagers = [f"wager {n}" for n in range(1, highest_id(s) - WAGER + 1)]
    return few + wagers + ([f"ante {n}" for n in range(1, len(wagers) + 1)] if s.version == DEALERS else [])


def outcome_name(s: Diamondback, k: int) -> str:
    return CARDS[k]


def refuse_options(s: Diamondback) -> str:
    """Why these options do not go together; empty if they do."""
    if s.players > s.seats_max:
        return "Five can play only with seats_max=5 (DB-9)."
    if s.max_second_wagers and s.max_second_wagers < s.min_second_wagers:
        return (
            f"max_second_wagers={s.max_second_wagers} cannot be below min_second_wagers={s.min_second_wagers} (DB-30)."
        )
    return ""


NOT_YOUR_TURN = {
    DRAWING: "DB-11",
    ANTE: "DB-62",
    PAYING: "DB-63",
    DEALING: "DB-17",
    OPENING: "DB-20",
    ANSWER: "DB-22",
    EXPOSING: "DB-24",
    SEALED: "DB-24",
    FURTHER: "DB-31",
    SAYING: "DB-31",
    VOTING: "DB-77",
}


def refuse(s: Diamondback, me: int, a: int) -> str:
    if s.stage == OVER:
        return "DB-58" if not session(s) else "DB-75"
    if CONTINUE <= a <= LEAVE and s.stage != VOTING:
        return "DB-85" if session(s) else "DB-58"
    if a > highest_id(s) and s.stage != ANTE:
        return "DB-62"
    if (WAGER < a <= highest_id(s) or a == STOP) and me != s.dealer and s.stage not in (DRAWING, SAYING, VOTING):
        return "DB-41" if a > WAGER else "DB-31"
    if me != s.turn and not (s.turn == SEVERAL and acting(s) >> me & 1):
        return NOT_YOUR_TURN[s.stage]
    return refuse_in_turn(s, me, a)


def refuse_in_turn(s: Diamondback, me: int, a: int) -> str:
    """Why he whose turn it is may not do just this."""
    if a > highest_id(s):
        return "DB-64"
    if s.stage == OPENING or s.stage == FURTHER:
        if a > WAGER:
            return "DB-69" if s.version == DEALERS else "DB-38"
        if a == FOLD:
            return "DB-42"
        if a == STOP:
            return "DB-20" if s.stage == OPENING else "DB-31" if within_hand(s) else "DB-27"
        return "DB-20" if s.stage == OPENING else "DB-29"
    if s.stage == EXPOSING or s.stage == SEALED:
        if EXPOSE <= a < PAY and HIGHER[s.hand[me]] == LOWER[s.hand[me]]:
            return "DB-26"
        return "DB-25" if me == s.dealer else "DB-23"
    if s.stage == ANSWER:
        return "DB-21"
    return NOT_YOUR_TURN[s.stage]
