"""Pope Joan: Foster's game, his variation with a trump, and the classic board (option ``version``).

Clause ids (PJ-n) refer to the rule book, ``book.md``; what all stops games share is in ``parlour.stops``, CO-13 to
CO-29, and what it shares with Newmarket, the first deal and the accounts, in ``parlour.stops.layout``.  A layout is
thirteen pools, of which each version uses some.

Whether a player could lay another honour of trumps must not show if he keeps it.  So each honour that he may have is a
step of its own: his choice if he has it, otherwise chance's, with a single outcome.
"""

from typing import Any

from parlour.matchplay import gains, pay
from parlour.pools import win
from parlour.stops.layout import (
    FIRST_JACK,
    RUN_OFF,
    close_deal,
    end_run_off,
    fall,
    is_first_jack,
    pass_deal,
    pay_for_cards,
    redeal_hands,
    restore_open,
    sit_down,
)
from parlour.stops.play import (
    ACE_HIGH,
    ACES,
    CARD_NAMES,
    DEALING,
    DRAWING,
    EIGHT_OF_DIAMONDS,
    JACKS,
    KINGS,
    LEADING,
    NINE_OF_DIAMONDS,
    OUT,
    OVER,
    PACK,
    QUEENS,
    RANKS,
    RUNNING,
    SEATS,
    SETTLED,
    STAGES,
    SUIT,
    TEN_OF_DIAMONDS,
    Stops,
    eldest_leads,
    gather,
    give,
    left_of,
    list_cards,
    lowest_of_suits,
    pay_to,
    play_on,
    put,
    refuse_lead,
    show_hands,
    show_lowest,
    show_players,
)
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    TERMINAL,
    amount,
    amount_option,
    cards,
    choice,
    count,
    lowest,
    note,
    number,
    numbers,
    one_of,
    options_of,
    seat,
    seat_option,
    seat_set,
    tell,
    whisper,
)

PLAYERS = range(3, 9)  # PJ-1
VERSION = 1

# Values of options: the versions; then those that are not the default, 0.
FOSTER, FOSTER_TRUMP, CLASSIC = range(3)
NINE = LOWEST = DRESSING_ONLY = REMOVED = CAP = ALL_DRESS = ROUND = DIVIDE = YES = FIVE = 1
PLUS_CARDS, ENDS_DEAL = 1, 2
USUAL = -1

DECK = PACK  # PJ-21; without the eight of diamonds in the classic game and where it is removed
DIAMONDS = 13  # the first card of that suit
SEVEN_OF_DIAMONDS = 19
KING_OF_HEARTS, QUEEN_OF_SPADES, JACK_OF_CLUBS = 38, 50, 10
HONOURS = JACKS | QUEENS | KINGS

# The pools; those of a version lie in the order in which it dresses them (PJ-28, PJ-42, PJ-64).
TEN, JACK, QUEEN, KING, POPE, MATRIMONY, INTRIGUE, CONFEDERACY, ACE_POOL, KING_POOL, QUEEN_POOL, KNAVE, GAME = range(13)
POOLS = 13
POOL_NAMES = ("Ten", "Jack", "Queen", "King", "Pope", "Matrimony", "Intrigue", "Confederacy",
              "Ace", "King", "Queen", "Knave", "Game")  # fmt: skip
CARDS = (*CARD_NAMES, *POOL_NAMES)  # what sentences name: card POOL + pool
POOL = 52

# The layouts: what is put on each pool, and the cards that win it, of trumps but in Foster's game.  Which card the Pope
# is says ``pope_card``; Game goes to whoever is out.
FOSTERS = {TEN: (1, 1 << TEN_OF_DIAMONDS), JACK: (2, 1 << JACK_OF_CLUBS), QUEEN: (3, 1 << QUEEN_OF_SPADES),
           KING: (4, 1 << KING_OF_HEARTS), POPE: (5, 0)}  # fmt: skip
WITH_TRUMP = {POPE: (5, 0), MATRIMONY: (4, KINGS | QUEENS), INTRIGUE: (3, QUEENS | JACKS),
              CONFEDERACY: (2, KINGS | JACKS), GAME: (1, 0)}  # fmt: skip
EIGHT = {POPE: (6, 0), MATRIMONY: (2, KINGS | QUEENS), INTRIGUE: (2, QUEENS | JACKS), ACE_POOL: (1, ACES),
         KING_POOL: (1, KINGS), QUEEN_POOL: (1, QUEENS), KNAVE: (1, JACKS), GAME: (1, 0)}  # fmt: skip
FIVE_POOLS = {k: EIGHT[k] for k in (POPE, MATRIMONY, INTRIGUE, ACE_POOL, GAME)}
LAYOUTS = (FOSTERS, WITH_TRUMP, EIGHT, FIVE_POOLS)  # by version, and the classic one with five compartments


def alone(layout: dict[int, tuple[int, int]], c: int) -> int:
    """The pool that a card wins without another one of its suit, or -1."""
    suit = SUIT << c // RANKS * RANKS
    return next((k for k, (_, those) in layout.items() if those & suit == 1 << c), -1)


# The same as tables, at POOLS * layout + pool or 52 * layout + card; how many cards are dealt, at 9 * row + players.
DRESSING = tuple(layout.get(k, (0, 0))[0] for layout in LAYOUTS for k in range(POOLS))
WINS = tuple(layout.get(k, (0, 0))[1] for layout in LAYOUTS for k in range(POOLS))
PRIZES = (sum(those for _, those in FOSTERS.values()), HONOURS, ACES | HONOURS, ACES | HONOURS)  # besides the Pope
ALONE = tuple(alone(layout, c) for layout in LAYOUTS for c in range(52))
EACH_FOSTER = (0, 0, 0, 15, 12, 9, 8, 7, 6)  # Table 1
DEALT = (  # Foster's games; classic, the same number to each; classic, all round (Table 2)
    tuple(n * each for n, each in enumerate(EACH_FOSTER))
    + tuple(n * (50 // (n + 1)) for n in range(9))
    + tuple(50 // (n + 1) * n + min(50 % (n + 1), n) for n in range(9))
)
MOST_DEALS = 24  # of a match in which doublings have no limit: pools and accounts then stay below two thousand million

TURNING, LAYING = 7, 8  # stages besides those of all games of stops and RUN_OFF
LEAD, LAY, KEEP = 0, 52, 104  # the first action of each kind


class PopeJoan(Stops):
    version: int = choice("foster", "foster_trump", "classic", clauses="PJ-21 PJ-41 PJ-61")
    pope: int = choice("7d", "9d", clauses="PJ-24")
    ace: int = choice("low", "high", clauses="PJ-8")
    lead_rule: int = choice("any", "lowest", clauses="PJ-9")
    double_rule: int = choice("all", "dressing", clauses="PJ-36 PJ-56 PJ-57")
    double_cap: int = amount_option(50, 1, 1000, clauses="PJ-37 PJ-58", kind="i4", none=0)
    remove_8d: int = choice("no", "yes", clauses="PJ-45")
    first_dealer: int = seat_option("jack", clauses="PJ-2", jack=FIRST_JACK)
    start_counters: int = amount_option("usual", 0, 1000, clauses="PJ-15", kind="i4", usual=USUAL)
    shortfall: int = choice("credit", "cap", clauses="PJ-16")
    rounds: int = amount_option(2, 1, 31, clauses="PJ-17")
    leftovers: int = choice("runoff", "share", clauses="PJ-18 PJ-19")
    dressing: int = choice("dealer", "all", clauses="PJ-64")
    hand_sizes: int = choice("equal", "round", clauses="PJ-65")
    pope_turned: int = choice("pope_only", "plus_cards", "deal_over", clauses="PJ-70")
    combo: int = choice("same_player", "divide", clauses="PJ-74 PJ-75 PJ-77")
    pope_bonus: int = choice("no", "yes", clauses="PJ-72")
    dealer_sees_dead_hand: int = choice("no", "yes", clauses="PJ-68")
    board: int = choice("eight", "five", clauses="PJ-62 PJ-64 PJ-69 PJ-71 PJ-79")

    pool: list[int] = numbers(POOLS, "i4")
    dressed: int = number("i4")  # counters put on the layout before this deal
    turned: int = number("i1")  # the card turned up plus 1, 0 if there is none
    trumps: int = number("i8")  # the cards of that suit; diamonds in a run-off
    prizes: int = number("i8")  # the cards that win something when they are played
    offer: int = number("i1")  # the honour that the player may lay now, if he has it (PJ-52)
    asked: int = number("i2")  # set with the one player who has a choice that nobody else must notice


# Options of some versions only.
BELONGS_TO = {
    **dict.fromkeys(("double_rule", "double_cap"), (FOSTER, FOSTER_TRUMP)),
    "pope": (FOSTER,),
    "remove_8d": (FOSTER_TRUMP,),
    **dict.fromkeys(("dressing", "hand_sizes", "pope_turned", "combo", "pope_bonus"), (CLASSIC,)),
    **dict.fromkeys(("dealer_sees_dead_hand", "board"), (CLASSIC,)),
}


def refuse_options(s: PopeJoan) -> str:
    options = options_of(PopeJoan)
    versions = tuple(options["version"].words)
    for name, mine in BELONGS_TO.items():
        option, value = options[name], getattr(s, name)
        if s.version not in mine and value != option.words.get(str(option.default), option.default):
            word = next((w for w, n in option.words.items() if n == value), value)
            where = " or ".join(versions[v] for v in mine)
            return f"{name}={word} is for version={where}, not for version={versions[s.version]} ({option.clauses[0]})."
    deals = min(s.rounds * s.players, s.deals or MOST_DEALS + s.rounds * s.players)
    if s.double_cap == 0 and s.double_rule != DRESSING_ONLY and deals > MOST_DEALS:
        return f"double_cap=none is for matches of at most {MOST_DEALS} deals, not of {deals} (PJ-37)."
    return ""


# ------------------------------------------------------------------------------------------ what a version has


def deck(s: PopeJoan) -> int:
    """PJ-21, PJ-45, PJ-61."""
    return DECK & ~(1 << EIGHT_OF_DIAMONDS) if (s.version == CLASSIC) | (s.remove_8d == REMOVED) else DECK


def pope_card(s: PopeJoan) -> int:
    """PJ-24, PJ-45, PJ-63."""
    nine = (s.version == CLASSIC) | (s.remove_8d == REMOVED) | (s.pope == NINE)
    return NINE_OF_DIAMONDS if nine else SEVEN_OF_DIAMONDS


def to_deal(s: PopeJoan) -> int:
    """Cards dealt to players (PJ-25, PJ-65)."""
    return DEALT[9 * (1 + s.hand_sizes if s.version == CLASSIC else 0) + s.players]


def starts_with(s: PopeJoan) -> int:
    """PJ-15."""
    return s.start_counters if s.start_counters != USUAL else 48 if s.version == CLASSIC else 100


def layout(s: PopeJoan) -> int:
    """Which of the layouts it is."""
    return s.version + s.board


def dressing_of(s: PopeJoan, k: int) -> int:
    """What the dealer puts on a pool (PJ-28, PJ-42, PJ-64)."""
    return DRESSING[POOLS * layout(s) + k]


def winners(s: PopeJoan, k: int) -> int:
    """The cards that win a pool: one, or the two of a pair (PJ-23, PJ-49, PJ-71, PJ-74, PJ-75)."""
    if k == POPE:
        return 1 << pope_card(s)
    those = WINS[POOLS * layout(s) + k]
    return those if s.version == FOSTER else those & s.trumps


def set_prizes(s: PopeJoan) -> None:
    """Which cards win something, once the trump is known; in a run-off it is diamonds (PJ-60, PJ-79)."""
    trump = s.turned - 1 if s.dealt else DIAMONDS
    s.trumps = 0 if s.version == FOSTER else SUIT << trump // RANKS * RANKS
    any_suit = PRIZES[layout(s)]
    s.prizes = 1 << pope_card(s) | (any_suit if s.version == FOSTER else any_suit & s.trumps)


def high(s: PopeJoan) -> int:
    """Where the ace stands (PJ-8), as stops play wants to know it."""
    return ACE_HIGH * s.ace


# ------------------------------------------------------------------------------------------ the deal


def begin(s: PopeJoan, to: Any) -> None:
    if sit_down(s, starts_with(s), PACK):
        start_deal(s, to)


def start_deal(s: PopeJoan, to: Any) -> None:
    """The layout is dressed and the pack dealt (PJ-28, PJ-42, PJ-64, PJ-5)."""
    gather(s, deck(s))
    s.turned = s.trumps = s.prizes = 0
    dress(s, to)
    s.stage = DEALING
    note(to, "PJ-5", "deals", s.dealer, to_deal(s) // s.players)


def dress(s: PopeJoan, to: Any) -> None:
    """The dealer dresses the pools, or in the classic game everybody [dressing]; what exceeds goes on Game."""
    need = 12 if s.board == FIVE else 15
    if s.dressing == ALL_DRESS:
        each = (need + s.players) // (s.players + 1)
        s.dressed = 0
        for p in range(s.players):
            paid = pay(s.coins, p, 2 * each if p == s.dealer else each, s.shortfall == CAP)
            note(to, "PJ-64", "dresses", p, paid)
            s.dressed += paid
    else:
        s.dressed = pay(s.coins, s.dealer, need, s.shortfall == CAP)
        if s.version == CLASSIC:
            note(to, "PJ-64", "dresses", s.dealer, s.dressed)
        elif s.version == FOSTER_TRUMP:
            note(to, "PJ-42", "dresses", s.dealer, s.dressed)
        else:
            note(to, "PJ-28", "dresses", s.dealer, s.dressed)
    left = s.dressed
    for k in range(POOLS):
        put_on = min(left, dressing_of(s, k))
        s.pool[k] += put_on
        left -= put_on
    s.pool[GAME] += left


def deal_card(s: PopeJoan, c: int, to: Any) -> None:
    give(s, c)
    if s.dealt == to_deal(s):
        for p in range(s.players):
            if s.version == CLASSIC:
                whisper(to, "PJ-65", "dealt", p, count(s.hand[p]), s.hand[p])
            else:
                whisper(to, "PJ-25", "dealt", p, count(s.hand[p]), s.hand[p])
        s.player = left_of(s, s.dealer)
        s.stage = TURNING
        if s.version == FOSTER:
            set_prizes(s)
            start_play(s, to)


def turn_up(s: PopeJoan, c: int, to: Any) -> None:
    """The turn-up makes the trump and is out (PJ-43, PJ-44, PJ-66, PJ-67); in the classic game the dealer takes what it
    wins by itself (PJ-69, PJ-70)."""
    s.stock ^= 1 << c
    s.out |= 1 << c
    s.turned = c + 1
    set_prizes(s)
    if s.version == FOSTER_TRUMP:
        note(to, "PJ-43", "turns_up", s.dealer, c)
    else:
        note(to, "PJ-66", "turns_up", s.dealer, c)
        k = own_pool(s, c)
        if k >= 0:
            take(s, s.dealer, k, to)
        if k == POPE:
            pope_is_turned(s, to)
    if s.stage == TURNING:
        start_play(s, to)


def pope_is_turned(s: PopeJoan, to: Any) -> None:
    """What it brings besides the pool [pope_turned] (PJ-70)."""
    if s.pope_turned:
        p = left_of(s, s.dealer)
        while p != s.dealer:
            n = count(s.hand[p])
            paid = pay_to(s, p, s.dealer, min(n, 6) if s.pope_turned == PLUS_CARDS else n)
            note(to, "PJ-70", "pays_dealer", p, paid, n)
            p = left_of(s, p)
    if s.pope_turned == ENDS_DEAL:
        take(s, s.dealer, GAME, to)
        note(to, "PJ-70", "unplayed", s.dealer)
        for p in range(s.players):
            note(to, "PJ-70", "shows", p, count(s.hand[p]), s.hand[p])
        close_deal(s, to)


def start_play(s: PopeJoan, to: Any) -> None:
    """The eldest hand leads.  What is left over lies there for nobody to see, or for the dealer alone (PJ-68)."""
    if s.version == CLASSIC:
        note(to, "PJ-68", "stock", EVERYBODY, count(s.stock))
        if s.dealer_sees_dead_hand == YES:
            whisper(to, "PJ-68", "sees_dead_hand", s.dealer, count(s.stock), s.stock)
    else:
        note(to, "PJ-26", "stock", EVERYBODY, count(s.stock))
    eldest_leads(s, to)
    go_on(s, -1, to)


# ------------------------------------------------------------------------------------------ the play


def go_on(s: PopeJoan, led: int, to: Any) -> None:
    """A card is led (``led``, if that is not -1), and what follows by itself, until somebody has a choice or the deal
    is over."""
    special = PACK if s.lead_rule == LOWEST else s.prizes
    play_on(s, led, high(s), special, to)
    while (s.stage == RUNNING) | (s.stage == OUT):
        if special >> s.card & 1:
            played(s, s.player, s.card, to)
        if s.stage == OUT:
            settle(s, to)
        else:
            play_on(s, -1, high(s), special, to)


def played(s: PopeJoan, p: int, c: int, to: Any) -> None:
    """A card was led or reached: it may show what its leader lacks (PJ-9) and win pools (PJ-10); with an honour of
    trumps others may be laid (PJ-52)."""
    if (s.lead_rule == LOWEST) & (s.run == 1 << c):
        show_lowest(s, c, high(s))
    if s.prizes >> c & 1:
        earn(s, p, c, to)
        if (s.version == FOSTER_TRUMP) & (s.stage == RUNNING) & ((HONOURS & s.trumps) >> c & 1 == 1):
            offer_next(s, 52)


# ------------------------------------------------------------------------------------------ pools


def earn(s: PopeJoan, p: int, c: int, to: Any) -> None:
    """Player ``p`` gets what a card wins: a pool of its own, and those of the pairs to which it belongs."""
    own = own_pool(s, c)
    if own >= 0:
        take(s, p, own, to)
        if (own == POPE) & (s.pope_bonus == YES) & (s.stage != RUN_OFF):
            note(to, "PJ-72", "bonus", p, pope_bonus(s, p))
    if (HONOURS & s.trumps) >> c & 1:
        for k in range(MATRIMONY, CONFEDERACY + 1):
            other = winners(s, k) ^ 1 << c
            if (count(other) == 1) & (s.pool[k] > 0):
                if s.stage == RUN_OFF:
                    divide_run_off(s, p, k, c, other, to)
                elif s.gone & other:
                    win_pair(s, p, k, other, to)


def own_pool(s: PopeJoan, c: int) -> int:
    """The pool that a card wins by itself, or -1 (PJ-31, PJ-46, PJ-69 to PJ-72)."""
    if c == pope_card(s):
        return POPE
    return ALONE[52 * layout(s) + c] if s.prizes >> c & 1 else -1


def take(s: PopeJoan, p: int, k: int, to: Any) -> None:
    """Everything on a pool goes to a player, by the clause that says so."""
    n = win(s.coins, p, s.pool, k)
    if n == 0:
        return
    if s.stage == TURNING:
        if (k == POPE) | (k == GAME):
            note(to, "PJ-70", "takes", p, n, POOL + k)
        else:
            note(to, "PJ-69", "takes", p, n, POOL + k)
    elif s.stage == RUN_OFF:
        say_run_off(s, p, k, n, to)
    elif s.version == FOSTER:
        if k == POPE:
            note(to, "PJ-31", "pope", p, n, POOL + k)
        else:
            note(to, "PJ-31", "takes", p, n, POOL + k)
    elif s.version == FOSTER_TRUMP:
        if k == POPE:
            note(to, "PJ-46", "pope", p, n, POOL + k)
        elif k == GAME:
            note(to, "PJ-47", "takes", p, n, POOL + k)
        else:
            note(to, "PJ-50", "takes", p, n, POOL + k)
    elif k == POPE:
        note(to, "PJ-72", "pope", p, n, POOL + k)
    elif k == GAME:
        note(to, "PJ-78", "takes", p, n, POOL + k)
    elif k == MATRIMONY:
        note(to, "PJ-74", "takes", p, n, POOL + k)
    elif k == INTRIGUE:
        note(to, "PJ-75", "takes", p, n, POOL + k)
    else:
        note(to, "PJ-71", "takes", p, n, POOL + k)


def win_pair(s: PopeJoan, p: int, k: int, other: int, to: Any) -> None:
    """The second card of a pair: its pool goes to whoever has played both; two players halve it, or it stays."""
    n = s.pool[k]
    if s.played[p] & other:
        take(s, p, k, to)
    elif (s.version == FOSTER_TRUMP) | (s.combo == DIVIDE):
        for q in range(s.players):
            if (q == p) | (s.played[q] & other != 0):
                s.coins[q] += n // 2
                if s.version == FOSTER_TRUMP:
                    note(to, "PJ-51", "takes_half", q, n // 2, POOL + k)
                else:
                    note(to, "PJ-77", "takes_half", q, n // 2, POOL + k)
        s.pool[k] = n % 2
    else:
        note(to, "PJ-77", "stays", p, n, POOL + k)


def pope_bonus(s: PopeJoan, p: int) -> int:
    """A counter for each card that the others hold [pope_bonus]; what p gets."""
    total = 0
    q = left_of(s, p)
    while q != p:
        total += pay_to(s, q, p, count(s.hand[q]))
        q = left_of(s, q)
    return total


# ------------------------------------------------------------------------------------------ laying


def offer_next(s: PopeJoan, limit: int) -> None:
    """The next honour below card ``limit`` that the player may have and will not come to anyway, as far as everybody
    knows (PJ-52 to PJ-54); if there is none, the play goes on."""
    gone = s.gone | s.out | s.lacks[s.player] | 1 << (s.card + 1)
    left = HONOURS & s.trumps & ~gone & ((1 << limit) - 1)
    s.offer = s.asked = 0
    s.stage = RUNNING
    if left:
        while left & (left - 1):
            left &= left - 1
        s.offer = lowest(left)
        s.asked = may_lay(s)
        s.stage = LAYING


def may_lay(s: PopeJoan) -> int:
    """The player, if he has the honour that is offered, and not the card between, which would lead to it (PJ-53)."""
    mine = s.hand[s.player]
    comes = (s.offer == s.card + 2) & (mine >> (s.card + 1) & 1 == 1)
    return (mine >> s.offer & 1 & (1 - comes)) << s.player


def answer(s: PopeJoan, me: int, a: int, to: Any) -> None:
    """The honour is laid, or kept, or the player did not have it (then ``me`` is chance); the sequence goes on from the
    card that was led or reached (PJ-55)."""
    p = s.player
    laid = s.offer
    reached = s.card
    if a == LAY + laid:
        note(to, "PJ-52", "lays", p, laid)
        put(s, p, laid)
        s.card = reached
        earn(s, p, laid, to)
    elif me != CHANCE:
        whisper(to, "PJ-54", "keeps", p, laid)
    if s.stage == OUT:
        s.offer = s.asked = 0
        settle(s, to)
    else:
        offer_next(s, laid)
        go_on(s, -1, to)


# ------------------------------------------------------------------------------------------ settlement


def settle(s: PopeJoan, to: Any) -> None:
    """A player is out: Game, payments for cards left, doublings, in this order (PJ-14)."""
    winner = s.player
    note(to, "CO-27", "out", winner)
    show_hands(s, to)
    take(s, winner, GAME, to)
    p = left_of(s, winner)
    while p != winner:
        if (s.version == CLASSIC) & (s.hand[p] >> pope_card(s) & 1 == 1):
            note(to, "PJ-73", "exempt", p)
        else:
            pay_for_cards(s, p, winner, to)
        p = left_of(s, p)
    if s.version != CLASSIC:
        p = left_of(s, winner)
        while p != winner:
            if s.hand[p] & s.prizes:
                double_pools(s, p, to)
            p = left_of(s, p)
    close_deal(s, to)


def double_pools(s: PopeJoan, p: int, to: Any) -> None:
    """Who is left with the card of a pool, or with both of a pair, adds as much as lies there [double_rule], but not
    more than the cap (PJ-36, PJ-37, PJ-56 to PJ-58)."""
    first, last = (TEN, POPE) if s.version == FOSTER else (POPE, CONFEDERACY)
    for k in range(first, last + 1):
        those = winners(s, k)
        n = s.pool[k] if s.double_rule != DRESSING_ONLY else dressed_with(s, k)
        if (s.hand[p] & those == those) & (n > 0):
            capped = (s.double_cap > 0) & (n > s.double_cap)
            paid = pay(s.coins, p, s.double_cap if capped else n, s.shortfall == CAP)
            s.pool[k] += paid
            if s.version == FOSTER:
                if capped:
                    note(to, "PJ-37", "doubles_capped", p, paid, POOL + k)
                else:
                    note(to, "PJ-36", "doubles", p, paid, POOL + k)
            elif capped:
                note(to, "PJ-58", "doubles_capped", p, paid, POOL + k)
            elif k == POPE:
                note(to, "PJ-56", "doubles", p, paid, POOL + k)
            else:
                note(to, "PJ-57", "doubles", p, paid, POOL + k)


def dressed_with(s: PopeJoan, k: int) -> int:
    """What the dressing of this deal has put on a pool: less than it should if the dealer had not enough (PJ-16)."""
    left = s.dressed
    for i in range(k):
        left -= dressing_of(s, i)
    return max(0, min(left, dressing_of(s, k)))


def next_deal(s: PopeJoan, to: Any) -> None:
    if pass_deal(s, deck(s), to):
        start_deal(s, to)
    else:
        s.turned = s.dressed = 0
        set_prizes(s)


def run_off(s: PopeJoan, c: int, to: Any) -> None:
    """A card of the run-off falls to the next player, with what it wins (PJ-19)."""
    p = fall(s, c, to)
    if s.prizes >> c & 1:
        earn(s, p, c, to)
    end_run_off(s, to)


def divide_run_off(s: PopeJoan, p: int, k: int, c: int, other: int, to: Any) -> None:
    """One card of a pair falls to a player: half of its pool, or all that the other card has left; an odd counter goes
    to the Queen, in Confederacy to the King (PJ-60, PJ-79)."""
    if s.gone & other:
        take(s, p, k, to)
        return
    odd = (KINGS if k == CONFEDERACY else QUEENS) >> c & 1
    n = (s.pool[k] + odd) // 2
    if n > 0:
        s.coins[p] += n
        s.pool[k] -= n
        say_run_off(s, p, k, n, to)


def say_run_off(s: PopeJoan, p: int, k: int, n: int, to: Any) -> None:
    if s.version == FOSTER:
        note(to, "PJ-40", "takes", p, n, POOL + k)
    elif s.version == FOSTER_TRUMP:
        note(to, "PJ-60", "takes", p, n, POOL + k)
    else:
        note(to, "PJ-79", "takes", p, n, POOL + k)


def returns(s: PopeJoan, out: list[float]) -> None:
    """Counters won or lost in the match."""
    for p in range(s.players):
        out[p] = float(s.coins[p] - starts_with(s))


def deal_returns(s: PopeJoan, out: list[float]) -> None:
    """Counters won or lost since the deal before was settled."""
    gains(s.coins, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: PopeJoan) -> int:
    if s.stage <= DEALING:
        return CHANCE
    if s.stage == LEADING:
        return s.player
    if s.stage == LAYING:
        return s.player if s.asked else CHANCE
    if (s.stage == OVER) | (s.stage == SETTLED):
        return TERMINAL if s.stage == OVER else DEAL_OVER
    return CHANCE


def chance(s: PopeJoan) -> int:
    """The cards that may be dealt or turned up; else that there is nothing to be laid."""
    return 1 if s.stage == LAYING else s.stock


def happen(s: PopeJoan, k: int, to: Any) -> None:
    if s.stage == DEALING:
        deal_card(s, k, to)
    elif s.stage == LAYING:
        answer(s, CHANCE, KEEP, to)
    elif s.stage == TURNING:
        turn_up(s, k, to)
    elif s.stage == RUN_OFF:
        run_off(s, k, to)
    elif is_first_jack(s, k, to):
        start_deal(s, to)


def may_lead(s: PopeJoan, me: int) -> int:
    """Any card, or the lowest of each suit (PJ-9)."""
    return lowest_of_suits(s.hand[me], high(s)) if s.lead_rule == LOWEST else s.hand[me]


def legal(s: PopeJoan, me: int, acts: list[int]) -> int:
    if s.stage == LAYING:
        acts[0] = LAY + s.offer
        acts[1] = KEEP
        return 2
    return list_cards(may_lead(s, me), LEAD, acts)


def likely(s: PopeJoan, me: int, acts: list[int]) -> int:
    """Lead a card that wins a pool, else the lowest of cards that follow each other; lay what can be laid."""
    if s.stage == LAYING:
        acts[0] = LAY + s.offer
        return 1
    open_to = may_lead(s, me)
    mine = s.hand[me]
    starts = open_to & ~((mine & ~KINGS) << 1)
    if open_to & s.prizes:
        starts = open_to & s.prizes
    return list_cards(starts if starts else open_to, LEAD, acts)


def hushed(s: PopeJoan) -> bool:
    """Whether somebody may be asked what nobody else must notice: whether he lays an honour."""
    return s.stage == LAYING


def silence(s: PopeJoan, me: int) -> int:
    """Who says nothing keeps the honour."""
    return KEEP


def apply(s: PopeJoan, me: int, a: int, to: Any) -> None:
    if s.stage == LEADING:
        go_on(s, a - LEAD, to)
    else:
        answer(s, me, a, to)


# ------------------------------------------------------------------------------------------ telling

THINGS = {
    "stage": one_of((*STAGES, "turning up", "laying", "run-off")),
    "deal": amount(16),
    "dealer": seat(),
    "player": seat(),
    "dealt": amount(52),
    "pool": amount(50, per=POOLS),
    "dressed": amount(15),
    "turned": one_of(("none", *CARD_NAMES)),
    "card": one_of(CARD_NAMES),
    "offer": one_of(CARD_NAMES),
    "run": cards(CARD_NAMES),
    "out": cards(CARD_NAMES),
    "stock": cards(CARD_NAMES, optional=True),
    "coins": amount(200, per=SEATS, seats=True),
    "before": amount(200, per=SEATS, seats=True),
    "held": amount(15, per=SEATS, seats=True),
    "played": cards(CARD_NAMES, per=SEATS, seats=True),
    "lacks": cards(CARD_NAMES, per=SEATS, seats=True),
    "hand": cards(CARD_NAMES, per=SEATS, seats=True),
    "asked": seat_set(optional=True),
}


def show(s: PopeJoan, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    tell(to, "deal", 0, s.deal)
    tell(to, "player", 0, s.player)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "dressed", 0, s.dressed)
    tell(to, "turned", 0, s.turned)
    tell(to, "run", 0, s.run)
    tell(to, "out", 0, s.out)
    for k in range(POOLS):
        if dressing_of(s, k) > 0:
            tell(to, "pool", k, s.pool[k])
    if s.stage > DRAWING:
        tell(to, "dealer", 0, s.dealer)
    if s.card >= 0:
        tell(to, "card", 0, s.card)
    if s.stage == LAYING:
        tell(to, "offer", 0, s.offer)
    show_players(s, to)


def show_own(s: PopeJoan, me: int, to: Any) -> None:
    """His hand, once it is complete; the dead hand, if he may look at it; and that he has a choice which nobody else
    must notice."""
    if (s.stage > DEALING) & (s.stage != OVER) & (s.stage != RUN_OFF):
        tell(to, "hand", me, s.hand[me])
        if sees_dead_hand(s, me):
            tell(to, "stock", 0, s.stock)
        if s.asked >> me & 1:
            tell(to, "asked", 0, s.asked)


def sees_dead_hand(s: PopeJoan, p: int) -> bool:
    """PJ-68."""
    return (s.dealer_sees_dead_hand == YES) & (p == s.dealer) & (s.stage != TURNING)


def restore(s: PopeJoan, me: int) -> None:
    restore_open(s, PACK if s.stage == DRAWING else deck(s))
    if (s.stage != DRAWING) & (s.stage != DEALING) & (s.stage != TURNING):
        set_prizes(s)


def redeal(s: PopeJoan, me: int, rng: list[int]) -> None:
    redeal_hands(s, rng)
    if s.stage == LAYING:
        s.asked = may_lay(s)


# ------------------------------------------------------------------------------------------ names and refusals


def action_names(s: PopeJoan) -> list[str]:
    return [*(f"lead {c}" for c in CARD_NAMES), *(f"lay {c}" for c in CARD_NAMES), "keep"]


def outcome_name(s: PopeJoan, k: int) -> str:
    return "on" if s.stage == LAYING else CARD_NAMES[k]


WAITING = {  # by version
    DRAWING: ("PJ-2", "PJ-2", "PJ-2"),
    DEALING: ("PJ-25", "PJ-25", "PJ-65"),
    TURNING: ("PJ-43", "PJ-43", "PJ-66"),
    RUN_OFF: ("PJ-18", "PJ-18", "PJ-18"),
    OVER: ("PJ-17", "PJ-17", "PJ-17"),
}


def refuse(s: PopeJoan, me: int, a: int) -> str:
    if s.stage in WAITING:
        return WAITING[s.stage][s.version]
    if a == KEEP:
        return "PJ-54" if s.version == FOSTER_TRUMP else "CO-25"
    if a >= LAY:
        card = a - LAY
        if s.version != FOSTER_TRUMP or me != s.player or not (HONOURS & s.trumps) >> card & 1:
            return "PJ-52"
        if s.stage == LAYING and s.hand[me] >> card & 1 and card != s.card:
            return "PJ-54" if s.asked and card < s.offer else "PJ-53"
        return "PJ-52"
    return "PJ-9" if s.stage == LEADING and me == s.player and s.hand[me] >> a & 1 else refuse_lead(s, me)
