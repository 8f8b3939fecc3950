"""Loops that drive the rules, written once and bound like them: interpreted, or compiled with a game's rules.

The names annotated below are filled in by the binder (:mod:`parlour.engine.interpreted`).  ``rng`` is always a vector
whose first word is the state of a generator; ``S`` a vector of positions; ``acts`` a vector to write actions into.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.bounds import LONGEST
from parlour.engine.networks import UNIT
from parlour.errors import Endless
from parlour.vocabulary import CHANCE, DEAL_OVER, SEVERAL, TERMINAL

actor: Callable[..., int]
acting: Callable[..., int]
legal: Callable[..., int]
apply: Callable[..., None]
happen: Callable[..., None]
chance: Callable[..., int]
weight: Callable[..., int]
tickets: Callable[..., int]
ticket: Callable[..., int]
next_deal: Callable[..., None]
returns: Callable[..., None]
deal_returns: Callable[..., None]
show: Callable[..., None]
show_own: Callable[..., None]
redeal: Callable[..., None]
candidates: Callable[..., int]
restore: Callable[..., None]
appraise: Callable[..., None]
draw_outcome: Callable[..., int]
tally: Callable[..., None]
finished: Callable[..., int]
below: Callable[..., int]
draw: Callable[..., int]
count: Callable[..., int]
lowest: Callable[..., int]
nth: Callable[..., int]
seeded: Callable[..., Any]
word: Callable[..., Any]
fold: Callable[..., Any]
deed_fact: Callable[..., Any]
position_in: Callable[..., Any]
memory_in: Callable[..., Any]
about_in: Callable[..., Any]
rng_in: Callable[..., Any]
scores_in: Callable[..., Any]
acts_in: Callable[..., Any]
reconsider: Callable[..., None]
favourite: Callable[..., int]
learn_from: Callable[..., None]
read_shared: Callable[..., int]
swap_shared: Callable[..., int]
add_shared: Callable[..., int]
GOLD: Any
TITLE: str


# ------------------------------------------------------------------------------------------ chance


def draw_even(s: Any, rng: Any) -> int:
    """Return an outcome of the chance node, all equally likely."""
    return draw(rng, chance(s))


def draw_weighted(s: Any, rng: Any) -> int:
    """Return an outcome of the chance node, each as likely as its weight."""
    outcomes = chance(s)
    total = 0
    for i in range(count(outcomes)):
        total += weight(s, nth(outcomes, i))
    left = below(rng, total)
    k = lowest(outcomes)
    for i in range(count(outcomes)):
        k = nth(outcomes, i)
        left -= weight(s, k)
        if left < 0:
            break
    return k


def draw_ticket(s: Any, rng: Any) -> int:
    """The same, where the rules know the number of tickets and which outcome holds which."""
    return ticket(s, below(rng, tickets(s)))


def mover(s: Any) -> int:
    """Return who acts next when choices are taken one at a time: the player in turn, or at a sealed node the lowest
    seat."""
    who = actor(s)
    return lowest(acting(s)) if who == SEVERAL else who


# ------------------------------------------------------------------------------------------ games without end


def one_more(steps: int) -> int:
    """Count a step of a game; every loop that plays on until somebody is asked, or something is over, counts its own.
    Raises ``Endless`` if there have been too many, since rules with a fault may never come to an end."""
    if steps >= LONGEST:
        endless()
    return steps + 1


def endless() -> None:
    """Raise the error for a game without end."""
    raise Endless(TITLE, LONGEST)


def go_over(s: Any, to: Any) -> None:
    """Pass from the end of a deal to the next, if it is over and there is one; a deal may be over as it begins."""
    steps = 0
    while actor(s) == DEAL_OVER:
        steps = one_more(steps)
        next_deal(s, to)


# ------------------------------------------------------------------------------------------ bulk play


def play_out(s: Any, acts: Any, rng: Any, to: Any) -> int:
    """Play on at random to the end; return the number of decisions.  ``to`` takes the events."""
    decisions = 0
    steps = 0
    while True:
        steps = one_more(steps)
        who = mover(s)
        if who >= 0:
            n = legal(s, who, acts)
            apply(s, who, acts[below(rng, n)], to)
            decisions += 1
        elif who == CHANCE:
            happen(s, draw_outcome(s, rng), to)
        elif who == DEAL_OVER:
            next_deal(s, to)
        else:
            return decisions


def play_many(S: Any, acts: Any, rng: Any, out: Any, first: Any, games: int, totals: Any) -> int:
    """Play random games from the start position ``S[0]`` in ``S[1]``.  Game ``i`` has its own seed ``first + i``, so
    results do not depend on how games are shared among threads.  Add up the returns; return the number of decisions."""
    decisions = 0
    s = S[1]
    for i in range(games):
        S[1] = S[0]
        rng[0] = seeded(first, i)
        decisions += play_out(s, acts, rng, None)
        returns(s, out)
        for p in range(s.players):
            totals[p] += out[p]
    return decisions


def survey(
    S: Any, acts: Any, rng: Any, out: Any, first: Any, games: int,
    scores: Any, deals: Any, lengths: Any, clauses: Any, winners: Any,
) -> int:  # fmt: skip
    """The same, for statistics, which :func:`account` adds up."""
    decisions = 0
    s = S[1]
    to = clauses[0]
    for i in range(games):
        S[1] = S[0]
        rng[0] = seeded(first, i)
        made = 0
        steps = 0
        while True:
            steps = one_more(steps)
            who = mover(s)
            if who >= 0:
                n = legal(s, who, acts)
                deals[0, s.players] += n > 1
                apply(s, who, acts[below(rng, n)], to)
                made += 1
            elif who == CHANCE:
                happen(s, draw_outcome(s, rng), to)
            else:
                tally(s, out, deals[0])
                if who != DEAL_OVER:
                    break
                next_deal(s, to)
        decisions += made
        account(s, made, out, scores, deals, lengths, clauses, winners)
    return decisions


def account(
    s: Any, n: int, out: Any, scores: Any, deals: Any, lengths: Any, clauses: Any, winners: Any
) -> None:  # fmt: skip
    """Add a game that is over, after ``n`` decisions, to the sums.

    The rows of ``scores`` (a column for each player) add up returns, their squares, shares of the win (1, or a part of
    it if several players have the highest return), and their squares.  ``winners`` is a histogram of how many players
    had the highest return, ``lengths`` one of decisions in a game (the last bin takes the rest).

    ``deals`` has a column for each place, counted clockwise from the dealer, one for the decisions at which there was
    a choice, and one for the number of deals; its rows hold what the deals of the current game brought, the sum over
    all games, the sum of the squares, and the sum of the products with the number of deals.  The rows of ``clauses`` (a
    column for each clause) count how often it fired in the current game and in all games, the sum of the squares, in
    how many games it fired, and the products with the number of deals.  The rows of the current game are set to zero.
    """
    lengths[min(n, len(lengths) - 1)] += 1
    returns(s, out)
    best = out[0]
    several = 0
    for p in range(s.players):
        best = max(best, out[p])
    for p in range(s.players):
        several += out[p] == best
    winners[several] += 1
    for p in range(s.players):
        share = (out[p] == best) / several
        scores[0, p] += out[p]
        scores[1, p] += out[p] * out[p]
        scores[2, p] += share
        scores[3, p] += share * share
    finished = deals[0, s.players + 1]
    for c in range(clauses.shape[1]):
        fired = clauses[0, c]
        clauses[1, c] += fired
        clauses[2, c] += fired * fired
        clauses[3, c] += fired > 0
        clauses[4, c] += fired * int(finished)
        clauses[0, c] = 0
    for q in range(s.players + 2):
        brought = deals[0, q]
        deals[1, q] += brought
        deals[2, q] += brought * brought
        deals[3, q] += brought * finished
        deals[0, q] = 0


def tally_deal(s: Any, out: Any, row: Any) -> None:
    """Add what a finished deal has brought to the players, in order from the dealer, and count it."""
    if s.deal > row[s.players + 1]:
        row[s.players + 1] += 1
        deal_returns(s, out)
        for p in range(s.players):
            row[(p + s.players - s.dealer) % s.players] += out[p]


def tally_nothing(s: Any, out: Any, row: Any) -> None:
    """The same for games without deals, each of which counts as one."""
    row[s.players + 1] = 1


# ------------------------------------------------------------------------------------------ players by rule of thumb
# ``S`` holds the position of the game, room for what a player sees of it, and a blank position.

GAME, SEEN, BLANK = range(3)
NOTES = 1024
"""Numbers that a rule of thumb may take down while it calculates."""
AT_RANDOM, BY_RULE_OF_THUMB, BY_NETWORK = range(3)
"""How a player chooses; ``BY_NETWORK + i``: by the network number ``i``."""
BY_ANSWER = -1
"""How a player chooses who thinks: the driver stops and asks."""
AT_GAME, STARTED, ANSWERED, LISTED, TRIED = range(5)
"""Where games stand when a driver asks: which game, whether it has begun, how many of those who choose at once have
chosen; how many actions are legal, and how many are worth trying."""
EQUAL = 1e-9
"""Actions whose worth differs by less are worth the same."""


def sensible(s: Any, me: int, acts: Any, n: int, worth: Any, notes: Any, rng: Any) -> int:
    """Return the action that is worth most to ``me``, who sees ``s``; a random one among equals."""
    appraise(s, me, acts, n, worth, notes, rng)
    most = worth[0]
    for k in range(1, n):
        most = max(most, worth[k])
    best = 0
    for k in range(n):
        best += worth[k] > most - EQUAL
    left = 0
    if best > 1:
        left = below(rng, best)
    for k in range(n):
        if worth[k] > most - EQUAL:
            if left == 0:
                return int(acts[k])
            left -= 1
    return int(acts[0])


def see(S: Any, me: int) -> None:
    """Put what ``me`` is told about the game, and nothing else, into ``S[SEEN]``."""
    s, seen = S[GAME], S[SEEN]
    S[SEEN] = S[BLANK]
    show(s, seen)
    show_own(s, me, seen)
    restore(seen, me)


def by_thumb(S: Any, me: int, acts: Any, n: int, worth: Any, notes: Any, rng: Any) -> int:
    """Return what a player whose ``n`` legal actions are listed does by rule of thumb."""
    if n == 1:
        return int(acts[0])
    see(S, me)
    return sensible(S[SEEN], me, acts, n, worth, notes, rng)


def judge(
    s: Any, me: int, acts: Any, n: int, worth: Any, short: Any, firm: Any, notes: Any, rng: Any,
    net: Any, row: Any, layer: Any,
) -> int:  # fmt: skip
    """Return which action a network prefers for ``me``, who sees ``s``: as numbers, ``row``."""
    appraise(s, me, acts, n, worth, notes, rng)
    reconsider(net, row, layer, me, acts, n, worth, short, firm)
    return favourite(n, worth)


def decide(
    S: Any, me: int, how: int, acts: Any, n: int, worth: Any, notes: Any, rng: Any,
    nets: Any, row: Any, layer: Any, short: Any, firm: Any,
) -> int:  # fmt: skip
    """Return what a player chooses from the ``n`` legal actions listed."""
    if how == BY_RULE_OF_THUMB:
        return by_thumb(S, me, acts, n, worth, notes, rng)
    if how == AT_RANDOM:
        return int(acts[below(rng, n)])
    if n == 1:
        return int(acts[0])
    see(S, me)
    write_row(S[GAME], me, row)
    net = nets[how - BY_NETWORK]
    return int(acts[judge(S[SEEN], me, acts, n, worth, short, firm, notes, rng, net, row, layer)])


BY_WHOM = 64
"""Steps of games are written down as one number: an action or outcome times this, and who took it: 0 for chance, 1 for
seat 0."""


def put_down(steps: Any, taken: Any, i: int, who: int, a: int) -> None:
    """Write down a step of game ``i``, if there is room for it."""
    if taken[i] < len(steps):
        steps[taken[i]] = a * BY_WHOM + (who + 1 if who >= 0 else 0)
    taken[i] += 1


def contest(
    S: Any, start: Any, words: Any, how: Any, acts: Any, chosen: Any, worth: Any, notes: Any,
    nets: Any, row: Any, layer: Any, short: Any, firm: Any, out: Any, moves: Any, steps: Any, taken: Any,
) -> None:  # fmt: skip
    """Play games between players who choose by themselves: game ``i`` has the generators ``words[i]``, one for each
    seat, then that of chance, and in seat ``p`` one who chooses by ``how[i, p]``.  ``out[i]`` takes the returns,
    ``moves[i]`` the number of decisions of each seat, ``steps[i]`` all steps in order (:data:`BY_WHOM`), as many as
    it has room for, and ``taken[i]`` their number; ``chosen``, and what follows ``nets`` are scratch."""
    s = S[GAME]
    for i in range(len(words)):
        S[GAME] = start[0]
        taken[i] = 0
        for p in range(s.players):
            moves[i, p] = 0
        so_far = 0
        while True:
            so_far = one_more(so_far)
            who = actor(s)
            if who >= 0:
                n = legal(s, who, acts)
                a = decide(S, who, how[i, who], acts, n, worth, notes, words[i, who], nets, row, layer, short, firm)
                moves[i, who] += 1
                put_down(steps[i], taken, i, who, a)
                apply(s, who, a, None)
            elif who == CHANCE:
                a = draw_outcome(s, words[i, s.players])
                put_down(steps[i], taken, i, CHANCE, a)
                happen(s, a, None)
            elif who == SEVERAL:  # all choose before anything happens
                waiting = acting(s)
                for k in range(count(waiting)):
                    p = nth(waiting, k)
                    n = legal(s, p, acts)
                    chosen[p] = decide(
                        S, p, how[i, p], acts, n, worth, notes, words[i, p], nets, row, layer, short, firm
                    )
                    moves[i, p] += 1
                for k in range(count(waiting)):
                    put_down(steps[i], taken, i, nth(waiting, k), chosen[nth(waiting, k)])
                    apply(s, nth(waiting, k), chosen[nth(waiting, k)], None)
            elif who == DEAL_OVER:
                next_deal(s, None)
            else:
                break
        returns(s, out[i])


def contest_asking(
    S: Any, start: Any, words: Any, how: Any, acts: Any, chosen: Any, worth: Any, notes: Any,
    nets: Any, row: Any, layer: Any, short: Any, firm: Any, out: Any, moves: Any, steps: Any, taken: Any,
    at: Any, tried: Any, memory: Any,
) -> int:  # fmt: skip
    """The same games as :func:`contest`, with players who think (:data:`BY_ANSWER`).  Where one of them has a choice,
    return their seat ``p``: call it again with the same, and the choice in ``chosen[p]``, to go on.  -1 when all games
    are over.

    The player who is asked sees ``S[SEEN]``, at a glance ``memory[0, 0]``; ``acts`` lists the legal actions, and
    ``tried`` those that are worth trying.  ``at``: where the games stand (:data:`AT_GAME`), zeros at first; ``memory``:
    as in :func:`start_memory`, scratch.
    """
    s = S[GAME]
    while at[AT_GAME] < len(words):
        i = at[AT_GAME]
        if at[STARTED] == 0:
            at[STARTED] = 1
            S[GAME] = start[0]
            taken[i] = 0
            for p in range(s.players):
                moves[i, p] = 0
        who = actor(s)
        while who != TERMINAL:
            one_more(taken[i])
            if who == CHANCE:
                a = draw_outcome(s, words[i, s.players])
                put_down(steps[i], taken, i, CHANCE, a)
                happen(s, a, None)
            elif who == DEAL_OVER:
                go_over(s, None)
            else:
                waiting = 1 << max(who, 0)
                if who == SEVERAL:
                    waiting = acting(s)
                while at[ANSWERED] < count(waiting):  # all choose before anything happens
                    p = nth(waiting, at[ANSWERED])
                    at[ANSWERED] += 1
                    n = legal(s, p, acts)
                    moves[i, p] += 1
                    if (how[i, p] == BY_ANSWER) & (n > 1):
                        see(S, p)
                        at[LISTED] = n
                        at[TRIED] = candidates(S[SEEN], p, tried)
                        common = glance_open(s, memory[3])
                        memory[0, 0] = word(common + glance_own(s, p, memory[3]))
                        return p
                    chosen[p] = decide(
                        S, p, how[i, p], acts, n, worth, notes, words[i, p], nets, row, layer, short, firm
                    )
                at[ANSWERED] = 0
                for k in range(count(waiting)):
                    put_down(steps[i], taken, i, nth(waiting, k), chosen[nth(waiting, k)])
                    apply(s, nth(waiting, k), chosen[nth(waiting, k)], None)
            who = actor(s)
        returns(s, out[i])
        at[STARTED] = 0
        at[AT_GAME] += 1
    return -1


def survey_players(
    S: Any, start: Any, words: Any, how: int, first: Any, games: int, acts: Any, chosen: Any, worth: Any, notes: Any,
    nets: Any, row: Any, layer: Any, short: Any, firm: Any, out: Any,
    scores: Any, deals: Any, lengths: Any, clauses: Any, winners: Any,
) -> int:  # fmt: skip
    """Play games between players who all choose by ``how``, for statistics (:func:`account`); return the number of
    decisions.  Chance in game ``i`` has the seed ``first + i``, and each player's own generator follows from that;
    ``words`` takes the generators: of the players, and of chance."""
    decisions = 0
    s = S[GAME]
    to = clauses[0]
    for i in range(games):
        S[GAME] = start[0]
        seed = seeded(first, i)
        for p in range(s.players):
            words[p, 0] = seeded(fold(seed, word(p + 1)), 0)
        words[s.players, 0] = seed
        made = 0
        steps = 0
        while True:
            steps = one_more(steps)
            who = actor(s)
            if who >= 0:
                n = legal(s, who, acts)
                deals[0, s.players] += n > 1
                a = decide(S, who, how, acts, n, worth, notes, words[who], nets, row, layer, short, firm)
                made += 1
                apply(s, who, a, to)
            elif who == CHANCE:
                happen(s, draw_outcome(s, words[s.players]), to)
            elif who == SEVERAL:
                waiting = acting(s)
                for k in range(count(waiting)):
                    p = nth(waiting, k)
                    n = legal(s, p, acts)
                    deals[0, s.players] += n > 1
                    chosen[p] = decide(S, p, how, acts, n, worth, notes, words[p], nets, row, layer, short, firm)
                    made += 1
                for k in range(count(waiting)):
                    apply(s, nth(waiting, k), chosen[nth(waiting, k)], to)
            else:
                tally(s, out, deals[0])
                if who != DEAL_OVER:
                    break
                next_deal(s, to)
        decisions += made
        account(s, made, out, scores, deals, lengths, clauses, winners)
    return decisions


# ------------------------------------------------------------------------------------------ learning by playing
# What a learner remembers of the decisions of a deal: ``seats`` (who, which action), ``found`` (how far it fell short
# by the rule of thumb, what was expected of it, and of the best), the ``rows`` and the ``layers``; ``used[0]`` of them.

FINE = 1 << 30
ERROR, DECISIONS, SHORTNESS, FIRMNESS, SPREAD, RESULTS = range(6)
"""What stands in place of the head where a learner puts its changes: the squares of its errors, how many decisions it
learned from, by how much they fell short, how well they stood; the squares of what deals brought, and how many of them
there were."""


def explore(n: int, worth: Any, best: int, rng: Any) -> int:
    """Return an action to try: one time in eight any, otherwise the best of those for which a coin falls on heads."""
    if below(rng, 8) == 0:
        return int(below(rng, n))
    found = -1
    for k in range(n):
        if below(rng, 2) == 1:
            if found < 0 or worth[k] > worth[found]:
                found = k
    return best if found < 0 else found


def attempt(
    S: Any, me: int, acts: Any, worth: Any, short: Any, firm: Any, notes: Any, rng: Any, net: Any, curious: float,
    seats: Any, found: Any, rows: Any, layers: Any, used: Any,
) -> int:  # fmt: skip
    """Return what a learner chooses, who tries something else than the best with probability ``curious``."""
    n = legal(S[GAME], me, acts)
    if n == 1:
        return int(acts[0])
    see(S, me)
    t = used[0]
    write_row(S[GAME], me, rows[t])
    best = judge(S[SEEN], me, acts, n, worth, short, firm, notes, rng, net, rows[t], layers[t])
    k = best
    if below(rng, FINE) < curious * FINE:
        k = explore(n, worth, best, rng)
    seats[t, 0] = me
    seats[t, 1] = acts[k]
    found[t, 0] = short[k]
    found[t, 1] = firm[k]
    found[t, 2] = worth[k]
    found[t, 3] = worth[best]
    if t + 1 < len(seats):
        used[0] = t + 1
    return int(acts[k])


def settle(
    net: Any, change: Any, lasting: float, brought: Any, seats: Any, found: Any, rows: Any, layers: Any, used: Any
) -> None:
    """Learn from the decisions of a deal, the last first, when it has ``brought`` this to each seat, in the network's
    unit.  An earlier decision is to expect what the next one of that player does: by ``lasting``, what that one was
    taught; for the rest, or if it was only tried, what was expected of the best there."""
    for back in range(used[0]):
        t = used[0] - 1 - back
        p = seats[t, 0]
        error = found[t, 2] - brought[p]
        if found[t, 2] < found[t, 3]:
            brought[p] = found[t, 3]
        else:
            brought[p] = found[t, 3] + lasting * (brought[p] - found[t, 3])
        learn_from(net, change, rows[t], layers[t], p, seats[t, 1], found[t, 0], found[t, 1], error)
        change[ERROR] += error * error
        change[SHORTNESS] += found[t, 0]
        change[FIRMNESS] += abs(found[t, 1])
        change[DECISIONS] += 1.0
    used[0] = 0


def practise(
    S: Any, start: Any, rng: Any, first: Any, begin: int, games: int, how: int, acts: Any, chosen: Any, worth: Any,
    notes: Any, nets: Any, row: Any, layer: Any, short: Any, firm: Any, net: Any, change: Any, curious: float,
    lasting: float, seats: Any, found: Any, rows: Any, layers: Any, used: Any, brought: Any,
) -> None:  # fmt: skip
    """Play games number ``begin`` and following, and add what is to be learned from them to ``change``.  Among rules of
    thumb all seats are learners in every other game; in the rest one is, and the others choose by ``how``."""
    s = S[GAME]
    for i in range(begin, begin + games):
        S[GAME] = start[0]
        rng[0] = seeded(first, i)
        learner = -1
        if how != BY_RULE_OF_THUMB:
            learner = i % s.players
        elif i % 2 == 1:
            learner = (i // 2) % s.players
        used[0] = 0
        before = 0
        steps = 0
        while True:
            steps = one_more(steps)
            who = actor(s)
            if who >= 0:
                if (learner < 0) | (learner == who):
                    a = attempt(
                        S, who, acts, worth, short, firm, notes, rng, net, curious, seats, found, rows, layers, used
                    )
                else:
                    n = legal(s, who, acts)
                    a = decide(S, who, how, acts, n, worth, notes, rng, nets, row, layer, short, firm)
                apply(s, who, a, None)
            elif who == CHANCE:
                happen(s, draw_outcome(s, rng), None)
            elif who == SEVERAL:
                waiting = acting(s)
                for k in range(count(waiting)):
                    p = nth(waiting, k)
                    if (learner < 0) | (learner == p):
                        chosen[p] = attempt(
                            S, p, acts, worth, short, firm, notes, rng, net, curious, seats, found, rows, layers, used
                        )
                    else:
                        n = legal(s, p, acts)
                        chosen[p] = decide(S, p, how, acts, n, worth, notes, rng, nets, row, layer, short, firm)
                for k in range(count(waiting)):
                    apply(s, nth(waiting, k), chosen[nth(waiting, k)], None)
            else:  # a deal is over, or all is
                for p in range(s.players):
                    brought[p] = 0.0
                if finished(s) > before:
                    before = finished(s)
                    deal_returns(s, brought)
                    for p in range(s.players):
                        brought[p] /= net[UNIT]
                        change[SPREAD] += brought[p] * brought[p]
                        change[RESULTS] += 1.0
                settle(net, change, lasting, brought, seats, found, rows, layers, used)
                if who != DEAL_OVER:
                    break
                next_deal(s, None)


# ------------------------------------------------------------------------------------------ keys


def glance_open(s: Any, scratch: Any) -> Any:
    """Return the word of what everybody can see: the sum of the words of all items told."""
    scratch[0] = word(0)
    show(s, scratch)
    return scratch[0]


def glance_own(s: Any, me: int, scratch: Any) -> Any:
    """Return the word of what only ``me`` sees."""
    scratch[0] = word(0)
    show_own(s, me, scratch)
    return scratch[0]


def start_memory(s: Any, memory: Any) -> None:
    """``memory``: four rows of words, one column a player (at least two columns).  Row 0: keys; 1: last glances; 2:
    what each has been told alone since; row 3: scratch in column 0, what everybody has been told since in column 1."""
    common = glance_open(s, memory[3])
    for p in range(s.players):
        g = common + glance_own(s, p, memory[3])
        memory[0, p] = fold(word(p + 1), g)
        memory[1, p] = g
        memory[2, p] = 0
    memory[3, 1] = word(0)


def remember(s: Any, memory: Any, who: int, a: int, waiting: int) -> None:
    """Take in one step (see :mod:`parlour.engine.memory`); the rules' notes have already added the events."""
    if who >= 0:
        memory[0, who] = fold(memory[0, who], deed_fact(a))
    heard = memory[3, 1]
    if waiting and actor(s) == SEVERAL:
        now = acting(s)
        rest = waiting & ~(1 << who)
        if ((now == rest) & (rest != 0)) | ((now == waiting) & (heard == 0)):
            return
    common = glance_open(s, memory[3])
    for p in range(s.players):
        g = common + glance_own(s, p, memory[3])
        told = heard + memory[2, p]
        if (g != memory[1, p]) | (told != 0):
            memory[0, p] = fold(memory[0, p], g + told * GOLD)
            memory[1, p] = g
            memory[2, p] = 0
    memory[3, 1] = word(0)


def step_remembered(s: Any, memory: Any, who: int, a: int, on: bool) -> None:
    """Apply an action or outcome, pass ``on`` to the next deal if it settled one, and let every player remember it."""
    waiting = 0
    if who == CHANCE:
        happen(s, a, memory)
    else:
        if actor(s) == SEVERAL:
            waiting = acting(s)
        apply(s, who, a, memory)
    if on:
        go_over(s, memory)
    remember(s, memory, who, a, waiting)


def play_keys(S: Any, acts: Any, rng: Any, memory: Any, first: Any, games: int, keys: Any) -> int:
    """Play random games with perfect-recall keys for all players; ``keys[i, p]`` takes the final ones of game ``i``."""
    decisions = 0
    s = S[1]
    for i in range(games):
        S[1] = S[0]
        rng[0] = seeded(first, i)
        start_memory(s, memory)
        steps = 0
        while True:
            steps = one_more(steps)
            who = mover(s)
            if who == TERMINAL:
                break
            if who == CHANCE:
                a = draw_outcome(s, rng)
            else:
                a = acts[below(rng, legal(s, who, acts))]
                decisions += 1
            step_remembered(s, memory, who, a, True)
        for p in range(s.players):
            keys[i, p] = memory[0, p]
    return decisions


def trace(S: Any, acts: Any, rng: Any, memory: Any, first: Any, steps: Any, bytes_after: Any, keys_after: Any) -> int:
    """Play one random game and write it down step by step, for comparison with the interpreted binding: who, action,
    number of legal actions; the position after each step; the keys after each step.  Return the number of steps."""
    s = S[1]
    S[1] = S[0]
    rng[0] = seeded(first, 0)
    start_memory(s, memory)
    n = 0
    while n < len(steps):
        who = mover(s)
        if who == TERMINAL:
            break
        m = 0
        if who == CHANCE:
            a = draw_outcome(s, rng)
        else:
            m = legal(s, who, acts)
            a = acts[below(rng, m)]
        step_remembered(s, memory, who, a, True)
        steps[n, 0] = who
        steps[n, 1] = a
        steps[n, 2] = m
        bytes_after[n] = S[1]
        for p in range(s.players):
            keys_after[n, p] = memory[0, p]
        n += 1
    return n


# ------------------------------------------------------------------------------------------ batches


def finished_deals(s: Any) -> int:
    """Return how many deals are over."""
    return int(s.deal)


def finished_game(s: Any) -> int:
    """The same, where the game is a single deal."""
    return 1 if actor(s) == TERMINAL else 0


def carry_out(s: Any, memories: Any, i: int, who: int, a: int, score: Any, brought: Any) -> int:
    """Carry out an action or outcome, pass to the next deal if it settled one, and let every player remember it in
    ``memories[i]`` (``None``: nobody remembers).  Add what the settled deals have brought to ``brought`` and return
    their number; ``score`` is scratch."""
    before = finished(s)
    waiting = 0
    if memories is not None:
        if (who >= 0) & (actor(s) == SEVERAL):
            waiting = acting(s)
    if memories is None:
        do(s, who, a, None)
    else:
        do(s, who, a, memories[i])
    settled = 0
    steps = 0
    over = actor(s)
    while (over == DEAL_OVER) | (over == TERMINAL):
        if finished(s) > before:
            before = finished(s)
            settled += 1
            deal_returns(s, score)
            for p in range(s.players):
                brought[p] += score[p]
        if over == TERMINAL:
            break
        steps = one_more(steps)
        if memories is None:
            next_deal(s, None)
        else:
            next_deal(s, memories[i])
        over = actor(s)
    if memories is not None:
        remember(s, memories[i], who, a, waiting)
    return settled


def do(s: Any, who: int, a: int, to: Any) -> None:
    """Carry out an action, or an outcome of chance."""
    if who == CHANCE:
        happen(s, a, to)
    else:
        apply(s, who, a, to)


def write_row(s: Any, me: int, row: Any) -> None:
    """Write the tensor of what ``me`` is told into ``row``."""
    row[:] = 0
    show(s, (row, me, s.players))
    show_own(s, me, (row, me, s.players))


def open_game(s: Any, memories: Any, i: int) -> None:
    """Let the players remember the start of a game."""
    if memories is not None:
        start_memory(s, memories[i])


def write_last(s: Any, last: Any, i: int) -> None:
    """Write what each player is told when the game is over, if anybody wants to know."""
    if last is not None:
        for p in range(s.players):
            write_row(s, p, last[i, p])


def copy_keys(s: Any, memories: Any, i: int, keys: Any) -> None:
    """Copy the keys of all players, if they are kept."""
    if memories is not None:
        for p in range(s.players):
            keys[i, p] = memories[i, 0, p]


def begin_batch(
    S: Any, start: Any, rngs: Any, lo: int, hi: int, score: Any, first: Any, afresh: bool, memories: Any, last: Any,
    keys: Any, movers: Any, acts: Any, counts: Any, X: Any, rewards: Any, brought: Any, settled: Any, done: Any,
) -> None:  # fmt: skip
    """Let chance decide in positions ``lo`` to ``hi`` up to the first decision, and describe them; ``afresh``: first
    put them at the start, each with its own seed.  A game that is over before anybody is asked is followed by another.
    """
    for i in range(lo, hi):
        s = S[i]
        if afresh:
            S[i] = start[0]
            rngs[i, 0] = seeded(first, i)
            rngs[i, 1] = fold(rngs[i, 0], word(1))
            open_game(s, memories, i)
        done[i] = 0
        for p in range(s.players):
            rewards[i, p] = 0.0
            brought[i, p] = 0.0
        settled[i] = proceed(s, rngs[i], memories, i, score, brought[i])
        settled[i] += begin_anew(S, start, rngs, i, score, memories, last, rewards, brought, done)
        ready(s, i, memories, keys, movers, acts, counts, X)


MOST_UNASKED = 255
"""Games in a row that may be over before anybody is asked: as many as ``done`` counts."""


def proceed(s: Any, rng: Any, memories: Any, i: int, score: Any, brought: Any) -> int:
    """Let chance decide until a player is to act or the game is over; return how many deals that settled."""
    settled = 0
    steps = 0
    while actor(s) == CHANCE:
        steps = one_more(steps)
        settled += carry_out(s, memories, i, CHANCE, draw_outcome(s, rng), score, brought)
    return settled


def begin_anew(
    S: Any, start: Any, rngs: Any, i: int, score: Any, memories: Any, last: Any, rewards: Any, brought: Any, done: Any
) -> int:  # fmt: skip
    """Score a game that is over, and let another begin in its place, until somebody is asked; count them in ``done``,
    add up what they return, and return how many deals chance has settled.  After as many as ``done`` can
    count, the last one stays."""
    s = S[i]
    settled = 0
    while (actor(s) == TERMINAL) & (done[i] < MOST_UNASKED):
        done[i] += 1
        returns(s, score)
        for p in range(s.players):
            rewards[i, p] += score[p]
        write_last(s, last, i)
        S[i] = start[0]
        open_game(s, memories, i)
        settled += proceed(s, rngs[i], memories, i, score, brought[i])
    return settled


def ready(s: Any, i: int, memories: Any, keys: Any, movers: Any, acts: Any, counts: Any, X: Any) -> None:
    """Write down for one position who acts, their legal actions and their tensor, and the keys."""
    who = mover(s)
    movers[i] = who
    counts[i] = 0
    copy_keys(s, memories, i, keys)
    if who >= 0:
        counts[i] = legal(s, who, acts[i])
        if len(X) > 0:
            write_row(s, who, X[i])


def first_refused(actions: Any, acts: Any, counts: Any) -> int:
    """Return the first position whose action is not among its legal ones, or -1."""
    for i in range(len(actions)):
        found = 0
        for k in range(counts[i]):
            found |= acts[i, k] == actions[i]
        if found == 0:
            return i
    return -1


def step_some(
    S: Any, start: Any, rngs: Any, lo: int, hi: int, score: Any, actions: Any, memories: Any, last: Any,
    keys: Any, movers: Any, acts: Any, counts: Any, X: Any, rewards: Any, brought: Any, settled: Any, done: Any,
) -> None:  # fmt: skip
    """Carry out one legal action in each of positions ``lo`` to ``hi``; a game that ends is scored and restarted."""
    for i in range(lo, hi):
        s = S[i]
        done[i] = 0
        for p in range(s.players):
            rewards[i, p] = 0.0
            brought[i, p] = 0.0
        settled[i] = carry_out(s, memories, i, movers[i], actions[i], score, brought[i])
        settled[i] += proceed(s, rngs[i], memories, i, score, brought[i])
        settled[i] += begin_anew(S, start, rngs, i, score, memories, last, rewards, brought, done)
        ready(s, i, memories, keys, movers, acts, counts, X)


# What threads that share the steps of a batch write to each other, word by word:
STEPPED = 0  # positions that have been stepped
ENDED = 8  # 1: helpers are to go
SHARES = 16  # threads: each has a share of the positions, which the others take when theirs are done
TAKEN = 24  # and every eighth word after: positions of a share that somebody has taken on, or more
ASLEEP = 33  # and every eighth word after: 1 if that helper sleeps
LINE = 8  # words that processors hand to each other at once
PIECE = 64  # positions that are taken on at a time
MOMENT = 100_000  # looks around before a helper that finds nothing to do falls asleep: about a tenth of a millisecond


def share_begins(size: int, shares: int, k: int) -> int:
    """The first position of a thread's share: whole pieces, and the rest for the last."""
    return size if k == shares else size * k // shares // PIECE * PIECE


def work_on(
    board: Any, helper: int, S: Any, start: Any, rngs: Any, score: Any, actions: Any, memories: Any, last: Any,
    keys: Any, movers: Any, acts: Any, counts: Any, X: Any, rewards: Any, brought: Any, settled: Any, done: Any,
) -> int:  # fmt: skip
    """Carry out one legal action in each position, sharing the work with other threads by a ``board`` of words.  The
    thread that wants the step is helper -1: it says that there is work, takes its part, and returns 0 when all is done;
    or, after having waited a moment for others, how many positions are left to them, and then waits on as helper -2.  A
    helper takes what it finds until there has been nothing for a moment.  Everybody begins with their own share, step
    after step: what a core has written last is near to it."""
    size = len(S)
    shares = board[SHARES]
    mine = max(helper, -1) + 1
    if helper == -1:
        swap_shared(board, STEPPED, 0)
        for k in range(shares):
            swap_shared(board, TAKEN + LINE * k, 0)
    looked = 0
    while looked < MOMENT:
        looked += 1
        for turn in range(shares):
            k = (mine + turn) % shares
            first = share_begins(size, shares, k)
            end = share_begins(size, shares, k + 1)
            if read_shared(board, TAKEN + LINE * k) < end - first:
                lo = first + add_shared(board, TAKEN + LINE * k, PIECE)
                if lo < end:
                    hi = min(lo + PIECE, end)
                    step_some(
                        S, start, rngs, lo, hi, score, actions, memories, last,
                        keys, movers, acts, counts, X, rewards, brought, settled, done,
                    )  # fmt: skip
                    add_shared(board, STEPPED, hi - lo)
                    looked = 0
                break
        if (helper < 0) & (looked > 0):
            if read_shared(board, STEPPED) == size:
                return 0
    if helper >= 0:
        swap_shared(board, ASLEEP + LINE * helper, 1)
    return size - read_shared(board, STEPPED)


def write_mask(lo: int, hi: int, acts: Any, counts: Any, mask: Any) -> None:
    """Write the legal actions as a mask."""
    mask[lo:hi] = False  # at once: rows may be as short as two entries
    for i in range(lo, hi):
        for k in range(counts[i]):
            mask[i, word(acts[i, k])] = True


# ------------------------------------------------------------------------------------------ one state
# ``B`` is where a block of words begins (:mod:`parlour.engine.c.layout`).

ASKED, COUNT, DRAWN, LEFT_TO_PLAY = range(4)
NOBODY, FRESH, PLACED = -8, -9, -10
"""In place of a player: the caller does not say who acts; the game begins; it was put where it is."""
REFUSED, FAILED = -1, -2
"""In place of what is seen: the action is not allowed, and nothing has happened; the rules went wrong."""


def look(s: Any, acts: Any, about: Any) -> int:
    """The player to act, how many legal actions there are, and the set of players who choose at once, in one word."""
    who = actor(s)
    waiting = 0
    asked = who
    if who == SEVERAL:
        waiting = acting(s)
        asked = lowest(waiting)
    n = 0
    if asked >= 0:
        n = legal(s, asked, acts)
    about[ASKED] = asked
    about[COUNT] = n
    return waiting << 32 | n << 8 | (who - NOBODY)


def who_does(s: Any, a: int, player: int, acts: Any, about: Any) -> int:
    """The player who does ``a``, or ``CHANCE``: ``player``, which may be left out where one player is asked. ``NOBODY``
    if that is not clear, or not allowed."""
    who = actor(s)
    if who == CHANCE:
        return CHANCE if (a >= 0) & (a < 63) & ((chance(s) >> (a & 63)) & 1 == 1) else NOBODY
    if who == SEVERAL:
        waiting = acting(s)
        who = player
        if (player == NOBODY) & (count(waiting) == 1):
            who = lowest(waiting)
        if (who < 0) | (who >= s.players) | ((waiting >> max(who, 0)) & 1 == 0):
            return NOBODY
    if (who < 0) | ((player != NOBODY) & (player != who)):
        return NOBODY
    if about[ASKED] != who:
        about[COUNT] = legal(s, who, acts)
        about[ASKED] = who
    found = 0
    for k in range(about[COUNT]):
        found |= acts[k] == a
    return who if found != 0 else NOBODY


def step_on(B: Any, a: int, player: int) -> int:
    """Carry out action ``a`` of ``player`` (or an outcome of chance), and what chance does then if it is drawn here;
    look.  ``REFUSED`` if that is not allowed or it is not clear whose action it is.  A game that begins has the seed
    ``a``, if chance is drawn here."""
    s, memory, about, rng = position_in(B), memory_in(B), about_in(B), rng_in(B)
    scores, acts = scores_in(B), acts_in(B)
    if player == FRESH:
        if about[DRAWN] != 0:
            rng[0] = seeded(word(a), 0)
        open_game(s, memory, 0)
    elif player != PLACED:
        who = who_does(s, a, player, acts, about)
        if who == NOBODY:
            return REFUSED
        if about[LEFT_TO_PLAY] <= 0:
            endless()
        about[LEFT_TO_PLAY] -= 1
        carry_out(s, memory, 0, who, a, scores[0], scores[1])
    if about[DRAWN] != 0:
        proceed(s, rng, memory, 0, scores[0], scores[1])
    return look(s, acts, about)


def list_actions(B: Any, player: int) -> int:
    """How many legal actions ``player``, who is asked, has; they are listed then."""
    about = about_in(B)
    n = legal(position_in(B), player, acts_in(B))
    about[COUNT] = n
    about[ASKED] = player
    return n


def weigh_outcomes(s: Any, weights: Any) -> int:
    """The set of outcomes that chance may bring, and the weight of each."""
    outcomes = chance(s)
    for i in range(count(outcomes)):
        k = nth(outcomes, i)
        weights[k] = weight(s, k)
    return outcomes


def random_actions(rngs: Any, lo: int, hi: int, acts: Any, counts: Any, actions: Any) -> None:
    """Write a random legal action for each position, by the second generator of each."""
    for i in range(lo, hi):
        actions[i] = acts[i, below(rngs[i, 1:], counts[i])]


def advance(s: Any, rng: Any) -> int:
    """Let chance decide, deal after deal, until a player is to act or the game is over; return who."""
    who = mover(s)
    steps = 0
    while (who == CHANCE) | (who == DEAL_OVER):
        steps = one_more(steps)
        if who == CHANCE:
            happen(s, draw_outcome(s, rng), None)
        else:
            next_deal(s, None)
        who = mover(s)
    return who


def play_rows(S: Any, start: Any, rngs: Any, acts: Any, X: Any, rounds: int) -> int:
    """Play all positions in turn at random, with the mover's tensor written at each decision; return the number of
    decisions."""
    decisions = 0
    for r in range(rounds):
        for i in range(len(S)):
            s = S[i]
            rng = rngs[i]
            who = advance(s, rng)
            unasked = 0
            while who == TERMINAL:
                unasked = one_more(unasked)
                S[i] = start[0]
                who = advance(s, rng)
            write_row(s, who, X[i])
            apply(s, who, acts[below(rng, legal(s, who, acts))], None)
            decisions += 1
    return decisions


def write_rows(S: Any, lo: int, hi: int, me: int, X: Any) -> None:
    """Write the tensors of ``me`` for positions ``lo`` to ``hi``."""
    for i in range(lo, hi):
        write_row(S[i], me, X[i])


def copy_many(S: Any, times: int) -> int:
    """Copy position 0 over position 1 (for the bench)."""
    for i in range(times):
        S[1] = S[0]
        S[0] = S[1]
    return 2 * times
