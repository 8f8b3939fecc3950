"""Diamonds, the digging game.  Clause ids (DM-n) refer to the rule book, ``book.md``.

A face-down card is nothing until it is turned: the position holds the set of cards nobody has seen, and no order.
A card is a number, 13 * suit + rank - 2 with the suits in the order clubs, hearts, spades, diamonds; then the jokers.
"""

from typing import Any

from parlour.matchplay import Deals, most
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
    seat,
    seat_option,
    tell,
)

PLAYERS = range(2, 4)  # DM-1
VERSION = 1
HIDES_NOTHING = True  # DM-98

SEATS, PILES, DEPTH, DECK = 3, 9, 6, (1 << 54) - 1  # DM-2, DM-8
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")  # they count 2 to 14 (DM-3)
CARDS = (*(suit + rank for suit in "CHSD" for rank in RANKS), "X1", "X2")
CLUBS, HEARTS, SPADES, DIAMONDS, JOKERS = 0, 13, 26, 39, 52  # the first card of each; below SPADES are rocks (DM-4)

# The face of a pile is what the rules compare: the hardness of a face-up rock, 2 to 14, or one of these.
DOWN, EMPTY, BLADE = 1, 15, 32  # face down; no cards left, like a rock nobody can break; BLADE + strength of a spade

START, OFFERED, BETWEEN, TURNING, PICKING, DRAWING, OVER = range(7)  # phases: three of a player, three of chance
DIG, DIG_ANY, DESTROY, PASS, TRADE, KEEP, ON, STOP, STEAL, SWITCH, ACTIONS = 0, 9, 10, 19, 20, 21, 22, 23, 24, 27, 30

# Options with two values: 0 is the default, the other is 1.
RANDOM_FACE_DOWN = END_TURN = TO_DEBRIS = FACE_UP_ONLY = NOT_ALLOWED = LITERAL = OWN_TURN = ONE = ANYONE = 1
AFTER_JOKER, NEVER, ALWAYS = range(3)
RANDOM = 255


class Diamonds(Deals):
    pile_choice: int = choice("player", "random_face_down", clauses="DM-23 DM-24")
    first_spade: int = choice("dig_on", "end_turn", clauses="DM-40")
    trade_leaves: int = choice("on_pile", "debris", clauses="DM-44")
    stop_digging: int = choice("after_joker", "never", "always", clauses="DM-49 DM-50 DM-51")
    destroy_when: int = choice("all_tops_up", "face_up_only", clauses="DM-58 DM-59")
    trade_after_destroy: int = choice("allowed", "not_allowed", clauses="DM-116")
    layer_removal: int = choice("deadlock_only", "literal", clauses="DM-69 DM-73 DM-74")
    joker_when: int = choice("turn_start", "own_turn", clauses="DM-79")
    jokers_per_turn: int = choice("any", "one", clauses="DM-82")
    switch_target: int = choice("spade_holder", "anyone", clauses="DM-88")
    first_dealer: int = seat_option("random", clauses="DM-14", random=RANDOM)
    games: int = amount_option(1, 1, 255, clauses="DM-93")

    unseen: int = number("i8")  # set of the cards nobody has seen
    debris: int = number("i8")  # set of the cards beside the grid (DM-12)
    height: list[int] = numbers(PILES)
    face: list[int] = numbers(PILES)
    top: list[int] = numbers(PILES)  # the card lying face up, plus 1; 0 if none does
    spade: list[int] = numbers(SEATS)  # strength of the spade held, 0 if none (DM-34)
    diamonds: list[int] = numbers(SEATS, "u2")  # set of the ranks held
    jokers: list[int] = numbers(SEATS)  # set of the jokers that may be played
    fresh: list[int] = numbers(SEATS)  # set of the jokers found this turn (DM-78)
    player: int = number()  # whose turn it is
    phase: int = number()
    at: int = number()  # the pile being dug
    smashed: int = number()  # 1: a spade was destroyed this turn (DM-65)
    played: int = number()  # 1: a joker was played this turn, and only one may be (DM-82)
    may_stop: int = number()  # 1: `stop` is offered (DM-49)
    won: list[int] = numbers(SEATS)  # games won by each


def begin(s: Diamonds, to: Any) -> None:
    lay_out(s)
    if s.first_dealer == RANDOM:  # DM-14
        s.phase = DRAWING
    else:
        s.player = s.dealer = s.first_dealer  # DM-15


def lay_out(s: Diamonds) -> None:
    """Nine face-down piles of six, no debris, nobody holds a card (DM-8, DM-12, DM-13)."""
    s.unseen = DECK
    s.debris = 0
    for i in range(PILES):
        s.height[i] = DEPTH
        s.face[i] = DOWN
        s.top[i] = 0
    for p in range(SEATS):
        s.spade[p] = s.diamonds[p] = s.jokers[p] = 0


def target(s: Diamonds) -> int:
    return 7 if s.players == 2 else 5  # DM-17


def next_seat(s: Diamonds, p: int) -> int:
    return p + 1 if p + 1 < s.players else 0


def rank(card: int) -> int:
    return card % 13 + 2


def own_spade(s: Diamonds, p: int) -> int:
    """The card of the spade that the player holds."""
    return SPADES + s.spade[p] - 2


def lay(s: Diamonds, i: int, card: int) -> None:
    """The card lies face up on pile i."""
    s.top[i] = card + 1
    s.face[i] = rank(card) if card < SPADES else BLADE + rank(card)


def lift(s: Diamonds, i: int) -> None:
    """The top card of pile i is gone."""
    s.height[i] -= 1
    s.face[i] = DOWN if s.height[i] > 0 else EMPTY
    s.top[i] = 0


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: Diamonds) -> int:
    if s.phase < TURNING:
        return s.player
    if s.phase < OVER:
        return CHANCE
    return DEAL_OVER if s.deal < s.games else TERMINAL


def chance(s: Diamonds) -> int:
    """The cards that may be turned up (DM-105), the piles that may be picked, or the seats that may deal first."""
    if s.phase == TURNING:
        return s.unseen
    if s.phase == DRAWING:
        return (1 << s.players) - 1
    piles = 0
    for i in range(PILES):
        piles |= (s.face[i] == DOWN) << i
    return piles


def legal(s: Diamonds, me: int, acts: list[int]) -> int:
    if s.phase == OFFERED:  # DM-41
        acts[0] = TRADE
        acts[1] = KEEP
        return 2
    n = 0
    if s.phase == BETWEEN:  # DM-49
        acts[0] = ON
        acts[1] = STOP
        n = 1 + s.may_stop
    else:
        mine = s.spade[me]
        hard = mine if mine > DOWN else DOWN  # the hardest face to dig at: anything face down, rocks up to the spade
        named = DOWN if s.pile_choice == RANDOM_FACE_DOWN else 0  # piles with a face above this are named (DM-23)
        heeded = DOWN if s.destroy_when == FACE_UP_ONLY else 0  # faces above this, up to `hard`, forbid destroying
        forbidden = 0
        for i in range(PILES):  # DM-24 to DM-30
            f = s.face[i]
            acts[n] = DIG + i
            n += ((f > named) & (f <= hard)) | (f > BLADE + mine)
            forbidden |= (f > heeded) & (f <= hard)  # DM-58, DM-59
        if named:
            acts[n] = DIG_ANY
            n += chance(s) != 0
        if not forbidden:
            for i in range(PILES):
                acts[n] = DESTROY + i
                n += (s.face[i] > BLADE) & (s.face[i] < BLADE + mine)  # DM-60; never without a spade (DM-57)
        if n == 0:  # DM-32, DM-33
            acts[0] = PASS
            n = 1
    if s.jokers[me] > 0:
        plays = joker_plays(s, me)
        while plays:
            acts[n] = lowest(plays)
            n += 1
            plays &= plays - 1
    return n


def candidates(s: Diamonds, me: int, acts: list[int]) -> int:
    """Of piles that lie face down and are equally high, one is as good as another."""
    n = legal(s, me, acts)
    kept = 0
    heights = 0  # set of those seen
    for k in range(n):
        a = acts[k]
        again = 0
        if a < DIG_ANY and s.face[a] == DOWN:
            again = heights >> s.height[a] & 1
            heights |= 1 << s.height[a]
        acts[kept] = a
        kept += 1 - again
    return kept


def likely(s: Diamonds, me: int, acts: list[int]) -> int:
    """The actions of the highest promise; a sensible player also trades, and digs on after a joker."""
    n = legal(s, me, acts)
    if s.phase != START:
        return 1
    best = kept = 0
    for k in range(n):
        a = acts[k]
        worth = promise(s, me, a)
        if worth > best:
            best = worth
            kept = 0
        if worth == best:
            acts[kept] = a
            kept += 1
    return kept


def promise(s: Diamonds, me: int, a: int) -> int:
    """Steal, switch for a much higher spade, take a first spade; otherwise dig where most cards can be turned."""
    if a < DIG_ANY:
        if s.face[a] == DOWN:
            return s.height[a]
        if s.face[a] < BLADE:
            return s.height[a] - 1
        return 10 if s.spade[me] == 0 else (s.face[a] - BLADE - s.spade[me]) // 2
    if a == DIG_ANY:
        return 3
    if a < PASS:
        return s.height[a - DESTROY] - 1
    if a == PASS:
        return 0
    if a < SWITCH:
        return 20
    return 12 if s.spade[a - SWITCH] > s.spade[me] + 4 else -1


def joker_plays(s: Diamonds, me: int) -> int:
    """Set of the steals (DM-83, DM-84) and switches (DM-86 to DM-89) that are legal now."""
    if s.jokers[me] == 0 or s.played or (s.phase != START and s.joker_when != OWN_TURN):  # DM-78, DM-79, DM-82
        return 0
    room = count(s.diamonds[me]) + 1 < target(s)
    gift = (s.switch_target == ANYONE) & (s.spade[me] > 0)
    plays = 0
    for q in range(s.players):
        if q != me:
            plays |= (room & (s.diamonds[q] > 0)) << (STEAL + q)
            plays |= (gift | (s.spade[q] > 0)) << (SWITCH + q)
    return plays


# ------------------------------------------------------------------------------------------ what happens


def apply(s: Diamonds, me: int, a: int, to: Any) -> None:
    if a < DIG_ANY:
        dig(s, me, a - DIG, to)
    elif a == DIG_ANY:
        s.phase = PICKING
    elif a < PASS:
        destroy(s, me, a - DESTROY, to)
    elif a == PASS:
        note(to, "DM-32", "passes", me)
        end_turn(s, me, to)
    elif a == TRADE:
        note(to, "DM-42", "trades", me, s.top[s.at] - 1, own_spade(s, me))
        trade(s, me, s.at, to)
    elif a == KEEP:
        note(to, "DM-43", "keeps", me, own_spade(s, me), s.top[s.at] - 1)
        end_turn(s, me, to)
    elif a == ON:
        note(to, "DM-49", "on", me, s.at)
        s.may_stop = 0
        s.phase = TURNING
    elif a == STOP:
        note(to, "DM-50", "stop", me, s.at, s.height[s.at])
        end_turn(s, me, to)
    else:
        play_joker(s, me, a, to)


def happen(s: Diamonds, k: int, to: Any) -> None:
    if s.phase == TURNING:
        note(to, "DM-35", "turns", s.player, k, s.at)
        s.unseen ^= 1 << k
        resolve(s, s.player, s.at, k, to)
    elif s.phase == PICKING:
        note(to, "DM-23", "lot", s.player, k)
        s.at = k
        s.phase = TURNING
    else:
        note(to, "DM-14", "dealer", k)
        s.dealer = s.player = k  # DM-15
        s.phase = START


def dig(s: Diamonds, me: int, i: int, to: Any) -> None:
    """Choose pile i: a top that lies face up is dealt with in the same way, without turning it."""
    s.at = i
    if s.face[i] == DOWN:
        note(to, "DM-24", "digs", me, i)
        s.phase = TURNING
    elif s.face[i] < BLADE:
        note(to, "DM-25", "digs", me, i)
        resolve(s, me, i, s.top[i] - 1, to)
    elif s.spade[me] == 0:
        note(to, "DM-26", "digs", me, i)
        resolve(s, me, i, s.top[i] - 1, to)
    else:
        note(to, "DM-27", "digs", me, i)
        note(to, "DM-45", "trades", me, s.top[i] - 1, own_spade(s, me))
        trade(s, me, i, to)


def destroy(s: Diamonds, me: int, i: int, to: Any) -> None:
    note(to, "DM-62", "destroys", me, s.top[i] - 1, i)
    s.at = i
    s.smashed = 1
    s.debris |= 1 << (s.top[i] - 1)
    if s.height[i] > 1:
        note(to, "DM-63", "digs_deeper", me, i)
    leave(s, me, i, 0, to)


def resolve(s: Diamonds, me: int, i: int, card: int, to: Any) -> None:
    """Deal with the card that has come up on pile i."""
    mine = s.spade[me]
    if card < SPADES:
        if rank(card) <= mine:
            note(to, "DM-37", "breaks", me, card, i)
            s.debris |= 1 << card
            leave(s, me, i, 0, to)
        else:
            note(to, "DM-38", "too_hard", me, card, i)
            lay(s, i, card)
            end_turn(s, me, to)
    elif card < DIAMONDS:
        if mine == 0:
            take_spade(s, me, i, card, to)
        else:
            meet_spade(s, me, i, card, to)
    elif card < JOKERS:
        s.diamonds[me] |= 1 << (card - DIAMONDS)
        held = count(s.diamonds[me])
        note(to, "DM-36", "diamond", me, card, held)
        if held == target(s):
            win(s, me, i, to)
        else:
            leave(s, me, i, 0, to)
    else:
        note(to, "DM-48", "joker", me, card, i)
        s.fresh[me] |= 1 << (card - JOKERS)
        leave(s, me, i, 1, to)


def take_spade(s: Diamonds, me: int, i: int, card: int, to: Any) -> None:
    """A player without a spade must take it."""
    note(to, "DM-39", "takes_spade", me, card, i)
    s.spade[me] = rank(card)
    if s.smashed or s.first_spade == END_TURN:
        if s.smashed:  # he has given his own away since (switch_target=anyone)
            note(to, "DM-65", "spade_ends", me, card, i)
        else:
            note(to, "DM-40", "first_ends", me, i)
        lift(s, i)
        end_turn(s, me, to)
    else:
        if s.height[i] > 1:
            note(to, "DM-40", "digs_on", me, i)
        leave(s, me, i, 0, to)


def meet_spade(s: Diamonds, me: int, i: int, card: int, to: Any) -> None:
    """A player with a spade turns another: he may trade for a higher one."""
    lay(s, i, card)
    if (rank(card) > s.spade[me]) & ((s.smashed == 0) | (s.trade_after_destroy != NOT_ALLOWED)):  # DM-116
        note(to, "DM-41", "offered", me, card, own_spade(s, me))
        s.phase = OFFERED
    else:
        if s.smashed:
            note(to, "DM-65", "spade_stops", me, card, i)
        else:
            note(to, "DM-46", "lower", me, card, i)
        end_turn(s, me, to)


def trade(s: Diamonds, me: int, i: int, to: Any) -> None:
    """The player's spade against the higher one on pile i; his turn is over."""
    old = own_spade(s, me)
    s.spade[me] = s.face[i] - BLADE
    if s.trade_leaves == TO_DEBRIS:
        note(to, "DM-44", "discards", me, old, i)
        s.debris |= 1 << old
        lift(s, i)
    else:
        note(to, "DM-44", "lays", me, old, i)
        lay(s, i, old)
    end_turn(s, me, to)


def leave(s: Diamonds, me: int, i: int, joker: int, to: Any) -> None:
    """A card (a joker?) leaves pile i, and the turn goes on unless it was the last."""
    lift(s, i)
    if s.height[i] == 0:
        note(to, "DM-52", "used_up", me, i)
        end_turn(s, me, to)
    else:
        s.may_stop = joker if s.stop_digging == AFTER_JOKER else s.stop_digging == ALWAYS
        ask(s, me)


def ask(s: Diamonds, me: int) -> None:
    """Ask the player if he has a choice (DM-49, DM-79); otherwise the next card is turned (DM-51)."""
    s.phase = BETWEEN
    if s.may_stop == 0 and (s.joker_when != OWN_TURN or joker_plays(s, me) == 0):
        s.phase = TURNING


def play_joker(s: Diamonds, me: int, a: int, to: Any) -> None:
    """A steal or a switch; then the player is asked again (DM-81, DM-82)."""
    joker = lowest(s.jokers[me])
    note(to, "DM-90", "joker_played", me, JOKERS + joker)
    s.jokers[me] ^= 1 << joker
    s.debris |= 1 << (JOKERS + joker)
    s.played = s.jokers_per_turn == ONE
    if a < SWITCH:
        q = a - STEAL
        diamond = lowest(s.diamonds[q])  # DM-85
        note(to, "DM-83", "steals", me, DIAMONDS + diamond, q)
        s.diamonds[q] ^= 1 << diamond
        s.diamonds[me] |= 1 << diamond
    else:
        q = a - SWITCH
        note(to, "DM-86", "switches", me, q)
        mine = s.spade[me]
        s.spade[me] = s.spade[q]
        s.spade[q] = mine
    if s.phase == BETWEEN:
        ask(s, me)


# ------------------------------------------------------------------------------------------ end of turn, game, match


def tidy(s: Diamonds, me: int) -> None:
    """Nothing of the turn is remembered; jokers found in it may be played from now on (DM-78)."""
    s.jokers[me] |= s.fresh[me]
    s.fresh[me] = s.at = s.smashed = s.played = s.may_stop = 0
    s.phase = START


def end_turn(s: Diamonds, me: int, to: Any) -> None:
    tidy(s, me)
    if deadlock(s):  # DM-68
        note(to, "DM-69", "deadlock", EVERYBODY)
        for i in range(PILES):
            if s.top[i] > 0:
                note(to, "DM-70", "removed", EVERYBODY, s.top[i] - 1, i)
                s.debris |= 1 << (s.top[i] - 1)
                lift(s, i)
    s.player = next_seat(s, me)
    note(to, "DM-72", "turn", s.player)


def deadlock(s: Diamonds) -> bool:
    """Whether every pile with cards shows a rock higher than every spade held (DM-73); `literal` allows spades too."""
    best = DOWN
    for p in range(SEATS):
        best = max(best, s.spade[p])
    spades_help = s.layer_removal != LITERAL
    alive = 0
    for i in range(PILES):
        alive |= (s.face[i] <= best) | (spades_help & (s.face[i] > BLADE))
    return alive == 0


def win(s: Diamonds, me: int, i: int, to: Any) -> None:
    """The game stops at the diamond that reaches the target."""
    lift(s, i)
    s.deal += 1
    s.won[me] += 1
    note(to, "DM-18", "wins", me, target(s), s.deal)
    note(to, "DM-19", "over", me, i, s.height[i])
    tidy(s, me)
    s.phase = OVER
    if s.games > 1 and s.deal == s.games:
        first = leaders(s)
        for p in range(s.players):
            if first >> p & 1:
                note(to, "DM-95", "match", p, s.won[p], count(first))


def next_deal(s: Diamonds, to: Any) -> None:
    s.dealer = s.player = next_seat(s, s.dealer)
    note(to, "DM-94", "deals", s.dealer, s.deal + 1)
    lay_out(s)
    s.phase = START


def leaders(s: Diamonds) -> int:
    """Set of the players with most games won."""
    return most(s.won, (1 << s.players) - 1)


def returns(s: Diamonds, out: list[float]) -> None:
    divide(s, leaders(s), out)


def deal_returns(s: Diamonds, out: list[float]) -> None:
    """The game just won is worth as much as a match of one game; its winner had the turn."""
    divide(s, 1 << s.player, out)


def divide(s: Diamonds, winners: int, out: list[float]) -> None:
    """The winners share 1, the others lose 1 between them; 0 if all have won."""
    k = count(winners)
    for p in range(s.players):
        if k == s.players:
            out[p] = 0.0
        else:
            out[p] = 1.0 / k if winners >> p & 1 else -1.0 / (s.players - k)


# ------------------------------------------------------------------------------------------ telling

YES_NO = ("no", "yes")
THINGS = {
    "phase": one_of(("start", "trade or keep", "between cards", "card turned", "pile picked", "dealer drawn", "over")),
    "player": seat(),
    "dealer": seat(),
    "deal": amount(9),
    "won": amount(9, per=SEATS, seats=True),
    "at": one_of(PILES),
    "smashed": one_of(YES_NO),
    "may_stop": one_of(YES_NO),
    "played": one_of(YES_NO),
    "spade": one_of(("none", "-", *CARDS[SPADES:DIAMONDS]), per=SEATS, seats=True),
    "diamonds": cards(CARDS[DIAMONDS:JOKERS], per=SEATS, seats=True),
    "jokers": cards(CARDS[JOKERS:], per=SEATS, seats=True),
    "fresh": cards(CARDS[JOKERS:], per=SEATS, seats=True),
    "height": amount(DEPTH, per=PILES),
    "top": one_of(("none", *CARDS), per=PILES),
    "debris": cards(CARDS),
    "unseen": cards(CARDS),
}


def show(s: Diamonds, to: Any) -> None:
    """All but the face-down cards is public (DM-96)."""
    tell(to, "phase", 0, s.phase)
    if s.phase != DRAWING:
        tell(to, "player", 0, s.player)
        tell(to, "dealer", 0, s.dealer)
    tell(to, "deal", 0, s.deal)
    if (s.phase == OFFERED) | (s.phase == BETWEEN) | (s.phase == TURNING):
        tell(to, "at", 0, s.at)
        tell(to, "smashed", 0, s.smashed)
        if s.phase == BETWEEN:
            tell(to, "may_stop", 0, s.may_stop)
    if s.jokers_per_turn == ONE:
        tell(to, "played", 0, s.played)
    for p in range(s.players):
        tell(to, "won", p, s.won[p])
        tell(to, "spade", p, s.spade[p])
        tell(to, "diamonds", p, s.diamonds[p])
        tell(to, "jokers", p, s.jokers[p])
        tell(to, "fresh", p, s.fresh[p])
    for i in range(PILES):
        tell(to, "height", i, s.height[i])
        if s.top[i] > 0:
            tell(to, "top", i, s.top[i])
    tell(to, "debris", 0, s.debris)
    tell(to, "unseen", 0, s.unseen)


def show_own(s: Diamonds, me: int, to: Any) -> None:
    """Nobody knows more than the others (DM-98)."""


def restore(s: Diamonds, me: int) -> None:
    """The faces follow from tops and heights."""
    for i in range(PILES):
        if s.top[i] > 0:
            lay(s, i, s.top[i] - 1)
        else:
            s.face[i] = DOWN if s.height[i] > 0 else EMPTY


def redeal(s: Diamonds, me: int, rng: list[int]) -> None:
    """Nothing to do: a face-down card is undecided for everybody (DM-97)."""


# ------------------------------------------------------------------------------------------ names and refusals


def action_names(s: Diamonds) -> list[str]:
    piles, seats = range(PILES), range(SEATS)
    digs = [f"dig {i}" for i in piles] + ["dig ?"] + [f"destroy {i}" for i in piles]
    jokers = [f"steal {q}" for q in seats] + [f"switch {q}" for q in seats]
    return [*digs, "pass", "trade", "keep", "on", "stop", *jokers]


def outcome_name(s: Diamonds, k: int) -> str:
    if s.phase == TURNING:
        return CARDS[k]
    return f"pile {k}" if s.phase == PICKING else f"seat {k}"


def refuse(s: Diamonds, me: int, a: int) -> str:
    if me != actor(s) or not 0 <= a < ACTIONS:
        return "DM-115"
    if a >= STEAL:
        return refuse_joker(s, me, a)
    if a >= PASS:
        return {PASS: "DM-33", TRADE: "DM-41", KEEP: "DM-41", ON: "DM-49", STOP: "DM-51"}[a]
    if a == DIG_ANY and s.pile_choice != RANDOM_FACE_DOWN:
        return "DM-23"
    if s.phase != START:
        return "DM-22" if a < DESTROY else "DM-56"
    if a == DIG_ANY:
        return "DM-24"
    face = s.face[a if a < DIG_ANY else a - DESTROY]
    if face == EMPTY:
        return "DM-30"
    if a < DIG_ANY:
        return "DM-23" if face == DOWN else "DM-29" if face < BLADE else "DM-28"
    if s.spade[me] == 0:
        return "DM-57"
    if DOWN in s.face and s.destroy_when != FACE_UP_ONLY:
        return "DM-58"
    return "DM-59" if any(DOWN < f <= s.spade[me] for f in s.face) else "DM-60"


def refuse_joker(s: Diamonds, me: int, a: int) -> str:
    q = (a - STEAL) % SEATS
    if s.jokers[me] == 0:
        return "DM-78" if s.fresh[me] else "DM-115"
    if s.phase == OFFERED or (s.phase == BETWEEN and s.joker_when != OWN_TURN):
        return "DM-79"
    if s.played:
        return "DM-82"
    if q == me or q >= s.players:
        return "DM-83" if a < SWITCH else "DM-86"
    if a >= SWITCH:
        return "DM-88"
    return "DM-84" if count(s.diamonds[me]) + 1 >= target(s) else "DM-83"
