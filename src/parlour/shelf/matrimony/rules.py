"""Matrimony.  Clause ids (MA-n) refer to the rule book, ``book.md``.

A card is ``4 * rank + suit``, ranks from the ace (0) to the King (12), suits c d h s; sets of cards, seats and pools
are integers, one bit each.  Nobody sees a card before the whole table does (MA-28), so cards are decided by chance as
they are turned up; what can be secret is a stake.

A stake is chosen as amounts: how many counters in all, where that is a choice, then how many on each pool in turn.
"""

from typing import Any

from parlour.matchplay import Match, after, everybody_sits, gains, is_seated, leave_table, next_seated, place
from parlour.pools import on_layout, put, share_layout, sweep, win
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    amount,
    amount_option,
    cards,
    choice,
    count,
    lowest,
    note,
    nth,
    number,
    numbers,
    one_of,
    seat,
    seat_option,
    seat_set,
    tell,
)

PLAYERS = range(2, 27)  # MA-9
VERSION = 1

SEATS = 26
POOLS = ("Matrimony", "Intrigue", "Confederacy", "Pair", "Best")
MATRIMONY, INTRIGUE, CONFEDERACY, PAIR, BEST = 0, 1, 2, 3, 4
RANKS, SUITS = "A23456789TJQK", "cdhs"
PACK = tuple(rank + suit for rank in RANKS for suit in SUITS)
CARDS = (*PACK, *POOLS)  # what sentences name: a card, and POOL + pool
POOL = len(PACK)
DECK = (1 << len(PACK)) - 1
ACE_OF_DIAMONDS = PACK.index("Ad")
JACKS, QUEENS, KINGS = (4 * RANKS.index(rank) for rank in "JQK")  # where their four bits begin
FIRST_OF_RANK = sum(1 << 4 * rank for rank in range(len(RANKS)))  # one bit for each rank
DIAMONDS = FIRST_OF_RANK << SUITS.index("d")

WHOLE, FIRST, LAST, DONE = 0, 1, 5, 6  # what of a stake is being chosen: all of it, then pools 1 to 5 of POOLS

DRAWING, STAKING, UP, DOWN, SETTLED, OVER = range(6)
WHO = (CHANCE, 0, CHANCE, CHANCE, DEAL_OVER, TERMINAL)  # acts at each stage, but for STAKING

# Values of options that are not the default, 0.
AT_MOST = SECRET = WHEN_EMPTY = TWO_DOWN = HIGHEST = OUT = PLAY_OUT = YES = 1
NEXT_UP, NEXT_ANY = 1, 2
DRAW = 255
MOST_DEALS, MOST_PLAY_OUT, MOST_WITH_TWO_DOWN = 255, 20, 17


class Matrimony(Match):
    start_counters: int = amount_option(100, 2, 1000, clauses="MA-10", kind="i2")
    first_dealer: int = seat_option("draw", clauses="MA-11", draw=DRAW)
    stake_min: int = amount_option(2, 2, 100, clauses="MA-20 MA-46")
    stake_max: int = amount_option("none", 2, 1000, clauses="MA-21", kind="i2", none=0)
    others_stake: int = choice("exact", "at_most", clauses="MA-17 MA-21")
    cover_all: int = choice("no", "yes", clauses="MA-19")
    stake_visibility: int = choice("open", "secret", clauses="MA-18")
    restake: int = choice("every_deal", "when_empty", clauses="MA-23")
    cards: int = choice("one_down", "two_down", clauses="MA-9 MA-26 MA-33 MA-44")
    pair_rule: int = choice("first", "highest", clauses="MA-37 MA-38")
    best_rule: int = choice("carry", "next_up", "next_any", clauses="MA-39 MA-40")
    broke: int = choice("free", "out", clauses="MA-45 MA-49 MA-50")
    rounds: int = amount_option(2, 1, 100, clauses="MA-49")
    leftovers: int = choice("share", "play_out", clauses="MA-50")

    stage: int = number("i1")
    at: int = number("i1")  # who stakes (or SEVERAL), draws, gets an up card or turns up his down card
    counters: list[int] = numbers(SEATS, "i2")
    before: list[int] = numbers(SEATS, "i2")  # counters when the last deal was settled
    pools: list[int] = numbers(5, "i2")
    dealt: int = number("i4")  # set of the players dealt in; in the draw, of those who draw
    hand: list[int] = numbers(SEATS, "i8")  # sets of the cards that lie face up before each player
    unseen: int = number("i8")  # set of the cards that nobody has seen in this deal
    shown: int = number("i1")  # set of the pools whose combination has been shown in this deal
    stake: int = number("i2")  # N, how many counters the dealer has taken; 0 as long as he has not
    pool: list[int] = numbers(SEATS, "i1")  # what each player is choosing: WHOLE, a pool, or DONE
    whole: list[int] = numbers(SEATS, "i2")  # how many counters his stake has in all
    matrimony: list[int] = numbers(SEATS, "i2")  # what each player has chosen to stake on each pool
    intrigue: list[int] = numbers(SEATS, "i2")
    confederacy: list[int] = numbers(SEATS, "i2")
    pair: list[int] = numbers(SEATS, "i2")
    best: list[int] = numbers(SEATS, "i2")


def refuse_options(s: Matrimony) -> str:
    """Why these options do not go together; empty if they do."""
    if s.cards == TWO_DOWN and s.players > MOST_WITH_TWO_DOWN:
        return f"With cards=two_down at most {MOST_WITH_TWO_DOWN} can play, not {s.players} (MA-9)."
    if s.stake_max and s.stake_max < s.stake_min:
        return f"stake_max={s.stake_max} cannot be below stake_min={s.stake_min} (MA-20)."
    if s.start_counters < s.stake_min:
        return f"With start_counters={s.start_counters} nobody could ever stake stake_min={s.stake_min} (MA-20)."
    if s.rounds * s.players > MOST_DEALS:
        return f"{s.rounds} rounds of {s.players} are too long: a match has at most {MOST_DEALS} deals (MA-49)."
    return ""


# ------------------------------------------------------------------------------------------ seats and the draw


def can_stake(s: Matrimony, p: int) -> bool:
    """Whether a player who does not deal has anything to stake (MA-45)."""
    return bool(s.counters[p] >= s.stake_min - 1)


def begin(s: Matrimony, to: Any) -> None:
    everybody_sits(s)
    for p in range(s.players):
        s.counters[p] = s.before[p] = s.start_counters
    if s.first_dealer == DRAW:
        draw_for_deal(s, s.seated)
    else:
        s.dealer = s.first_dealer
        start_deal(s, to)


def draw_for_deal(s: Matrimony, those: int) -> None:
    """They draw from the full pack (MA-11, MA-13)."""
    s.stage = DRAWING
    s.dealt = those
    s.at = lowest(those)
    gather(s)


def gather(s: Matrimony) -> None:
    """The pack is shuffled (MA-25)."""
    s.unseen = DECK
    for p in range(s.players):
        s.hand[p] = 0


def drawn(s: Matrimony, k: int, to: Any) -> None:
    """A card is drawn for the first deal; after the last one the lowest deals, or those who tie draw again (MA-12)."""
    note(to, "MA-11", "draws", s.at, k)
    if s.at != last_of(s.dealt):
        s.at = after(s.dealt, s.at)
        return
    low = len(PACK)
    those = 0
    for p in range(s.players):
        if s.dealt >> p & 1:
            rank = lowest(s.hand[p]) >> 2
            if rank < low:
                low = rank
                those = 0
            those |= (rank == low) << p
    if count(those) > 1:
        note(to, "MA-13", "draw_again", EVERYBODY, count(those))
        draw_for_deal(s, those)
    else:
        s.dealer = lowest(those)
        note(to, "MA-12", "deals_first", s.dealer)
        start_deal(s, to)


def last_of(members: int) -> int:
    """The last member of a set that is not empty."""
    return nth(members, count(members) - 1)


# ------------------------------------------------------------------------------------------ staking


def start_deal(s: Matrimony, to: Any) -> None:
    """A deal begins with the stakes, if there are any (MA-23, MA-47)."""
    gather(s)
    s.dealt = s.seated
    s.shown = 0
    if s.deal >= staked_deals(s):
        note(to, "MA-50", "plays_out", s.dealer, on_layout(s.pools))
        deal_cards(s, to)
    elif s.restake == WHEN_EMPTY and on_layout(s.pools) > 0:
        note(to, "MA-23", "stands", s.dealer, on_layout(s.pools))
        deal_cards(s, to)
    elif s.counters[s.dealer] < s.stake_min:
        note(to, "MA-47", "without_stakes", s.dealer)
        deal_cards(s, to)
    else:
        s.stage = STAKING
        s.at = s.dealer
        go_on(s, s.dealer, to)


def asks(s: Matrimony, p: int) -> bool:
    """Whether a player has counters to stake in this deal (MA-45)."""
    return bool(s.dealt >> p & 1) and (p == s.dealer or can_stake(s, p))


def ask_stake(s: Matrimony, p: int) -> None:
    """A player is to stake: the others than the dealer one counter fewer than he took (MA-17)."""
    fewer = (s.others_stake == AT_MOST) & (p != s.dealer)
    s.pool[p] = WHOLE if fewer else FIRST
    s.whole[p] = 0 if fewer else s.stake - (p != s.dealer)


def most_taken(s: Matrimony, me: int) -> int:
    """The highest stake: for the dealer MA-21, for another player MA-17 [others_stake=at_most]."""
    if me != s.dealer:
        return min(s.stake - 1, s.counters[me])
    top = s.counters[me]
    if s.stake_max:
        top = min(top, s.stake_max)
    if s.others_stake != AT_MOST:
        for p in range(s.players):
            if (p != me) & asks(s, p):
                top = min(top, s.counters[p] + 1)
    return top


def covers(s: Matrimony, p: int) -> bool:
    """Whether every pool must get a counter of this stake (MA-19)."""
    return (s.cover_all == YES) & (s.whole[p] >= 5)


def most(s: Matrimony, p: int) -> int:
    """The highest amount that ``p`` may choose now."""
    if s.pool[p] == WHOLE:
        return most_taken(s, p)
    left = s.whole[p] - s.matrimony[p] - s.intrigue[p] - s.confederacy[p] - s.pair[p]
    return left - (LAST - s.pool[p]) if covers(s, p) else left


def least(s: Matrimony, p: int) -> int:
    """The lowest amount that ``p`` may choose now."""
    if s.pool[p] == WHOLE:
        return s.stake_min if p == s.dealer else 1
    return most(s, p) if s.pool[p] == LAST else int(covers(s, p))


def choose_amount(s: Matrimony, p: int, n: int, to: Any) -> None:
    """An amount is complete: a whole stake, or what goes on one pool."""
    if s.pool[p] == WHOLE:
        s.whole[p] = n
        if p == s.dealer:
            s.stake = n
            note(to, "MA-16", "takes", p, n)
        elif s.stake_visibility != SECRET:
            note(to, "MA-17", "takes", p, n)
    else:
        set_down(s, p, s.pool[p] - 1, n)
        if s.stake_visibility != SECRET:
            lay(s, p, s.pool[p] - 1, n, to)
    s.pool[p] += 1


def choose_forced(s: Matrimony, p: int, to: Any) -> None:
    """The only possible amount is chosen without asking."""
    while s.pool[p] != DONE:
        n = least(s, p)
        if n < most(s, p):
            return
        choose_amount(s, p, n, to)


def set_down(s: Matrimony, p: int, pool: int, n: int) -> None:
    """Counters are chosen for a pool."""
    if pool == MATRIMONY:
        s.matrimony[p] += n
    elif pool == INTRIGUE:
        s.intrigue[p] += n
    elif pool == CONFEDERACY:
        s.confederacy[p] += n
    elif pool == PAIR:
        s.pair[p] += n
    elif pool == BEST:
        s.best[p] += n


def go_on(s: Matrimony, p: int, to: Any) -> None:
    """After ``p`` has chosen: he goes on, or the next who has counters is asked, or the cards are dealt (MA-18)."""
    choose_forced(s, p, to)
    if s.stake_visibility == SECRET:
        if (s.at != SEVERAL) & (s.stake > 0):
            seal(s, to)
        if (s.at == SEVERAL) and acting(s) == 0:
            lay_all(s, to)
            deal_cards(s, to)
        return
    while s.pool[p] == DONE:
        s.pool[p] = s.whole[p] = 0
        p = after(s.dealt, p)
        while p != s.dealer and not can_stake(s, p):
            note(to, "MA-45", "stakes_nothing", p)
            p = after(s.dealt, p)
        if p == s.dealer:
            deal_cards(s, to)
            return
        s.at = p
        ask_stake(s, p)
        choose_forced(s, p, to)


def seal(s: Matrimony, to: Any) -> None:
    """The dealer has said how many counters he takes; now all stake at once, unseen [stake_visibility=secret]."""
    s.at = SEVERAL
    for p in range(s.players):
        if p != s.dealer and s.dealt >> p & 1 and not can_stake(s, p):
            note(to, "MA-45", "stakes_nothing", p)
        if p != s.dealer:
            begin_stake(s, p)


def begin_stake(s: Matrimony, p: int) -> None:
    """Nothing of a sealed stake is chosen yet, but for what is forced."""
    s.pool[p] = DONE
    if asks(s, p):
        ask_stake(s, p)
        choose_forced(s, p, None)


def lay_all(s: Matrimony, to: Any) -> None:
    """Sealed stakes are laid together (MA-18)."""
    for p in range(s.players):
        lay(s, p, MATRIMONY, s.matrimony[p], to)
        lay(s, p, INTRIGUE, s.intrigue[p], to)
        lay(s, p, CONFEDERACY, s.confederacy[p], to)
        lay(s, p, PAIR, s.pair[p], to)
        lay(s, p, BEST, s.best[p], to)


def lay(s: Matrimony, p: int, pool: int, n: int, to: Any) -> None:
    """Counters are laid on a pool, where they stay (MA-24)."""
    if n > 0:
        if p == s.dealer:
            note(to, "MA-16", "lays", p, n, POOL + pool)
        else:
            note(to, "MA-17", "lays", p, n, POOL + pool)
        put(s.counters, p, s.pools, pool, n)


# ------------------------------------------------------------------------------------------ cards and claims


def deal_cards(s: Matrimony, to: Any) -> None:
    """Everybody has his down card (MA-26); the up cards come next."""
    note(to, "MA-26", "deals", s.dealer, count(s.dealt))
    s.stake = 0
    for p in range(s.players):
        s.pool[p] = s.whole[p] = 0
        s.matrimony[p] = s.intrigue[p] = s.confederacy[p] = s.pair[p] = s.best[p] = 0
    s.stage = UP
    s.at = after(s.dealt, s.dealer)


def turned_up(s: Matrimony, k: int, to: Any) -> None:
    """A player gets his up card (MA-27)."""
    p = s.at
    note(to, "MA-27", "gets", p, k)
    if k == ACE_OF_DIAMONDS:
        s.shown = 0b11111
        won = sweep(s.counters, p, s.pools)
        note(to, "MA-29", "sweeps", p, won)
        finish_deal(s, to)
    elif p != s.dealer:
        s.at = after(s.dealt, p)
    else:
        if s.best_rule == NEXT_UP:
            give_best(s, to)
        s.stage = DOWN
        s.at = after(s.dealt, s.dealer)


def exposed(s: Matrimony, k: int, to: Any) -> None:
    """A player turns up a down card (MA-31); his combinations are paid when he has turned them all."""
    p = s.at
    note(to, "MA-31", "exposes", p, k)
    if (k == ACE_OF_DIAMONDS) & (s.best_rule != NEXT_ANY):
        note(to, "MA-39", "no_best", p)
    if count(s.hand[p]) < 2 + (s.cards == TWO_DOWN):
        return
    claim(s, p, to)
    if p != s.dealer:
        s.at = after(s.dealt, p)
        return
    if s.pair_rule == HIGHEST:
        give_pair(s, to)
    if s.best_rule == NEXT_ANY:
        give_best(s, to)
    finish_deal(s, to)


def combinations(hand: int) -> int:
    """The pools, of the first four, whose combination is among these cards (MA-3 to MA-6)."""
    jack = (hand >> JACKS & 15) != 0
    queen = (hand >> QUEENS & 15) != 0
    king = (hand >> KINGS & 15) != 0
    ranks = hand | hand >> 1
    ranks = (ranks | ranks >> 2) & FIRST_OF_RANK
    alike = count(hand) > count(ranks)
    return (king & queen) << MATRIMONY | (queen & jack) << INTRIGUE | (king & jack) << CONFEDERACY | alike << PAIR


def claim(s: Matrimony, p: int, to: Any) -> None:
    """The first to show a combination takes its pool; the highest pair is settled later (MA-34 to MA-38)."""
    mine = combinations(s.hand[p])
    if s.pair_rule == HIGHEST:
        mine &= ~(1 << PAIR)
    new = mine & ~s.shown
    late = mine & s.shown
    s.shown |= mine
    while new:
        collect(s, p, lowest(new), to)
        new &= new - 1
    while late:
        note(to, "MA-38", "too_late", p, POOL + lowest(late))
        late &= late - 1


def collect(s: Matrimony, p: int, pool: int, to: Any) -> None:
    """A combination takes everything on its pool (MA-42)."""
    won = win(s.counters, p, s.pools, pool)
    if won == 0:
        note(to, "MA-43", "wins_nothing", p, POOL + pool)
    elif pool == MATRIMONY:
        note(to, "MA-34", "wins", p, won, POOL + pool)
    elif pool == INTRIGUE:
        note(to, "MA-35", "wins", p, won, POOL + pool)
    elif pool == CONFEDERACY:
        note(to, "MA-36", "wins", p, won, POOL + pool)
    else:
        note(to, "MA-37", "wins", p, won, POOL + pool)


def give_pair(s: Matrimony, to: Any) -> None:
    """The highest pair takes the pool, of equals the earlier in order [pair_rule=highest]."""
    best = 0
    holder = p = s.dealer
    for _ in range(count(s.dealt)):
        p = after(s.dealt, p)
        rank = pair_in(s.hand[p])
        if rank > best:
            best = rank
            holder = p
    if best:
        s.shown |= 1 << PAIR
        collect(s, holder, PAIR, to)


def pair_in(hand: int) -> int:
    """The rank of which there are two or more, counted from 1 for the aces; 0 if there is none."""
    while hand:
        rank = lowest(hand) >> 2
        same = hand & (15 << 4 * rank)
        if same & (same - 1):
            return rank + 1
        hand &= ~same
    return 0


def give_best(s: Matrimony, to: Any) -> None:
    """The ace of diamonds has not come face up: the next diamond takes Best alone [best_rule]."""
    diamonds = 0
    for p in range(s.players):
        diamonds |= s.hand[p] & DIAMONDS
    if (diamonds == 0) | (s.pools[BEST] == 0):
        return
    card = ACE_OF_DIAMONDS if diamonds >> ACE_OF_DIAMONDS & 1 else last_of(diamonds)
    for p in range(s.players):
        if s.hand[p] >> card & 1:
            won = win(s.counters, p, s.pools, BEST)
            note(to, "MA-40", "wins_best", p, won, card)


# ------------------------------------------------------------------------------------------ deals and the match


def staked_deals(s: Matrimony) -> int:
    """Deals of the match, but for those that play out what is left (MA-49)."""
    n = s.rounds * s.players
    return min(n, s.deals) if s.deals else n


def finish_deal(s: Matrimony, to: Any) -> None:
    """What was not won stays (MA-40, MA-41); another deal follows, or the match is over."""
    left = on_layout(s.pools)
    if s.pools[BEST] > 0:
        note(to, "MA-40", "best_stays", EVERYBODY, s.pools[BEST])
    if left > s.pools[BEST]:
        note(to, "MA-41", "stay", EVERYBODY, left - s.pools[BEST])
    s.deal += 1
    n = staked_deals(s)
    follows = s.deal < n or (s.leftovers == PLAY_OUT and s.deal < n + MOST_PLAY_OUT and left > 0)
    if follows and s.broke == OUT:
        for p in range(s.players):
            if is_seated(s, p) and not can_stake(s, p):
                note(to, "MA-45", "is_out", p)
                leave_table(s, p)
        follows = count(s.seated) > 1
        if not follows:
            note(to, "MA-49", "too_few", EVERYBODY, count(s.seated))
    elif not follows:
        note(to, "MA-49", "last_deal", EVERYBODY, s.deal)
    s.stage = SETTLED
    s.at = 0
    if not follows:
        end_match(s, to)


def next_deal(s: Matrimony, to: Any) -> None:
    """The deal passes to the left (MA-14, MA-15), over those who cannot stake (MA-46)."""
    for p in range(s.players):
        s.before[p] = s.counters[p]
    p = next_seated(s, s.dealer)
    if s.shown >> BEST & 1:
        note(to, "MA-14", "turn_to_deal", p)
    else:
        note(to, "MA-15", "turn_to_deal", p)
    s.dealer = p
    if s.deal < staked_deals(s):
        able = 0
        for q in range(s.players):
            able |= (s.counters[q] >= s.stake_min) << q
        able &= s.seated
        while able and not able >> p & 1:
            note(to, "MA-46", "passed_over", p)
            p = next_seated(s, p)
        s.dealer = p
    start_deal(s, to)


def end_match(s: Matrimony, to: Any) -> None:
    """What is left on the layout is divided (MA-50); then the ranking (MA-51)."""
    left = on_layout(s.pools)
    if left > 0:
        heirs = s.seated if s.seated else s.dealt
        note(to, "MA-50", "divide", EVERYBODY, left, count(heirs))
        share_layout(s.counters, heirs, s.pools, s.dealer)
    s.stage = OVER
    for p in range(s.players):
        note(to, "MA-51", "ranks", p, place(s.counters, (1 << s.players) - 1, p), s.counters[p])


def returns(s: Matrimony, out: list[float]) -> None:
    """Counters won or lost in the match."""
    for p in range(s.players):
        out[p] = float(s.counters[p] - s.start_counters)


def deal_returns(s: Matrimony, out: list[float]) -> None:
    """Counters won or lost since the deal before was settled."""
    gains(s.counters, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: Matrimony) -> int:
    return s.at if s.stage == STAKING else WHO[s.stage]


def acting(s: Matrimony) -> int:
    """Those who have not chosen all of their sealed stake."""
    wanted = 0
    for p in range(s.players):
        wanted |= (s.pool[p] != DONE) << p
    return wanted


def chance(s: Matrimony) -> int:
    return s.unseen


def happen(s: Matrimony, k: int, to: Any) -> None:
    s.unseen &= ~(1 << k)
    s.hand[s.at] |= 1 << k
    if s.stage == UP:
        turned_up(s, k, to)
    elif s.stage == DOWN:
        exposed(s, k, to)
    else:
        drawn(s, k, to)


def most_ever(s: Matrimony) -> int:
    """The most that anybody could ever stake."""
    counters = s.players * s.start_counters
    return min(counters, s.stake_max) if s.stake_max else counters


def legal(s: Matrimony, me: int, acts: list[int]) -> int:
    low = least(s, me)
    n = most(s, me) - low + 1
    first = low + (most_ever(s) + 1 if s.pool[me] == WHOLE else 0)
    for i in range(n):
        acts[i] = first + i
    return n


def candidates(s: Matrimony, me: int, acts: list[int]) -> int:
    """The smallest amount, the largest, and three between."""
    n = legal(s, me, acts)
    if n < 6:
        return n
    for i in range(1, 5):
        acts[i] = acts[(n - 1) * i // 4]
    return 5


def likely(s: Matrimony, me: int, acts: list[int]) -> int:
    """As little as possible, or a little more; of a stake, nothing, all, or something between."""
    if s.pool[me] == WHOLE:
        return min(3, legal(s, me, acts))
    return candidates(s, me, acts)


def apply(s: Matrimony, me: int, a: int, to: Any) -> None:
    choose_amount(s, me, a - most_ever(s) - 1 if s.pool[me] == WHOLE else a, to)
    go_on(s, me, to)


# ------------------------------------------------------------------------------------------ telling

STAGES = ("drawing for the deal", "staking", "up cards", "down cards", "settled", "over")
THINGS = {
    "stage": one_of(STAGES),
    "at": seat(),
    "dealer": seat(),
    "deal": amount(10),
    "seated": seat_set(),
    "dealt": seat_set(),
    "counters": amount(100, per=SEATS, seats=True),
    "before": amount(100, per=SEATS, seats=True),
    "pools": amount(100, per=5),
    "hand": cards(PACK, per=SEATS, seats=True),
    "shown": cards(POOLS),
    "stake": amount(10),
    "pool": one_of(("in all", *POOLS, "done"), per=SEATS, seats=True),
    "whole": amount(10, per=SEATS, seats=True, optional=True),
    "matrimony": amount(10, per=SEATS, seats=True, optional=True),
    "intrigue": amount(10, per=SEATS, seats=True, optional=True),
    "confederacy": amount(10, per=SEATS, seats=True, optional=True),
    "pair": amount(10, per=SEATS, seats=True, optional=True),
    "best": amount(10, per=SEATS, seats=True, optional=True),
}


def show(s: Matrimony, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    if (s.stage < SETTLED) & (s.at != SEVERAL):
        tell(to, "at", 0, s.at)
    if s.stage != DRAWING:
        tell(to, "dealer", 0, s.dealer)
    tell(to, "deal", 0, s.deal)
    tell(to, "seated", 0, s.seated)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "shown", 0, s.shown)
    tell(to, "stake", 0, s.stake)
    for pool in range(5):
        tell(to, "pools", pool, s.pools[pool])
    for p in range(s.players):
        tell(to, "counters", p, s.counters[p])
        tell(to, "before", p, s.before[p])
        tell(to, "hand", p, s.hand[p])
    if (s.stage == STAKING) & (s.at != SEVERAL):
        tell_question(s, s.at, to)
        for p in range(s.players):
            tell_stake(s, p, to)


def show_own(s: Matrimony, me: int, to: Any) -> None:
    """A sealed stake is known to its owner until all are laid."""
    if (s.stage == STAKING) & (s.at == SEVERAL):
        tell_question(s, me, to)
        tell_stake(s, me, to)


def tell_question(s: Matrimony, p: int, to: Any) -> None:
    tell(to, "pool", p, s.pool[p])
    tell(to, "whole", p, s.whole[p])


def tell_stake(s: Matrimony, p: int, to: Any) -> None:
    if s.matrimony[p] > 0:
        tell(to, "matrimony", p, s.matrimony[p])
    if s.intrigue[p] > 0:
        tell(to, "intrigue", p, s.intrigue[p])
    if s.confederacy[p] > 0:
        tell(to, "confederacy", p, s.confederacy[p])
    if s.pair[p] > 0:
        tell(to, "pair", p, s.pair[p])
    if s.best[p] > 0:
        tell(to, "best", p, s.best[p])


def restore(s: Matrimony, me: int) -> None:
    s.unseen = DECK
    for p in range(s.players):
        s.unseen &= ~s.hand[p]
    if (s.stage == STAKING) & (s.stake > 0) & (s.stake_visibility == SECRET):
        s.at = SEVERAL


def redeal(s: Matrimony, me: int, rng: list[int]) -> None:
    """Of sealed stakes only his own is begun: the others' may be chosen as well after it."""
    if (s.stage == STAKING) & (s.at == SEVERAL):
        for p in range(s.players):
            if p != me:
                begin_stake(s, p)


# ------------------------------------------------------------------------------------------ names and refusals


def in_order(s: Matrimony) -> list[int]:
    """The players dealt in, in the order in which they get and show their cards: the eldest first, the dealer last."""
    order = [after(s.dealt, s.dealer)]
    while order[-1] != s.dealer:
        order.append(after(s.dealt, order[-1]))
    return order


def action_names(s: Matrimony) -> list[str]:
    return [f"{word} {n}" for word in ("lay", "take") for n in range(most_ever(s) + 1)]


def outcome_name(s: Matrimony, k: int) -> str:
    return CARDS[k]


NOT_NOW = {DRAWING: "MA-11", UP: "MA-27", DOWN: "MA-31", OVER: "MA-49"}


def refuse(s: Matrimony, me: int, a: int) -> str:
    if s.stage != STAKING:
        return NOT_NOW[s.stage]
    if not (acting(s) >> me & 1 if s.at == SEVERAL else me == s.at):
        return "MA-16" if s.stake == 0 else "MA-18"
    takes = a > most_ever(s)
    n = a - most_ever(s) - 1 if takes else a
    mine = "MA-16" if me == s.dealer else "MA-17"
    if takes != (s.pool[me] == WHOLE):
        return mine
    if n > most(s, me):
        if covers(s, me) and n <= most(s, me) + LAST - s.pool[me]:
            return "MA-19"
        return "MA-21" if takes and me == s.dealer else mine
    return "MA-19" if not takes else "MA-20" if me == s.dealer else mine
