"""One hand of Diamondback: the draw, the ante, the deal, wagers and answers, cards turned up, the showdown.

The stages are in the order of play, each with its question, its effect and its refusals.
"""

from parlour.games.diamondback.position import *
from parlour.rules.matchplay import after, is_before_last, is_seated, most, odd_coins, share_out
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the draw for the first deal


def draw_for_deal(s: Diamondback, those: int) -> None:
    """Begin a draw from a full deck (DB-11, DB-14)."""
    s.live = those
    s.left = full_deck(s.players)
    s.at = lowest(those)
    for p in range(s.players):
        s.up[p] = 0
    go_to(s, DRAWING)


def draw_card(s: Diamondback, k: int, to: Listener) -> None:
    """Draw a card; after the last one the player with the highest deals, or tied players draw again (DB-13)."""
    note(to, "DB-11", "draws", s.at, k)
    s.left -= one_card(k)
    s.up[s.at] = k + 1
    if is_before_last(s.live, s.at):
        s.at = after(s.live, s.at)
        return
    highest = who_drew_highest(s)
    if count(highest) > 1:
        note(to, "DB-13", "draw_again", EVERYBODY, count(highest))
        draw_for_deal(s, highest)
    else:
        s.successor = lowest(highest)
        s.left = s.at = 0
        note(to, "DB-12", "deals_first", s.successor)
        start_hand(s, to)


def who_drew_highest(s: Diamondback) -> int:
    """Return the set of the players who have drawn the highest rank, which has the lowest number (DB-12)."""
    best = PRIEST + 1
    for p in members(s.live):
        best = min(best, s.up[p])
    return who_has(s.up, s.live, best)


# ------------------------------------------------------------------------------------------ beginning and ante


def start_hand(s: Diamondback, to: Listener) -> None:
    """Begin a hand: in Dealer's Diamondback with the ante (DB-62), otherwise with the deal."""
    s.dealer = s.successor
    if not is_seated(s, s.successor):
        s.dealer = after(s.seated, s.successor)  # the successor has left
    s.carried = s.pot
    s.rounds = s.ends = s.quits = s.heirs = s.successor = 0
    for p in range(s.players):
        s.up[p] = s.hand[p] = 0
    s.live = 0
    s.dealt = s.seated
    if s.version != DEALERS:
        deal(s, to)
    elif highest_ante(s) > 1:
        s.dealt = 1 << s.dealer
        ask(s, ANTE, s.dealer)
    elif highest_ante(s) == 1:
        lay_ante(s, 1, to)
    else:
        note(to, "DB-94", "no_ante", s.dealer)
        deal(s, to)


def highest_ante(s: Diamondback) -> int:
    """DB-64."""
    return within_limit(s, s.coins[s.dealer] if s.short_stack == TO_FOLD else poorest(s, s.seated))


def antes(s: Diamondback, me: int, acts: list[int]) -> int:
    return name_amounts(acts, 0, highest_id(s), highest_ante(s))


def name_ante(s: Diamondback, me: int, a: int, to: Listener) -> None:
    lay_ante(s, a - highest_id(s), to)


def refuse_ante(s: Diamondback, me: int, a: int) -> str:
    return "DB-64" if a > highest_id(s) else "DB-62"


def lay_ante(s: Diamondback, n: int, to: Listener) -> None:
    note(to, "DB-62", "antes", s.dealer, n)
    pay(s, s.dealer, n)
    s.wager = n
    s.dealt = 1 << s.dealer
    ask_for_ante(s, s.dealer, to)


def ask_for_ante(s: Diamondback, p: int, to: Listener) -> None:
    """Have the players after p pay the ante (DB-63), or ask whether they do [ante_decline]."""
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


def pay_ante(s: Diamondback, p: int, to: Listener) -> None:
    note(to, "DB-63", "pays_ante", p, s.wager)
    pay(s, p, s.wager)
    s.dealt |= 1 << p


def answer_ante(s: Diamondback, me: int, a: int, to: Listener) -> None:
    if a == PAY:
        pay_ante(s, me, to)
    else:
        note(to, "DB-63", "declines", me)
    ask_for_ante(s, me, to)


# ------------------------------------------------------------------------------------------ the deal


def deal(s: Diamondback, to: Listener) -> None:
    """The deck is for the number dealt in (DB-3); the dealer's left gets the first card (DB-17)."""
    note(to, "DB-16", "deals", s.dealer, count(s.dealt))
    s.live = s.dealt
    s.left = full_deck(count(s.dealt))
    s.at = after(s.dealt, s.dealer)
    go_to(s, DEALING)


def give_card(s: Diamondback, k: int, to: Listener) -> None:
    p = s.at
    s.left -= one_card(k)
    if s.first[p] == 0:
        s.first[p] = k + 1
    else:
        s.hand[p] = kind_of(s.first[p] - 1, k)
    s.at = after(s.dealt, p)
    s.out += 1
    if s.out == 2 * count(s.dealt):
        s.left = s.at = s.out = 0
        for q in members(s.dealt):
            s.first[q] = 0
            whisper(to, "DB-18", "dealt", q, HIGHER[s.hand[q]], LOWER[s.hand[q]])
        open_betting(s, to)


# ------------------------------------------------------------------------------------------ the opening wager


def open_betting(s: Diamondback, to: Listener) -> None:
    highest = highest_wager(s)
    if highest == 0:
        note(to, "DB-70" if s.version == DEALERS else "DB-39", "no_wager", s.dealer)
        ask_for_cards(s)
    elif highest == 1 and not may_fold(s):
        lay_wager(s, 1, to)
    else:
        ask(s, OPENING, s.dealer)


def highest_wager(s: Diamondback) -> int:
    """DB-38, and DB-69 if the others pay double; 0 if no wager is possible."""
    top = within_limit(s, affordable(s.coins[s.dealer], tops_up(s)))
    if s.short_stack == TO_FOLD:
        return top
    return min(top, affordable(poorest(s, opponents(s)), s.version == DEALERS))


def affordable(coins: int, twice: bool) -> int:
    """Return the highest wager that these coins can pay, once or twice."""
    return coins // 2 if twice else coins


def tops_up(s: Diamondback) -> bool:
    """Whether the dealer pays each wager a second time (DB-67) [dealer_tops_up]."""
    return (s.version == DEALERS) & (s.dealer_tops_up != 0)


def may_fold(s: Diamondback) -> bool:
    """Whether the dealer may fold instead of opening (DB-42, DB-93)."""
    return (s.version != DEALERS) & (s.dealer_fold != 0)


def opening_wagers(s: Diamondback, me: int, acts: list[int]) -> int:
    acts[0] = FOLD
    return name_amounts(acts, may_fold(s), WAGER, highest_wager(s))


def open_or_fold(s: Diamondback, me: int, a: int, to: Listener) -> None:
    if a > WAGER:
        lay_wager(s, a - WAGER, to)
        return
    note(to, "DB-93", "dealer_folds", s.dealer)
    if s.pot:
        note(to, "DB-93", "pot_stays", EVERYBODY, s.pot)
    s.live = opponents(s)
    settle(s, s.live)


def refuse_opening(s: Diamondback, me: int, a: int) -> str:
    if a > WAGER:
        return "DB-69" if s.version == DEALERS else "DB-38"
    if a == FOLD:
        return "DB-93" if s.version == DEALERS else "DB-42"
    return "DB-20"


def lay_wager(s: Diamondback, n: int, to: Listener) -> None:
    if is_opening(s):
        note(to, "DB-20", "wagers", s.dealer, n)
    else:
        note(to, "DB-27" if s.rounds < s.min_second_wagers else "DB-29", "wagers_again", s.dealer, n)
        s.rounds += 1
    pay(s, s.dealer, n)
    s.wager = n
    if not ask_next(s, s.dealer, to):
        unmatched(s, to)


def is_opening(s: Diamondback) -> bool:
    """Whether no cards have been turned up yet."""
    return s.up[s.dealer] == 0


# ------------------------------------------------------------------------------------------ answering the wager


def owed(s: Diamondback) -> int:
    """What an opponent pays to stay in: the wager (DB-40), in Dealer's Diamondback twice the wager (DB-65, DB-66)."""
    return 2 * s.wager if s.version == DEALERS else s.wager


def ask_next(s: Diamondback, p: int, to: Listener) -> bool:
    """Ask the next opponent after ``p`` to answer the wager (DB-22); return false if there is none."""
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


def answer(s: Diamondback, me: int, a: int, to: Listener) -> None:
    opening = is_opening(s)
    if a == FOLD:
        note(to, "DB-21" if opening else "DB-43", "folds", me)
        s.live &= ~(1 << me)
    else:
        if s.version == DEALERS:
            note(to, "DB-65" if opening else "DB-66", "doubles", me, owed(s))
        else:
            note(to, "DB-40" if opening else "DB-28", "matches", me, s.wager)
        pay(s, me, owed(s))
    if not ask_next(s, me, to):
        if opponents(s):
            answered(s, to)
        else:
            unmatched(s, to)


def unmatched(s: Diamondback, to: Listener) -> None:
    note(to, "DB-35", "unmatched", s.dealer, s.pot)
    collect(s, s.dealer)


def answered(s: Diamondback, to: Listener) -> None:
    """Go on once everybody has answered and an opponent is still in: cards are turned up, or the betting goes on."""
    if tops_up(s):
        note(to, "DB-67", "tops_up", s.dealer, s.wager)
        pay(s, s.dealer, s.wager)
    s.wager = 0
    if is_opening(s):
        ask_for_cards(s)
    else:
        bet_further(s, to)


# ------------------------------------------------------------------------------------------ turning up cards


def ask_for_cards(s: Diamondback) -> None:
    """Have everybody in the hand turn up a card, the dealer last (DB-23 to DB-25)."""
    if s.exposure == IN_TURN:
        ask(s, EXPOSING, after(s.live, s.dealer))
    else:
        go_to(s, SEALED)


def still_to_choose(s: Diamondback) -> int:
    """Return the players who have yet to choose, in secret, which card to turn up [exposure]."""
    return who_has(s.up, s.live if s.exposure == ALL_TOGETHER else opponents(s), 0)


def own_cards(s: Diamondback, me: int, acts: list[int]) -> int:
    """DB-24; with a pair there is no choice (DB-26)."""
    acts[0] = EXPOSE + HIGHER[s.hand[me]]
    acts[1] = EXPOSE + LOWER[s.hand[me]]
    return 1 if is_pair(s.hand[me]) else 2


def turn_up(s: Diamondback, me: int, a: int, to: Listener) -> None:
    s.up[me] = a - EXPOSE + 1
    expose(s, me, to)
    go_on_exposing(s, me, to)


def choose_card(s: Diamondback, me: int, a: int, to: Listener) -> None:
    """Choose a card; after the last choice, everybody's card is turned up, clockwise from the dealer's left."""
    s.up[me] = a - EXPOSE + 1
    whisper(to, "DB-24", "chooses", me, a - EXPOSE)
    if still_to_choose(s) == 0:
        q = s.dealer
        for _ in range(count(s.live)):
            q = after(s.live, q)
            if s.up[q] > 0:
                expose(s, q, to)
        go_on_exposing(s, me, to)


def expose(s: Diamondback, p: int, to: Listener) -> None:
    note(to, "DB-25" if p == s.dealer else "DB-23", "exposes", p, s.up[p] - 1)


def go_on_exposing(s: Diamondback, me: int, to: Listener) -> None:
    if s.up[s.dealer] > 0:
        bet_further(s, to)
    else:
        ask(s, EXPOSING, after(s.live, me) if s.exposure == IN_TURN else s.dealer)


def refuse_card(s: Diamondback, me: int, a: int) -> str:
    if EXPOSE <= a < PAY and is_pair(s.hand[me]):
        return "DB-26"
    return "DB-25" if me == s.dealer else "DB-23"


# ------------------------------------------------------------------------------------------ further wagers


def bet_further(s: Diamondback, to: Listener) -> None:
    """Go on with the betting: another wager is required, or the dealer may make one, or the betting is closed (DB-27 to
    DB-31, DB-39)."""
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


def ask_for_wager(s: Diamondback, to: Listener) -> None:
    """Ask the dealer for a wager; if it is required and can only be one coin, it is made without asking."""
    if highest_wager(s) == 1 and not may_stop(s):
        lay_wager(s, 1, to)
    else:
        ask(s, FURTHER, s.dealer)


def may_stop(s: Diamondback) -> bool:
    """DB-29."""
    return (s.rounds >= s.min_second_wagers) & (not within_hand(s))


def further_wagers(s: Diamondback, me: int, acts: list[int]) -> int:
    acts[0] = STOP
    return name_amounts(acts, may_stop(s), WAGER, highest_wager(s))


def wager_or_stop(s: Diamondback, me: int, a: int, to: Listener) -> None:
    if a > WAGER:
        lay_wager(s, a - WAGER, to)
    else:
        note(to, "DB-31", "stops", me)
        show_down(s, to)


def refuse_further(s: Diamondback, me: int, a: int) -> str:
    if a == STOP:
        return "DB-31" if within_hand(s) else "DB-27"
    return refuse_opening(s, me, a) if a > WAGER or a == FOLD else "DB-29"


def within_hand(s: Diamondback) -> bool:
    """Whether the players in the hand decide together when the betting ends [match_unit]."""
    return (s.version == MATCH) & (s.match_unit == WITHIN_HAND)


def say(s: Diamondback, me: int, a: int, to: Listener) -> None:
    """Take a player's answer whether the betting is over; the dealer answers last [match_unit=within_hand]."""
    note(to, "DB-31", "says_stop" if a == STOP else "says_on", me)
    s.ends |= (a == STOP) << me
    if me != s.dealer:
        ask(s, SAYING, after(s.live, me))
        return
    over = 2 * count(s.ends) > count(s.live)
    s.ends = 0
    if over:
        show_down(s, to)
    else:
        ask_for_wager(s, to)


# ------------------------------------------------------------------------------------------ the showdown and ties


def show_down(s: Diamondback, to: Listener) -> None:
    """Turn up all second cards (DB-32, DB-33); the pot is won, divided or carried."""
    for p in members(s.live):
        note(to, "DB-32", "shows", p, HIGHER[s.hand[p]], LOWER[s.hand[p]])
    winners = most(s.hand, s.live)
    if count(winners) == 1:
        best = lowest(winners)
        note(to, "DB-34", "wins", best, s.pot, POINTS * s.hand[best])
        collect(s, best)
    else:
        tie(s, winners, to)


def collect(s: Diamondback, p: int) -> None:
    """Give the pot to its winner."""
    s.coins[p] += s.pot
    s.pot = s.kept = 0
    settle(s, 1 << p)


def settle(s: Diamondback, heirs: int) -> None:
    """End the hand once the pot is settled; ``heirs``: the players who have won or tied, or the others if the dealer
    has folded."""
    s.heirs = heirs
    go_to(s, SETTLED)


def tie(s: Diamondback, winners: int, to: Listener) -> None:
    """Settle a tie by section 5 of the book."""
    n = count(s.live) if s.tie_scope == SHOWDOWN else count(s.dealt)
    t = count(winners)
    if t < n:
        general = n == 5 or t > 3
        note(to, "DB-51" if general else "DB-48" if t == 2 else "DB-50", "divide", EVERYBODY, s.pot // t, t)
        divide(s, winners, to)
    elif s.broke_tie == DIVIDE and who_has(s.coins, winners, 0):
        note(to, "DB-55", "divide", EVERYBODY, s.pot // t, t)
        divide(s, winners, to)
    else:
        carry(s, winners, n, to)
    settle(s, winners)


def divide(s: Diamondback, winners: int, to: Listener) -> None:
    """DB-53."""
    odd = share_out(s.coins, winners, s.pot)
    s.pot = s.kept = 0
    if odd and s.odd_coin == LEFT_OF_DEALER:
        odd_coins(s.coins, winners, s.players, s.dealer, odd)
        note(to, "DB-53", "odd_to_left", EVERYBODY, odd)
    elif odd:
        s.pot = odd
        note(to, "DB-53", "odd_stay", EVERYBODY, odd)


def carry(s: Diamondback, winners: int, n: int, to: Listener) -> None:
    """Carry the pot after a tie of all n players; those without coins keep their seats (DB-55)."""
    note(to, "DB-52" if n < count(s.dealt) else "DB-47" if n == 2 else "DB-49", "carried", EVERYBODY, s.pot)
    if s.broke_tie != CARRY:
        s.kept |= who_has(s.coins, winners, 0)
        for p in members(s.kept):
            note(to, "DB-55", "keeps_seat", p)
