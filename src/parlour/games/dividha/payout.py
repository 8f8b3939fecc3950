"""The payout of Dividha: tablets are shown, and the pot is shared out tier by tier."""

from parlour.games.dividha.position import *
from parlour.rules.matchplay import after, most
from parlour.rules.vocabulary import *

NO_CAP = 1 << 14


def show_tablets(s: Dividha, to: Listener) -> None:
    """DV-175."""
    for p in range(s.players):
        if s.paid[p] > 0:
            lose = s.paid[p] - s.win[p] + s.fees[p] - s.fee_win[p]
            note(to, "DV-175", "tablet", p, s.win[p] + s.fee_win[p], lose)


def last_one(s: Dividha, to: Listener) -> None:
    """Pay the last player, if everybody else has folded or is absent (DV-41, DV-181)."""
    p = lowest(s.live)
    note(to, "DV-181", "takes_all", p, s.pot)
    if s.tablets_on_last_fold == SHOWN:
        show_tablets(s, to)
    s.coins[p] += s.pot
    s.forfeits = 0
    go_to(s, FINISHING)


# ------------------------------------------------------------------------------------------ tiers


def share_pots(s: Dividha, those: int, no_win: int, to: Listener) -> None:
    """Share out the pot tier by tier (DV-187); ``those``: the players who compete; ``no_win``: the ones of them who do
    not compete for Win coins."""
    floor = 0
    tier = 0
    while floor < NO_CAP:
        cap = NO_CAP if s.all_in == WHOLE_POT else next_total(s, floor)
        top = NO_CAP if next_total(s, cap) == NO_CAP else cap
        tier += 1
        eligible = those
        for p in range(s.players):
            if s.paid[p] < cap and s.all_in != WHOLE_POT:
                eligible &= ~(1 << p)  # DV-188
        share_tier(s, tier, floor, top, eligible, no_win, to)
        floor = top


def next_total(s: Dividha, floor: int) -> int:
    """Return the lowest total of a live player above ``floor`` (DV-187)."""
    found = NO_CAP
    for p in members(s.live):
        if s.paid[p] > floor:
            found = min(found, s.paid[p])
    return found


def share_tier(s: Dividha, tier: int, low: int, high: int, eligible: int, no_win: int, to: Listener) -> None:
    """Give a tier's Win coins to the strongest eligible hand and its Lose coins to the weakest (DV-189); coins that
    nobody may take go back (DV-120, DV-216)."""
    takers = eligible & ~no_win
    wins = loses = 0
    for p in range(s.players):
        w, n = wins_between(s, p, low, high), paid_between(s, p, low, high)
        wins += w
        loses += n - w
        s.coins[p] += (0 if takers else w) + (0 if eligible else n - w)
    if tier == 1 and takers:
        wins += s.forfeits  # DV-180
        s.forfeits = 0
    if takers:
        if count(eligible) == 1:
            note(to, "DV-190", "is_alone", lowest(eligible), tier)
        hand_out(s, most(s.worth, takers), wins, tier, True, to)
    elif eligible == 0:
        if wins + loses > 0:
            note(to, "DV-120", "goes_back", EVERYBODY, wins + loses, tier)
    elif wins > 0:
        note(to, "DV-216", "wins_back", EVERYBODY, wins, tier)
    if eligible:
        hand_out(s, least(s, eligible), loses, tier, False, to)


def paid_between(s: Dividha, p: int, low: int, high: int) -> int:
    """Return a player's coins in a tier; the first tier includes trade payments (DV-186, DV-191)."""
    return min(high, s.paid[p]) - min(low, s.paid[p]) + (s.fees[p] if low == 0 else 0)


def wins_between(s: Dividha, p: int, low: int, high: int) -> int:
    """Return the Win coins among them."""
    if s.folded_columns == ALL_TO_WIN and not s.live >> p & 1:
        return paid_between(s, p, low, high)
    total = max(1, s.paid[p])
    ends = s.win[p] * min(high, total) // total - s.win[p] * min(low, total) // total
    return ends + (s.fee_win[p] if low == 0 else 0)


def least(s: Dividha, those: int) -> int:
    """Return the players of the set with the weakest hands (DV-174)."""
    worst = s.worth[lowest(those)]
    for p in members(those):
        worst = min(worst, s.worth[p])
    found = 0
    for p in members(those):
        found |= (s.worth[p] == worst) << p
    return found


def hand_out(s: Dividha, those: int, coins: int, tier: int, strongest: bool, to: Listener) -> None:
    """Give coins of one column to one player, or to several equally, odd coins in standard order (DV-182, DV-183)."""
    if coins == 0:
        return
    n = count(those)
    odd = coins % n
    if n > 1:
        note(to, "DV-182", "share", EVERYBODY, n, tier)
        if odd:
            note(to, "DV-183", "odd_coins", EVERYBODY, odd)
    side = tier if tier > 1 else 0
    p = s.dealer
    for i in range(n):
        p = after(those, p)
        got = coins // n + (i < odd)
        s.coins[p] += got
        if got == 0:
            pass  # with fewer coins than players, each of the first players gets one and the others none (DV-183)
        elif strongest:
            note(to, "DV-189" if side else "DV-176", "takes_win_side" if side else "takes_win", p, got, side)
        else:
            note(to, "DV-189" if side else "DV-177", "takes_lose_side" if side else "takes_lose", p, got, side)
