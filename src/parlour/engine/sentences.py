"""Sentences for events and names of actions: the templates of a game's words, filled in, with numbers as people
count."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from parlour.base import languages
from parlour.base.errors import ParlourError
from parlour.engine.slips import mistake

if TYPE_CHECKING:
    from parlour.engine.folder import GameFolder

NUMBER = "number"
"""The word after the colon for things that rules number from 0 and people from 1, such as piles."""
BOTH = "both"
"""The field for the cards ``a`` and ``b`` together."""


class Sentences:
    """The sentences of one game."""

    def __init__(self, folder: GameFolder) -> None:
        self._folder = folder

    def in_english(self, event: str, who: int, a: int, b: int, names: Sequence[str], you: int | None = None) -> str:
        """Return the sentence of an event, with players called by ``names``; addressed to seat ``you``, if given, where
        the game has such a sentence (``[you]`` in its words).  It is always in English; :meth:`told` is not.
        """
        return self._said(self._folder.words, languages.ENGLISH, event, (who, a, b), names, you)

    def told(self, event: str, who: int, a: int, b: int, names: Sequence[str], you: int | None = None) -> str:
        """Return the same in the reader's language."""
        return self._said(self._folder.worded, self._folder.language, event, (who, a, b), names, you)

    def told_of_several(self, event: str, a: int, b: int, names: Sequence[str]) -> str:
        """Return the sentence of an event for several players at once (``[several]`` in the game's words), in the
        reader's language, with ``{who}`` where their names stand."""
        words = {"events": self._folder.worded.get("several", {})}
        return self._said(words, self._folder.language, event, (len(names), a, b), [*names, "{who}"], None)

    def _said(
        self, words: Mapping[str, Any], language: str, event: str, told: tuple[int, int, int], names: Sequence[str],
        you: int | None,
    ) -> str:  # fmt: skip
        template, myself = words.get("events", {}).get(event), None
        package = self._folder.package
        if template is None:
            raise ParlourError(
                "{package}/words.toml has no sentence for the event {event!r}.",
                package=package,
                event=event,
            )
        if you is not None:
            to_you = words.get("you", {}).get(event) if told[0] == you else template
            if to_you is not None:
                template, myself = to_you, you
        numbers = dict(zip(("who", "a", "b"), told, strict=True))
        try:
            return "".join(
                text if field is None else text + self._filled(field, spec, numbers, names, myself, language)
                for text, field, spec in _pieces(template)
            )
        except ParlourError:  # of the author's deck, which says where
            raise
        except (KeyError, ValueError):
            raise ParlourError(
                "{package}/words.toml: the sentence for the event {event!r} cannot be filled: {template!r}.",
                package=package,
                event=event,
                template=template,
            ) from None

    def _filled(
        self, field: str, spec: str, numbers: Mapping[str, int], names: Sequence[str], you: int | None, language: str
    ) -> str:
        """Return the text for ``{who}``, ``{a}``, ``{b:card}``, ``{a:cards}``, ``{a:seat}`` or ``{a:number}`` in a
        sentence; ``{both:card}`` are the cards ``a`` and ``b``.  Any other word after the colon is the thing that the
        number counts: ``{a:coin}`` is ``1 coin`` or ``no coins``.

        A sentence may list the forms itself: ``{a:one card|# cards|no cards}`` are the forms for one, for other
        numbers, and for none; ``{a:seat|dir}`` gives the word for the reader in the grammatical case that a translation
        needs.
        """
        if spec in ("card", "cards"):
            with languages.speaking(language):
                return self._all_called(field, spec, numbers)
        value = numbers[field]
        kind, _, reader = spec.partition("|")
        if field == "who" or kind == "seat":
            if value == you:
                return reader or (languages.gettext("you") if language != languages.ENGLISH else "you")
            everybody = languages.gettext("everybody") if language != languages.ENGLISH else "everybody"
            return names[value] if 0 <= value < len(names) else everybody
        if spec == NUMBER:
            return str(value + 1)
        if "|" in spec:
            return languages.form_for(value, spec.split("|"), language)
        return counted(value, spec) if spec else str(value).replace("-", "−")

    def _all_called(self, field: str, spec: str, numbers: Mapping[str, int]) -> str:
        """Return the cards that a sentence names in one place, as a list that ends with *and*."""
        if spec == "cards":
            return languages.and_list([self._called(c) for c in range(63) if numbers[field] >> c & 1])
        if field != BOTH:
            return self._called(numbers[field])
        one, other = (self._called(numbers[each]) for each in "ab")
        pair = getattr(self._folder.part("deck"), "pair", None)
        return _by_deck(pair, self.card(numbers["a"])) if one == other and pair else languages.and_list([one, other])

    def _called(self, number: int) -> str:
        """Return the word in sentences for a card, or for anything numbered like cards, such as a pool: the game's
        ``spoken`` in its ``deck`` if there is one; otherwise its name as a word (*Queen*) or, if short, as it is
        (*Qs*).
        """
        spoken = getattr(self._folder.part("deck"), "spoken", languages.word)
        return _by_deck(spoken, self.card(number))

    @cached_property
    def _from_one(self) -> re.Pattern[str]:
        """The pattern of actions, in a name or a typed line, whose number the rules count from 0 and people from 1."""
        captions = self._folder.words.get("captions", {})
        verbs = [verb for verb, form in captions.items() if f"{{a:{NUMBER}}}" in form]
        return re.compile(rf"\b({'|'.join(map(re.escape, verbs)) or '(?!)'})( *)(\d{{1,4}})\b", re.IGNORECASE)

    def from_one(self, text: str) -> str:
        """Return an English text with its actions as people number them, who count from 1 what rules count from 0.

        >>> from parlour.engine.definition import definition
        >>> definition("diamonds").sentences.from_one("dig 4 or steal 1")
        'dig 5 or steal 1'
        """
        return self._from_one.sub(lambda found: f"{found[1]}{found[2]}{int(found[3]) + 1}", text)

    def as_typed(self, action: str) -> str:
        """Return the name of an action as people type it: in the reader's language, and counted from 1.

        >>> from parlour.engine.definition import definition
        >>> with languages.speaking("de"):
        ...     definition("diamonds").sentences.as_typed("dig 4")
        'graben 5'
        """
        return in_other_words(self.from_one(action), self.typed)

    def typed(self, words: str) -> str:
        """Return words of an action's name as they are typed in the reader's language: English ones in a game that
        nobody has translated."""
        if self._folder.is_own:
            return words
        return languages.pgettext(f"{languages.TYPED} {self._folder.id}", words)

    def as_named(self, line: str) -> str:
        """Return a typed line with the names of actions as the rules have them.

        >>> from parlour.engine.definition import definition
        >>> definition("diamonds").sentences.as_named("steal 1, dig5")
        'steal 1, dig4'
        """
        return self._from_one.sub(lambda found: f"{found[1]}{found[2]}{int(found[3]) - 1}", line)

    def card(self, number: int) -> str:
        return self._folder.rules.CARDS[number]


def _by_deck(called: Callable[[str], object], card: str) -> str:
    """What the author's deck makes of a card.  Raises ``ParlourError``, which says where it breaks off."""
    try:
        return str(called(card))
    except ParlourError:
        raise
    except Exception as error:
        raise ParlourError(mistake(error)) from error


def in_other_words(name: str, said: Callable[[str], str]) -> str:
    """Return the name of an action with its words put otherwise: its verb, and the words or the name after it; all
    together if they are no more than words.  Numbers and cards stay.

    >>> [in_other_words(name, str.upper) for name in ("dig 4", "name Full House", "place R1 left")]
    ['DIG 4', 'NAME FULL HOUSE', 'PLACE R1 LEFT']
    >>> [in_other_words(name, lambda words: f"<{words}>") for name in ("stay away", "name Full House", "lead Qs")]
    ['<stay away>', '<name> <Full House>', '<lead> Qs']
    """
    verb, *rest = name.split() or [""]
    plain = [one.isalpha() and one.islower() for one in rest]
    if all(plain):
        return said(name)
    if all(len(one) > 2 and one.replace("-", "").isalpha() for one in rest):
        return f"{said(verb)} {said(' '.join(rest))}"
    return " ".join([said(verb), *(said(one) if word else one for one, word in zip(rest, plain, strict=True))])


def words_of(names: Iterable[str]) -> list[str]:
    """Return what :func:`in_other_words` may put otherwise in some names, each once.

    >>> words_of(["dig 1", "dig 2", "lead Qs"])
    ['dig', 'lead']
    """
    found: dict[str, str] = {}
    for name in names:
        in_other_words(name, lambda words: found.setdefault(words, words))
    return list(found)


def fields_in(template: str) -> list[tuple[str, str]]:
    """Return the fields of a sentence, each with the word after its colon.

    >>> fields_in("{who} turns up {a:card} on pile {b:number}."), fields_in("{both:card}")
    ([('who', ''), ('a', 'card'), ('b', 'number')], [('a', 'card'), ('b', 'card')])
    """
    found = [(field, spec) for _, field, spec in _pieces(template) if field is not None]
    return [(each, spec) for field, spec in found for each in ("ab" if field == BOTH else (field,))]


@cache
def _pieces(template: str) -> tuple[tuple[str, str | None, str], ...]:
    """Split a sentence into parts: a text, the field behind it (``None`` if there is none), and the word after its
    colon.
    """
    return tuple((text, field, spec or "") for text, field, spec, _ in string.Formatter().parse(template))


def counted(n: int, thing: str, things: str | None = None) -> str:
    """Return a number with what it counts.

    >>> counted(1, "card"), counted(0, "card")
    ('1 card', 'no cards')
    """
    return f"{n or 'no'} {thing if n == 1 else things or thing + 's'}"
