"""From hand to hand in Dividha: the first dealer, players who come back, the ante, players who are out, and the end of
the match."""

from parlour.games.dividha.betting import lower_antes, propose
from parlour.games.dividha.position import *
from parlour.rules.matchplay import after, at_least, leave_table, most, place
from parlour.rules.vocabulary import *

MOST_HANDS = 1000  # DV-220
MOST_WAITS = 3  # most times in a row that no absent player comes back (DV-220)

# ------------------------------------------------------------------------------------------ before a hand


def draw_dealer(s: Dividha, k: int, to: Listener) -> None:
    """DV-17."""
    s.dealer = k
    note(to, "DV-17", "deals", k)
    go_to(s, STARTING)


def ask_who_is_back(s: Dividha) -> None:
    """Ask the players who were absent in the previous hand whether they are back (DV-30).  Players who have left since
    are not asked, unless everybody is absent (DV-31)."""
    s.away = (s.away | s.gone) & s.seated
    s.todo = s.away if s.away == s.seated else s.gone & s.seated
    s.gone = 0
    if s.todo:
        ask(s, RETURNING, after(s.todo, s.dealer))
    else:
        go_to(s, STARTING)


def come_back(s: Dividha, me: int, a: int, to: Listener) -> None:
    """Take an absent player's answer; a hand begins as soon as a player is present (DV-31)."""
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


def finish_hand(s: Dividha, to: Listener) -> None:
    """Finish a hand: the ante may rise; the players present may propose a lower one, or leave (DV-36)."""
    gather(s)
    s.gone |= s.away
    s.away = 0
    if is_last_hand(s):
        s.deal += 1
        note(to, "DV-220", "last_hand", EVERYBODY, s.deal)
        end_match(s, s.seated)
        return
    raise_ante(s, to)
    if s.between_hands == ASKED:
        wipe_tablets(s)
        s.todo = s.seated & ~s.gone
        s.at = s.dealer
    go_to(s, NEXT_TALKER)


def is_last_hand(s: Dividha) -> bool:
    """Whether the match ends with the hand just played (DV-220)."""
    return s.deal + 1 >= (s.deals if s.deals else MOST_HANDS)


def settle_hand(s: Dividha, to: Listener) -> None:
    """Settle a hand: an agreed ante holds from now on, and players who cannot pay the ante are out (DV-36)."""
    s.deal += 1
    s.at = 0
    lower_ante(s, to)
    eliminate(s, to)
    if s.orbit == 0:
        s.orbit = count(s.seated)  # DV-199
    if s.stage != OVER:
        go_to(s, SETTLED)


def gather(s: Dividha) -> None:
    """Clear away cards and bets; also tablets if they are never shown."""
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


def wipe_tablets(s: Dividha) -> None:
    """Clear the tablets of a hand, and the coins that players have paid into it."""
    for p in range(s.players):
        s.paid[p] = s.win[p] = s.fees[p] = s.fee_win[p] = s.back[p] = 0


def raise_ante(s: Dividha, to: Listener) -> None:
    """Raise the ante by the schedule (DV-198)."""
    s.orbit -= 1
    due = (s.deal + 1) % s.ante_every == 0 if s.ante_schedule == EVERY_N_HANDS else s.orbit == 0
    if due and s.ante_schedule != NEVER and s.ante_step:
        s.ante += s.ante_step
        note(to, "DV-198", "ante_rises", EVERYBODY, s.ante)


def lower_ante(s: Dividha, to: Listener) -> None:
    """Lower the ante to the one agreed (DV-204)."""
    if s.agreed:
        note(to, "DV-204", "ante_lowered", EVERYBODY, s.agreed)
        s.ante = s.agreed
    s.agreed = s.proposed = 0


# ------------------------------------------------------------------------------------------ between two hands


def next_talker(s: Dividha, to: Listener) -> None:
    """Ask the next player, clockwise, who has a choice (DV-221, DV-222); after the last, settle the hand."""
    while s.todo:
        p = after(s.todo, s.at)
        if s.absences or may_propose(s, p):
            ask(s, TALKING, p)
            return
        s.todo &= ~(1 << p)
        s.at = p
    settle_hand(s, to)


def may_propose(s: Dividha, p: int) -> bool:
    """DV-203, DV-206."""
    return (s.ante > 2) & (s.proposed >> p & 1 == 0)


def talks(s: Dividha, me: int, acts: list[int]) -> int:
    """List the choices between hands: change nothing, leave the table, or propose a lower ante."""
    acts[0] = CHECK
    n = 1
    if s.absences:
        acts[n] = LEAVE
        n += 1
    return lower_antes(s, me, acts, n)


def talk(s: Dividha, me: int, a: int, to: Listener) -> None:
    """Carry out a choice between hands: a proposal leaves the player's turn as it is; a player who leaves is absent
    when the next hand begins (DV-27, DV-222)."""
    if a >= win_id(s):
        propose(s, me, 2 * (a - propose_id(s)), to)
        return
    if a == LEAVE:
        note(to, "DV-222", "leaves", me)
        s.away |= 1 << me
    s.todo &= ~(1 << me)
    s.at = me
    go_to(s, NEXT_TALKER)


def refuse_talk(s: Dividha, me: int, a: int) -> str:
    if a == LEAVE:
        return "DV-222"
    if propose_id(s) < a < order_id(s):
        return "DV-206" if s.proposed >> me & 1 else "DV-203"
    return "DV-221"


# ------------------------------------------------------------------------------------------ elimination, and the end


def eliminate(s: Dividha, to: Listener) -> None:
    """Eliminate players who cannot pay the ante (DV-192, DV-194); if one player or none is left, the match is over."""
    staying = at_least(s.coins, s.seated, s.ante)
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


def take_everything(s: Dividha, first: int, to: Listener) -> None:
    """Give the remaining coins to the winner, or to the players who share the win (DV-195, DV-196)."""
    n = count(first)
    p = s.dealer
    for i in range(n):
        p = after(first, p)
        s.coins[p] += s.forfeits // n + (i < s.forfeits % n)
        note(to, "DV-195", "wins_match", p, s.coins[p])
    s.forfeits = 0


def end_match(s: Dividha, those: int) -> None:
    """End the match; the players still in are ranked by their coins (DV-197, DV-220)."""
    for p in members(those):
        s.places[p] = place(s.coins, those, p)
    go_to(s, OVER)
