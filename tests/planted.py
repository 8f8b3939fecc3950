"""Faulty variants of Kuhn, Leduc and the sampler, each with the check that must find it and what that check must say.

A variant is the folder of a game with a few texts of its rules changed, and some rules added at their end.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import parlour

Changes = tuple[tuple[str, str], ...]
"""Texts of a file that stand there once, and what stands there instead."""


class Variant(NamedTuple):
    """What is changed of which game."""

    base: str
    rules: Changes = ()
    more: str = ""
    invariants: Changes = ()
    options: tuple[tuple[str, Any], ...] = ()


class Fault(NamedTuple):
    """A variant with a fault, made from one without; the check that finds it, and a part of what it says."""

    honest: str
    caught_by: str
    says: str
    rules: Changes = ()
    more: str = ""


HONEST = {
    "kuhn": Variant("kuhn"),
    "leduc": Variant("leduc"),
    "sampler": Variant("sampler"),
    # With the option `marks` each player in turn, before the betting, makes a mark of two kinds in secret.
    "honest_marks": Variant(
        "kuhn",
        (
            ("    by_stage,\n", "    below,\n    by_stage,\n    choice,\n"),
            ("FOLDED, SHOWDOWN = range(4)", "FOLDED, SHOWDOWN, MARKING = range(5)"),
            (
                "    moves: int = number()",
                "    marks: int = choice('none', 'secret', clauses='KU-6')\n"
                "    mark: list[int] = numbers(2)\n"
                "    marked: int = number()\n"
                "    moves: int = number()",
            ),
            ("s.stage = BETTING\n", "s.stage = MARKING if s.marks else BETTING\n"),
            (
                "STAGES = (\n",
                """
def who_marks(s):
    return s.marked


def make_mark(s, me, a, to):
    s.mark[me] = a + 1
    s.marked += 1
    whisper(to, "KU-7", "bets" if a else "passes", me)
    if s.marked == 2:
        s.stage = BETTING


STAGES = (
""",
            ),
            ('"KU-11"),\n)', '"KU-11"),\n    Stage(MARKING, "marking", who_marks, "KU-6", (PASS, BET), make_mark),\n)'),
            (
                '    "moves": amount(3),\n',
                '    "moves": amount(3),\n'
                '    "mark": one_of(3, per=2, seats=True).told(lambda s, p: False, own=lambda s, me: True),\n'
                '    "marked": amount(2),\n',
            ),
            (
                "+ 1\n\n\ndef action_names",
                "+ 1\n"
                "    for p in range(s.marked):\n"
                "        if s.mark[p] == 0:\n"
                "            s.mark[p] = 1 + below(rng, 2)\n\n\n"
                "def action_names",
            ),
        ),
        invariants=(
            ("s.hand[p] = 0\n", "s.hand[p] = 0\n        if p != me:\n            s.mark[p] = 0\n"),
            ("0.0, 3)", "0.0, 5 if s.marks else 3)"),
        ),
        options=(("marks", "secret"),),
    ),
    # Whether the first hand is high is kept as a secret 0 or 1, and every move looks at it, though it changes nothing.
    "honest_secret_mark": Variant(
        "leduc",
        (("    board: int = number()", "    mark: int = number()\n    board: int = number()"),),
        """
honest_happen, honest_apply, honest_redeal = happen, apply, redeal


def happen(s, k, to):
    honest_happen(s, k, to)
    marked(s)


def marked(s):
    s.mark = 1 if s.hand[0] > 2 else 0


def apply(s, me, a, to):
    honest_apply(s, me, a, to)
    if s.mark > 0:
        s.mark = 1


def redeal(s, me, rng):
    honest_redeal(s, me, rng)
    marked(s)


def restore(s, me):
    if s.hand[0] > 0:
        marked(s)
""",
    ),
}

UNASKED = "        if is_seated(s, p) and s.coins[p] > 0 and s.bet[p] == 0:\n"
TALKERS = '    tell(to, "turn", 0, s.turn)\n'
DEALS_BY_COPIES = """                n = below(rng, copies_left(s, 0) + copies_left(s, 1) + copies_left(s, 2))
                k = 0
                while n >= copies_left(s, k):
                    n -= copies_left(s, k)
                    k += 1
"""
DEALS_BY_KINDS = """                k = below(rng, 3)
                while copies_left(s, k) == 0:
                    k = below(rng, 3)
"""
BETS = """        first = BET + 1
        last = BET + (s.limit if 0 < s.limit < s.coins[me] else s.coins[me])
"""
HIGHEST_AGAIN = """        last = BET + (s.limit if 0 < s.limit < s.coins[me] else s.coins[me])
        first = last if s.bet[me] else BET + 1
"""

FAULTS = {
    # Whoever holds the comet is asked in everybody's hearing.
    "asking_aloud": Fault(
        "sampler", "asked", "who is asked reveals what the player must not know: asked: seat",
        (("    return s.stage == ASKING\n", "    return False\n"),),
    ),
    # Whoever sits to the left of a player who bets two coins in secret need not bet.
    "asking_fewer": Fault(
        "sampler", "asked", "times at a sealed node",
        ((UNASKED, UNASKED.replace("s.bet[p] == 0", "s.bet[p] == 0 and s.bet[p - 1] != 2")),),
    ),
    # Whoever holds the comet is asked once more if they bet the least.
    "asking_the_holder_again": Fault(
        "sampler", "asked", "times at a sealed node",
        (
            (UNASKED, "        may_raise = s.bet[p] == 1 and min(s.coins[p], s.limit or s.coins[p]) > 1\n"
                      + UNASKED.replace("s.bet[p] == 0", "(s.bet[p] == 0 or (may_raise and s.hand[p] == COMET))")),
            (BETS, HIGHEST_AGAIN),
        ),
    ),
    # A third move is more than the rules can bear.
    "breaking_off": Fault(
        "kuhn", "end", '(raise IndexError("no such move")): IndexError: no such move',
        (("    s.moves += 1\n", '    if s.moves == 2:\n        raise IndexError("no such move")\n    s.moves += 1\n'),),
    ),
    # How often anybody has raised is kept beside the position.
    "changing_past": Fault(
        "leduc", "copies", "changed the state's legal actions",
        (
            ("s.paid[0] = s.paid[1] = 1\n", "s.paid[0] = s.paid[1] = 1\n    raised[0] = 0\n"),
            ("s.raises += 1\n", "s.raises += 1\n        raised[0] += 1\n"),
            ("s.raises < MOST_RAISES", "raised[0] < 2"),
        ),
        "\nraised = [0]\n",
    ),
    "citing_nothing": Fault("kuhn", "clauses", "cites 'KU-99'", (('"KU-7"', '"KU-99"'),)),
    # Who passes to the right is told by a value of another option.
    "comparing_options": Fault(
        "sampler", "options", "compares passes with LEAVES, a value of the option broke",
        (("s.passes == RIGHT", "s.passes == LEAVES"),),
    ),
    "hiding_something": Fault("kuhn", "open", "HIDES_NOTHING, but is not told hand", (), "\nHIDES_NOTHING = True\n"),
    # The table is hushed only while somebody is asked about the comet.
    "hush_that_tells": Fault(
        "sampler", "asked", "who is asked reveals what the player must not know: a hushed question / nobody, and at",
        (("    return s.stage == ASKING\n", "    return s.asked > 0\n"),),
    ),
    # Who is dealt which card is said aloud.
    "leaking_deal": Fault("leduc", "alongside", "events: ", (('whisper(to, "LE-5"', 'note(to, "LE-5"'),)),
    # Everybody hears that somebody keeps the comet quiet.
    "leaking_event": Fault("sampler", "alongside", "(SA-10 keeps)", (('whisper(to, "SA-10"', 'note(to, "SA-10"'),)),
    # Everybody hears which secret mark was made; and a mark is made in sight of all, so nobody could follow the game
    # with another one.
    "leaking_in_an_option": Fault(
        "honest_marks", "events", "yet the player must not tell these apart",
        (('whisper(to, "KU-7"', 'note(to, "KU-7"'),),
    ),
    # What a player must not do now depends on what the other holds.
    "leaking_refusal": Fault(
        "kuhn", "swap", "refusals: ", (),
        """
honest_refuse = refuse


def refuse(s, me, a):
    return "KU-7" if s.hand[1 - me] == 3 else honest_refuse(s, me, a)
""",
    ),
    # The card of whoever talks first is told to everybody.
    "leaking_view": Fault(
        "sampler", "swap", "must not know: hand[0]=",
        ((TALKERS, f'{TALKERS}    if s.stage == BETTING:\n        tell(to, "hand", 0, s.hand[0])\n'),),
    ),
    # After a pass and a bet there is nothing to choose.
    "leaving_no_choice": Fault(
        "kuhn", "swap", "broke off after 4 steps: seat 0 is to act and may choose nothing", (),
        """
honest_legal = legal


def legal(s, me, acts):
    return 0 if s.moves == 2 else honest_legal(s, me, acts)
""",
    ),
    # The card on the board may be one that somebody holds.
    "lost_card": Fault("leduc", "conservation", "cards were dealt: hands", ((" | 1 << s.hand[1] | 1 << s.board", ""),)),
    # Whoever passes the comet pays a coin to nobody.
    "lost_coin": Fault(
        "sampler", "conservation", "coins and",
        (('"keeps", me)\n', '"keeps", me)\n        if s.coins[me] > 0:\n            s.coins[me] -= 1\n'),),
    ),
    "merging_names": Fault(
        "leduc", "writers", "the JSON merges",
        (('"hand": one_of(("none", *CARDS)', '"hand": one_of(("none", *(card[0] for card in CARDS))'),),
    ),
    # A bet of nothing and a bet that is not told look the same in a tensor.
    "merging_tensor": Fault(
        "sampler", "writers", "the tensor merges",
        (
            ("seats=True, optional=True)", "seats=True)"),
            (TALKERS, f'{TALKERS}    for p in range(s.players * (s.stage == 0)):\n        tell(to, "bet", p, 0)\n'),
        ),
    ),
    # A counter goes below zero: the interpreted rules do not mind, the compiled ones count on from 255.
    "narrow_field": Fault(
        "kuhn", "bindings", "(compiled / interpreted): nerve 255 / -1",
        (
            ("    moves: int = number()", "    nerve: int = number()\n    moves: int = number()"),
            ("    s.moves += 1\n", "    s.moves += 1\n    if a == PASS:\n        s.nerve -= 1\n"),
        ),
    ),
    # A card that is dealt goes back into the pack: chance is asked for ever, and no player is.
    "never_asking": Fault("kuhn", "end", "nobody is asked", (("    s.hand[s.dealt] = k + 1\n    s.dealt += 1\n", ""),)),
    # Who passes after a pass is asked again.
    "never_ending": Fault(
        "kuhn", "end", "is not over", (), "\n\ndef apply(s, me, a, to):\n    s.moves = (s.moves + 1) % 2\n"
    ),
    # Who bet last talks first.
    "order_of_arrival": Fault(
        "sampler", "order", "shows in the position",
        (("            reveal(s, to)\n    elif", "            reveal(s, to)\n            s.turn = me\n    elif"),),
    ),
    # Who has denied red may be dealt red.
    "redeal_against_play": Fault(
        "sampler", "odds", "deals what is impossible",
        (("                    fits = False\n", "                    pass\n"),),
    ),
    # A player's own card is dealt anew too.
    "redeal_against_the_view": Fault(
        "kuhn", "redeal", "told apart from the real one",
        (("        if s.hand[p] == 0:\n", "        if s.stage == BETTING:\n"),),
    ),
    # A hidden card is never the king.
    "redeal_never_dealing": Fault(
        "leduc", "odds", "never deals what is possible", (("draw(rng, chance(s))", "draw(rng, chance(s) & 0b001111)"),)
    ),
    # What a redeal deals is written by an object, which nobody can follow: a secret 0 would pass for known.
    "redeal_past_following": Fault(
        "honest_secret_mark", "undo", "redeal uses DEALER, which cannot be followed", (),
        """

class Dealer:
    def __init__(self, deal):
        self.deal = deal

    def __call__(self, s, me, rng):
        self.deal(s, me, rng)


DEALER = Dealer(redeal)


def redeal(s, me, rng):
    DEALER(s, me, rng)
""",
    ),
    # Every kind of card that is left is dealt as often as any other, however many copies there are.
    "redeal_with_wrong_odds": Fault("sampler", "odds", "with wrong odds", ((DEALS_BY_COPIES, DEALS_BY_KINDS),)),
    # Nothing forbids to fold where there is nothing to fold to.
    "refusing_without_reason": Fault(
        "leduc", "clauses", "'fold' is refused by ''", (('return "LE-12" if', 'return "" if'),)
    ),
    "same_names": Fault(
        "leduc", "chance", "names of outcomes are not unique", (),
        "\n\ndef outcome_name(s, k):\n    return CARDS[k][0]\n",
    ),
    # With the jack against the king, and two bets, a showdown settles nothing: few random games show it.
    "seldom_ending": Fault(
        "kuhn", "end", "is not over",
        (("    elif s.paid", "    elif s.paid == [2, 2] and s.hand == [1, 3]:\n        s.moves = 0\n    elif s.paid"),),
    ),
    # A player may only bet if the other does not hold the king.
    "telling_cards_in_actions": Fault(
        "kuhn", "legal", "legal elsewhere, where the player knows the same", (),
        """

def legal(s, me, acts):
    acts[0], acts[1] = PASS, BET
    return 1 if s.hand[1 - me] == 3 else 2
""",
    ),
    "too_big_to_store": Fault(
        "kuhn", "conservation", "stakes = 300 does not fit in u1",
        (
            ("    moves: int = number()", "    stakes: int = number()\n    moves: int = number()"),
            ("        s.paid[me] = 2\n", "        s.paid[me] = 2\n        s.stakes = 300\n"),
        ),
    ),
    # A card that is gone can still be drawn, with no chance.
    "wrong_chance": Fault(
        "sampler", "chance", "outcomes with no chance: [0]", (("if weight(s, k) > 0:", "if k < 3:"),)
    ),
}  # fmt: skip


def write(home: Path, base: str, rules: Changes = (), more: str = "", invariants: Changes = ()) -> None:
    """Write the folder of a game with some changes, where it is found by its name, and register it."""
    source = "sampler" if base == "sampler" else f"parlour.games.{base}"
    with resources.as_file(resources.files(source)) as folder:
        shutil.copytree(folder, home, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for name, changes, end in (("rules.py", rules, more), ("invariants.py", invariants, "")):
        text = (home / name).read_text("utf-8")
        for before, after in changes:
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        (home / name).write_text(text + end, "utf-8")
    importlib.invalidate_caches()
    parlour.register(home.name)


def plant(name: str, folder: Path) -> str:
    """Make a game of a variant, honest or not; its id, or that of a game which is there as it is."""
    if name in ("kuhn", "leduc", "sampler"):
        return name
    fault = FAULTS.get(name, Fault(name, "", ""))
    honest = HONEST[fault.honest]
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    home = folder / f"planted_{name}"
    write(home, honest.base, honest.rules + fault.rules, honest.more + fault.more, honest.invariants)
    return home.name
