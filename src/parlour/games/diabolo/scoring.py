"""The end of a round of Diabolo: the rows are scored from the top down, and Doublers are committed."""

from parlour.games.diabolo.bags import COLOURS, SUM, WIDTH, suit, whole
from parlour.games.diabolo.position import *
from parlour.rules.matchplay import after, deals_over, most
from parlour.rules.vocabulary import *


def score(s: Diabolo, to: Listener) -> None:
    """Score the remaining rows, until a player is asked or all are scored (DI-44, DI-45)."""
    while s.row < COLOURS:
        c = colour_of(s, s.row)
        angels = SUM[suit(s.side[1], c)]  # DI-46
        devils = SUM[suit(s.side[0], c)]  # DI-47
        if angels > devils:
            note(to, "DI-48", "positive", EVERYBODY, NAMED + c, angels - devils)
            if ask(s, c, to):
                return
            settle_row(s, c, 1, to)
        elif devils > angels:
            note(to, "DI-49", "negative", EVERYBODY, NAMED + c, devils - angels)
            settle_row(s, c, -1, to)
        else:
            note(to, "DI-50", "even", EVERYBODY, NAMED + c, angels)
            s.row += 1
    finish(s, to)


# ------------------------------------------------------------------------------------------ Doublers in a positive row


def ask(s: Diabolo, c: int, to: Listener) -> bool:
    """Ask about Doublers (DI-66); return false if there is nobody to ask."""
    if not asked(s):
        note(to, "DI-76", "nobody_asked", EVERYBODY, NAMED + c)
        return False
    note(to, "DI-66", "asks", EVERYBODY, NAMED + c)
    s.stage = ASKING
    if in_turn(s):
        s.speaker = after(silent(s), s.dealer)
    return True


def in_turn(s: Diabolo) -> bool:
    """Whether answers are given one after another: either aloud, or because nobody may know who is asked."""
    return s.doubler_mode == OPEN_IN_TURN or s.doubler_ask == HOLDERS_ONLY


def silent(s: Diabolo) -> int:
    """Return the set of the players who have their Doubler and have not said whether they commit it (DI-66, DI-77)."""
    those = 0
    for p in range(s.players):
        those |= ((s.spent[p] == 0) & (s.answer[p] == 0)) << p
    return those


def is_asked(s: Diabolo, p: int) -> bool:
    """Whether a player still has to answer (DI-66); if only holders are asked, they hold the colour (DI-67)."""
    holds = suit(s.hand[p], colour_of(s, s.row)) != 0
    return (s.spent[p] == 0) & (s.answer[p] == 0) & (holds | (s.doubler_ask == ALL_OWNERS))


def asked(s: Diabolo) -> int:
    """Return the set of the players who have yet to answer."""
    those = 0
    for p in range(s.players):
        those |= is_asked(s, p) << p
    return those


def who_answers(s: Diabolo) -> int:
    """Return who answers: all at once, or one after another (DI-68); for a player who is not asked, chance says no."""
    if not in_turn(s):
        return SEVERAL
    return s.speaker if is_asked(s, s.speaker) else CHANCE


def answer(s: Diabolo, me: int, a: int, to: Listener) -> None:
    said = ANSWERED_YES if a == YES else ANSWERED_NO
    if s.doubler_mode == SECRET:
        whisper(to, "DI-68", "sealed", me, said)
    hear(s, me, said, to)


def pass_over(s: Diabolo, k: int, to: Listener) -> None:
    """Count a player who is not asked as one who declines (DI-67)."""
    hear(s, s.speaker, ANSWERED_NO, to)


def hear(s: Diabolo, p: int, said: int, to: Listener) -> None:
    """Take the next answer, aloud or secret; after the last one the row is scored (DI-68, DI-69)."""
    s.answer[p] = said
    if s.doubler_mode == OPEN_IN_TURN:
        announce(s, p, to)
    those = silent(s)
    s.speaker = after(those, s.dealer) if those and in_turn(s) else 0
    if those:
        return
    if s.doubler_mode == SECRET:
        for q in range(s.players):
            if s.spent[q] == 0:
                announce(s, q, to)
    settle_row(s, colour_of(s, s.row), 1, to)
    score(s, to)


def announce(s: Diabolo, p: int, to: Listener) -> None:
    note(to, "DI-68", "doubles" if s.answer[p] == ANSWERED_YES else "declines", p)


def refuse_doubler(s: Diabolo, me: int, a: int) -> str:
    """Return the clause that forbids a player to answer about a Doubler."""
    if s.stage != ASKING:
        return "DI-65"
    if s.spent[me]:
        return "DI-74" if a == YES else "DI-77"
    if s.answer[me]:
        return "DI-70"
    return "DI-68" if is_asked(s, me) else "DI-67"


# ------------------------------------------------------------------------------------------ showing hands


def settle_row(s: Diabolo, c: int, sign: int, to: Listener) -> None:
    """Settle a row: hands are shown, points are given, committed Doublers are spent (DI-52, DI-53)."""
    highest = 0
    for p in range(s.players):
        show_colour(s, p, c, to)
        highest = max(highest, SUM[suit(s.hand[p], c)])
    if highest == 0:
        note(to, "DI-63", "nobody", EVERYBODY, NAMED + c)
    for p in range(s.players):
        commits = s.answer[p] == ANSWERED_YES
        if (highest > 0) & (SUM[suit(s.hand[p], c)] == highest):  # DI-57, DI-61
            if sign < 0:
                note(to, "DI-59", "loses", p, highest)
            elif commits:
                note(to, "DI-71", "gains_double", p, 2 * highest)
            else:
                note(to, "DI-58", "gains", p, highest)
            s.points[p] += sign * highest * (2 if commits else 1)
        if commits:
            note(to, "DI-73", "spends", p)
            s.spent[p] = 1
        s.answer[p] = 0
    s.row += 1


def show_colour(s: Diabolo, p: int, c: int, to: Listener) -> None:
    """Show a player's cards of a colour, or name their sum (DI-54).  The event is told first, so that the cards appear
    with it and not with the previous one."""
    mine = suit(s.hand[p], c)
    if s.show == SUM_ONLY:
        note(to, "DI-54", "names", p, SUM[mine], NAMED + c)
        s.named[p] |= (SAID | SUM[mine]) << (SUM_WIDTH * c)
        return
    if mine:
        note(to, "DI-54", "shows", p, mine << (WIDTH * c))
    if s.laid[p] > 0 and missing(s, p) & whole(c):
        s.showed[p] = missing(s, p) & whole(c)  # this colour shows everybody which card lies face down
    s.known[p] = (s.known[p] & ~whole(c)) | (mine << (WIDTH * c))


# ------------------------------------------------------------------------------------------ scoring the round


def finish(s: Diabolo, to: Listener) -> None:
    """Add the points to the totals; the next round follows, or the match is over (DI-79, DI-82, DI-83)."""
    s.deal += 1
    for p in range(s.players):
        s.total[p] += s.points[p]
        note(to, "DI-78", "total", p, s.points[p], s.total[p])
    if not deals_over(s, 4 if s.players == 2 else s.players):
        s.stage = SETTLED
        return
    s.stage = OVER
    first = most(s.total, s.seated)
    if count(first) == 1:
        note(to, "DI-82", "wins", lowest(first), s.total[lowest(first)])
    else:
        for p in members(first):
            note(to, "DI-83", "shares", p, s.total[p], count(first))
