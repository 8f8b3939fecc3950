"""Smaller decks of Diabolo, for study: two players, and a round is worth the difference in points."""

from parlour.engine.families import Member
from parlour.games.diabolo.bags import ONE


def _smaller(colours: int, values: int, hand: int, row: int, side: int, value: tuple[float, float] | None) -> Member:
    cards = [5 * colour + k for colour in range(colours) for k in range(values)]
    constants = {"ALL": sum(ONE[k] for k in cards), "CARDS_IN_ALL": len(cards), "HAND": hand, "ROW": row, "SIDE": side}
    about = f"{len(cards)} cards of {colours} colours, hands of {hand}, rows of {row}"
    options: dict[str, int | str] = {"deals": 1, "two_players": "on", "first_dealer": 0}
    return Member(about, {**constants, "APART": 1, "PLAYERS": range(2, 3)}, options, value)


FAMILY = {
    "6": _smaller(2, 3, 1, 2, 1, (-1.7282, -1.7276)),
    "8": _smaller(2, 4, 1, 2, 1, (-1.5429, -1.5422)),
    "25": _smaller(5, 5, 3, 3, 2, None),
}
