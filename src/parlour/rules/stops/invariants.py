"""What the audit requires of every game of stops."""

from parlour.rules.stops.position import DEALING, OVER, PACK, Stops


def hide_hands(s: Stops, me: int) -> None:
    """Wipe the cards that ``me`` must not know: all hands while cards are dealt, then others', and those left over."""
    if s.stage < DEALING:
        return
    s.stock = 0
    for p in range(s.players):
        if s.stage == DEALING or (p != me and s.stage != OVER):
            s.hand[p] = 0


def check_cards(s: Stops, pack: int, dealt: int) -> str:
    """Every card of the pack is in one place, and nobody holds what they have said they lack; ``dealt``: how many cards
    the players got in all (0 while no hands are dealt)."""
    places = [s.stock, *s.hand[: s.players], *s.played[: s.players]]
    if sum(map(int.bit_count, places)) != pack.bit_count() or s.out != PACK & ~pack:
        return f"cards are lost or doubled: {places}, out {s.out}"
    union = 0
    for cards in places:
        union |= cards
    if union != pack:
        return f"other cards than those of the pack: {places}"
    if s.gone != sum(s.played[: s.players]) or s.run & ~s.gone:
        return f"gone {s.gone}, run {s.run}, played {s.played}"
    for p in range(s.players):
        if s.hand[p] & s.lacks[p]:
            return f"seat {p} holds {s.hand[p] & s.lacks[p]}, which he has said he lacks"
        place = (p - s.dealer - 1) % s.players
        wanted = dealt // s.players + (place < dealt % s.players)
        if dealt and s.stage > DEALING and s.hand[p].bit_count() + s.played[p].bit_count() != wanted:
            return f"seat {p} has not {wanted} cards"
    return ""
