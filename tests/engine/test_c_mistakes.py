"""What an author is told whose rules cannot be made C of, before any compiler runs: where, the line itself, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.base.errors import CompilationError
from parlour.engine.c.program import translated
from parlour.engine.kernels.bulk import play_many
from tests.helpers import Planter

FIRST = "    s.moves += 1\n    if a == BET:"  # in `move`
MISTAKES = {
    "a misspelt field": ("s.mves += 1", "the position has no field 'mves'"),
    "a misspelt field that is set": ("s.mves = 1", "the position has no field 'mves'"),
    "an unknown clause": ('note(to, "KU-77", "bets", me)', "unknown clause 'KU-77'"),
    "an unknown event": ('note(to, "KU-7", "best", me)', "unknown event 'best'"),
    "an event that is worked out": ('note(to, "KU-7", CARDS[me], me)', "the event must be a text that stands here"),
    "an unknown thing": ('tell(to, "hands", 0, 1)', "unknown thing 'hands'"),
    "an unknown name": ("s.moves += ONE", "ONE is not defined"),
    "a name of another module": ("s.moves += math.one", "math has no one"),
    "a list": ("x = [1, 2]", "a list cannot be part of compiled rules"),
    "a table of words": ("s.moves += TABLE[1]", "TABLE is a dict, which compiled rules cannot use here"),
    "a comprehension": ("s.moves += sum(p for p in range(2))", "a generator cannot be part of compiled rules"),
    "a fraction in a field": ("s.paid[me] = 2 / 1", "s.paid[me] holds whole numbers, not a float"),
    "a fraction added to a field": ("s.moves += 0.5", "s.moves holds whole numbers, not a float"),
    "a text in a field": ('s.paid[me] = "2"', "s.paid[me] holds numbers, not a text"),
    "nothing in a field": ("s.paid[me] = None", "s.paid[me] holds numbers, not None"),
    "too large a number": ("s.moves = 256", "s.moves holds 0 to 255, not 256"),
    "a negative number": ("s.moves = -1", "s.moves holds 0 to 255, not -1"),
    "a list of another's": ("s.paid = s.hand", "s.paid is a list of 2 numbers: set one after the other"),
    "too many arguments": ("whose_turn(s, 2)", "whose_turn takes 1 argument (s), not 2"),
    "too few arguments": ("winner()", "winner takes 1 argument (s); s is missing"),
    "an unknown argument": ("whose_turn(s, by=1)", "whose_turn has no argument by; it takes 1 argument (s)"),
    "too many for a primitive": ("s.moves += count(1, 2)", "count takes 1 argument, not 2"),
    "too few for a note": ('note(to, "KU-7", "bets")', "note takes 4 to 6 arguments (to, clause, event, who,"),
    "an argument by name": ("s.moves += max(1, 2, key=count)", "max takes no argument by name"),
    "a name not set": ("s.moves += more", "more is used here and may not have been set"),
    "a name set in one way only": ("s.moves += once", "once is used here and may not have been set"),
    "two kinds of one name": ("x = 3", "x cannot be a position in one place and a whole number in another"),
    "a function of Python": ("print(s.moves)", "print is a function of Python's, which compiled rules cannot call"),
    "a method": ("s.paid.append(1)", "s.paid.append cannot be called in compiled rules"),
    "a number that is called": ("s.moves += a(1)", "a is a whole number, and cannot be called"),
    "recursion": ("again(s)", "again calls itself, which compiled rules cannot do"),
    "a generator": ("each(s)", "each is a generator, which compiled rules cannot call"),
    "a slice": ("s.moves += s.paid[0:1]", "compiled rules cannot take a slice: write a loop over the indices"),
    "an index that is not there": ("s.moves += s.paid[2]", "s.paid has 2 entries, and no [2]"),
    "a fraction as index": ("s.moves += s.paid[0.5]", "0.5 is a float, not an index"),
    "division by zero": ("s.moves //= 0", "division by zero"),
    "bits of a fraction": ("s.moves += 1.5 << 1", "<< works on whole numbers, not on a float"),
    "a loop over a number": ("for p in a: s.moves += 1", "a loop goes over range(...), members(...) or a list"),
    "an error that is caught": ("try: s.moves += 1\n    finally: pass", "`try:` cannot be part of compiled rules"),
    "a text": ('s.moves += len(f"{a}")', "a text cannot be part of compiled rules"),
}  # fmt: skip
"""What is written in the rules, and what their author is told."""
BEFORE = {
    "a name not set": f"    if a == PASS:\n        {{line}}\n    more = 1\n{FIRST}",
    "a name set in one way only": f"    if a == PASS:\n        once = 1\n    {{line}}\n{FIRST}",
    "two kinds of one name": f"    x = s\n    {{line}}\n{FIRST}",
}
MORE = """
TABLE = {1: 1}
import math
from typing import Any
from parlour.rules.vocabulary import count, tell


def again(s: Any) -> int:
    return again(s)


def each(s: Any) -> Any:
    yield s.moves
"""


@pytest.mark.parametrize("mistake", [*MISTAKES])
def test_an_authors_mistake_is_one_sentence(plant: Planter, mistake: str) -> None:
    line, told = MISTAKES[mistake]
    text = BEFORE.get(mistake, f"    {{line}}\n{FIRST}").format(line=line)
    game = plant(
        f"planted_c_{[*MISTAKES].index(mistake)}", (FIRST, text), ("PASS, BET = 0, 1", f"PASS, BET = 0, 1\n{MORE}")
    )
    with pytest.raises(CompilationError) as failed:
        translated(game.definition, [play_many])
    sentence = str(failed.value)
    if mistake != "recursion":
        line = line.splitlines()[0]
        lines = Path(game.definition.modules[0].__file__ or "").read_text().splitlines()
        number = next(i for i, one in enumerate(lines, 1) if one.strip() == line)
        assert f"rules.py, line {number} ({line}): " in sentence
    assert told in sentence
    hint = "compiled rules are made of whole numbers, fields of the position, loops and ifs (docs/adding_a_game.md)."
    is_misspelt = told.startswith(("unknown", "the position has no", "math has no"))
    assert sentence.endswith(f"{told}." if is_misspelt else hint)
    assert "\n" not in sentence
