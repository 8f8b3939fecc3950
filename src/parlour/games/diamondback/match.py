"""From hand to hand in Diamondback: players who are out, the next dealer, votes between hands, and the end."""

from parlour.games.diamondback.hand import start_hand
from parlour.games.diamondback.position import *
from parlour.rules.matchplay import after, deals_over, is_seated, leave_table, odd_coins, share_out
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the end of a hand


def finish_hand(s: Diamondback, to: Listener) -> None:
    """Finish a hand: players without coins leave; then the next dealer is fixed, or the match is over."""
    shown = s.live if s.up[s.dealer] > 0 and opponents(s) else 0  # DB-36, DB-45
    s.wager = 0
    s.deal += 1
    for p in range(s.players):
        if not shown >> p & 1:
            s.hand[p] = 0  # hands that nobody sees are wiped
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
        note(to, "DB-87" if session(s) else "DB-58", "last_hand", EVERYBODY, s.deal)
        end_match(s, to)
    else:
        name_successor(s, to)


def finish_if_settled(s: Diamondback, to: Listener) -> None:
    if s.stage == SETTLED:
        finish_hand(s, to)


def hands_in_match(s: Diamondback) -> int:
    if session(s):
        return s.match_max_hands  # DB-87
    return s.hands if s.hands else 15 if s.players == 5 else 12  # DB-58


def name_successor(s: Diamondback, to: Listener) -> None:
    """Find the next dealer: DB-15, DB-71 to DB-73, DB-93."""
    winner_deals = (s.version == DEALERS) | (s.next_dealer == WINNER)
    p = s.dealer
    if s.version != DEALERS and s.next_dealer == KEEP:
        note(to, "DB-15", "deals_again", p)
    elif not s.live >> s.dealer & 1:  # the dealer has folded
        p = after(s.seated, p)
        note(to, "DB-93", "deals_next", p)
    elif not winner_deals:
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


# ------------------------------------------------------------------------------------------ between hands of a session


def session(s: Diamondback) -> bool:
    """Whether the players vote between hands on going on (DB-75)."""
    return (s.version == MATCH) & (s.match_unit == SESSION)


def vote(s: Diamondback, me: int, a: int, to: Listener) -> None:
    """DB-77."""
    note(to, "DB-77", "for_end" if a == END else "for_leaving" if a == LEAVE else "for_more", me)
    s.ends |= (a == END) << me
    s.quits |= (a == LEAVE) << me
    s.turn = after(s.seated, me)
    if s.turn == s.successor:
        count_votes(s, to)


def count_votes(s: Diamondback, to: Listener) -> None:
    asked, said = count(s.seated), count(s.ends)
    if 2 * said > asked or s.ends | s.quits == s.seated:
        note(to, "DB-80" if 2 * said <= asked else "DB-78" if asked == 2 else "DB-79", "agreed", EVERYBODY)
        note(to, "DB-81", "keep_coins", EVERYBODY)
        end_match(s, to)
        return
    for p in members(s.quits):
        forfeit_coins(s, p, to)
    if count(s.seated) == 1:
        last = lowest(s.seated)
        note(to, "DB-84", "last_one", last)
        if s.pot:
            note(to, "DB-84", "takes_rest", last, s.pot)
        pay(s, last, -s.pot)
        end_match(s, to)
    else:
        start_hand(s, to)


def forfeit_coins(s: Diamondback, p: int, to: Listener) -> None:
    """DB-82, DB-83."""
    lost = max(0, s.coins[p] - (0 if s.forfeit == WHOLE_STACK else s.start_coins))
    note(to, "DB-82", "goes", p, s.coins[p] - lost)
    if lost:
        note(to, "DB-83", "forfeits", p, lost)
    pay(s, p, lost)
    leave_table(s, p)
    s.kept &= ~(1 << p)
    s.gone[p] = s.deal


# ------------------------------------------------------------------------------------------ the end of the match


def end_match(s: Diamondback, to: Listener) -> None:
    """End the match: a pot still in the middle is divided (DB-60); then the players are ranked (DB-61)."""
    if s.pot > 0:
        note(to, "DB-60", "divide_rest", EVERYBODY, s.pot, count(s.heirs))
        odd = share_out(s.coins, s.heirs, s.pot)
        odd_coins(s.coins, s.heirs, s.players, s.dealer, odd)
    s.pot = s.kept = s.ends = s.quits = s.heirs = s.successor = 0
    go_to(s, OVER)
    for p in range(s.players):
        note(to, "DB-61", "ranks", p, rank(s, p), s.coins[p])


def rank(s: Diamondback, p: int) -> int:
    """The place of a player at the end, from 1 (DB-61)."""
    place = 1
    for q in range(s.players):
        place += worth(s, q) > worth(s, p)
    return place


def worth(s: Diamondback, p: int) -> int:
    """Return a player's coins; if none, a number below one that grows with how long they stayed."""
    stayed = WITHOUT_END + 1
    return (stayed + 1) * s.coins[p] + (s.gone[p] if s.coins[p] == 0 and s.gone[p] else stayed)
