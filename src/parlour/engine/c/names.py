"""Names with the same meaning in every program: the functions of ``prelude.h``, mathematics, and reserved names of
C."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import parlour.rules.vocabulary as vocabulary
from parlour.engine import hashing, vectors
from parlour.engine.c.kinds import REAL, WHOLE, WORD, Kind


class PreludeFunction(NamedTuple):
    """A function of ``prelude.h``.  ``takes``: the kind of each argument, ``None`` for a vector; ``changes``: whether
    it changes anything; ``natural``: its result is never negative; ``each_code``: there is one function for each code
    of its vectors."""

    c: str
    takes: tuple[Kind | None, ...]
    gives: Kind | None
    changes: bool = False
    natural: bool = False
    each_code: bool = False


class _Owns(dict[str, PreludeFunction]):
    """Functions of ``prelude.h`` by name; ``values_by_function``: those that replace a Python function of the same
    name."""

    values_by_function: dict[Callable[..., Any], PreludeFunction]


OWN = _Owns({
    own.c: own
    for own in (
        PreludeFunction("count", (WHOLE,), WHOLE, natural=True),
        PreludeFunction("lowest", (WHOLE,), WHOLE, natural=True),
        PreludeFunction("nth", (WHOLE, WHOLE), WHOLE, natural=True),
        PreludeFunction("below", (None, WHOLE), WHOLE, changes=True, natural=True),
        PreludeFunction("seeded", (WORD, WHOLE), WORD),
        PreludeFunction("fold", (WORD, WORD), WORD),
        PreludeFunction("deed_fact", (WHOLE,), WORD),
        PreludeFunction("word", (WORD,), WORD),
        PreludeFunction("slot", (WORD, WHOLE), WHOLE, natural=True),
        PreludeFunction("read_shared", (None, WHOLE), WHOLE, changes=True),
        PreludeFunction("swap_shared", (None, WHOLE, WHOLE), WHOLE, changes=True),
        PreludeFunction("add_shared", (None, WHOLE, WHOLE), WHOLE, changes=True),
        PreludeFunction("add_scaled", (None, WHOLE, None, WHOLE, REAL, WHOLE), None, changes=True),
        PreludeFunction("product", (None, WHOLE, None, WHOLE, WHOLE), REAL),
        PreludeFunction("next_entry", (None, WHOLE, WHOLE), WHOLE, natural=True, each_code=True),
        PreludeFunction("next_difference", (None, None, WHOLE, WHOLE), WHOLE, natural=True, each_code=True),
    )
})  # fmt: skip
OWN.values_by_function = {
    getattr(module, name): own
    for module in (vocabulary, hashing, vectors)
    for name, own in OWN.items()
    if hasattr(module, name)
}

MATHEMATICS: dict[Any, int] = {
    **dict.fromkeys((math.sqrt, math.log, math.log2, math.exp, math.erf, math.fabs, math.sin, math.cos), 1),
    math.pow: 2,
}
"""Functions of C that Python has by the same names, and how many arguments they take."""

_MEANT_IN_C = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
    typeof unix linux i64 u64 lanes EXPORT UNLIKELY ALWAYS COLD AT IN GOLD TOLD SEED STOPPED INFINITY position
    tensor_row main wrong mistake checked checked_in from_end floor_div floor_mod checked_div checked_mod natural_div
    natural_mod divided whole least most least_word most_word least_real most_real mix event_fact told_number
    told_set turned turned_set write_set ONE eight_bits four_bits eight_here four_here
    eight_f32 four_f64 eight_f32_here four_f64_here differing_f32 differing_f64 DIFFERING SEARCHED
    sqrt log log2 exp erf fabs sin cos pow floor ceil rint memset memcpy copy clear copy_items FILL EACH KERNEL
    REGISTER this_thread all_threads list_event
"""
_KEPT = frozenset(_MEANT_IN_C.split()) | OWN.keys()


def c_name(name: str) -> str:
    """A Python name in C; a name that C uses for something else gets an underscore.

    >>> c_name("hand"), c_name("short")
    ('hand', 'short_')
    """
    return f"{name}_" if name in _KEPT or name.endswith("_") else name
