"""What Python may call in C: entries, and what they are given.

The drivers call the same thing by the same name nearly everywhere, so a name stands for a kind; where a driver means
something else by it, that is said beside the driver.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.engine.c import layout

if TYPE_CHECKING:
    from parlour.engine.definition import Definition


class Asked(NamedTuple):
    """An entry to be made: its name, the function, and the kind of each parameter, as
    :func:`parlour.engine.c.kinds.parsed` reads it, with ``?`` if it may be ``None``."""

    name: str
    function: types.FunctionType
    kinds: Mapping[str, str]


_BY_KIND = {
    "position[]": "S start positions bytes_after",
    "position": "s",
    "i64": "a afresh batches begin budget dives each end games hi helper how i k lo many me n often player reduced"
    " rounds simulations times total trust worlds",
    "word": "first first_seed",
    "real": "curious explore lasting lapses risk",
    "i8[]": "movers set_player",
    "u8[]": "settled done",
    "u8[,]": "mask raw",
    "i16[]": "acts actions counts",
    "i32[]": "path firsts index set_count set_parent",
    "i32[,]": "steps",
    "i64[]": "above alike at board chosen choices left lengths numbers outcomes pairs set_first taken tried used width"
    " who_at winners",
    "i64[,]": "blocks clauses ends moves seats sequence shapes stack table",
    "u64[]": "B dice keys rng set_glance set_key",
    "u64[,]": "keys_after memory rngs words",
    "u64[,,]": "memories",
    "f32[]": "row",
    "f32[,]": "X rewards rows",
    "f32[,,]": "last",
    "f64[]": "ahead before belief change edges expected firm layer matrix net notes odds out payoffs pays powers reach"
    " regrets rests score seen short squares sums totals worth",
    "f64[,]": "chances deals found layers nets scores told values",
    "f64[,,,]": "luck",
}
USUAL = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}
"""What a parameter is, by its name."""

_BATCH = {"acts": "i16[,]", "brought": "f32[,]", "keys": "u64[,]", "memories": "u64[,,]?", "last": "f32[,,]?"}
_GROWING = {"memory": "u64[,,]", "acts": "i16[,]", "first": "i64[]", "total": "i64[]", "deed": "i16[,]",
            "set_first": "i32[]"}  # fmt: skip
_SAMPLING = {"memory": "u64[,,]", "acts": "i16[,]", "first": "i64[]", "done": "i64", "deed": "i16[]"}
_ROLLING = {"counts": "i64[]", "brought": "f64[]"}
_CONTEST = {"words": "u64[,,]", "how": "i64[,]", "out": "f64[,]"}

ENTRIES: dict[str, dict[str, str]] = {
    **{"play_many": {}, "survey": {}, "copy_many": {}, "redeal": {}, "returns": {}},
    "survey_players": {},
    **{"play_keys": {"keys": "u64[,]"}, "trace": {"steps": "i64[,]"}},
    **{"begin_batch": _BATCH, "step_some": _BATCH, "work_on": _BATCH},
    **{"first_refused": {"acts": "i16[,]"}, "random_actions": {"acts": "i16[,]"}, "write_mask": {"acts": "i16[,]"}},
    **{"write_row": {}, "write_rows": {}, "play_rows": {}},
    **{"step_on": {}, "list_actions": {}, "weigh_outcomes": {"weights": "i64[]"}},
    **{"contest": _CONTEST, "contest_asking": {**_CONTEST, "tried": "i16[]"}},
    "practise": {"brought": "f64[]"},
    **{"search": {}, "imagine": {}},
    **{"look_ahead": _ROLLING, "by_itself": _ROLLING, "roll_out": _ROLLING, "contemplate": _ROLLING},
    **{"leader": _ROLLING, "standard_error": {"j": "i64"}},
    **{"follow": {"how": "i64[,]"}, "portray": {"X": "f32[,,]", "games": "i64[]"}},
    "study_others": {},
    **{"begin_growing": {"memory": "u64[,,]"}, "grow": _GROWING, "probe": {"found": "f64[]"}},
    "begin_classes": {"memory": "u64[,,]"},
    "grow_classes": {**_GROWING, "done": "i64[]", "weights": "i64[]", "bits": "i64[]"},
    **{"sample": _SAMPLING, "play_average": _SAMPLING},
}
"""Entries, each with the parameters that are not what they usually are."""


def asked(bound: Mapping[str, Any], game: Definition) -> Iterator[Asked]:
    """The entries of a game; ``bound``: what their names mean in it."""
    for name, special in ENTRIES.items():
        kinds = {**USUAL, **special}
        if name == "search":  # the words of a position are whole words where that goes
            kinds["words"] = "u8[,]" if layout.position_size(game) % layout.WORD else "u64[,]"
        function = bound[name]
        yield Asked(name, function, {parameter: kinds[parameter] for parameter in _parameters(function)})


def asked_for(functions: Iterable[Callable[..., Any]], by_kind: Mapping[str, str]) -> tuple[Asked, ...]:
    """Functions as entries of the same names.  ``by_kind``: for each kind the names of parameters, which may end with a
    number beyond that."""
    named = {name: kind for kind, names in by_kind.items() for name in names.split()}
    made = list[Asked]()
    for one in functions:
        assert isinstance(one, types.FunctionType)
        made.append(Asked(one.__name__, one, {name: named[name.rstrip("0123456789")] for name in _parameters(one)}))
    return tuple(made)


def _parameters(function: types.FunctionType) -> list[str]:
    return list(inspect.signature(function).parameters)
