"""A turn in Diamonds: a pile is chosen, dug or cleared of a spade; then the turn is over, or the game is won."""

from parlour.games.diamonds.jokers import joker_plays, play_joker, refuse_joker, with_jokers
from parlour.games.diamonds.position import *
from parlour.rules.matchplay import most
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the start of a turn


def choices(s: Diamonds, me: int, acts: list[int]) -> int:
    """List the choices: to dig, to destroy, or to pass if neither is possible (DM-31, DM-32); jokers may be played
    first.

    An action is written for every pile; unless it is legal, the next one overwrites it.
    """
    mine = s.spade[me]
    # the hardest face that the player can dig: face down, or a rock no harder than their spade
    hardest = max(mine, DOWN)
    # only piles whose face is above this can be chosen (DM-23)
    named = DOWN if s.pile_choice == RANDOM_FACE_DOWN else 0
    heeded = DOWN if s.destroy_when == FACE_UP_ONLY else 0  # a face above this and up to `hardest` forbids destroying
    forbidden = 0
    n = 0
    for i in range(PILES):
        face = s.face[i]
        acts[n] = DIG + i
        n += is_between(named, face, hardest) | is_higher_spade(face, mine)  # DM-24 to DM-30
        forbidden |= is_between(heeded, face, hardest)  # DM-58, DM-59
    if named:
        acts[n] = DIG_ANY
        n += face_down(s) != 0
    if not forbidden:
        for i in range(PILES):
            acts[n] = DESTROY + i
            n += is_lower_spade(s.face[i], mine)  # DM-60; without a spade nothing is lower (DM-57)
    if n == 0:
        acts[0] = PASS
        n = 1
    return with_jokers(s, me, acts, n)


def is_between(above: int, face: int, up_to: int) -> bool:
    return (face > above) & (face <= up_to)


def is_higher_spade(face: int, mine: int) -> bool:
    """Whether a face is a spade above one of this strength."""
    return face > BLADE + mine


def is_lower_spade(face: int, mine: int) -> bool:
    """Whether a face is a spade below one of this strength."""
    return (face > BLADE) & (face < BLADE + mine)


def choose(s: Diamonds, me: int, a: int, to: Listener) -> None:
    """Carry out a choice: after a joker the turn is still at its start; any other action is the one of this turn
    (DM-21)."""
    if a < DIG_ANY:
        dig(s, me, a - DIG, to)
    elif a == DIG_ANY:
        s.stage = PICKING
    elif a < PASS:
        destroy(s, me, a - DESTROY, to)
    elif a == PASS:
        note(to, "DM-32", "passes", me)
        end_turn(s, me, to)
    else:
        play_joker(s, me, a, to)


def refuse_choice(s: Diamonds, me: int, a: int) -> str:
    if a >= PASS:
        return refuse_other(s, me, a)
    if a == DIG_ANY:
        return "DM-24" if s.pile_choice == RANDOM_FACE_DOWN else "DM-23"
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


def refuse_other(s: Diamonds, me: int, a: int) -> str:
    """Return the clause that forbids an action at the wrong moment, for actions that do not concern a pile."""
    return refuse_joker(s, me, a) if a > STOP else {PASS: "DM-33", ON: "DM-49", STOP: "DM-51"}.get(a, "DM-41")


def pick_pile(s: Diamonds, k: int, to: Listener) -> None:
    """Chance picks the pile [pile_choice=random_face_down]."""
    note(to, "DM-23", "lot", s.player, k)
    s.at = k
    s.stage = TURNING


# ------------------------------------------------------------------------------------------ digging


def dig(s: Diamonds, me: int, i: int, to: Listener) -> None:
    """Dig in pile i; a face-up top card is treated like one just turned."""
    s.at = i
    face = s.face[i]
    if face == DOWN:
        note(to, "DM-24", "digs", me, i)
        s.stage = TURNING
    elif face < BLADE or s.spade[me] == 0:
        note(to, "DM-25" if face < BLADE else "DM-26", "digs", me, i)
        resolve(s, me, i, s.top[i] - 1, to)
    else:
        note(to, "DM-27", "digs", me, i)
        note(to, "DM-45", "trades", me, s.top[i] - 1, own_spade(s, me))
        trade(s, me, i, to)


def turn_card(s: Diamonds, k: int, to: Listener) -> None:
    """DM-35."""
    note(to, "DM-35", "turns", s.player, k, s.at)
    s.unseen ^= 1 << k
    resolve(s, s.player, s.at, k, to)


def resolve(s: Diamonds, me: int, i: int, card: int, to: Listener) -> None:
    """Carry out the rules for the card that has come up on pile i."""
    if card < SPADES:
        meet_rock(s, me, i, card, to)
    elif card < DIAMONDS:
        if s.spade[me] == 0:
            take_spade(s, me, i, card, to)
        else:
            meet_spade(s, me, i, card, to)
    elif card < JOKERS:
        take_diamond(s, me, i, card, to)
    else:
        note(to, "DM-48", "joker", me, card, i)
        s.fresh[me] |= 1 << (card - JOKERS)
        leave(s, me, i, True, to)


def take_diamond(s: Diamonds, me: int, i: int, card: int, to: Listener) -> None:
    """DM-36."""
    s.diamonds[me] |= 1 << (card - DIAMONDS)
    held = count(s.diamonds[me])
    note(to, "DM-36", "diamond", me, card, held)
    if held == target(s):
        win(s, me, i, to)
    else:
        leave(s, me, i, False, to)


def meet_rock(s: Diamonds, me: int, i: int, card: int, to: Listener) -> None:
    """DM-37, DM-38."""
    if rank(card) <= s.spade[me]:
        note(to, "DM-37", "breaks", me, card, i)
        s.debris |= 1 << card
        leave(s, me, i, False, to)
    else:
        note(to, "DM-38", "too_hard", me, card, i)
        lay(s, i, card)
        end_turn(s, me, to)


def take_spade(s: Diamonds, me: int, i: int, card: int, to: Listener) -> None:
    """Take a spade, as a player without one must (DM-39).  They may have given their own away after destroying one."""
    note(to, "DM-39", "takes_spade", me, card, i)
    s.spade[me] = rank(card)
    if s.smashed:
        note(to, "DM-65", "spade_ends", me, card, i)
        lift(s, i)
        end_turn(s, me, to)
    elif s.first_spade == END_TURN:
        note(to, "DM-40", "first_ends", me, i)
        lift(s, i)
        end_turn(s, me, to)
    else:
        if s.height[i] > 1:
            note(to, "DM-40", "digs_on", me, i)
        leave(s, me, i, False, to)


def meet_spade(s: Diamonds, me: int, i: int, card: int, to: Listener) -> None:
    """Meet a spade as a player who has one: they may trade for a higher one (DM-41, DM-116), perhaps for a lower one
    (DM-46)."""
    lay(s, i, card)
    higher = rank(card) > s.spade[me]
    if (higher | (s.lower_spade == MAY_TAKE)) & ((s.smashed == 0) | (s.trade_after_destroy == ALLOWED)):
        note(to, "DM-41" if higher else "DM-46", "offered" if higher else "offered_lower", me, card, own_spade(s, me))
        s.stage = OFFERED
    else:
        note(to, "DM-65" if s.smashed else "DM-46", "spade_stops" if s.smashed else "lower", me, card, i)
        end_turn(s, me, to)


def leave(s: Diamonds, me: int, i: int, joker: bool, to: Listener) -> None:
    """Remove a card from pile i, and go on with the turn unless it was the last card (DM-52).  ``joker``: whether it
    was a joker."""
    lift(s, i)
    if s.height[i] == 0:
        note(to, "DM-52", "used_up", me, i)
        end_turn(s, me, to)
    else:
        s.may_stop = int(joker if s.stop_digging == AFTER_JOKER else s.stop_digging == ALWAYS)
        ask(s, me)


# ------------------------------------------------------------------------------------------ destroying spades


def destroy(s: Diamonds, me: int, i: int, to: Listener) -> None:
    """Put the spade into the debris, and go on digging below it (DM-62, DM-63)."""
    note(to, "DM-62", "destroys", me, s.top[i] - 1, i)
    s.at = i
    s.smashed = 1
    s.debris |= 1 << (s.top[i] - 1)
    if s.height[i] > 1:
        note(to, "DM-63", "digs_deeper", me, i)
    leave(s, me, i, False, to)


# ------------------------------------------------------------------------------------------ trading or keeping


def answer_offer(s: Diamonds, me: int, a: int, to: Listener) -> None:
    if a == TRADE:
        note(to, "DM-42", "trades", me, s.top[s.at] - 1, own_spade(s, me))
        trade(s, me, s.at, to)
    else:
        note(to, "DM-43", "keeps", me, own_spade(s, me), s.top[s.at] - 1)
        end_turn(s, me, to)


def trade(s: Diamonds, me: int, i: int, to: Listener) -> None:
    """Exchange the player's spade for the one on pile i; the turn is over (DM-44)."""
    old = own_spade(s, me)
    to_debris = s.trade_leaves == TO_DEBRIS
    note(to, "DM-44", "discards" if to_debris else "lays", me, old, i)
    s.spade[me] = s.face[i] - BLADE
    if to_debris:
        s.debris |= 1 << old
        lift(s, i)
    else:
        lay(s, i, old)
    end_turn(s, me, to)


# ------------------------------------------------------------------------------------------ between two cards


def ask(s: Diamonds, me: int) -> None:
    """Ask the player if there is a choice (DM-49, DM-79); otherwise turn the next card (DM-51)."""
    s.stage = BETWEEN
    if s.may_stop == 0 and (s.joker_when != OWN_TURN or joker_plays(s, me) == 0):
        s.stage = TURNING


def on_or_stop(s: Diamonds, me: int, acts: list[int]) -> int:
    acts[0] = ON
    acts[1] = STOP
    return with_jokers(s, me, acts, 1 + s.may_stop)


def go_on_or_stop(s: Diamonds, me: int, a: int, to: Listener) -> None:
    if a == ON:
        note(to, "DM-49", "on", me, s.at)
        s.may_stop = 0
        s.stage = TURNING
    elif a == STOP:
        note(to, "DM-50", "stop", me, s.at, s.height[s.at])
        end_turn(s, me, to)
    else:
        play_joker(s, me, a, to)
        ask(s, me)


def refuse_in_dig(s: Diamonds, me: int, a: int) -> str:
    """Return the clause that forbids an action during a dig: the turn is for one pile, and has begun (DM-22, DM-56)."""
    if a >= PASS:
        return refuse_other(s, me, a)
    if a == DIG_ANY and s.pile_choice != RANDOM_FACE_DOWN:
        return "DM-23"
    return "DM-22" if a < DESTROY else "DM-56"


# ------------------------------------------------------------------------------------------ the end of a turn


def end_turn(s: Diamonds, me: int, to: Listener) -> None:
    """End the turn: in a deadlock all top cards are removed (DM-68 to DM-70); then it is the next player's turn."""
    forget(s, me)
    if deadlock(s):
        note(to, "DM-69", "deadlock", EVERYBODY)
        for i in range(PILES):
            if s.top[i] > 0:
                note(to, "DM-70", "removed", EVERYBODY, s.top[i] - 1, i)
                s.debris |= 1 << (s.top[i] - 1)
                lift(s, i)
    s.player = next_seat(s, me)
    note(to, "DM-72", "turn", s.player)


def forget(s: Diamonds, me: int) -> None:
    """Clear the fields of this turn; jokers found in it may be played from now on (DM-78)."""
    s.jokers[me] |= s.fresh[me]
    s.fresh[me] = s.at = s.smashed = s.played = s.may_stop = 0
    s.stage = START


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


# ------------------------------------------------------------------------------------------ the end of a game


def win(s: Diamonds, me: int, i: int, to: Listener) -> None:
    """End the game at the diamond that reaches the target (DM-18, DM-19)."""
    lift(s, i)
    s.deal += 1
    s.won[me] += 1
    note(to, "DM-18", "wins", me, target(s), s.deal)
    note(to, "DM-19", "over", me, i, s.height[i])
    forget(s, me)
    s.stage = OVER
    if s.games > 1 and s.deal == s.games:
        first = leaders(s)
        for p in members(first):
            note(to, "DM-95", "match", p, s.won[p], count(first))


def leaders(s: Diamonds) -> int:
    """Return the set of the players who have won most games."""
    return most(s.won, (1 << s.players) - 1)
