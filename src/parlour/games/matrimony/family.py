"""Whole matches of Matrimony with few counters, for study."""

from parlour.engine.families import Member


def _counters(each: int, value: float) -> Member:
    options = {"start_counters": each, "first_dealer": 0}
    about = f"{each} counters each, a whole match"
    return Member(about, {}, options, (value, value), source="docs/results/matrimony.md")


FAMILY = {"2": _counters(2, -0.65080), "4": _counters(4, -0.05672), "7": _counters(7, -0.04186)}
