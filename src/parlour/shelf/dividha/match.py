"""From hand to hand in Dividha: the first dealer, players who come back, the ante, players who are out, and the end of
the match."""

from typing import Any

from parlour.matchplay import after, deals_over, leave_table, most, place
from parlour.shelf.dividha.position import *
from parlour.vocabulary import *

MOST_HANDS = 1000  # DV-220
MOST_WAITS = 3  # times in a row that nobody is back (DV-220)

# ------------------------------------------------------------------------------------------ before a hand


def draw_dealer(s: Dividha, k: int, to: Any) -> None:
    """DV-17."""
    s.dealer = k
    note(to, "DV-17", "deals", k)
    go_to(s, STARTING)


def ask_who_is_back(s: Dividha) -> None:
    """Players who have left, or stayed away, may take part in the next hand (DV-30)."""
    s.away = (s.away | s.gone) & s.seated
    s.gone = 0
    s.todo = s.away
    if s.away:
        ask(s, RETURNING, after(s.away, s.dealer))
    else:
        go_to(s, STARTING)


def come_back(s: Dividha, me: int, a: int, to: Any) -> None:
    """A hand begins as soon as somebody is there (DV-31)."""
    note(to, "DV-30", "returns" if a == RETURN else "stays_away", me)
    s.away &= ~((a == RETURN) << me)
    s.todo &= ~(1 << me)
    if s.todo:
        s.turn = after(s.todo, me)
    elif s.away != s.seated:
        go_to(s, STARTING)
    elif s.waited + 1 == MOST_WAITS:
        s.waited += 1
        note(to, "DV-220", "last_hand", EVERYBODY, s.deal)
        end_match(s, s.seated)
    else:
        s.waited += 1
        note(to, "DV-31", "waits", EVERYBODY)
        s.todo = s.away
        s.turn = after(s.todo, me)


# ------------------------------------------------------------------------------------------ after a hand


def finish_hand(s: Dividha, to: Any) -> None:
    """The hand is over: the ante may change, and players who cannot pay it are out (DV-36)."""
    s.deal += 1
    gather(s)
    if deals_over(s, MOST_HANDS):
        note(to, "DV-220", "last_hand", EVERYBODY, s.deal)
        end_match(s, s.seated)
        return
    change_ante(s, to)
    eliminate(s, to)
    if s.orbit == 0:
        s.orbit = count(s.seated)  # DV-199
    if s.stage == FINISHING:
        go_to(s, SETTLED)


def gather(s: Dividha) -> None:
    """Cards and bets are cleared away; tablets only if nobody was to see them."""
    hidden = s.tablets_on_last_fold == HIDDEN and count(s.live) == 1
    for p in range(s.players):
        s.private[p] = s.coming[p] = s.thrown[p] = s.worth[p] = 0
        s.discard[p] = s.laid[p] = s.named[p] = s.ordered[p] = s.down[p] = s.traded[p] = s.put[p] = 0
        if hidden:
            s.win[p] = s.fee_win[p] = 0
    for i in range(SEATS * SLOTS):
        s.bets[i] = 0
    s.left = s.spent = s.picked = 0
    s.pot = s.level = s.step = s.raises = s.able = s.todo = s.whole = s.those = s.at = s.phase = 0


def change_ante(s: Dividha, to: Any) -> None:
    """The scheduled rise, then what was agreed (DV-198, DV-204)."""
    s.orbit -= 1
    due = s.deal % s.ante_every == 0 if s.ante_schedule == EVERY_N_HANDS else s.orbit == 0
    if due and s.ante_schedule != NEVER and s.ante_step:
        s.ante += s.ante_step
        note(to, "DV-198", "ante_rises", EVERYBODY, s.ante)
    if s.agreed:
        note(to, "DV-204", "ante_lowered", EVERYBODY, s.agreed)
        s.ante = s.agreed
    s.agreed = s.proposed = 0


# ------------------------------------------------------------------------------------------ who is out, and the end


def eliminate(s: Dividha, to: Any) -> None:
    """Players who cannot pay the ante are out (DV-192, DV-194); if one player or none is left, the match is over."""
    staying = 0
    for p in members(s.seated):
        staying |= (s.coins[p] >= s.ante) << p
    out = s.seated & ~staying
    if staying == 0:
        note(to, "DV-196", "nobody_can_pay", EVERYBODY, s.ante)
        first = most(s.coins, out)
        end_match(s, out)
        forfeit(s, out)
        take_everything(s, first, to)
        return
    for p in members(out):
        note(to, "DV-192", "is_out", p)
        if s.coins[p]:
            note(to, "DV-192", "forfeits", p, s.coins[p])
        s.places[p] = count(staying) + place(s.coins, out, p)  # DV-197
        leave_table(s, p)
    forfeit(s, out)
    if count(staying) == 1:
        end_match(s, staying)
        take_everything(s, staying, to)


def forfeit(s: Dividha, out: int) -> None:
    """DV-193."""
    for p in members(out):
        s.forfeits += s.coins[p]
        s.coins[p] = 0


def take_everything(s: Dividha, first: int, to: Any) -> None:
    """What is left goes to the winner, or to those who share the win (DV-195, DV-196)."""
    n = count(first)
    p = s.dealer
    for i in range(n):
        p = after(first, p)
        s.coins[p] += s.forfeits // n + (i < s.forfeits % n)
        note(to, "DV-195", "wins_match", p, s.coins[p])
    s.forfeits = 0


def end_match(s: Dividha, those: int) -> None:
    """The match is over; those still in are placed by their coins (DV-197, DV-220)."""
    for p in members(those):
        s.places[p] = place(s.coins, those, p)
    go_to(s, OVER)
