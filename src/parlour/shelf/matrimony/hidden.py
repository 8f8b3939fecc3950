"""What follows from a player's knowledge in Matrimony: the cards that may come, and stakes that are not laid yet."""

from parlour.shelf.matrimony.position import DECK, SECRET, STAKING, Matrimony
from parlour.shelf.matrimony.stakes import begin_stake
from parlour.vocabulary import SEVERAL


def restore(s: Matrimony, me: int) -> None:
    s.unseen = DECK
    for p in range(s.players):
        s.unseen &= ~s.hand[p]
    if s.stage == STAKING and s.stake > 0 and s.stake_visibility == SECRET:
        s.at = SEVERAL


def redeal(s: Matrimony, me: int, rng: list[int]) -> None:
    """Of sealed stakes only the player's own is begun: the others' may just as well be chosen after it."""
    if s.stage == STAKING and s.at == SEVERAL:
        for p in range(s.players):
            if p != me:
                begin_stake(s, p, None)
