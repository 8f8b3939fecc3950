"""The deal in Matrimony: cards come face up, pools are won, the deal ends."""

from parlour.games.matrimony.position import *
from parlour.rules.matchplay import after, leave_table, place
from parlour.rules.pools import on_layout, share_layout, sweep, win
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the cards


def deal_cards(s: Matrimony, to: Listener) -> None:
    """Deal everybody their down cards (MA-26); the up cards come next."""
    note(to, "MA-26", "deals", s.dealer, count(s.dealt))
    s.stake = 0
    for p in range(s.players):
        s.pool[p] = s.whole[p] = 0
        s.matrimony[p] = s.intrigue[p] = s.confederacy[p] = s.pair[p] = s.best[p] = 0
    s.stage = UP
    s.at = after(s.dealt, s.dealer)


def get_card(s: Matrimony, k: int, to: Listener) -> None:
    """Give a player an up card (MA-27); the ace of diamonds takes everything (MA-29) and ends the deal (MA-30)."""
    p = s.at
    show_card(s, k)
    note(to, "MA-27", "gets", p, k)
    if k == ACE_OF_DIAMONDS:
        s.shown = (1 << len(POOLS)) - 1
        note(to, "MA-29", "sweeps", p, sweep(s.counters, p, s.pools))  # the pools are never all empty during a deal
        finish_deal(s, to)
        return
    s.at = after(s.dealt, p)
    if p == s.dealer:
        if s.best_rule == NEXT_UP:
            give_best(s, to)
        s.stage = DOWN


def expose_card(s: Matrimony, k: int, to: Listener) -> None:
    """Turn up a player's down card (MA-31); with the last one they show their hand (MA-33)."""
    p = s.at
    show_card(s, k)
    note(to, "MA-31", "exposes", p, k)
    if k == ACE_OF_DIAMONDS and s.best_rule != NEXT_ANY:
        note(to, "MA-39", "no_best", p)
    if count(s.hand[p]) < (3 if s.cards == TWO_DOWN else 2):
        return
    claim(s, p, to)
    s.at = after(s.dealt, p)
    if p == s.dealer:
        if s.pair_rule == HIGHEST:
            give_pair(s, to)
        if s.best_rule == NEXT_ANY:
            give_best(s, to)
        finish_deal(s, to)


# ------------------------------------------------------------------------------------------ winning pools


def combinations(hand: int) -> int:
    """Return those of the first four pools whose combination is among these cards (MA-3 to MA-6)."""
    jack = of_rank(hand, JACK) > 0
    queen = of_rank(hand, QUEEN) > 0
    king = of_rank(hand, KING) > 0
    pair = pair_in(hand) > 0
    return (king & queen) << MATRIMONY | (queen & jack) << INTRIGUE | (king & jack) << CONFEDERACY | pair << PAIR


def pair_in(hand: int) -> int:
    """Return the rank of a pair among these cards, counted from 1 for the aces; 0 if there is none."""
    for card in members(hand):
        if of_rank(hand, rank_of(card)) > 1:
            return rank_of(card) + 1
    return 0


def claim(s: Matrimony, p: int, to: Listener) -> None:
    """Give the pool of a combination to the first player to show it (MA-38); the highest pair is settled later
    [pair_rule]."""
    mine = combinations(s.hand[p])
    if s.pair_rule == HIGHEST:
        mine &= ~(1 << PAIR)
    late = mine & s.shown
    s.shown |= mine
    for pool in members(mine & ~late):
        collect(s, p, pool, to)
    for pool in members(late):
        note(to, "MA-38", "too_late", p, POOL + pool)


def collect(s: Matrimony, p: int, pool: int, to: Listener) -> None:
    """Give a player everything on a pool (MA-42)."""
    won = win(s.counters, p, s.pools, pool)
    if won == 0:
        note(to, "MA-43", "wins_nothing", p, POOL + pool)
    elif pool == PAIR or pool == CONFEDERACY:
        note(to, "MA-37" if pool == PAIR else "MA-36", "wins", p, won, POOL + pool)
    else:
        note(to, "MA-34" if pool == MATRIMONY else "MA-35", "wins", p, won, POOL + pool)


def give_pair(s: Matrimony, to: Listener) -> None:
    """Give the pool to the highest pair, of equal pairs to the earlier in order [pair_rule=highest]."""
    best = 0
    for p in members(s.dealt):
        best = max(best, pair_in(s.hand[p]))
    if best:
        holder = after(s.dealt, s.dealer)
        while pair_in(s.hand[holder]) < best:
            holder = after(s.dealt, holder)
        s.shown |= 1 << PAIR
        collect(s, holder, PAIR, to)


def give_best(s: Matrimony, to: Listener) -> None:
    """Give Best, and nothing else, to the player of the highest diamond on view: a king or below, or an ace that lay
    face down [best_rule]."""
    diamonds = DIAMONDS & ~s.unseen
    if diamonds == 0 or s.pools[BEST] == 0:
        return
    card = ACE_OF_DIAMONDS if diamonds >> ACE_OF_DIAMONDS & 1 else nth(diamonds, count(diamonds) - 1)
    for p in members(s.dealt):
        if s.hand[p] >> card & 1:
            won = win(s.counters, p, s.pools, BEST)
            note(to, "MA-40", "wins_best", p, won, card)


# ------------------------------------------------------------------------------------------ the end


def finish_deal(s: Matrimony, to: Listener) -> None:
    """Finish a deal: pools not won stay (MA-40, MA-41); another deal follows, or the match is over (MA-49)."""
    s.stage = SETTLED
    s.at = 0
    s.deal += 1
    left = on_layout(s.pools)
    if s.pools[BEST] > 0:
        note(to, "MA-40", "best_stays", EVERYBODY, s.pools[BEST])
    if left > s.pools[BEST]:
        note(to, "MA-41", "stay", EVERYBODY, left - s.pools[BEST])
    last = staked_deals(s) + (MOST_PLAY_OUT if s.leftovers == PLAY_OUT and left > 0 else 0)
    if s.deal >= last:
        note(to, "MA-49", "last_deal", EVERYBODY, s.deal)
        end_match(s, to)
    elif s.broke == OUT:
        for p in members(s.seated):
            if not can_stake(s, p):
                note(to, "MA-45", "is_out", p)
                leave_table(s, p)
        if count(s.seated) < 2:
            note(to, "MA-49", "too_few", EVERYBODY, count(s.seated))
            end_match(s, to)


def end_match(s: Matrimony, to: Listener) -> None:
    """End the match: the counters left on the layout are divided (MA-50); then the players are ranked (MA-51)."""
    s.stage = OVER
    left = on_layout(s.pools)
    if left > 0:
        heirs = s.seated if s.seated else s.dealt
        note(to, "MA-50", "divide", EVERYBODY, left, count(heirs))
        share_layout(s.counters, heirs, s.pools, s.dealer)
    for p in range(s.players):
        note(to, "MA-51", "ranks", p, place(s.counters, (1 << s.players) - 1, p), s.counters[p])
