"""Diabolo.  Clause ids (DI-n) refer to the rule book, ``book.md``.

Equal cards are interchangeable (DI-5), so what is kept is how many there are of each of 25 *kinds*: kind 5 * colour +
value - 1, the colours in the order red, yellow, green, purple, blue.

A *bag* is so many of each kind in one integer: two bits for the number of a kind, three for the 1s.  To add a card is
to add ``ONE[kind]``; two bags are put together by ``+``.  Bits are named so that a bag read as a set of bits spells its
cards: the bit that counts two is called "R1 R1".

The pile is a bag too: nobody has seen its cards, so it has no order.
"""

from typing import Any

from parlour.matchplay import Match, deals_over, everybody_sits, next_seated
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    amount,
    below,
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
    tell,
    whisper,
)

PLAYERS = range(2, 6)  # DI-1; see refuse_options
VERSION = 2

SEATS, COLOURS, VALUES, KINDS, HAND = 5, 5, 5, 25, 6
ROW, SIDE = 5, 3  # cards that find room (DI-23, DI-24)
LOCKS, LOCKS_OF_FIVE = 2, 3  # rows locked when a round ends, with five players (DI-40, DI-41)
COPIES = (4, 3, 3, 2, 2)  # of the values 1 to 5 in each colour (DI-4)
CARDS_IN_ALL = COLOURS * sum(COPIES)  # DI-2
LETTERS = "RYGPB"  # DI-3
COLOUR_NAMES = ("red", "yellow", "green", "purple", "blue")
KIND_NAMES = tuple(letter + str(value) for letter in LETTERS for value in range(1, VALUES + 1))

# Bags.  PLACES: where the number of each value begins within a colour, BITS wide; COLOUR masks the bits of one colour.
PLACES, BITS, WIDTH = (0, 3, 5, 7, 9), (3, 2, 2, 2, 2), 11
COLOUR = (1 << WIDTH) - 1
SHIFT = tuple(WIDTH * (k // VALUES) + PLACES[k % VALUES] for k in range(KINDS))
ONE = tuple(1 << at for at in SHIFT)
MOST = tuple((1 << BITS[k % VALUES]) - 1 for k in range(KINDS))
ALL = sum(COPIES[k % VALUES] * ONE[k] for k in range(KINDS))  # every card
LOW = sum(ONE)  # the lowest bit of each kind
LOW_1 = sum(ONE[VALUES * c] for c in range(COLOURS))  # of the 1s only: they have a third bit
KIND_AT = tuple(max(k for k in range(KINDS) if SHIFT[k] <= bit) for bit in range(WIDTH * COLOURS))
BAG = tuple(" ".join([KIND_NAMES[k]] * (1 << (bit - SHIFT[k]))) for bit, k in enumerate(KIND_AT))
CARDS = (*BAG, *COLOUR_NAMES)  # what sentences name: card SHIFT[kind], and NAMED + colour
NAMED = WIDTH * COLOURS

SAID = 32  # the sixth bit of those in which the sum is kept that a player has named for a colour

# By the bits of one colour: how many cards, the sum of their values, and one bit for each card, by value.
_SPELT = [[(bits >> at) & ((1 << w) - 1) for at, w in zip(PLACES, BITS, strict=True)] for bits in range(COLOUR + 1)]
COUNT = tuple(sum(of) for of in _SPELT)
SUM = tuple(sum(n * (v + 1) for v, n in enumerate(of)) for of in _SPELT)
SPREAD = tuple(
    sum(((1 << min(n, m)) - 1) << sum(COPIES[:v]) for v, (n, m) in enumerate(zip(of, COPIES, strict=True)))
    for of in _SPELT
)
_FIT = [
    bits
    for bits, of in enumerate(_SPELT)
    if COUNT[bits] <= HAND and all(n <= m for n, m in zip(of, COPIES, strict=True))
]
BY_SUM = tuple(sorted(_FIT, key=lambda bits: SUM[bits]))  # what a hand can have of one colour,
FIRST = tuple(sum(SUM[bits] < total for bits in _FIT) for total in range(SAID + 1))  # and where each sum begins
VALUE_AT = tuple(v for v in range(VALUES) for _ in range(COPIES[v]))
CHOOSE = (
    1,
    0,
    0,
    0,
    0,
    1,
    1,
    0,
    0,
    0,
    1,
    2,
    1,
    0,
    0,
    1,
    3,
    3,
    1,
    0,
    1,
    4,
    6,
    4,
    1,
)  # ways to take k of n, at 5 * n + k

LOT, DEALING, DRAWING, CASTING, PLACING, STUCK, ASKING, SETTLED, OVER = range(9)  # phases: four of chance first
LEFT, RIGHT, DISCARD, YES, NO, ACTIONS = 0, KINDS, 2 * KINDS, 3 * KINDS, 3 * KINDS + 1, 3 * KINDS + 2
ANSWERED_NO, ANSWERED_YES = 1, 2

# Options with two values: 0 is the default, the other is 1.
OPEN_IN_TURN = HOLDERS_ONLY = SUM_ONLY = AT_RANDOM = FACE_DOWN = ON = 1
RANDOM = 255
_COLUMNS = [
    (a, b, c, d, 10 - a - b - c - d)
    for a in range(5)
    for b in range(5)
    for c in range(5)
    for d in range(5)
    if len({a, b, c, d}) == 4
]
COLUMN = tuple(c for column in _COLUMNS for c in column)  # colour of row r under order o: at 5 * o + r
SWEEPS, TRIES = 3, 2000  # how often redeal does things that may have to be done again


class Diabolo(Match):
    column_order: int = choice(*("".join(LETTERS[c] for c in column) for column in _COLUMNS), clauses="DI-10 DI-45")
    first_dealer: int = seat_option("random", clauses="DI-8", random=RANDOM)
    doubler_mode: int = choice("secret", "open_in_turn", clauses="DI-68 DI-69")
    doubler_ask: int = choice("all_owners", "holders_only", clauses="DI-67")
    show: int = choice("cards", "sum_only", clauses="DI-54 DI-55")
    stuck_discard: int = choice("choice", "random", clauses="DI-34")
    stuck_face: int = choice("up", "down", clauses="DI-37")
    two_players: int = choice("off", "on", clauses="DI-1 DI-13 DI-40 DI-79 DI-81")

    pile: int = number("i8")  # bag of the cards that nobody has seen
    side: list[int] = numbers(2, "i8")  # bags: all cards on the left sides, all cards on the right sides
    shut: list[int] = numbers(2, "i8")  # the colours to which no card can be added there (all bits of a colour)
    discards: int = number("i8")  # bag of those that lie face up
    hand: list[int] = numbers(SEATS, "i8")  # bags
    known: list[int] = numbers(SEATS, "i8")  # bags: shown to everybody and not placed or seen to go since
    buried: list[int] = numbers(SEATS, "i8")  # bags of discards face down (stuck_face)
    showed: list[int] = numbers(SEATS, "i8")  # the hand out of which the last of them came,
    before: list[int] = numbers(SEATS, "i8")  # and the kinds that earlier ones can have been
    laid: list[int] = numbers(SEATS)  # how many they are
    named: list[int] = numbers(SEATS, "i4")  # sums named so far, six bits a colour (show=sum_only)
    points: list[int] = numbers(SEATS, "i2")  # of this round
    total: list[int] = numbers(SEATS, "i2")  # of the rounds finished
    spent: list[int] = numbers(SEATS)  # 1: has no Doubler any more (DI-73)
    answer: list[int] = numbers(SEATS)
    phase: int = number()
    player: int = number()  # whose turn it is; while cards are dealt, who gets the next
    stock: int = number()  # cards in the pile
    dealt: int = number()
    locked: int = number()  # rows
    row: int = number()  # place in the column of the row being scored; those before it are done
    speaker: int = number()  # who is to answer, where answers are given in turn


def refuse_options(s: Diabolo) -> str:
    if s.players == 2 and s.two_players != ON:
        return "Diabolo is for 3 to 5 players; two can play its unofficial form with the option two_players=on (DI-1)."
    return ""


# ------------------------------------------------------------------------------------------ bags


def suit(bag: int, c: int) -> int:
    """The bits of one colour."""
    return (bag >> (WIDTH * c)) & COLOUR


def whole(c: int) -> int:
    """All bits of one colour."""
    return COLOUR << (WIDTH * c)


def how_many(bag: int, k: int) -> int:
    """Cards of a kind."""
    return (bag >> SHIFT[k]) & MOST[k]


def size(bag: int) -> int:
    """Cards in a bag."""
    n = 0
    for c in range(COLOURS):
        n += COUNT[suit(bag, c)]
    return n


def kinds_in(bag: int) -> int:
    """The kinds that are there: the lowest bit of each."""
    return ((bag | bag >> 1) & LOW) | (bag >> 2 & LOW_1)


def of_kinds(kinds: int) -> int:
    """All bits of these kinds, given by their lowest bits."""
    return kinds | kinds << 1 | (kinds & LOW_1) << 2


def pick(bag: int, n: int) -> int:
    """The kind of card number ``n`` of a bag."""
    k = 0
    for _ in range(COLOURS):
        m = COUNT[bag & COLOUR]
        if n < m:
            break
        n -= m
        bag >>= WIDTH
        k += VALUES
    return k + VALUE_AT[nth(SPREAD[bag & COLOUR], n)]


# ------------------------------------------------------------------------------------------ rounds


def begin(s: Diabolo, to: Any) -> None:
    everybody_sits(s)
    if s.first_dealer == RANDOM:  # DI-8
        s.phase = LOT
    else:
        s.dealer = s.first_dealer
        lay_out(s)


def lay_out(s: Diabolo) -> None:
    """All cards are in the pile, rows and hands are empty, everybody has his Doubler (DI-9, DI-11, DI-14)."""
    s.pile = ALL
    s.stock = CARDS_IN_ALL
    s.discards = s.dealt = s.locked = s.row = s.speaker = 0
    s.side[0] = s.side[1] = s.shut[0] = s.shut[1] = 0
    for p in range(s.players):
        s.hand[p] = s.known[p] = s.buried[p] = s.showed[p] = s.before[p] = 0
        s.laid[p] = s.named[p] = s.points[p] = s.spent[p] = s.answer[p] = 0
    s.player = next_player(s, s.dealer)  # DI-15, DI-16
    s.phase = DEALING


def next_deal(s: Diabolo, to: Any) -> None:
    s.dealer = next_seated(s, s.dealer)
    note(to, "DI-80", "deals", s.dealer, s.deal + 1)
    lay_out(s)


def next_player(s: Diabolo, p: int) -> int:
    return p + 1 if p + 1 < s.players else 0  # DI-17


def locks_needed(s: Diabolo) -> int:
    return LOCKS_OF_FIVE if s.players == 5 else LOCKS


def rounds(s: Diabolo) -> int:
    return 4 if s.players == 2 else s.players  # DI-79


def colour_of(s: Diabolo, row: int) -> int:
    """The colour of a row, counted from the top of the column."""
    return COLUMN[COLOURS * s.column_order + row]


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: Diabolo) -> int:
    if s.phase <= CASTING:
        return CHANCE
    if s.phase <= STUCK:
        return s.player
    if s.phase == ASKING:
        if not in_turn(s):
            return SEVERAL
        return s.speaker if is_asked(s, s.speaker) else CHANCE  # who is not asked says "no" all the same
    return DEAL_OVER if s.phase == SETTLED else TERMINAL


def in_turn(s: Diabolo) -> bool:
    """Whether answers are given one after another: aloud, or because nobody else may know who is asked at all."""
    return (s.doubler_mode == OPEN_IN_TURN) | (s.doubler_ask == HOLDERS_ONLY)


def hushed(s: Diabolo) -> bool:
    """Whether nobody else may notice if the player whose turn it is to answer is asked (DI-67)."""
    return (s.phase == ASKING) & (s.doubler_ask == HOLDERS_ONLY)


def silence(s: Diabolo, me: int) -> int:
    """A player who says nothing keeps the Doubler (DI-67)."""
    return NO


def is_asked(s: Diabolo, p: int) -> bool:
    """Whether a player has still to answer for the row being scored (DI-66, DI-67)."""
    holds = suit(s.hand[p], colour_of(s, s.row)) != 0
    return (s.spent[p] == 0) & (s.answer[p] == 0) & (holds | (s.doubler_ask != HOLDERS_ONLY))


def acting(s: Diabolo) -> int:
    wanted = 0
    for p in range(s.players):
        wanted |= is_asked(s, p) << p
    return wanted


def tickets(s: Diabolo) -> int:
    """The sum of all weights of the chance node."""
    if s.phase == LOT:
        return s.players
    return s.stock if s.phase <= DRAWING else size(s.hand[s.player]) if s.phase == CASTING else 1


def ticket(s: Diabolo, n: int) -> int:
    """The outcome that has ticket ``n``: each has as many as its weight."""
    if (s.phase == DEALING) | (s.phase == DRAWING):
        return pick(s.pile, n)
    return pick(s.hand[s.player], n) if s.phase == CASTING else n


def chance(s: Diabolo) -> int:
    """The seats that may deal first; the kinds that may be drawn or cast off; the "no" of a player who is not asked."""
    if s.phase == LOT:
        return (1 << s.players) - 1
    if s.phase == ASKING:
        return 1
    outcomes = 0
    for k in range(KINDS):
        outcomes |= (weight(s, k) > 0) << k
    return outcomes


def weight(s: Diabolo, k: int) -> int:
    if (s.phase == LOT) | (s.phase == ASKING):
        return 1
    return how_many(s.hand[s.player] if s.phase == CASTING else s.pile, k)


def legal(s: Diabolo, me: int, acts: list[int]) -> int:
    if s.phase == ASKING:
        acts[0] = YES
        acts[1] = NO
        return 2
    have = kinds_in(s.hand[me])
    n = 0
    if s.phase == STUCK:  # DI-33
        while have:
            acts[n] = DISCARD + KIND_AT[lowest(have)]
            n += 1
            have &= have - 1
        return n
    left = have & ~s.shut[0]  # DI-20 to DI-25
    while left:
        acts[n] = LEFT + KIND_AT[lowest(left)]
        n += 1
        left &= left - 1
    right = have & ~s.shut[1]
    while right:
        acts[n] = RIGHT + KIND_AT[lowest(right)]
        n += 1
        right &= right - 1
    return n


def likely(s: Diabolo, me: int, acts: list[int]) -> int:
    """The placements that do most for what is left of the colour in the hand; a Doubler for a strong hand."""
    n = legal(s, me, acts)
    if s.phase == ASKING:
        acts[0] = YES if SUM[suit(s.hand[me], colour_of(s, s.row))] > 4 else NO
        return 1
    if s.phase == STUCK:
        return n
    best = -1000
    for i in range(n):
        best = max(best, favour(s, me, acts[i]))
    m = 0
    for i in range(n):
        if favour(s, me, acts[i]) + 3 > best:
            acts[m] = acts[i]
            m += 1
    return m


def favour(s: Diabolo, me: int, a: int) -> int:
    """What a placement changes in the product of one's own sum of the colour and the lead of the angels."""
    k = a % KINDS
    c = k // VALUES
    value = k % VALUES + 1
    mine = SUM[suit(s.hand[me], c)]
    lead = SUM[suit(s.side[1], c)] - SUM[suit(s.side[0], c)]
    after = lead + value if a >= RIGHT else lead - value
    return (mine - value) * max(-4, min(4, after)) - mine * max(-4, min(4, lead))


# ------------------------------------------------------------------------------------------ what happens


def happen(s: Diabolo, k: int, to: Any) -> None:
    if s.phase == DRAWING:
        draw_card(s, k, to)
    elif s.phase == DEALING:
        deal_card(s, k, to)
    elif s.phase == CASTING:
        note(to, "DI-34", "cast", s.player)
        discard(s, s.player, k, to)
    elif s.phase == ASKING:
        say(s, s.speaker, ANSWERED_NO, to)  # nobody was asked
    else:
        note(to, "DI-8", "dealer", k)
        s.dealer = k
        lay_out(s)


def deal_card(s: Diabolo, k: int, to: Any) -> None:
    s.pile -= ONE[k]
    s.stock -= 1
    s.hand[s.player] += ONE[k]
    s.dealt += 1
    s.player = next_player(s, s.player)
    if s.dealt == HAND * s.players:
        for p in range(s.players):
            whisper(to, "DI-12", "dealt", p, s.hand[p])
        note(to, "DI-16", "starts", s.player)
        s.phase = DRAWING


def draw_card(s: Diabolo, k: int, to: Any) -> None:
    me = s.player
    s.pile -= ONE[k]
    s.stock -= 1
    s.hand[me] += ONE[k]
    note(to, "DI-18", "draws", me, s.stock)
    whisper(to, "DI-18", "drawn", me, SHIFT[k])
    s.phase = PLACING
    if s.hand[me] & ~(s.shut[0] & s.shut[1]) == 0:  # DI-31
        note(to, "DI-32", "stuck", me, s.hand[me])
        show_all(s, me)
        s.phase = CASTING if s.stuck_discard == AT_RANDOM else STUCK


def show_all(s: Diabolo, me: int) -> None:
    """Everybody sees the hand, and keeps it in mind (DI-39, DI-88)."""
    if s.laid[me] > 0:  # what he laid down before, if it can be told by now, or what it can have been
        gone = missing(s, me, ALL)
        s.before[me] |= gone if gone else s.showed[me]
    s.known[me] = s.hand[me]
    if s.stuck_face == FACE_DOWN:
        s.showed[me] = s.hand[me]


def missing(s: Diabolo, p: int, bag: int) -> int:
    """Cards of these kinds that a player has shown, and that his hand has no more."""
    gone = 0
    for k in range(KINDS):
        less = how_many(s.known[p], k) - how_many(s.hand[p], k)
        if (less > 0) & (how_many(bag, k) > 0):
            gone += less * ONE[k]
    return gone


def apply(s: Diabolo, me: int, a: int, to: Any) -> None:
    if a < DISCARD:
        place(s, me, a // KINDS, a % KINDS, to)
    elif a < YES:
        note(to, "DI-33", "chooses", me)
        discard(s, me, a - DISCARD, to)
    else:
        answer = ANSWERED_YES if a == YES else ANSWERED_NO
        if s.doubler_mode != OPEN_IN_TURN:
            whisper(to, "DI-68", "sealed", me, answer)
        if in_turn(s):
            say(s, me, answer, to)
        else:
            s.answer[me] = answer
            if acting(s) == 0:
                reveal(s, to)


def place(s: Diabolo, me: int, d: int, k: int, to: Any) -> None:
    """A card goes to the left (``d`` = 0) or to the right of its row."""
    c = k // VALUES
    s.hand[me] -= ONE[k]
    if s.known[me]:
        forget(s, me, k)
    s.side[d] += ONE[k]
    if d == 0:
        note(to, "DI-22", "places_left", me, SHIFT[k])
    else:
        note(to, "DI-22", "places_right", me, SHIFT[k])
    left = COUNT[suit(s.side[0], c)]
    right = COUNT[suit(s.side[1], c)]
    if left + right == ROW:
        note(to, "DI-27", "locks", me, NAMED + c)
        s.shut[0] |= whole(c)
        s.shut[1] |= whole(c)
        s.locked += 1
        if s.locked == locks_needed(s):
            if s.players == 5:
                note(to, "DI-41", "round_over", EVERYBODY, s.locked)
            else:
                note(to, "DI-40", "round_over", EVERYBODY, s.locked)
            score(s, to)
            return
    elif left == SIDE:
        s.shut[0] |= whole(c)
    if right == SIDE:
        s.shut[1] |= whole(c)
    pass_on(s, me)


def forget(s: Diabolo, me: int, k: int) -> None:
    """A card has left the hand; if such a card had been shown, it counts as that one (DI-5)."""
    if how_many(s.known[me], k) > 0:
        s.known[me] -= ONE[k]


def discard(s: Diabolo, me: int, k: int, to: Any) -> None:
    s.hand[me] -= ONE[k]
    if s.stuck_face == FACE_DOWN:
        s.buried[me] += ONE[k]
        s.laid[me] += 1
        whisper(to, "DI-37", "laid_down", me, SHIFT[k])
    else:
        s.discards += ONE[k]
        s.known[me] -= ONE[k]
        note(to, "DI-37", "discards", me, SHIFT[k])
    pass_on(s, me)


def pass_on(s: Diabolo, me: int) -> None:
    s.player = next_player(s, me)  # DI-30
    s.phase = DRAWING


# ------------------------------------------------------------------------------------------ scoring


def score(s: Diabolo, to: Any) -> None:
    """Score the rows from ``row`` on, until players are asked or all is done (DI-44, DI-45)."""
    while s.row < COLOURS:
        c = colour_of(s, s.row)
        angels = SUM[suit(s.side[1], c)]  # DI-46
        devils = SUM[suit(s.side[0], c)]  # DI-47
        if angels > devils:
            note(to, "DI-48", "positive", EVERYBODY, NAMED + c, angels - devils)
            if ask(s, to):
                return
            settle_row(s, c, 1, to)
        elif devils > angels:
            note(to, "DI-49", "negative", EVERYBODY, NAMED + c, devils - angels)
            settle_row(s, c, -1, to)
        else:
            note(to, "DI-50", "even", EVERYBODY, NAMED + c, angels)
            s.row += 1
    finish(s, to)


def ask(s: Diabolo, to: Any) -> bool:
    """Whether somebody has to be asked about his Doubler."""
    if acting(s) == 0:
        note(to, "DI-76", "nobody_asked", EVERYBODY, NAMED + colour_of(s, s.row))
        return False
    note(to, "DI-66", "asks", EVERYBODY, NAMED + colour_of(s, s.row))
    s.phase = ASKING
    if in_turn(s):
        s.speaker = next_player(s, s.dealer)
        if s.spent[s.speaker]:
            next_speaker(s)
    return True


def next_speaker(s: Diabolo) -> bool:
    """On to the next player with an unspent Doubler; false if all have spoken."""
    first = next_player(s, s.dealer)
    p = next_player(s, s.speaker)
    while (p != first) & (s.spent[p] == 1):
        p = next_player(s, p)
    s.speaker = p
    return p != first


def say(s: Diabolo, p: int, answer: int, to: Any) -> None:
    """The next answer, in everybody's hearing or sealed; with the last one the row is scored."""
    s.answer[p] = answer
    if s.doubler_mode == OPEN_IN_TURN:
        announce(s, p, to)
    if not next_speaker(s):
        s.speaker = 0
        if s.doubler_mode == OPEN_IN_TURN:
            settle_row(s, colour_of(s, s.row), 1, to)
            score(s, to)
        else:
            reveal(s, to)


def announce(s: Diabolo, p: int, to: Any) -> None:
    if s.answer[p] == ANSWERED_YES:
        note(to, "DI-68", "doubles", p)
    else:
        note(to, "DI-68", "declines", p)


def reveal(s: Diabolo, to: Any) -> None:
    """All answers are in; who was not asked counts as one who declined (DI-68, DI-69)."""
    for p in range(s.players):
        if s.spent[p] == 0:
            announce(s, p, to)
    settle_row(s, colour_of(s, s.row), 1, to)
    score(s, to)


def settle_row(s: Diabolo, c: int, sign: int, to: Any) -> None:
    """Hands are shown, points are given, committed Doublers are spent; then the next row (DI-52, DI-53)."""
    highest = 0
    for p in range(s.players):
        mine = suit(s.hand[p], c)
        highest = max(highest, SUM[mine])
        if s.show == SUM_ONLY:
            s.named[p] |= (SAID | SUM[mine]) << (6 * c)
            note(to, "DI-54", "names", p, SUM[mine], NAMED + c)
        else:
            if s.laid[p] > 0 and missing(s, p, ALL & whole(c)):
                s.showed[p] = missing(s, p, ALL & whole(c))  # now everybody can tell what he laid down
            s.known[p] = (s.known[p] & ~whole(c)) | (mine << (WIDTH * c))
            if mine:
                note(to, "DI-54", "shows", p, mine << (WIDTH * c))
    if highest == 0:
        note(to, "DI-63", "nobody", EVERYBODY, NAMED + c)
    for p in range(s.players):
        if (highest > 0) & (SUM[suit(s.hand[p], c)] == highest):  # DI-57, DI-61
            if sign < 0:
                note(to, "DI-59", "loses", p, highest)
                s.points[p] -= highest
            elif s.answer[p] == ANSWERED_YES:
                note(to, "DI-71", "gains_double", p, 2 * highest)
                s.points[p] += 2 * highest
            else:
                note(to, "DI-58", "gains", p, highest)
                s.points[p] += highest
        if s.answer[p] == ANSWERED_YES:
            note(to, "DI-73", "spends", p)
            s.spent[p] = 1
        s.answer[p] = 0
    s.row += 1


def finish(s: Diabolo, to: Any) -> None:
    """The round is scored: totals, then the next round or the end of the match."""
    s.deal += 1
    for p in range(s.players):
        s.total[p] += s.points[p]
        note(to, "DI-78", "total", p, s.points[p], s.total[p])
    s.phase = SETTLED
    if deals_over(s, rounds(s)):
        s.phase = OVER
        first = leaders(s)
        for p in range(s.players):
            if first >> p & 1:
                if count(first) == 1:
                    note(to, "DI-82", "wins", p, s.total[p])
                else:
                    note(to, "DI-83", "shares", p, s.total[p], count(first))


def leaders(s: Diabolo) -> int:
    """Set of the players with the highest total."""
    best = s.total[0]
    for p in range(s.players):
        best = max(best, s.total[p])
    found = 0
    for p in range(s.players):
        found |= (s.total[p] == best) << p
    return found


def returns(s: Diabolo, out: list[float]) -> None:
    """The winners share 1, the others lose 1 between them; 0 if all share the win."""
    first = leaders(s)
    k = count(first)
    for p in range(s.players):
        if k == s.players:
            out[p] = 0.0
        else:
            out[p] = 1.0 / k if first >> p & 1 else -1.0 / (s.players - k)


def deal_returns(s: Diabolo, out: list[float]) -> None:
    for p in range(s.players):
        out[p] = float(s.points[p])


# ------------------------------------------------------------------------------------------ telling

PHASES = ("lot", "dealing", "draw", "discard drawn", "place", "discard", "doublers", "settled", "over")
SUM_BITS = tuple(f"{letter}{part}" for letter in LETTERS for part in ("+1", "+2", "+4", "+8", "+16", " said"))
THINGS = {
    "phase": one_of(PHASES),
    "deal": amount(5),
    "dealer": seat(),
    "player": seat(),
    "dealt": amount(30, optional=True),
    "stock": amount(CARDS_IN_ALL),
    "row": one_of(6),
    "speaker": seat(),
    "side": cards(BAG, per=2),
    "discards": cards(BAG),
    "hand": cards(BAG, per=SEATS, seats=True),
    "known": cards(BAG, per=SEATS, seats=True),
    "buried": cards(BAG, per=SEATS, seats=True),
    "showed": cards(BAG, per=SEATS, seats=True),
    "before": cards(BAG, per=SEATS, seats=True),
    "laid": amount(12, per=SEATS, seats=True),
    "named": cards(SUM_BITS, per=SEATS, seats=True),
    "spent": one_of(("no", "yes"), per=SEATS, seats=True),
    "answer": one_of(("none", "no", "yes"), per=SEATS, seats=True),
    "points": amount(20, per=SEATS, seats=True),
    "total": amount(40, per=SEATS, seats=True),
}


def show(s: Diabolo, to: Any) -> None:
    """What lies open (DI-84)."""
    tell(to, "phase", 0, s.phase)
    tell(to, "deal", 0, s.deal)
    if s.phase != LOT:
        tell(to, "dealer", 0, s.dealer)
        tell(to, "player", 0, s.player)
    if s.phase == DEALING:
        tell(to, "dealt", 0, s.dealt)
    if s.phase >= ASKING:
        tell(to, "row", 0, s.row)
        if (s.phase == ASKING) & in_turn(s):
            tell(to, "speaker", 0, s.speaker)
    tell(to, "stock", 0, s.stock)
    tell(to, "side", 0, s.side[0])
    tell(to, "side", 1, s.side[1])
    tell(to, "discards", 0, s.discards)
    for p in range(s.players):
        tell(to, "known", p, s.known[p])
        tell(to, "spent", p, s.spent[p])
        tell(to, "points", p, s.points[p])
        tell(to, "total", p, s.total[p])
        if s.show == SUM_ONLY:
            tell(to, "named", p, s.named[p])
        if s.stuck_face == FACE_DOWN:
            tell(to, "laid", p, s.laid[p])
            tell(to, "showed", p, s.showed[p])
            tell(to, "before", p, s.before[p])
        if (s.doubler_mode == OPEN_IN_TURN) & (s.answer[p] > 0):
            tell(to, "answer", p, s.answer[p])


def show_own(s: Diabolo, me: int, to: Any) -> None:
    """His hand, once it is complete, what he has laid down, and his sealed answer (DI-85, DI-89)."""
    if s.stuck_face == FACE_DOWN:
        tell(to, "buried", me, s.buried[me])
    if s.phase > DEALING:
        tell(to, "hand", me, s.hand[me])
        if (s.doubler_mode != OPEN_IN_TURN) & (s.answer[me] > 0):
            tell(to, "answer", me, s.answer[me])


def restore(s: Diabolo, me: int) -> None:
    """What follows from the rows."""
    everybody_sits(s)
    if s.phase != DEALING and s.phase != LOT:
        s.dealt = HAND * s.players
    for c in range(COLOURS):
        left = COUNT[suit(s.side[0], c)]
        right = COUNT[suit(s.side[1], c)]
        if (left == SIDE) | (left + right == ROW):
            s.shut[0] |= whole(c)
        if (right == SIDE) | (left + right == ROW):
            s.shut[1] |= whole(c)
        s.locked += left + right == ROW


# ------------------------------------------------------------------------------------------ worlds


def redeal(s: Diabolo, me: int, rng: list[int]) -> None:
    """Every card that I have not seen is as likely in one place as in another, but for what the others' hands have to
    hold or cannot hold: cards shown and kept, colours and sums shown, answers that only a holder can give.

    A card that somebody has placed counts as any of those he held.
    """
    if s.phase == LOT:
        return
    for _ in range(TRIES):
        if deal_unknown(s, me, rng):
            seal_answers(s, rng)
            return


def seal_answers(s: Diabolo, rng: list[int]) -> None:
    """Answers that others have given in turn and I do not know: those of holders one way or the other (DI-67)."""
    if (s.phase == ASKING) & (s.doubler_ask == HOLDERS_ONLY):
        p = next_player(s, s.dealer)
        while p != s.speaker:
            if is_asked(s, p):
                s.answer[p] = ANSWERED_NO + below(rng, 2)
            elif (s.spent[p] == 0) & (s.answer[p] == 0):
                s.answer[p] = ANSWERED_NO
            p = next_player(s, p)


def hand_size(s: Diabolo, p: int) -> int:
    if s.phase == DEALING:
        seat_from_start = (p - s.dealer - 1 + 2 * s.players) % s.players
        return s.dealt // s.players + (seat_from_start < s.dealt % s.players)
    return HAND + ((p == s.player) & ((s.phase == PLACING) | (s.phase == STUCK) | (s.phase == CASTING)))


def deal_unknown(s: Diabolo, me: int, rng: list[int]) -> bool:
    """Deal what I do not know; false if it cannot have been so."""
    free = ALL - s.side[0] - s.side[1] - s.discards
    others = 0
    for p in range(s.players):
        if (p != me) | (s.phase == DEALING):
            others |= 1 << p
            s.hand[p] = s.known[p]
            s.buried[p] = 0
            free -= s.known[p]
        else:
            free -= s.hand[p] + s.buried[p]
    if s.stuck_face == FACE_DOWN:
        free = bury_earlier(s, others, free, rng)
    sums = (s.show == SUM_ONLY) & (s.row > 0) & (s.phase >= ASKING)
    if sums:
        free = deal_sums(s, others, free, rng)
        if free < 0:
            return False
    else:
        free = deal_cards(s, others, free, rng)
    s.pile = free
    return agrees(s)


def deal_cards(s: Diabolo, others: int, free: int, rng: list[int]) -> int:
    """Fill the hands of others; who was to show a colour has shown all he has of it."""
    shown = shown_colours(s)
    for p in range(s.players):
        if others >> p & 1:
            open_to = ~shown
            last = is_buried(s, p)
            if last and size(s.showed[p]) == 1:  # it is known which
                s.buried[p] += s.showed[p]
                free -= s.showed[p]
                last = 0
            elif last:
                open_to |= of_kinds(kinds_in(s.showed[p]))
            for _ in range(hand_size(s, p) + last - size(s.hand[p])):
                k = pick(free & open_to, below(rng, size(free & open_to)))
                s.hand[p] += ONE[k]
                free -= ONE[k]
            if last:
                bury(s, p, rng)
    return free


def shown_colours(s: Diabolo) -> int:
    """All bits of the colours of which everybody has shown what he has (DI-54)."""
    shown = 0
    for r in range(s.row):
        c = colour_of(s, r)
        if (s.show != SUM_ONLY) & (SUM[suit(s.side[0], c)] != SUM[suit(s.side[1], c)]):
            shown |= whole(c)
    return shown


def is_buried(s: Diabolo, p: int) -> int:
    """1 if a card of the hand that a player showed last lies face down."""
    return (s.laid[p] > 0) & ((p != s.player) | ((s.phase != STUCK) & (s.phase != CASTING)))


def bury(s: Diabolo, p: int, rng: list[int]) -> None:
    """One card of those that the player showed last: any of them that are still there."""
    there = s.hand[p] & of_kinds(kinds_in(s.showed[p]))
    if there:
        k = pick(there, below(rng, size(there)))
        s.hand[p] -= ONE[k]
        s.buried[p] += ONE[k]


def bury_earlier(s: Diabolo, others: int, free: int, rng: list[int]) -> int:
    """What players laid down before they showed a hand once more."""
    for p in range(s.players):
        if others >> p & 1:
            for _ in range(s.laid[p] - is_buried(s, p)):
                there = free & of_kinds(kinds_in(s.before[p]))
                if there:
                    k = pick(there, below(rng, size(there)))
                    s.buried[p] += ONE[k]
                    free -= ONE[k]
    return free


def deal_sums(s: Diabolo, others: int, free: int, rng: list[int]) -> int:
    """Fill the hands of others so that they have the sums they named: each in turn given all the others, several times
    round, so that it matters no more who was first (Gibbs sampling).  Below 0 if no hand was found."""
    for p in range(s.players):
        if (others >> p & 1) and is_buried(s, p):
            bury(s, p, rng)
    kept_0 = s.hand[0]
    kept_1 = s.hand[1]
    kept_2 = s.hand[2]
    kept_3 = s.hand[3]
    kept_4 = s.hand[4]
    for _ in range(SWEEPS):
        for p in range(s.players):
            if others >> p & 1:
                kept = kept_0 if p == 0 else kept_1 if p == 1 else kept_2 if p == 2 else kept_3 if p == 3 else kept_4
                free += s.hand[p] - kept
                s.hand[p] = hand_with_sums(s, p, kept, free, rng)
                if s.hand[p] < 0:
                    return -1
                free -= s.hand[p] - kept
    return free


def hand_with_sums(s: Diabolo, p: int, kept: int, free: int, rng: list[int]) -> int:
    """A hand with the sums that the player has named, ``kept`` among its cards and the others from ``free``: each such
    hand as likely as there are ways to deal it.  Below 0 if there is none."""
    rest = free
    hand = kept
    w0 = w1 = w2 = w3 = w4 = 1
    for c in range(COLOURS):
        if s.named[p] >> (6 * c) & SAID:
            w = ways_by_size(suit(kept, c), suit(free, c), s.named[p] >> (6 * c) & (SAID - 1))
            rest &= ~whole(c)
            hand &= ~whole(c)
            if c == 0:
                w0 = w
            elif c == 1:
                w1 = w
            elif c == 2:
                w2 = w
            elif c == 3:
                w3 = w
            else:
                w4 = w
    left = HAND - size(hand)
    sizes = -1  # how many cards of each colour, three bits each
    total = 0
    for n0 in range(left + 1):
        u0 = w0 >> (9 * n0) & 511
        if u0:
            for n1 in range(left + 1 - n0):
                u1 = u0 * (w1 >> (9 * n1) & 511)
                if u1:
                    for n2 in range(left + 1 - n0 - n1):
                        u2 = u1 * (w2 >> (9 * n2) & 511)
                        if u2:
                            for n3 in range(left + 1 - n0 - n1 - n2):
                                u3 = u2 * (w3 >> (9 * n3) & 511)
                                if u3:
                                    for n4 in range(left + 1 - n0 - n1 - n2 - n3):
                                        w = (
                                            u3
                                            * (w4 >> (9 * n4) & 511)
                                            * ways(size(rest), left - n0 - n1 - n2 - n3 - n4)
                                        )
                                        total += w
                                        if w > 0 and below(rng, total) < w:
                                            sizes = n0 | n1 << 3 | n2 << 6 | n3 << 9 | n4 << 12
    if sizes < 0:
        return -1
    for c in range(COLOURS):
        if s.named[p] >> (6 * c) & SAID:
            n = sizes >> (3 * c) & 7
            mine = colour_with_sum(suit(kept, c), suit(free, c), s.named[p] >> (6 * c) & (SAID - 1), n, rng)
            hand |= mine << (WIDTH * c)
    for _ in range(HAND - size(hand)):
        k = pick(rest, below(rng, size(rest)))
        hand += ONE[k]
        rest -= ONE[k]
    return hand


def ways_to(bits: int, kept: int, free: int) -> int:
    """How many ways there are to make up these cards of one colour: ``kept``, and the others from ``free``."""
    w = 1
    for v in range(VALUES):
        more = how_many(bits, v) - how_many(kept, v)
        there = how_many(free, v)
        w *= CHOOSE[5 * there + more] if (more >= 0) & (more <= there) else 0
    return w


def ways_by_size(kept: int, free: int, wanted: int) -> int:
    """The ways to make up cards of one colour with a given sum: nine bits for each number of cards."""
    found = 0
    for i in range(FIRST[wanted], FIRST[wanted + 1]):
        found += ways_to(BY_SUM[i], kept, free) << (9 * COUNT[BY_SUM[i]])
    return found


def colour_with_sum(kept: int, free: int, wanted: int, n: int, rng: list[int]) -> int:
    """So many cards of one colour with a given sum, each as likely as there are ways to make them up."""
    found = kept
    total = 0
    for i in range(FIRST[wanted], FIRST[wanted + 1]):
        w = ways_to(BY_SUM[i], kept, free) if COUNT[BY_SUM[i]] == n else 0
        total += w
        if w > 0 and below(rng, total) < w:
            found = BY_SUM[i]
    return found


def ways(n: int, k: int) -> int:
    """How many ways there are to take ``k`` of ``n``."""
    w = 1
    for i in range(k):
        w = w * (n - i) // (i + 1)
    return w


def agrees(s: Diabolo) -> bool:
    """Whether all cards laid down were found, nobody has more of a colour than he has shown, who is to place a card can
    place one, and the hands agree with who is being asked and who has committed (doubler_ask=holders_only)."""
    shown = shown_colours(s)
    if (s.phase == PLACING) & (s.hand[s.player] & ~(s.shut[0] & s.shut[1]) == 0):
        return False
    for p in range(s.players):
        if (size(s.buried[p]) != s.laid[p]) | ((s.hand[p] ^ s.known[p]) & shown != 0):
            return False
    if (s.phase != ASKING) | (s.doubler_ask != HOLDERS_ONLY):
        return True
    holders = 0
    for p in range(s.players):
        holds = suit(s.hand[p], colour_of(s, s.row)) != 0
        if s.answer[p] == ANSWERED_YES and not holds:
            return False
        holders += holds & (s.spent[p] == 0)
    return holders > 0


# ------------------------------------------------------------------------------------------ names and refusals


def action_names(s: Diabolo) -> list[str]:
    sides = [f"place {kind} {where}" for where in ("left", "right") for kind in KIND_NAMES]
    return [*sides, *(f"discard {kind}" for kind in KIND_NAMES), "doubler yes", "doubler no"]


def outcome_name(s: Diabolo, k: int) -> str:
    return f"seat {k}" if s.phase == LOT else "no" if s.phase == ASKING else KIND_NAMES[k]


def refuse(s: Diabolo, me: int, a: int) -> str:
    if a >= YES:
        return refuse_doubler(s, me, a)
    if s.phase == CASTING and me == s.player and a >= DISCARD:
        return "DI-34"
    if s.phase not in (PLACING, STUCK) or me != s.player or how_many(s.hand[me], a % KINDS) == 0:
        return "DI-99"
    if a >= DISCARD:
        return "DI-35"
    return "DI-23" if s.shut[0] & s.shut[1] & ONE[a % KINDS] else "DI-24"


def refuse_doubler(s: Diabolo, me: int, a: int) -> str:
    if s.phase != ASKING:
        return "DI-65"
    if s.spent[me]:
        return "DI-74" if a == YES else "DI-77"
    if s.answer[me]:
        return "DI-70"
    if s.doubler_ask == HOLDERS_ONLY and suit(s.hand[me], colour_of(s, s.row)) == 0:
        return "DI-67"
    return "DI-68"
