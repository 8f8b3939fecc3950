"""Smaller decks of Dividha, for study."""

from parlour.engine.families import Member

EIGHT = {"PACK": ((1 << 8) - 1,) * 8, "EACH": 1, "MOST_TRADED": 1, "PLAYERS": range(2, 3)}
"""God, Satan, the five aces and a king; one card to each player in a deal, and one may be traded."""


def _eight(coins: int, value: tuple[float, float], *, trade: bool = False) -> Member:
    rounds = {} if trade else {"rounds": "three_no_trade"}
    about = f"Eight cards, {coins} coins each, {'one trade' if trade else 'no trade'}"
    return Member(about, EIGHT, {"deals": 1, "starting_coins": coins, **rounds}, value, after=("seat 0",))


FAMILY = {
    "8x2": _eight(2, (0.0, 0.0)),
    "8x3": _eight(3, (-0.0160, -0.0151)),
    "8x4": _eight(4, (-0.0007, 0.0001)),
    "8x2-trade": _eight(2, (0.0, 0.0), trade=True),
    "24x20": Member(
        "24 cards, 20 coins each",
        {"PACK": ((1 << 24) - 1,) * 8, "PLAYERS": range(2, 3)},
        {"deals": 1, "starting_coins": 20},
    ),
}
