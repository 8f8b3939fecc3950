"""Strengths of bots, in words for people: three strengths and a best one, and an unbeatable one if the game has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parlour.base.languages import either, marked
from parlour.players.nets import learned_with

if TYPE_CHECKING:
    from parlour.engine.definition import Definition


class Strength(NamedTuple):
    """A strength that people can choose: the kind of player, a name, and a sentence that describes such a bot."""

    kind: str
    name: str
    about: str


def strengths(game: Definition) -> list[Strength]:
    """The strengths of a game's bots, weakest first.

    >>> from parlour.engine.definition import definition
    >>> [one.name for one in strengths(definition("diamonds"))]
    ['Beginner', 'Casual', 'Trained', 'Thoughtful', 'Expert']
    >>> [one.name for one in strengths(definition("kuhn"))]
    ['Beginner', 'Thoughtful']
    """
    found = [Strength("random", "Beginner", "Plays anything the rules allow, at random.")]
    if game.has("appraise"):
        found.append(Strength("rule-of-thumb", "Casual", "Plays quickly, by a few sound rules of thumb."))
    if counts := learned_with(game):
        about = marked(
            "Plays at once, as it has learned from playing against itself. For {players} players.",
            players=either(list(map(str, counts))),
        )
        found.append(Strength("learned", "Trained", about))
    found.append(Strength("search", "Thoughtful", "Thinks about each move, and imagines thousands of games first."))
    if game.has("appraise"):
        found.append(Strength("best", "Expert", _at_best(game)))
    if game.part("unbeatable"):
        found.append(
            Strength(
                "unbeatable",
                "Unbeatable",
                "Nobody beats it in the long run: plays a solution of the game. For two players, with usual wagers.",
            )
        )
    return found


def _at_best(game: Definition) -> str:
    """The sentence that describes the best bot."""
    if game.part("unbeatable"):
        return (
            "The strongest at every table: plays a solution where there is one, and elsewhere as well as it knows how."
        )
    if game.part("endings"):
        return (
            "The strongest there is: imagines games that are played as well as it knows how, and plays endings without"
            " a mistake."
        )
    return "The strongest there is: imagines games that are played as well as it knows how."


def usual(game: Definition) -> str:
    """The default kind of bots.

    >>> from parlour.engine.definition import definition
    >>> usual(definition("diamonds")), usual(definition("kuhn"))
    ('rule-of-thumb', 'random')
    """
    return "rule-of-thumb" if game.has("appraise") else "random"
