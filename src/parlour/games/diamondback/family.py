"""One hand of Diamondback with few coins, for study."""

from parlour.engine.families import Member


def _coins(coins: int, version: str, value: tuple[float, float]) -> Member:
    options: dict[str, int | str] = {"deals": 1, "version": version, "start_coins": coins, "first_dealer": 0}
    about = f"{coins} coins each, {'Dealer’s Diamondback' if version == 'dealers' else 'standard'}"
    after = ("ante 10",) if version == "dealers" else ()
    return Member(about, {}, options, value, after, True, "docs/results/diamondback.md")


FAMILY = {
    "4": _coins(4, "standard", (0.0, 0.0)),
    "16": _coins(16, "standard", (0.0, 0.0)),
    "100": _coins(100, "standard", (0.0, 0.0)),
    "dealers-12": _coins(12, "dealers", (0.3203, 0.3242)),
    "dealers-50": _coins(50, "dealers", (3.4882, 3.4918)),
    "dealers-100": _coins(100, "dealers", (4.7391, 4.7457)),
}
