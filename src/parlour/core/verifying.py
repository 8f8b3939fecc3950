"""Verifying a record: its cards follow from the secret and the players' nonces, and its chain holds
(``docs/fair_deal.md``, 7 and 9)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.core.chain import Chained, check
from parlour.core.fair_deal import commitment
from parlour.core.ledger import fair_outcome
from parlour.core.records import replay
from parlour.rules.vocabulary import CHANCE

__all__ = ["Verdict", "verify"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of verifying a record: whether the secret matches the commitment; how many chance nodes there are; the
    first with a wrong outcome, if any: its number, the outcome in the record, the right outcome; from which deal
    (counted from 1) each seat's nonces affect the cards; whether the match is finished; the record's chain, if it has
    one."""

    fits: bool
    nodes: int
    wrong: tuple[int, str, str] | None
    contributed: Mapping[int, int]
    is_whole: bool
    chain: Chained | None

    @property
    def is_fair(self) -> bool:
        """Whether everything that can be checked is correct."""
        return self.fits and self.wrong is None and (self.chain is None or self.chain.holds)

    def in_words(self, record: str, names: Sequence[str]) -> list[str]:
        """Return the verdict in words for people; ``names``: the players' names."""
        said = ["The secret fits the commitment." if self.fits else "The secret does NOT fit the commitment."]
        if self.wrong is None:
            said.append(
                marked(
                    "All {nodes} cards and other chances fell as the secret and the players' numbers say.",
                    nodes=self.nodes,
                )
            )
        else:
            node, stands, follows = self.wrong
            line = _line_of(record, "chance", node)
            said.append(
                marked(
                    "Line {number}: {stands!r} happened, but the secret and the players' numbers give {follows!r}.",
                    number=line,
                    stands=stands,
                    follows=follows,
                )
            )
        if not self.is_whole:
            said.append("The record is UNFINISHED: it ends before the match does, or somebody has cut it off.")
        for seat, deal in sorted(self.contributed.items()):
            name = names[seat]
            said.append(
                marked("{name} put a number in.", name=name)
                if deal == 1
                else marked("{name} put a number in from deal {deal} on.", name=name, deal=deal)
            )
        if not self.contributed:
            said.append("No player put a number in: the deal follows from the secret alone, which the server chose.")
        return [*said, *self._of_the_chain(record)]

    def _of_the_chain(self, record: str) -> list[str]:
        """Return in words what the chain proves, and what it cannot prove."""
        chain = self.chain
        if chain is None:
            return ["The record carries no chain, so nothing shows whether its moves and names were changed."]
        if chain.wrong is not None:
            line = _line_of(record, "link", chain.wrong)
            return [
                marked(
                    "Line {number}: the link does NOT follow from what stands above it,"
                    " so something was changed there.",
                    number=line,
                )
            ]
        said: list[str] = [
            marked(
                "All {n} links of its chain follow from the moves, names and house rules before them.",
                n=len(chain.links),
            )
        ]
        if chain.loose:
            said.append("The record does NOT end with its last link: what follows it is bound by nothing.")
        if not chain.names_fit:
            said.append("The names at the top are NOT those that the chain has.")
        unproven = "A server could have made another chain: only a link that you noted at the table shows it did not."
        return [*said, unproven]


def _line_of(record: str, kind: str, number: int) -> int:
    """Return the line number in a record of the line of this kind with this ``number``, counted from 0."""
    return [n for n, line in enumerate(record.split("\n"), 1) if re.match(rf"\s*{kind}\s*:", line)][number]


def verify(record: str) -> Verdict:
    """Check the deal of a whole record (§7) and its chain (§9); raises ``ParlourError`` if it cannot be checked.

    >>> import parlour
    >>> from parlour.core.fair_deal import new_deal
    >>> state = parlour.load("kuhn").new()
    >>> state.ledger.fair = new_deal(bytes(range(32)))
    >>> while not state.is_terminal:
    ...     state.apply(fair_outcome(state) if state.current_player == CHANCE else state.legal_actions()[0])
    >>> verdict = verify(state.record())
    >>> verdict.is_fair, verdict.nodes, verdict.is_whole
    (True, 2, True)
    """
    state = replay(record)
    fair = state.ledger.fair
    if fair is None:
        raise ParlourError(
            "The record has no commitment, so its deal cannot be checked: matches at a server's tables have one."
        )
    if fair.secret is None:
        raise ParlourError(
            "The record does not contain the secret of its deal; it is revealed when the match is over, if at all."
        )
    so_far, wrong, begins = state.game.new(), None, [0]  # begins: number of chance nodes before each deal
    so_far.ledger.fair = fair
    for step in state.history:
        if step.player == CHANCE:
            expected = so_far.name_of(fair_outcome(so_far))
            if wrong is None and step.name != expected:
                wrong = so_far.ledger.nodes, step.name, expected
        so_far.apply(step.action, None if step.player == CHANCE else step.player)
        begins += [so_far.ledger.nodes] * (len(so_far.deals) + 1 - len(begins))
    contributed: dict[int, int] = {}
    for mixing in fair.mixings:
        for seat in mixing.nonces:
            contributed.setdefault(seat, sum(first <= mixing.node for first in begins))
    fits, chain = commitment(fair.secret) == fair.commitment, check(state, fair.secret)
    return Verdict(fits, state.ledger.nodes, wrong, contributed, state.is_terminal, chain)
