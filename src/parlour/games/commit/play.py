"""The play of Commit: the lead, the sequence, the comet that may break into it, and payments on the way.

Nobody may notice the choices of the comet's holder.  So whenever a card is asked for and the comet may still be in a
hand, there is a step for the choice of its holder; if nobody has a choice, chance takes the step, with the single
outcome that the question goes round.  The same holds for the choice between two cards after the comet.
"""

from parlour.games.commit.deal import settle
from parlour.games.commit.position import *
from parlour.rules.matchplay import after
from parlour.rules.stops.dealing import collect, take_lead
from parlour.rules.stops.play import ask, deny, goes_on, has_to_be_asked_for, holder, lead, only_card, put
from parlour.rules.stops.position import ACES, LEADING, NEXT, OUT, RUNNING, clockwise, distance
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the lead


def own_cards(s: Commit, me: int) -> int:
    """CO-14."""
    return s.hand[me]


def lead_card(s: Commit, me: int, a: int, to: Listener) -> None:
    """CO-14, CO-40."""
    lead(s, a - LEAD, to)
    pay_for_card(s, to)


def pay_for_card(s: Commit, to: Listener) -> None:
    """Have every other player pay for a king or the comet that has been played, or for an ace, because an ace is always
    led (CO-43 to CO-47, CO-62)."""
    c = s.card
    if PAID >> c & 1:
        paid = collect(s, s.player, 2 if c == COMET else 1)
        if paid:
            note(to, "CO-45" if c == COMET else "CO-44" if ACES >> c & 1 else "CO-43", "paid", s.player, paid, c)


def refuse_own_lead(s: Commit, me: int, a: int) -> str:
    return "CO-25" if a == PASS else "CO-40" if a == PLAY_COMET else "CO-14"


# ------------------------------------------------------------------------------------------ the sequence


def go_on(s: Commit, to: Listener) -> None:
    """Play on until a player may have a choice or the deal is over."""
    while goes_on(s):
        if s.stage == LEADING:
            lead_card(s, s.player, LEAD + only_card(s, to), to)
        elif has_to_be_asked_for(s, NEXT[s.card], to):
            ask_for(s, NEXT[s.card], to)
        elif s.stage != LEADING:
            pay_for_card(s, to)
    if s.stage == OUT:
        settle(s, to)


def ask_for(s: Commit, n: int, to: Listener) -> None:
    """Ask for the next card; but first, the holder of the comet may play it if the question reaches them (CO-30).  They
    then know that no player asked earlier holds the card (CO-18).  Others are not told so, because that would give away
    where the comet is."""
    s.wanted = n
    if s.gone >> COMET & 1:
        go_round(s, to)
    else:
        s.stage = ASKING
        s.asked = may_play_comet(s)
        for q in members(s.asked):
            if distance(s, s.player, q) > 1:
                whisper(to, "CO-18", "reaches", q, n)


def go_round(s: Commit, to: Listener) -> None:
    """Ask for the wanted card round the table (CO-17 to CO-19; after a comet that has interrupted a sequence, CO-35,
    CO-36 and CO-39)."""
    p = s.player
    n = s.wanted
    interrupted = (s.card == COMET) & (n != TEN)
    s.wanted = 0
    q = ask(s, n, to)
    if q >= 0:
        note(to, "CO-36" if interrupted else "CO-17", "continues" if interrupted else "plays", q, n)
        put(s, q, n)
        pay_for_card(s, to)
    else:
        unanswered = 0 if interrupted else n
        note(to, "CO-39" if interrupted else "CO-19", "unanswered" if interrupted else "silent_stop", p, unanswered)
        take_lead(s, p)


# ------------------------------------------------------------------------------------------ the comet


def may_play_comet(s: Commit) -> int:
    """Return the player who is asked for the wanted card, does not hold it but holds the comet: a set of one player or
    none (CO-30, CO-32, CO-33)."""
    comet = holder(s, COMET)
    if comet == 1 << s.player:
        return comet if s.comet_self else 0
    wanted = holder(s, s.wanted)
    if comet == 0 or comet == wanted:
        return 0
    return comet & 1 << after(comet | wanted, s.player)


def comet_holder(s: Commit) -> int:
    """Return the player with the choice that nobody else may notice; chance if there is none."""
    return lowest(s.asked) if s.asked else CHANCE


def answer_for_card(s: Commit, me: int, a: int, to: Listener) -> None:
    """Play the comet, or keep it (CO-30, CO-31)."""
    s.asked = 0
    if a == PLAY_COMET:
        put_comet(s, me, to)
    else:
        whisper(to, "CO-31", "keeps", me)
        go_round(s, to)


def nobody_plays_comet(s: Commit, k: int, to: Listener) -> None:
    go_round(s, to)


def put_comet(s: Commit, me: int, to: Listener) -> None:
    """Interrupt the sequence with the comet: two cards can continue it, if the ten has not been played (CO-30,
    CO-34)."""
    p = s.player
    n = s.wanted
    asked = distance(s, p, me)
    deny(s, n, asked - 1, to)
    note(to, "CO-30", "comet", me, n)
    for i in range(asked + 1):
        s.lacks[clockwise(s, p, i)] |= 1 << n
    s.wanted = 0
    put(s, me, COMET)
    pay_for_card(s, to)
    if s.stage == RUNNING:
        s.wanted = n
        if (s.gone | s.out) >> TEN & 1:
            go_round(s, to)
        else:
            note(to, "CO-34", "either", EVERYBODY, n, TEN)
            s.stage = CHOOSING
            s.asked = may_take(s)


def refuse_comet(s: Commit, me: int) -> str:
    """Return the clause that forbids the comet to a player who does not have this choice (CO-30 to CO-33, CO-41)."""
    if s.hand[me] >> COMET & 1 and s.stage == LEADING:
        return "CO-41"
    if s.hand[me] >> COMET & 1 and s.stage == ASKING:
        if me == s.player:
            return "CO-33"
        if s.hand[me] >> s.wanted & 1:
            return "CO-32"
    return "CO-30"


# ------------------------------------------------------------------------------------------ two cards that can follow


def may_take(s: Commit) -> int:
    """Return the player who holds both cards that can follow the comet: a set of one player or none (CO-37)."""
    return holder(s, s.wanted) & holder(s, TEN)


def either_card(s: Commit, me: int, acts: list[int]) -> int:
    """CO-37."""
    acts[0] = TAKE + min(s.wanted, TEN)
    acts[1] = TAKE + max(s.wanted, TEN)
    return 2


def take_card(s: Commit, me: int, a: int, to: Listener) -> None:
    """Play the card that the holder of both has chosen (CO-37)."""
    s.asked = 0
    whisper(to, "CO-37", "chooses", me, a - TAKE)
    follow_comet(s, a - TAKE, to)


def nobody_has_both(s: Commit, k: int, to: Listener) -> None:
    follow_comet(s, -1, to)


def follow_comet(s: Commit, chosen: int, to: Listener) -> None:
    """Have the first player who holds one of the two cards play it; a player who holds both plays the one ``chosen``
    (CO-35 to CO-39)."""
    p = s.player
    n = s.wanted
    s.wanted = 0
    for i in range(1, s.players + 1):
        q = clockwise(s, p, i)
        mine = s.hand[q] & (1 << n | 1 << TEN)
        if mine:
            c = chosen if chosen >= 0 else lowest(mine)
            note(to, "CO-36", "continues", q, c)
            put(s, q, c)
            pay_for_card(s, to)
            return
        note(to, "CO-35", "has_neither", q, n, TEN)
        s.lacks[q] |= 1 << n | 1 << TEN
    note(to, "CO-39", "unanswered", p)
    take_lead(s, p)
