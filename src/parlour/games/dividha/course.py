"""The course of a hand of Dividha: the ante, deals, the trade."""

from parlour.games.dividha.betting import pay
from parlour.games.dividha.payout import last_one
from parlour.games.dividha.position import *
from parlour.games.dividha.showdown import begin_showdown
from parlour.rules.matchplay import after
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the ante


def start_hand(s: Dividha, to: Listener) -> None:
    """Begin a hand: everybody pays the ante, half of it on Win and half on Lose (DV-44, DV-45)."""
    note(to, "DV-44", "antes", EVERYBODY, s.ante, count(s.seated))
    s.pot = s.forfeits
    s.able = s.waited = 0
    s.live = s.seated & ~s.away  # DV-29
    for p in members(s.seated):
        s.coins[p] -= s.ante
        s.paid[p] = s.ante
        s.win[p] = s.ante // 2
        s.pot += s.ante
        if s.away >> p & 1:
            note(to, "DV-27", "absent", p, s.ante)
        elif s.coins[p] > 0:
            s.able |= 1 << p
        else:
            note(to, "DV-46", "all_in_ante", p)
    s.left = PACK[s.players]
    s.phase = BEFORE
    if count(s.live) == 1:
        last_one(s, to)
    else:
        go_to(s, NEXT_PHASE)


# ------------------------------------------------------------------------------------------ the course of a hand


def next_phase(s: Dividha, to: Listener) -> None:
    """Begin the next part of the hand: a deal, a betting round, the trade or the showdown (DV-37)."""
    s.phase += 1
    if is_left_out(s):
        return
    s.at = s.dealer
    if s.phase == FIRST or s.phase == SECOND or s.phase == THIRD:
        deal(s)
    elif s.phase == TRADE:
        s.todo = s.live
        go_to(s, NEXT_TRADER)
    elif s.phase == SHOWDOWN:
        begin_showdown(s)
    elif count(s.able) < 2:
        note(to, "DV-42", "no_betting", EVERYBODY)
    else:
        s.todo = s.able
        go_to(s, NEXT_BETTER)


def is_left_out(s: Dividha) -> bool:
    """Whether a hand has no such part under these options (DV-38 to DV-40)."""
    if s.phase == DEMON:
        return not s.demons_wager
    if s.phase == TRADE:
        return s.rounds == THREE_NO_TRADE
    return s.phase == BET_3 and s.rounds != FOUR_WITH_TRADE


# ------------------------------------------------------------------------------------------ deals


def deal(s: Dividha) -> None:
    """Begin a deal of two cards for everybody, face up in the second deal (DV-22 to DV-25)."""
    s.those = s.live
    if s.phase == FIRST or s.absent_deal == EVERY_DEAL:
        s.those |= s.away  # DV-28
    due = EACH * count(s.those)
    s.open_due = due if s.phase == SECOND else 0
    s.hidden_due = due - s.open_due
    s.at = after(s.those, s.dealer)
    go_to(s, DEALING)


def deal_card(s: Dividha, k: int, to: Listener) -> None:
    """Deal one card from the deck to the next player in standard order; in the trade, private cards first (DV-96)."""
    p = s.at
    s.left &= ~(1 << k)
    if s.hidden_due > 0:
        s.hidden_due -= 1
        s.coming[p] |= 1 << k
    else:
        s.open_due -= 1
        s.public[p] |= 1 << k
        note(to, "DV-95" if s.phase == TRADE else "DV-24", "turns_up", p, k)
    s.at = after(s.those, p)
    if s.hidden_due + s.open_due == 0:
        end_deal(s, to)


def end_deal(s: Dividha, to: Listener) -> None:
    """End a deal: the players now look at their private cards."""
    for p in members(s.those):
        new = s.coming[p]
        if new:
            whisper(to, "DV-23" if s.phase == FIRST else "DV-25" if s.phase == THIRD else "DV-94", "dealt", p, new)
            s.down[p] += count(new)
            s.private[p] |= new
            s.coming[p] = 0
    s.those = 0
    go_to(s, NEXT_TRADER if s.phase == TRADE else NEXT_PHASE)


# ------------------------------------------------------------------------------------------ the trade


def next_trader(s: Dividha, to: Listener) -> None:
    """Go on to the next player in the trade, all-in players included (DV-90, DV-98), or end it."""
    if s.todo == 0:
        go_to(s, NEXT_PHASE)
        return
    p = after(s.todo, s.at)
    s.todo &= ~(1 << p)
    s.at = p
    if s.gone >> p & 1:
        note(to, "DV-33", "stands", p)
    elif trades_left(s, p) == 0:
        note(to, "DV-103", "cannot_trade", p)
    else:
        ask(s, TRADING, p)


def trades_left(s: Dividha, p: int) -> int:
    """How many cards a player may still pick for the trade (DV-91, DV-103)."""
    most = min(MOST_TRADED, s.coins[p] // s.ante) if s.pay_to_trade else MOST_TRADED
    return most - count(s.picked)


def cards_to_trade(s: Dividha, me: int, acts: list[int]) -> int:
    acts[0] = STAND
    n = 1
    for c in members((s.private[me] | s.public[me]) & ~s.picked):
        acts[n] = GIVE + c
        n += 1
    return n


def trade(s: Dividha, me: int, a: int, to: Listener) -> None:
    """Pick another card to trade, or finish; then the cards are replaced (DV-93)."""
    if a != STAND:
        s.picked |= 1 << (a - GIVE)
        if trades_left(s, me) > 0:
            return
    if s.picked:
        replace_picked(s, me, to)
    else:
        note(to, "DV-91", "stands", me)
        go_to(s, NEXT_TRADER)


def refuse_trade(s: Dividha, me: int, a: int) -> str:
    return "DV-91" if a == STAND or GIVE <= a < DISCARD else "DV-90"


def replace_picked(s: Dividha, me: int, to: Listener) -> None:
    """Replace the picked cards, for an ante each with ``pay_to_trade`` (DV-94 to DV-100)."""
    given, shown = s.picked & s.private[me], s.picked & s.public[me]
    s.picked = 0
    s.hidden_due = s.traded[me] = count(given)
    s.open_due = count(shown)
    note(to, "DV-97", "trades", me, count(given), count(shown))
    if given:
        whisper(to, "DV-97", "gives_up", me, given)
    if shown:
        note(to, "DV-95", "turns_down", me, shown)
    s.private[me] &= ~given
    s.thrown[me] = given
    s.down[me] -= count(given)
    s.public[me] &= ~shown
    s.spent |= shown
    s.those = 1 << me
    if s.pay_to_trade:
        s.fees[me] = count(given | shown) * s.ante
        note(to, "DV-100", "pays_for_trade", me, s.fees[me])
        pay(s, me, s.fees[me], to)
        ask(s, PAYING, me)
    else:
        go_to(s, DEALING)
