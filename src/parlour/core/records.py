"""Reading records: a game as text that a person can read and that can always be replayed (``docs/records.md`` is the
specification; :mod:`parlour.core.transcript` writes them).

:func:`replay` returns the state of a whole record; :func:`retrace` replays a state's game step by step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final
from unicodedata import category

from parlour.base.errors import BadRecord, ParlourError, unknown
from parlour.core.fair_deal import BY_POSITION, FairDeal
from parlour.core.game import Game
from parlour.core.notes import Link, Seated
from parlour.core.taking_back import step_back
from parlour.core.transcript import FIRST_LINE, FORMAT, in_numbers
from parlour.engine.definition import definition
from parlour.engine.hashing import seed_word
from parlour.engine.house_rules import option_values, options_since, players_allowed
from parlour.engine.steps import unnamed
from parlour.rules.vocabulary import CHANCE

if TYPE_CHECKING:
    from parlour.core.game import State
    from parlour.engine.definition import Definition

__all__ = ["replay"]

LONGEST_LINE: Final = 1000
"""The most characters in a line; a longer one is refused."""

HEADER: Final = ("game", "rules", "players", "redacted for", "seed", "commitment", "drawn", "seat N", "option NAME")
REQUIRED: Final = HEADER[:3]
_NUMBER: Final = re.compile("0|[1-9][0-9]{0,19}")
"""A number, without leading zeros; the largest seed has twenty digits."""
_HEADER_LINE: Final = re.compile(
    r"(game|rules|players|redacted for|seed|commitment|drawn|seat \d+|option \S+)\s*:\s*(.*)"
)
_RESULT: Final = re.compile(r"returns\s*:(.*)")
_DEAL: Final = re.compile(r"deal (\d+) returns\s*:(.*)")
_STEP: Final = re.compile(r"(chance|\d+)\s*:\s*(.+)")
_FAIR: Final = re.compile(r"(mix|secret)\s*:\s*(.*)")
_SAT: Final = re.compile(r"sat\s*:\s*(\d+) (guest|bot) (.+)")
_LINK: Final = re.compile(r"link\s*:\s*(\S*)")
_BODY_LINE: Final = re.compile(r"(chance|\d+|returns|told|mix|secret|sat|link|deal \d+ returns)\s*:|undo\b")
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_COMMENT: Final = re.compile(r"(?<!\s)\s+#.*")


# ------------------------------------------------------------------------------------------ reading lines


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty or comments, numbered from 1.  An unfinished last line is left out."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n")[:-1], 1):
        if len(line) > LONGEST_LINE:
            raise BadRecord(
                number,
                "The line has {n} characters; {longest_line} are allowed.",
                n=len(line),
                longest_line=LONGEST_LINE,
            )
        line = line.strip()
        for c in line:
            if c != "\t" and category(c) in {"Cc", "Cs"}:
                raise BadRecord(number, "The character {c!r} is not allowed in a record; is this a text file?", c=c)
        if line and not line.startswith("#"):
            yield number, line


@contextmanager
def _at(line: int) -> Iterator[None]:
    """Report mistakes found within the block as mistakes of this line."""
    try:
        yield
    except BadRecord:
        raise
    except ParlourError as mistake:
        raise BadRecord(line, str(mistake)) from None


# ------------------------------------------------------------------------------------------ reading the header


class Header:
    """The header of a record: ``values`` maps each key to its line number and its text; ``end`` is the number of the
    line that follows; ``rest`` gives the lines from there on.

    >>> import parlour
    >>> header = Header(parlour.load("kuhn").new(seed=1).record())
    >>> header.game().id, header.redacted_for, header.values["players"]
    ('kuhn', None, (4, '2'))
    """

    def __init__(self, text: str) -> None:
        lines = _lines(text)
        self.end = max(1, text.count("\n"))
        self.values: dict[str, tuple[int, str]] = {}
        self.rest: Iterator[tuple[int, str]] = lines
        _check_first_line(*next(lines, (1, text.removeprefix("\ufeff").strip()[:LONGEST_LINE])))
        for number, line in lines:
            if _BODY_LINE.match(line):
                self.end, self.rest = number, chain([(number, line)], lines)
                break
            self._add(number, line)
        for key in REQUIRED:
            if key not in self.values:
                raise BadRecord(self.end, "The header is not complete: it has no line {key!r}.", key=key + ":")

    def _add(self, number: int, line: str) -> None:
        found = _HEADER_LINE.fullmatch(line)
        if found is None:
            with _at(number):
                raise unknown("header line", line.partition(":")[0].strip(), HEADER)
        key = " ".join(found[1].split())
        if key in self.values:
            raise BadRecord(number, "{key!r} is already on line {values}.", key=key, values=self.values[key][0])
        self.values[key] = number, found[2]

    def named(self, kind: str) -> dict[str, tuple[int, str]]:
        """Return the lines of a kind (``seat`` or ``option``) by the words after it."""
        return {key.partition(" ")[2]: value for key, value in self.values.items() if key.startswith(kind + " ")}

    @property
    def redacted_for(self) -> str | None:
        """Return the viewer of a redacted record; ``None`` if it is not redacted."""
        return self.values["redacted for"][1] if "redacted for" in self.values else None

    def game(self) -> Game:
        """Return the game with its house rules.  Raises ``BadRecord`` if there is no such game here, or if it has other
        rules or options."""
        line, name = self.values["game"]
        with _at(line):
            what = definition(name)
        version, since = self._rules(what)
        line, text = self.values["players"]
        with _at(line):
            players = players_allowed(what, _number(text, "a number of players"))
        options = self.named("option")
        for name, (line, value) in options.items():
            with _at(line):
                option_values(what, players, {name: value})
        for name in what.options:
            if name not in options and name not in since:
                raise BadRecord(
                    self.end, "The option {name!r} is missing: a record names every option of its game.", name=name
                )
        with _at(self.end):  # values that are allowed one by one may be refused together
            return Game(what, players, {name: value for name, (_, value) in options.items()}, version)

    def _rules(self, what: Definition) -> tuple[int, Mapping[str, str]]:
        """Return the version of the rules, and the options that this version did not have, with their values."""
        line, text = self.values["rules"]
        for version in range(1, what.version + 1):
            since = options_since(what, version)
            if text == str(version) and since is not None:
                return version, since
        raise BadRecord(
            line,
            "The record has rules {text!r} of {id}; this software has rules {version}.",
            text=text,
            id=what.id,
            version=what.version,
        )

    def call_players(self, state: State) -> None:
        """Give the players their names, if the record has them. Raises ``BadRecord`` if a seat or a name is not one."""
        seats = self.named("seat")
        if not seats:
            return
        names = unnamed(state.game.players)
        for seat, (line, name) in seats.items():
            with _at(line):
                if seat not in map(str, range(len(names))):
                    raise ParlourError(
                        "There is no seat {seat}; seats run from 0 to {last}.", seat=seat, last=len(names) - 1
                    )
                names[int(seat)] = name
                state.call_players(names)

    def fair(self) -> FairDeal | None:
        """Return the fair deal, as it was committed to. Raises ``BadRecord`` if it is not one."""
        if "commitment" not in self.values:
            return None
        line, text = self.values["commitment"]
        with _at(line):
            return FairDeal(_number_in_hex(text, "a commitment").hex(), by_position=self._is_by_position())

    def _is_by_position(self) -> bool:
        """Return whether chance was drawn by position."""
        if "drawn" not in self.values:
            return False
        line, text = self.values["drawn"]
        with _at(line):
            if text != BY_POSITION:
                raise ParlourError(
                    "Chance is drawn {by_position!r}, or this line is left out; not {text!r}.",
                    by_position=BY_POSITION,
                    text=text[:40],
                )
        return True

    def seed(self) -> tuple[int, list[int]] | None:
        """Return the seed and its generator, not yet used. Raises ``BadRecord`` if it is not one."""
        if "seed" not in self.values:
            return None
        line, text = self.values["seed"]
        with _at(line):
            seed = _number(text, "a seed")
            return seed, [seed_word(seed)]


def _check_first_line(number: int, line: str) -> None:
    words = line.split()
    if words[:2] != ["parlour", "record"] or len(words) != 3:
        shown = f"not {line[:40]!r}" if line else "but there is nothing"
        raise BadRecord(
            number, "A record begins with the line {first_line!r}, {shown}.", first_line=FIRST_LINE, shown=shown
        )
    if words[2] != str(FORMAT):
        raise BadRecord(
            number,
            "The record has format {words!r}; this software reads format {format}.",
            words=words[2],
            format=FORMAT,
        )


def _number(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ParlourError("{text!r} is not {what}.", text=text, what=what)
    return int(text)


def _number_in_hex(text: str, what: str) -> bytes:
    if not _HEX.fullmatch(text):
        raise ParlourError("{text!r} is not {what}: 64 hexadecimal digits.", text=text[:70], what=what)
    return bytes.fromhex(text)


# ------------------------------------------------------------------------------------------ replaying


def replay(text: str) -> State:
    """Return the state of a record, with its history, events and log.  If the record has a seed and is not finished,
    chance continues from where the generator stood.

    An unfinished last line is ignored, so a record may be cut anywhere after its header.  ``BadRecord`` names the line
    of a record that is damaged, impossible, redacted or made by rules that this software does not know.

    >>> state = replay('''parlour record 1
    ... game: kuhn
    ... rules: 1
    ... players: 2
    ...
    ... chance: K
    ... chance: J     # comments are welcome
    ... 0: bet
    ... 1: pass
    ... ''')
    >>> print(state.record().splitlines()[-1])
    returns: 1 -1
    """
    if not isinstance(text, str):
        raise ParlourError("A record is text, not {text!r}.", text=text)
    header = Header(text)
    if header.redacted_for is not None:
        where, whom = header.values["redacted for"]
        raise BadRecord(where, "The record is redacted for {whom!r}: what is left out cannot be replayed.", whom=whom)
    state = header.game().new()
    header.call_players(state)
    drawn, state.ledger.fair = header.seed(), header.fair()
    ended = 0
    for number, line in header.rest:
        with _at(number):
            said = _COMMENT.sub("", line)
            fair = _FAIR.fullmatch(said)
            if said.split()[:2] == FIRST_LINE.split()[:2]:
                raise ParlourError("A second record begins here, and a file holds one record: save each in its own.")
            if ended and not (fair and fair[1] == "secret"):
                raise ParlourError("The result stands on line {ended}; nothing can follow it.", ended=ended)
            if state.ledger.fair is not None and state.ledger.fair.secret is not None:
                raise ParlourError("The secret has been revealed; nothing can follow it.")
            if fair:
                _about_chance(state, fair[1], fair[2])
            elif result := _RESULT.fullmatch(said):
                _check_result(state, result[1])
                ended = number
            elif deal := _DEAL.fullmatch(said):
                _check_deal(state, _number(deal[1], "a number of deals"), deal[2])
            elif note := _SAT.fullmatch(line) or _LINK.fullmatch(said):
                _add_note(state, note)
            else:
                _step(state, said, drawn)
    if drawn is not None:
        state.draw_on(*drawn)
    return state


def _add_note(state: State, found: re.Match[str]) -> None:
    """Read a line that is a note, not a step."""
    at, ledger = len(state.log), state.ledger
    if ledger.fair is not None and ledger.fair.mixings and ledger.fair.mixings[-1].node == ledger.nodes:
        raise ParlourError("{line!r} must stand before 'mix:'.", line=found[0][:60])
    if found.re is _LINK:
        ledger.notes.append(Link(at, _number_in_hex(found[1], "a link").hex()))
        return
    seat = _number(found[1], "a seat")
    if seat >= state.game.players:
        raise ParlourError(
            "There is no seat {seat}; seats run from 0 to {last}.", seat=seat, last=state.game.players - 1
        )
    ledger.notes.append(Seated(at, seat, found[2] == "guest", found[3]))


def _step(state: State, line: str, drawn: tuple[int, list[int]] | None) -> None:
    """Carry out a line."""
    found = _STEP.fullmatch(line)
    if line == "undo":
        step_back(state)
    elif found is None:
        raise ParlourError(
            "{number!r} is no step; write 'chance: OUTCOME', 'SEAT: ACTION', 'undo', "
            "'deal N returns: NUMBERS' or 'returns: NUMBERS'.",
            number=line[:60],
        )
    elif found[1] == "chance":
        _let_happen(state, found[2], drawn)
    else:
        _act(state, _number(found[1], "a seat"), found[2])


def _about_chance(state: State, kind: str, text: str) -> None:
    """Read a line of a fair deal: nonces, or the secret, which only ``parlour verify`` checks."""
    ledger = state.ledger
    if ledger.fair is None:
        raise ParlourError(
            "{kind!r} belongs to a deal that can be checked, and the header has no commitment.", kind=kind
        )
    if kind == "secret":
        ledger.fair = replace(ledger.fair, secret=_number_in_hex(text, "a secret"))
        return
    words = text.split()
    nonces = {
        _number(seat, "a seat"): _number_in_hex(nonce, "a nonce")
        for seat, nonce in zip(words[::2], words[1::2], strict=False)
    }
    if not nonces or len(words) != 2 * len(nonces) or max(nonces) >= state.game.players:
        raise ParlourError("'mix:' must be followed by seats of the table, each once and with its nonce.")
    ledger.fair = ledger.fair.mixed(ledger.nodes, nonces)


def _let_happen(state: State, outcome: str, drawn: tuple[int, list[int]] | None) -> None:
    if state.current_player != CHANCE:
        raise ParlourError("Chance has nothing to decide here: {whose_turn}.", whose_turn=_whose_turn(state))
    if drawn is None:
        state.apply(outcome)
        return
    seed, rng = drawn
    expected = state.draw_outcome(rng)
    name = state.name_of(expected)
    state.apply(outcome)
    if state.history[-1].action != expected:
        raise ParlourError(
            "Seed {seed} gives {name!r} here, not {outcome!r}; a record of other chance has no seed line.",
            seed=seed,
            name=name,
            outcome=outcome,
        )


def _act(state: State, seat: int, action: str) -> None:
    if seat >= state.game.players:
        raise ParlourError(
            "There is no seat {seat}; seats run from 0 to {last}.", seat=seat, last=state.game.players - 1
        )
    if not state.acting:
        raise ParlourError("Seat {seat} cannot act here: {whose_turn}.", seat=seat, whose_turn=_whose_turn(state))
    a = state.game.find_action(action)
    if seat not in state.acting:
        refusal = state.refusal(a, seat)
        assert refusal is not None
        clause = state.game.clause(refusal.clause)
        raise ParlourError(
            "Seat {seat} cannot act here, {whose_turn}: {text} ({id})",
            seat=seat,
            whose_turn=_whose_turn(state),
            text=clause.text,
            id=clause.id,
        )
    state.apply(a, seat)


def _whose_turn(state: State) -> str:
    if state.is_terminal:
        return "the game is over"
    if state.current_player == CHANCE:
        return "chance decides"
    return f"it is for {' and '.join(f'seat {p}' for p in state.acting)} to act"


def _check_result(state: State, given: str) -> None:
    if not state.is_terminal:
        raise ParlourError(
            "The game is not over here, so it has no result: {whose_turn}.", whose_turn=_whose_turn(state)
        )
    _compare("The result is", state.returns(), given)


def _check_deal(state: State, number: int, given: str) -> None:
    if number not in (k for k, deal in enumerate(state.deals, 1) if deal.steps == len(state.history)):
        raise ParlourError(
            "Deal {number} does not end here; deals that are over: {n}.", number=number, n=len(state.deals)
        )
    _compare(f"Deal {number} returns", state.deals[number - 1].returns, given)


def _compare(what: str, returns: Iterable[float], given: str) -> None:
    expected, written = in_numbers(returns), " ".join(given.split())
    if written != expected:
        raise ParlourError("{what} {expected!r}, not {written!r}.", what=what, expected=expected, written=written)
