"""What a person types: the number of a choice, the name of an action in any case or cut short, or a command.

Actions and commands are shown in the reader's language. They are read in that language and in English. Everything that
goes beyond this person's own screen (records, errors, what servers are told) names them in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from parlour.base.errors import IllegalAction, ParlourError
from parlour.base.languages import ENGLISH, TYPED, Message, current, either, pgettext, speaking
from parlour.base.languages import gettext as _
from parlour.base.naming import ISOLATES
from parlour.core import french
from parlour.core.drawing import SUITS
from parlour.core.game import Game
from parlour.engine.sentences import words_of

COMMANDS = {
    "?": "the rules that matter now; `? {clause}` one rule, `? {word}` the rules with that word",
    "why": "`why {action}`: which rule forbids it, or what it does",
    "hint": "a suggested move, and why",
    "table": "draw the table again",
    "log": "what has happened; `log 20` or `log all` for more",
    "undo": "take back your last move; with other people, until somebody has learned something from it",
    "save": "save the record; `save FILE` to choose where",
    "rules": "the rule book; `rules {clause}` one rule",
    "help": "this list",
    "quit": "stop; the record is kept",
}
"""What may be typed, and what it is for; ``clause``, ``word`` and ``action`` are examples from the game."""
AFTER = ("all", "on", "off", "remove", "lock", "unlock", "chat", "takeovers")
"""Words that may stand after a command."""
LONGEST_NUMBER = 18  # digits
LONGEST_SHOWN = 40  # the most characters of a line that a message quotes
MANY = 12  # the most numbers in a row that are listed one by one
OTHER_NAMES = {"view": "table", "exit": "quit", "clause": "?"}
SIGNS = {sign: letter.lower() for letter, (sign, _style) in SUITS.items()}
RANK, SUIT = "10|[2-9atjqk]", f"[{''.join(SIGNS)}cdhs]"
CARD = re.compile(rf"(?<!\w)(?:({RANK})({SUIT})|({SUIT})({RANK}))\ufe0f?(?!\w)", re.IGNORECASE)
"""A card of the French pack as people write it: ``10♦``, ``♦10``, ``Td``."""


@dataclass(frozen=True, slots=True)
class NumberedChoice:
    """An action that may be chosen now, and its number."""

    number: int
    action: int
    name: str


def whole(word: str) -> int | None:
    """Return the whole number that a word is; ``None`` if it is not one, or is too long to be meant.

    >>> whole("12"), whole("²"), whole("-1"), whole("9" * 5000)
    (12, None, None, None)
    """
    return int(word) if word.isdecimal() and len(word) <= LONGEST_NUMBER else None


def shown(line: str) -> str:
    """Return a line as an answer quotes it: not all of it, if it is long.

    >>> shown("dig"), len(shown("x" * 5000))
    ("'dig'", 43)
    """
    return repr(line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}…")


def _is_seated(game: Game, action: str) -> bool:
    """Whether the number in an action's name is a player's: people never say it, only what the drawing adds."""
    verb, _space, number = action.partition(" ")
    caption = game.definition.words.get("captions", {}).get(verb, "{a}")
    return number.isdecimal() and (whole(number) or 0) < game.players and "{a" not in caption


def typed_with_names(game: Game, action: str, names: Sequence[str]) -> str:
    """Return an action as it is typed, with a player's name for the number of a seat.

    >>> import parlour
    >>> game = parlour.load("diamonds")
    >>> [typed_with_names(game, action, ["Ada", "Ben"]) for action in ("dig 4", "steal 1", "on")]
    ['dig 5', 'steal Ben', 'on']
    """
    typed = game.definition.sentences.as_typed(action)
    if not _is_seated(game, action):
        return typed
    verb, _space, seat = typed.rpartition(" ")
    return f"{verb} {names[int(seat)].strip(ISOLATES)}"


def _tokens(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text. Letter case is ignored, and ``Dig4`` is ``dig 4``."""
    return tuple(_parts(text.casefold()))


def _parts(text: str) -> list[str]:
    return re.findall(r"\d+|[^\W\d]+|[^\w\s]+|_+", text)


def _fits(typed: Sequence[str], name: Sequence[str]) -> bool:
    """Whether ``typed`` is ``name`` cut short: with fewer words, or words broken off. Numbers must be whole."""
    return len(typed) <= len(name) and all(
        t == n or (n.startswith(t) and not t.isdecimal()) for t, n in zip(typed, name, strict=False)
    )


class Choices:
    """The numbered choices of one moment, and what understands a line that is typed then.

    A choice whose name ends in a number has that number (``dig 4`` is 4), if it belongs to the first kind of action
    that has numbers. All other choices are numbered on from the highest number that this kind has in the game, or from
    1.

    >>> import parlour
    >>> game = parlour.load("diamonds", first_dealer=0)
    >>> choices = Choices(game, game.new(seed=1).legal_actions(), ["You", "Ada"])
    >>> [game.action_names[choices.find(text)] for text in ("4", "dig 4", "D4")]
    ['dig 3', 'dig 3', 'dig 3']
    """

    def __init__(self, game: Game, legal: Sequence[int], names: Sequence[str]) -> None:
        self.game, self.legal, self.names = game, legal, names
        self._seats = {name.strip(ISOLATES).casefold(): str(seat) for seat, name in enumerate(names)}
        called = "|".join(map(re.escape, sorted(self._seats, key=len, reverse=True)))
        self._called = re.compile(rf"(?<!\S)(?:{called})(?!\S)")
        typed = [game.definition.sentences.as_typed(name) for name in game.action_names]
        self._names = [_tokens(name) for name in typed]
        self._typed = [typed_with_names(game, name, names) for name in game.action_names]
        with speaking(ENGLISH):
            in_english = [_tokens(game.definition.sentences.as_typed(name)) for name in game.action_names]
        self._in_either = (self._names, in_english)
        self._words = {word for name in game.action_ids for word in name.split()}
        self._kinds = [{names[a][0] for a in legal if len(in_english[a]) > 1} for names in self._in_either]
        self.verb = next((self._names[a][:-1] for a in legal if self._numbered(a)), None)
        alike = [] if self.verb is None else [n[-1] for n in self._names if n[:-1] == self.verb]
        after = max((int(number) for number in alike if number.isdecimal()), default=0)
        self.all: list[NumberedChoice] = []
        for a in legal:
            own = self._numbered(a) and self._names[a][:-1] == self.verb
            after += not own
            self.all.append(NumberedChoice(int(self._names[a][-1]) if own else after, a, self._typed[a]))

    def _numbered(self, action: int) -> bool:
        return len(self._names[action]) > 1 and self._names[action][-1].isdecimal()

    def groups(self) -> list[list[NumberedChoice]]:
        """Return the choices by kind: those with a number of their own together, and the others one by one."""
        own = [c for c in self.all if self.is_own(c)]
        return ([own] if own else []) + [[c] for c in self.all if c not in own]

    def runs(self, group: list[NumberedChoice]) -> list[list[NumberedChoice]]:
        """Return a group one by one, but keep many numbers that follow one another together."""
        runs: list[list[NumberedChoice]] = []
        for choice in group:
            if runs and choice.number == runs[-1][-1].number + 1:
                runs[-1].append(choice)
            else:
                runs.append([choice])
        return [part for run in runs for part in ([run] if len(run) > MANY else [[c] for c in run])]

    def described(self, captions: dict[int, str]) -> dict[int, str]:
        """Return what the drawing adds to each choice. Of a choice among players, that becomes a part of its name:
        *steal from Ada*, not *steal Ada (from Ada)*."""
        actions = self.game.action_names
        of_players = {a for a, more in captions.items() if more and _is_seated(self.game, actions[a])}
        for a in of_players:
            self._typed[a] = f"{' '.join(self._names[a][:-1])} {captions[a]}"
        self.all = [NumberedChoice(c.number, c.action, self._typed[c.action]) for c in self.all]
        return {a: more for a, more in captions.items() if a not in of_players}

    def typed(self, action: int) -> str:
        """Return how an action is typed."""
        return self._typed[action]

    def is_own(self, choice: NumberedChoice) -> bool:
        """Whether the number of a choice is the one in its name."""
        return self.verb is not None and self._names[choice.action] == (*self.verb, str(choice.number))

    def find(self, text: str) -> int | list[int]:
        """Return the action that was meant, legal or not; a list of several if it could be several, and an empty list
        if it is not an action.

        A number that is not a choice is read with the kind of action that has numbers, to be refused by its clause. A
        card alone is read with the only kind of action that may be chosen.
        """
        text = self._with_cards(text)
        typed = _tokens(text)
        number = whole(typed[0]) if len(typed) == 1 else None
        if number is not None:
            chosen = [c.action for c in self.all if c.number == number]
            if chosen:
                return chosen[0]
            typed = (*(self.verb or ()), str(number))
        named = _tokens(self._called.sub(lambda name: self._seats[name[0]], text.casefold()))
        between = (named[0], named[-1]) if len(named) == 3 and named != typed else named  # steal from Ada
        for words in (typed, named, between):
            for names in self._in_either:
                if words in names:
                    return names.index(words)
            for among in (self.legal, range(self.game.action_count)):
                for names in self._in_either:
                    fitting = [a for a in among if words and _fits(words, names[a])]
                    if fitting:
                        return fitting[0] if len(fitting) == 1 else fitting
        for names, kinds in zip(self._in_either, self._kinds, strict=True):
            alone = (*kinds, *typed)
            if len(kinds) == 1 and alone in names:
                return names.index(alone)
        of_rank = self._by_rank.get(_letters(text), ())
        return [a for a in self.legal if self.game.action_names[a].rpartition(" ")[2] in of_rank]

    @property
    def in_english(self) -> list[str]:
        """The names of the choices in English."""
        with speaking(ENGLISH):
            return [self.game.definition.sentences.as_typed(self.game.action_names[a]) for a in self.legal]

    def is_name(self, line: str) -> bool:
        """Whether a line is the whole name of an action."""
        return any(_tokens(line) in names for names in self._in_either)

    def _with_cards(self, line: str) -> str:
        """Return a line with its French cards named as this game's actions name them."""

        def named(found: re.Match[str]) -> str:
            rank, suit = (found[1] or found[4]).lower(), (found[2] or found[3]).lower()
            name = rank.replace("10", "t") + SIGNS.get(suit, suit)
            return name if name in self._words else found[0]

        line = CARD.sub(named, line)
        return self._said_aloud.sub(lambda found: self._spoken[_letters(found[0])], line) if self._spoken else line

    @cached_property
    def _spoken(self) -> dict[str, str]:
        """The cards of the French pack that this game's actions name, by what they are called in the reader's language
        and in English (*queen of hearts*), without spaces; and by their rank, if only one card of it may be chosen."""
        cards = [card for card in french.SHORT if card.casefold() in self._words]
        found = {rank: alike[0].casefold() for rank, alike in self._by_rank.items() if len(alike) == 1}
        for language in (ENGLISH, current()):
            with speaking(language):
                found |= {_letters(french.short_title(card)): card.casefold() for card in cards}
        return found

    @cached_property
    def _by_rank(self) -> dict[str, list[str]]:
        """The French cards that may be chosen now, by what their rank is called in the reader's language and in
        English."""
        may = {word for a in self.legal for word in self.game.action_names[a].split()}
        found = dict[str, list[str]]()
        for language in dict.fromkeys((ENGLISH, current())):
            with speaking(language):
                for card in may & french.SHORT.keys():
                    found.setdefault(_letters(french.rank_title(french.SHORT[card][0])), []).append(card)
        return found

    @cached_property
    def _said_aloud(self) -> re.Pattern[str]:
        """The pattern of these names, with spaces and hyphens anywhere between their letters."""
        names = ("[ -]*".join(map(re.escape, name)) for name in sorted(self._spoken, key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", re.IGNORECASE)

    def named(self, line: str) -> str:
        """Return a line of several actions, named as rules name them. An amount alone stands for the first kind of
        action that has amounts."""
        line = self._with_cards(line)
        word, *_more = _tokens(line)
        kind = f"{' '.join(self.verb)} " if self.verb and word.isdecimal() else ""
        spelt = {said: words for words, said in self._words_typed.items()}
        return self.game.definition.sentences.as_named(_replaced(kind + line, spelt))

    @cached_property
    def _words_typed(self) -> dict[str, str]:
        """The words of this game's actions, each with how it is typed in the reader's language."""
        said = {words: self.game.definition.sentences.typed(words) for words in words_of(self.game.action_names)}
        return {words: typed for words, typed in said.items() if typed != words}

    def reworded(self, mistake: ParlourError) -> ParlourError:
        """Return what is wrong with a line of several actions, named as people type them."""
        why = str(mistake)
        if isinstance(mistake, IllegalAction) or not isinstance(why, Message):
            return mistake

        def worded(value: object) -> object:
            if isinstance(value, Message):
                parts = {name: worded(part) for name, part in value.values.items()}
                return Message(value.template, **parts) if parts else Message(str(worded(str(value))))
            if not isinstance(value, str):
                return value
            return _replaced(self.game.definition.sentences.from_one(value), self._words_typed)

        return ParlourError(why.template, **{name: worded(value) for name, value in why.values.items()})

    def begins(self, line: str) -> bool:
        """Whether a line of several words may name several actions, because it begins with an amount, a card or the
        word of an action."""
        word, *more = _tokens(self._with_cards(line)) or ("",)
        if re.search(r"(?<!\S)[-−]\d", line):  # no amount is below nothing
            return False
        is_card = CARD.match(line) is not None
        verbs = (name[0] for names in self._in_either for name in names)
        return bool(more) and (is_card or word.isdecimal() or word in verbs)

    def said(self, actions: Sequence[int]) -> str:
        """Return the names of actions as they stand in a sentence, with like ones together: ``dig 0, 1, 3; pass``,
        ``raise 4 to 98; fold``.

        >>> import parlour
        >>> game = parlour.load("diabolo")
        >>> actions = [game.find_action(name) for name in ("place R1 left", "place Y2 left", "place R1 right")]
        >>> Choices(game, actions, ["You", "Ada"]).said(actions)
        'place R1, Y2 left; place R1 right'
        """
        alike: list[tuple[tuple[str, str], list[str]]] = []
        for a in actions:
            verb, _space, last = self._typed[a].rpartition(" ")
            side = ""
            if len(words := self._typed[a].split()) == 3 and not words[2].isdecimal():
                verb, last, side = words
            if alike and verb and (verb, side) == alike[-1][0]:
                alike[-1][1].append(last)
            else:
                alike.append(((verb, side), [last]))
        return "; ".join(f"{_said_alike(verb, lasts)} {side}".strip() for (verb, side), lasts in alike)


def _letters(text: str) -> str:
    """Return a name without regard to case, spaces and hyphens."""
    return re.sub("[ -]", "", text.casefold())


def _replaced(text: str, words: Mapping[str, str]) -> str:
    """Return a text in which some words, in any case, are replaced by others.

    >>> _replaced("Graben 1, begraben 2", {"graben": "dig"})
    'dig 1, begraben 2'
    """
    if not words:
        return text
    spellings = {*words, *map(str.casefold, words)}  # a typed strasse is a Straße
    longest = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
    small = {one.casefold(): other for one, other in words.items()}
    return re.sub(rf"(?<!\w)(?:{longest})(?!\w)", lambda found: small[found[0].casefold()], text, flags=re.IGNORECASE)


def _said_alike(verb: str, lasts: Sequence[str]) -> str:
    name = f"{verb} {lasts[0]}".strip()
    if len(lasts) > MANY and all(n.isdecimal() for n in lasts) and int(lasts[-1]) - int(lasts[0]) + 1 == len(lasts):
        return _("{first} to {last}", first=name, last=lasts[-1])
    return ", ".join([name, *lasts[1:]])


def called(word: str) -> str:
    """Return a command, or a word after one, as it is typed in the reader's language.

    >>> with speaking("de"):
    ...     called("help"), called("?")
    ('hilfe', '?')
    """
    return pgettext(TYPED, word)


def meant(word: str, known: Iterable[str] = AFTER) -> str:
    """Return the English word among those ``known`` that a typed word means; the word itself if it means none of them.

    >>> with speaking("de"):
    ...     meant("Alles"), meant("all"), meant("Ada")
    ('all', 'all', 'Ada')
    """
    small = word.casefold()
    return next((one for said in (str, called) for one in known if said(one).casefold() == small), word)


def is_command(line: str, commands: Mapping[str, str] = COMMANDS) -> bool:
    """Whether a line begins with the whole name of a command."""
    word = line.strip().partition(" ")[0]
    return word.startswith("?") or meant(word, known := (*commands, *OTHER_NAMES)) in known


def read_command(line: str, commands: Mapping[str, str] = COMMANDS) -> tuple[str, str] | None:
    """Return the command on a line and what follows it; ``None`` if it is not a command. Raises ``ParlourError`` if it
    could be several.

    >>> read_command("WHY dig 4"), read_command("?DM-36"), read_command("dig 4")
    (('why', 'dig 4'), ('?', 'DM-36'), None)
    """
    line = line.strip()
    if line.startswith("?"):
        return "?", line[1:].strip()
    word, _, rest = line.partition(" ")
    word = word.casefold()
    whole_word = meant(word, in_full := (*commands, *OTHER_NAMES))
    known = [whole_word] if whole_word in in_full else []
    for said in (called, str):
        known = known or [c for c in commands if word and said(c).casefold().startswith(word)]
    if len(known) > 1:
        raise ParlourError("{word!r} could be {known}.", word=word, known=either([*map(called, known)]))
    return (OTHER_NAMES.get(known[0], known[0]), rest.strip()) if known else None


def offer_completion(words: Sequence[str], otherwise: Sequence[str]) -> None:
    """Let Tab complete these words, where the platform allows it, or the others if none of these fits."""
    try:
        import readline
    except ImportError:
        return

    def complete(text: str, n: int) -> str | None:
        begun = ([w for w in some if w.casefold().startswith(text.casefold())] for some in (words, otherwise))
        fitting = next(filter(None, begun), [])
        return fitting[n] if n < len(fitting) else None

    readline.set_completer_delims("")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
