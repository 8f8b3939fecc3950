"""A round of Diabolo until its end: the lot, the deal, and turns, in which a card is drawn and placed or discarded."""

from parlour.games.diabolo.bags import ALL, CARDS_IN_ALL, KIND_AT, KINDS, ONE, SHIFT, VALUES, how_many, kinds_in
from parlour.games.diabolo.position import *
from parlour.games.diabolo.scoring import score
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the lot and the deal


def draw_lot(s: Diabolo, k: int, to: Listener) -> None:
    """DI-8."""
    note(to, "DI-8", "dealer", k)
    s.dealer = k
    lay_out(s)


def lay_out(s: Diabolo) -> None:
    """Begin a round: all cards are in the pile, rows and hands are empty, everybody has their Doubler (DI-9, DI-11,
    DI-14)."""
    s.pile = ALL
    s.stock = CARDS_IN_ALL
    s.discards = s.dealt = s.locked = s.row = s.speaker = 0
    s.side[0] = s.side[1] = s.shut[0] = s.shut[1] = 0
    for p in range(s.players):
        s.hand[p] = s.known[p] = s.buried[p] = s.showed[p] = s.before[p] = 0
        s.laid[p] = s.named[p] = s.points[p] = s.spent[p] = s.answer[p] = 0
    s.player = next_player(s, s.dealer)  # DI-15, DI-16
    s.stage = DEALING


def deal_card(s: Diabolo, k: int, to: Listener) -> None:
    """DI-12, DI-15."""
    take(s, k)
    s.dealt += 1
    s.player = next_player(s, s.player)
    if s.dealt == HAND * s.players:
        for p in range(s.players):
            whisper(to, "DI-12", "dealt", p, s.hand[p])
        note(to, "DI-16", "starts", s.player)
        s.stage = DRAWING


def take(s: Diabolo, k: int) -> None:
    """Give the player a card from the pile."""
    s.pile -= ONE[k]
    s.stock -= 1
    s.hand[s.player] += ONE[k]


# ------------------------------------------------------------------------------------------ a turn


def draw_card(s: Diabolo, k: int, to: Listener) -> None:
    """Begin a turn (DI-18); a player who can place nothing shows the whole hand (DI-31, DI-32)."""
    me = s.player
    take(s, k)
    note(to, "DI-18", "draws", me, s.stock)
    whisper(to, "DI-18", "drawn", me, SHIFT[k])
    if can_place(s, me):
        s.stage = PLACING
    else:
        note(to, "DI-32", "stuck", me, s.hand[me])
        show_all(s, me)
        s.stage = CASTING if s.stuck_discard == AT_RANDOM else STUCK


def pass_on(s: Diabolo) -> None:
    """DI-30."""
    s.player = next_player(s, s.player)
    s.stage = DRAWING


def placements(s: Diabolo, me: int, acts: list[int]) -> int:
    """List the placements of any card for which its side has room (DI-20 to DI-25)."""
    have = kinds_in(s.hand[me])
    n = 0
    for card in members(have & ~s.shut[0]):
        acts[n] = LEFT + KIND_AT[card]
        n += 1
    for card in members(have & ~s.shut[1]):
        acts[n] = RIGHT + KIND_AT[card]
        n += 1
    return n


def place(s: Diabolo, me: int, a: int, to: Listener) -> None:
    """Place a card in its row, where it stays (DI-26); with the last lock the round is over (DI-42)."""
    right, k = a // KINDS, a % KINDS
    s.hand[me] -= ONE[k]
    s.side[right] += ONE[k]
    note(to, "DI-22", "places_right" if right else "places_left", me, SHIFT[k])
    if shut_full_sides(s, k // VALUES):
        note(to, "DI-27", "locks", me, NAMED + k // VALUES)
        if s.locked == locks_needed(s):
            note(to, "DI-41" if s.players == 5 else "DI-40", "round_over", EVERYBODY, s.locked)
            score(s, to)
            return
    pass_on(s)


def refuse_card(s: Diabolo, me: int, a: int) -> str:
    """Return the clause that forbids a placement, or a discard."""
    if how_many(s.hand[me], a % KINDS) == 0:
        return "DI-99"
    if a >= DISCARD:
        return "DI-35"
    return "DI-23" if s.shut[0] & s.shut[1] & ONE[a % KINDS] else "DI-24"


# ------------------------------------------------------------------------------------------ when nothing can be placed


def show_all(s: Diabolo, me: int) -> None:
    """Show the hand to everybody, who then remembers it (DI-39, DI-88)."""
    if s.laid[me] > 0:  # the earlier discard face down: its kind if that is known, otherwise all possible kinds
        gone = missing(s, me)
        s.before[me] |= gone if gone else s.showed[me]
    s.known[me] = s.hand[me]
    if s.stuck_face == FACE_DOWN:
        s.showed[me] = s.hand[me]


def cards_held(s: Diabolo, me: int, acts: list[int]) -> int:
    """List any card of the hand (DI-33)."""
    n = 0
    for card in members(kinds_in(s.hand[me])):
        acts[n] = DISCARD + KIND_AT[card]
        n += 1
    return n


def choose_discard(s: Diabolo, me: int, a: int, to: Listener) -> None:
    """DI-34."""
    note(to, "DI-33", "chooses", me)
    discard(s, a - DISCARD, to)


def cast(s: Diabolo, k: int, to: Listener) -> None:
    """Discard the card that chance has drawn [stuck_discard=random]."""
    note(to, "DI-34", "cast", s.player)
    discard(s, k, to)


def discard(s: Diabolo, k: int, to: Listener) -> None:
    """Remove a card from the round (DI-36), face up or face down (DI-37)."""
    me = s.player
    s.hand[me] -= ONE[k]
    if s.stuck_face == FACE_DOWN:
        s.buried[me] += ONE[k]
        s.laid[me] += 1
        whisper(to, "DI-37", "laid_down", me, SHIFT[k])
    else:
        s.discards += ONE[k]
        s.known[me] -= ONE[k]
        note(to, "DI-37", "discards", me, SHIFT[k])
    pass_on(s)
