"""A game's cards, actions, sentences, refusals and clauses in the words of the pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache, partial
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup
from msgspec import structs

from parlour.base.languages import ENGLISH, and_list, current, npgettext, pgettext, speaking, translated, word
from parlour.base.languages.games import option_name
from parlour.core.drawing import Drawing
from parlour.core.game import Game, load
from parlour.core.refusals import refused_in_words
from parlour.engine.definition import Definition, definition, shelf
from parlour.engine.sentences import NUMBER
from parlour.players.characters import played_as
from parlour.players.kind import Kind
from parlour.players.strengths import strengths
from parlour.server.common import wire
from parlour.server.page import decks

CALLED: Final = frozenset(("the", "a", "no"))
"""The words after which a card needs no article."""
CARD: Final = "{card}"
"""Stands for the cards in the words for what a player did."""
_CODE: Final = re.compile(r"`(\w+)`")
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


def extra_deal(what: Definition, events: Iterable[str]) -> str:
    """Return what the last deal is called if it follows the deals and is not one of them, because it began with the
    event that ``extra`` in the game's words names. Return nothing if there is no such deal.

    >>> extra_deal(definition("newmarket"), ["pays", "run_off"]), extra_deal(definition("newmarket"), ["pays"])
    ('run-off', '')
    """
    event = str(what.words["game"].get("extra", ""))
    with speaking(what.language):
        return pgettext("game", event.replace("_", "-")) if event and event in events else ""


@lru_cache(maxsize=4096)
def sentence_of(language: str, game: str, names: tuple[str, ...], me: int, event: str, who: int, a: int, b: int) -> str:
    """Return the sentence of an event as seat ``me`` reads it (-1: a spectator), in a language."""
    text = in_words(game, definition(game).sentences.told(event, who, a, b, names, me if me >= 0 else None))
    return text[:1].upper() + text[1:]


class Earlier(wire.Sentence, frozen=True):
    """A sentence about what happened before the reader had their seat, in which they are not addressed."""

    @classmethod
    def of(cls, said: wire.Sentence) -> Earlier:
        """Return the same sentence, marked."""
        return cls(*structs.astuple(said))


@lru_cache(maxsize=4096)
def sentence_of_several(language: str, game: str, names: tuple[str, ...], event: str, a: int, b: int) -> str:
    """Return what is said of an event that happens to several players at once, with ``{who}`` for their names.

    >>> sentence_of_several("en", "commit", ("Ada", "Ben"), "fails", 0, 0)
    '{who} do not have the ace of clubs.'
    """
    return in_words(game, definition(game).sentences.told_of_several(event, a, b, names))


@lru_cache(maxsize=64)
def drawing(game: str) -> Drawing:
    """Return a game's drawing."""
    return Drawing(definition(game))


def in_words(game: str, text: str) -> str:
    """Return a text with its cards named in words.

    >>> in_words("diamonds", "Ada turns up C10 on pile 5.")
    'Ada turns up the ten of clubs on pile 5.'
    >>> in_words("diamondback", "Dan turns up the Queen.")
    'Dan turns up the Queen.'
    >>> in_words("commit", "Ben has no 5h either.")
    'Ben has no five of hearts either.'
    >>> in_words("diabolo", "The red row is positive.")
    'The red row is positive.'
    """
    with speaking(definition(game).language):
        return _in_words(current(), game, text)


@lru_cache(maxsize=4096)
def _in_words(language: str, game: str, text: str) -> str:
    cards = _cards_in(game)

    def named(found: re.Match[str]) -> str:
        titles = {card: decks.title(game, card) for card in _split(game, found[0])}
        if language != ENGLISH:
            return and_list([*titles.values()])
        before = found.string[: found.start()].split()[-1:]
        if before and before[0].casefold() in CALLED:
            return and_list([title.removeprefix("the ") for title in titles.values()])
        return and_list([title if _has_article(card, title) else f"the {title}" for card, title in titles.items()])

    return text if cards is None else cards.sub(named, text)


def _has_article(card: str, title: str) -> bool:
    """Whether the name of a card in words needs no article, because it has one, is a proper name, or means several
    cards that are alike (``R1 R1``)."""
    return title.startswith("the ") or title[0].isupper() or " " in card


def captioned(game: str, action: str, more: str = "") -> str:
    """Return an action as ``captions`` in the game's words has it; empty if they do not have it.

    >>> captioned("diamonds", "dig 4", "break C10"), captioned("diamonds", "steal 1", "from Ben")
    ('dig in pile 5: break the ten of clubs', 'steal from Ben')
    >>> captioned("kuhn", "fold")
    ''
    """
    verb, _, rest = action.partition(" ")
    captions = definition(game).worded.get("captions", {})
    form = str(captions.get(action) or captions.get(verb) or "")
    if not form:
        return ""
    says_more = "{more}" in form
    with speaking(definition(game).language):
        called = _named(game, rest)
    named = {"{a}": called, f"{{a:{NUMBER}}}": str(int(rest) + 1) if rest.isdecimal() else rest}
    for field_, said in (*named.items(), ("{more}", more)):
        form = form.replace(field_, said)
    words = " ".join(form.split())
    return in_words(game, words + (f": {more}" if more and not says_more else ""))


def _named(game: str, rest: str) -> str:
    """Return what follows the verb of an action, such as a side or a category, in the current language; cards keep
    their names."""
    if rest and (said := word(rest)) != rest and rest not in getattr(definition(game).rules, "CARDS", ()):
        return said
    return " ".join(word(one) if one.islower() and one.isalpha() else one for one in rest.split())


def strength_called(kind: str) -> str:
    """Return what the strength of a kind of bot is called, in the current language; any other kind by its own name.

    >>> strength_called("search:5000"), strength_called("pip"), strength_called("mine")
    ('Thoughtful', 'Casual', 'mine')
    """
    plays = played_as(Kind.parsed(kind)).name
    return translated(_strengths().get(plays, plays))


@cache
def _strengths() -> dict[str, str]:
    """The names of all strengths, by the kind of player."""
    return {one.kind: one.name for game in shelf() for one in strengths(definition(game))}


def phrase(game: str, action: str, more: str = "") -> str:
    """Return an action in words, as within a sentence.

    >>> phrase("commit", "lead Ac", "brings 1"), phrase("diamonds", "dig 4", "break C10")
    ('lead the ace of clubs', 'dig in pile 5')
    """
    return captioned(game, action, more).partition(": ")[0] or in_words(game, action)


def refusal_in_words(game: str, refusal: str, rules: Game | None = None) -> str:
    """Return why something was refused, with cards and actions in words; ``rules``: the game with its house rules.

    >>> from parlour.engine.typed_actions import REFUSALS
    >>> from parlour.base.languages import Message
    >>> lies_there = Message(str(REFUSALS[0]), name="dig 4", action="'dig 4'", why="C10 lies there.", clause="DM-3")
    >>> refusal_in_words("diamonds", lies_there)
    "You can't dig in pile 5: the ten of clubs lies there. (DM-3)"
    """
    said = refused_in_words(rules or definition(game), refusal, partial(phrase, game), partial(in_words, game))
    return said[:1].upper() + said[1:]


def _split(game: str, text: str) -> list[str]:
    """Return the cards of a row of cards, whose names may have spaces in them."""
    names, cards = decks.cards(game), list[str]()
    words = text.split(" ")
    while words:
        used = next(n for n in range(len(words), 0, -1) if " ".join(words[:n]) in names)
        cards.append(" ".join(words[:used]))
        words = words[used:]
    return cards


@lru_cache(maxsize=64)
def _cards_in(game: str) -> re.Pattern[str] | None:
    """Return a pattern that finds rows of cards by their short names in a text, for games whose cards have better
    ones."""
    words = getattr(definition(game).part("deck"), "WORDS", ())  # card names that mean something else in a sentence
    with speaking(ENGLISH):
        cards = [name for name in decks.cards(game) if name not in words]
        names = [name for name in cards if decks.title(game, name).casefold() != name.casefold()]
    alternatives = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{alternatives})(?: (?:{alternatives}))*(?![\w-])") if names else None


@lru_cache(maxsize=4096)
def text_of(markdown: str) -> Markup:
    """Return a line of a rule book as HTML."""
    return Markup(_markdown.renderInline(markdown))  # safe, because HTML in it is switched off


def clause_in_book(what: Definition, clause: str) -> Markup:
    """Return the text of a clause as the rule book has it, as HTML. Options are called as on the form for a new table,
    and lead there.

    >>> print(clause_in_book(definition("hearts"), "HE-22").partition(",")[0])
    With the option <a href="/new/hearts#option-avoid_all_tricks_bonus">avoid all tricks bonus</a>
    """

    def led(found: re.Match[str]) -> str:
        name = found[1]
        return f"[{option_name(name, what)}](/new/{what.id}#option-{name})" if name in what.options else found[0]

    return text_of(_CODE.sub(led, what.text_of(clause)))


def clause_of(game: Game, clause: str) -> Markup:
    """Return the text of a clause under a game's house rules, as HTML: where the rule book names an option, by what it
    is called or, in place of a number, its value.

    >>> clause_of(load("dividha"), "DV-16")
    Markup('Every player starts the match with 100 coins, and all amounts are whole coins.')
    """

    def filled(found: re.Match[str]) -> str:
        name = found[1]
        option = game.definition.options.get(name)
        return (
            found[0]
            if option is None
            else option_name(name if option.low is None else game.options[name], game.definition)
        )

    return text_of(_CODE.sub(filled, game.told_clause(clause).text))


def signed(n: int) -> str:
    """Return a gain or a loss with its sign.

    >>> signed(5), signed(-5), signed(0)
    ('+5', '−5', '0')
    """
    return f"{'+' if n > 0 else '−' if n else ''}{abs(n)}"


@lru_cache(maxsize=4096)
def thinking(language: str, waiting: tuple[str, ...]) -> str:
    """Return who is being waited for, in a language."""
    return npgettext("names", "{who} is thinking.", "{who} are thinking.", len(waiting), who=and_list(waiting))


@lru_cache(maxsize=256)
def loaded(game: str, players: int, options: tuple[tuple[str, str], ...]) -> Game:
    """Return a game with its house rules."""
    return load(game, players, **dict(options))


def game_of(about: wire.About) -> Game:
    """Return the game of a table, with its house rules."""
    return loaded(about.game, about.players, tuple(about.options.items()))
