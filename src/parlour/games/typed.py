"""The games of the shelf, held against the contract.  A type checker reads this; nothing imports it.

Written by ``make docs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from parlour.games.commit import heuristic as commit_heuristic
    from parlour.games.commit import hidden as commit_hidden
    from parlour.games.commit import rules as commit_rules
    from parlour.games.diabolo import advice as diabolo_advice
    from parlour.games.diabolo import heuristic as diabolo_heuristic
    from parlour.games.diabolo import hidden as diabolo_hidden
    from parlour.games.diabolo import rules as diabolo_rules
    from parlour.games.diamondback import advice as diamondback_advice
    from parlour.games.diamondback import heuristic as diamondback_heuristic
    from parlour.games.diamondback import hidden as diamondback_hidden
    from parlour.games.diamondback import rules as diamondback_rules
    from parlour.games.diamonds import advice as diamonds_advice
    from parlour.games.diamonds import heuristic as diamonds_heuristic
    from parlour.games.diamonds import rules as diamonds_rules
    from parlour.games.dividha import advice as dividha_advice
    from parlour.games.dividha import heuristic as dividha_heuristic
    from parlour.games.dividha import hidden as dividha_hidden
    from parlour.games.dividha import rules as dividha_rules
    from parlour.games.hearts import heuristic as hearts_heuristic
    from parlour.games.hearts import rules as hearts_rules
    from parlour.games.kuhn import rules as kuhn_rules
    from parlour.games.leduc import rules as leduc_rules
    from parlour.games.matrimony import heuristic as matrimony_heuristic
    from parlour.games.matrimony import rules as matrimony_rules
    from parlour.games.newmarket import advice as newmarket_advice
    from parlour.games.newmarket import heuristic as newmarket_heuristic
    from parlour.games.newmarket import rules as newmarket_rules
    from parlour.games.pope_joan import heuristic as pope_joan_heuristic
    from parlour.games.pope_joan import rules as pope_joan_rules
    from parlour.rules.contract import (
        Advised,
        Chance,
        Derived,
        Hidden,
        Hushed,
        Imagined,
        Options,
        Outcomes,
        Reduced,
        Rules,
        Sealed,
        Sensible,
        Several,
        Silence,
        Tickets,
        Weights,
    )

    class CommitHeuristic(Sensible, Protocol): ...

    commit_heuristic_fulfils: CommitHeuristic = commit_heuristic

    class CommitHidden(Hidden, Derived, Protocol): ...

    commit_hidden_fulfils: CommitHidden = commit_hidden

    class CommitRules(Rules, Chance, Outcomes, Sealed, Hushed, Silence, Several, Imagined, Protocol): ...

    commit_rules_fulfils: CommitRules = commit_rules

    class DiaboloAdvice(Imagined, Protocol): ...

    diabolo_advice_fulfils: DiaboloAdvice = diabolo_advice

    class DiaboloHeuristic(Sensible, Protocol): ...

    diabolo_heuristic_fulfils: DiaboloHeuristic = diabolo_heuristic

    class DiaboloHidden(Hidden, Derived, Protocol): ...

    diabolo_hidden_fulfils: DiaboloHidden = diabolo_hidden

    class DiaboloRules(
        Rules, Options, Chance, Outcomes, Weights, Tickets, Sealed, Hushed, Silence, Several, Protocol
    ): ...

    diabolo_rules_fulfils: DiaboloRules = diabolo_rules

    class DiamondbackAdvice(Advised, Imagined, Reduced, Protocol): ...

    diamondback_advice_fulfils: DiamondbackAdvice = diamondback_advice

    class DiamondbackHeuristic(Sensible, Protocol): ...

    diamondback_heuristic_fulfils: DiamondbackHeuristic = diamondback_heuristic

    class DiamondbackHidden(Hidden, Derived, Protocol): ...

    diamondback_hidden_fulfils: DiamondbackHidden = diamondback_hidden

    class DiamondbackRules(Rules, Options, Chance, Weights, Tickets, Sealed, Silence, Several, Protocol): ...

    diamondback_rules_fulfils: DiamondbackRules = diamondback_rules

    class DiamondsAdvice(Advised, Imagined, Protocol): ...

    diamonds_advice_fulfils: DiamondsAdvice = diamonds_advice

    class DiamondsHeuristic(Sensible, Protocol): ...

    diamonds_heuristic_fulfils: DiamondsHeuristic = diamonds_heuristic

    class DiamondsRules(Rules, Chance, Outcomes, Sealed, Several, Hidden, Derived, Protocol): ...

    diamonds_rules_fulfils: DiamondsRules = diamonds_rules

    class DividhaAdvice(Advised, Imagined, Protocol): ...

    dividha_advice_fulfils: DividhaAdvice = dividha_advice

    class DividhaHeuristic(Sensible, Protocol): ...

    dividha_heuristic_fulfils: DividhaHeuristic = dividha_heuristic

    class DividhaHidden(Hidden, Derived, Protocol): ...

    dividha_hidden_fulfils: DividhaHidden = dividha_hidden

    class DividhaRules(Rules, Options, Chance, Outcomes, Sealed, Silence, Several, Protocol): ...

    dividha_rules_fulfils: DividhaRules = dividha_rules

    class HeartsHeuristic(Sensible, Protocol): ...

    hearts_heuristic_fulfils: HeartsHeuristic = hearts_heuristic

    class HeartsRules(Rules, Chance, Sealed, Several, Hidden, Protocol): ...

    hearts_rules_fulfils: HeartsRules = hearts_rules

    class KuhnRules(Rules, Chance, Sealed, Hidden, Protocol): ...

    kuhn_rules_fulfils: KuhnRules = kuhn_rules

    class LeducRules(Rules, Chance, Sealed, Hidden, Protocol): ...

    leduc_rules_fulfils: LeducRules = leduc_rules

    class MatrimonyHeuristic(Sensible, Protocol): ...

    matrimony_heuristic_fulfils: MatrimonyHeuristic = matrimony_heuristic

    class MatrimonyRules(Rules, Options, Chance, Sealed, Several, Hidden, Derived, Advised, Imagined, Protocol): ...

    matrimony_rules_fulfils: MatrimonyRules = matrimony_rules

    class NewmarketAdvice(Advised, Imagined, Protocol): ...

    newmarket_advice_fulfils: NewmarketAdvice = newmarket_advice

    class NewmarketHeuristic(Sensible, Protocol): ...

    newmarket_heuristic_fulfils: NewmarketHeuristic = newmarket_heuristic

    class NewmarketRules(Rules, Options, Chance, Sealed, Several, Hidden, Derived, Protocol): ...

    newmarket_rules_fulfils: NewmarketRules = newmarket_rules

    class PopeJoanHeuristic(Sensible, Protocol): ...

    pope_joan_heuristic_fulfils: PopeJoanHeuristic = pope_joan_heuristic

    class PopeJoanRules(
        Rules, Options, Chance, Outcomes, Sealed, Hushed, Silence, Several, Hidden, Derived, Imagined, Protocol
    ): ...

    pope_joan_rules_fulfils: PopeJoanRules = pope_joan_rules
