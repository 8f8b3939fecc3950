"""The games of the shelf, held against the contract.  A type checker reads this; nothing imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from parlour.contract import Chance, Derived, Hidden, Options, Rules, Sealed, Searched, Several, Weights
    from parlour.shelf.diamondback import advice as diamondback_advice
    from parlour.shelf.diamondback import hidden as diamondback_hidden
    from parlour.shelf.diamondback import rules as diamondback_rules
    from parlour.shelf.hearts import rules as hearts_rules
    from parlour.shelf.kuhn import rules as kuhn_rules
    from parlour.shelf.leduc import rules as leduc_rules

    class Poker(Rules, Chance, Hidden, Protocol): ...

    class Hearts(Rules, Chance, Sealed, Several, Hidden, Protocol): ...

    class Diamondback(Rules, Options, Chance, Weights, Sealed, Several, Protocol): ...

    class Knowledge(Hidden, Derived, Protocol): ...

    kuhn: Poker = kuhn_rules
    leduc: Poker = leduc_rules
    hearts: Hearts = hearts_rules
    diamondback: tuple[Diamondback, Knowledge, Searched] = diamondback_rules, diamondback_hidden, diamondback_advice
