"""A corpus of records: a hundred short matches of every game, with what everybody could notice on the way.

The rules must go on behaving as they did when these matches were played.  Each line stands for a moment at which
somebody acts (or for the end): seven digests of two letters, one for each of :data:`FACTS` (``..`` where it was not
looked at), the clauses of what has happened since the line before, and who does what::

    vmf6a3..b2.... 16.18 > 2 wager 3

Facts are those of the rules: names of actions and outcomes, clauses, seats, numbers; events and things told count by
their place in the game's lists, so a new name for one of them changes nothing here.

``python -m tools.corpus diamondback`` plays and rewrites the corpus of a game after an intended change of its rules;
``python -m tools.corpus diamondback 17`` shows record 17 step by step, as the rules play it now.
"""

from __future__ import annotations

import argparse
import base64
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random
from textwrap import shorten
from typing import Any

import parlour
from parlour import CHANCE, EVERYBODY, Game, ParlourError, State
from parlour.engine.definition import definition, shelf
from parlour.engine.hashing import seed_word
from parlour.engine.house_rules import sample_values
from tests.helpers import weighed

FOLDER = Path(__file__).parents[1] / "tests" / "records" / "corpus"
FACTS = {
    "chance": "what chance brought, and might have brought",
    "asked": "who is asked, and what each of them may do",
    "heard": "what happened: clause, event, audience, player, two numbers; and what each deal brought",
    "seen": "what spectators and players see, and the tensor of one of them",
    "barred": "which clause forbids what is not allowed",
    "world": "the world that a seed deals from a player's view",
    "thought": "what a search or a sensible player considers, and how the rule of thumb weighs it",
}
Facts = dict[str, Any]


# ------------------------------------------------------------------------------------------ what can be noticed


class Witness:
    """Takes down the facts of a match, moment by moment, and lets chance decide in between."""

    def __init__(self, state: State, number: int, seed: int) -> None:
        self.state, self.number, self._rng = state, number, [seed_word(seed)]
        self.moment = self._nodes = self._events = self._deals = 0
        what = state.game.definition
        self._things = {name: i for i, name in enumerate(what.things)}

    def look(self) -> Facts:
        """The facts of this moment, and of what has happened since the last one; ``None`` for what is not looked at."""
        chance = self._chance()
        k, state, over = self.moment + self.number, self.state, self.state.is_terminal
        events, deals = self._events, self._deals
        self._events, self._deals = len(state.ledger.events), len(state.deals)
        self.moment += 1
        return {
            "chance": chance,
            "asked": None if over else self._asked(),
            "heard": [self._event(e) for e in state.ledger.told(None, events)] + [d[:2] for d in state.deals[deals:]],
            "seen": self._views(k) if k % 5 == 0 or over else None,
            "barred": self._barred(k) if k % 2 == 0 or over else None,
            "world": self._world(k, k // 9) if k % 9 == 0 and not over else None,
            "thought": self._thought() if k % 4 == 1 and not over else None,
        }

    def _chance(self) -> list[Any]:
        """Record what chance brings; occasionally also its probabilities, and what players then see and may not do."""
        state, found = self.state, list[Any]()
        while state.current_player == CHANCE:
            self._nodes += 1
            k = self._nodes + self.number
            if k % 6 == 0:
                found.append(self._likely(state))
            if k % 20 == 0:
                found.append([self._views(k // 20), self._world(k, k // 20), self._barred(k // 20)])
            outcome = state.draw_outcome(self._rng)
            found.append(state.name_of(outcome))
            state.apply(outcome)
        return found

    def _likely(self, state: State) -> list[tuple[str, int, int]]:
        return [(state.name_of(k), p.numerator, p.denominator) for k, p in state.chance_outcomes()]

    def _seats(self, k: int) -> list[int]:
        """At a large table six seats, which change with the moment."""
        players = self.state.game.players
        return sorted((k + i) % players for i in range(min(players, 6)))

    def _asked(self) -> list[Any]:
        state, asked = self.state, list[Any]()
        for p in state.acting:
            silence = state.silence(p) if state.hushed else None
            silent = [] if silence is None else [silence]
            asked.append((p, *(state.game.action_names[a] for a in [*considered(state, p, "legal"), *silent])))
        return [*asked, state.hushed]

    def _event(self, event: Sequence[Any]) -> tuple[Any, ...]:
        clause, name, *numbers = event
        return (clause, self.state.game.definition.event_index[name], *map(int, numbers))

    def _seen(self, state: State, player: int) -> list[tuple[int, int, int]]:
        return sorted((self._things[name], int(i), int(value)) for name, i, value in state.view(player).items)

    def _views(self, k: int) -> list[Any]:
        """What spectators and players see, and what of a player's tensor is not zero."""
        flat = self.state.tensor(k // 5 % self.state.game.players).flat
        tensor = [(len(flat), 0.0), *((int(i), float(flat[i])) for i in flat.nonzero()[0])]
        return [*(self._seen(self.state, p) for p in (EVERYBODY, *self._seats(k))), tensor]

    def _barred(self, k: int) -> list[Any]:
        """Three actions of different kinds that each player may not do now, chosen by the moment."""
        game, found = self.state.game, []
        kinds = kinds_of(game)
        for p in self._seats(k):
            legal = {*self.state.legal_actions(p)}
            for i in range(3):
                kind = kinds[(k // 2 + 5 * i + p) % len(kinds)]
                a = kind[(k + 3 * p) % len(kind)]
                if a not in legal:
                    refused = self.state.refusal(a, p)
                    found.append((p, game.action_names[a], refused.clause if refused else None))
        return found

    def _world(self, k: int, turn: int) -> list[Any]:
        player = turn % self.state.game.players
        world = self.state.redeal(player, k)
        seen = [self._seen(world, p) for p in self._seats(k)]
        return [player, world.current_player, *seen, *(self._likely(world) if world.current_player == CHANCE else ())]

    def _thought(self) -> list[Any]:
        names, found, what = self.state.game.action_names, list[Any](), self.state.game.definition
        weighs = what.has("appraise") and not what.part("prepared")  # those that prepare themselves take too long
        for p in self.state.acting:
            found += [(p, *(names[a] for a in considered(self.state, p, how))) for how in ("candidates", "likely")]
            if weighs:
                found.append([f"{act}: {worth:.3g}" for act, worth in weighed(self.state, p, self.moment).items()])
        return found


def considered(state: State, player: int, how: str) -> list[int]:
    """The actions that the rules call ``legal``, ``candidates`` or ``likely``; all legal ones if they do not say."""
    rules, acts = state.game.definition.rules, [-1] * state.game.action_count
    return acts[: getattr(rules, how, rules.legal)(state.position, player, acts)]


@cache
def kinds_of(game: Game) -> list[list[int]]:
    """The actions of each kind: those whose names differ in a number only."""
    kinds: dict[str, list[int]] = {}
    for a, name in enumerate(game.action_names):
        kinds.setdefault(kind_of(name), []).append(a)
    return list(kinds.values())


def kind_of(name: str) -> str:
    return re.sub(r"\d+", "", name)


def digest(fact: Any) -> str:
    """Two letters for a fact."""
    if fact is None:
        return ".."
    return base64.b32encode(blake2b(repr(fact).encode(), digest_size=5).digest()).decode()[:2].lower()


def line_of(facts: Facts) -> str:
    """Digests and clauses of a moment."""
    clauses = ".".join(event[0].partition("-")[2] for event in facts["heard"] if isinstance(event[0], str))
    return f"{''.join(digest(facts[name]) for name in FACTS)} {clauses or '-'}"


# ------------------------------------------------------------------------------------------ replaying


@dataclass(frozen=True)
class Record:
    """One match of the corpus as it is written: a header (players, seed, house rules), then at each moment the facts
    and who does what."""

    game: str
    number: int
    header: str
    lines: tuple[tuple[str, str], ...]

    def start(self) -> Witness:
        players, seed, *options = self.header.split()
        loaded = parlour.load(self.game, int(players), **dict(option.split("=", 1) for option in options))
        return Witness(loaded.new(), self.number, int(seed))

    def text(self) -> str:
        return "\n".join([f"{self.number}: {self.header}", *(" > ".join(line) for line in self.lines), "", ""])

    def difference(self) -> str:
        """Where the match first differs from its record, and what happens there now; empty if nowhere."""
        witness = self.start()
        state = witness.state
        for k, (written, act) in enumerate(self.lines):
            facts, now = witness.look(), act
            problem = ""
            if line_of(facts) != written:
                problem = _changed(facts, written)
            elif act.startswith("="):
                now = ending(state)
            else:
                try:
                    do(state, act)
                except ParlourError as error:
                    problem = f"\n  {error}"
            if problem or now != act:
                place = f"{self.game}, record {self.number} ({self.header}), moment {k}, where it says '{act}':"
                how = f"`python -m tools.corpus {self.game} {self.number}`, with the rules as they were, shows it."
                return f"{place}{problem or f' it is {now!r} now.'}\n{how}"
        return ""


def house_rules(game: str) -> list[str]:
    """Players and options of a game, a line each, and for each clause that forbids some options to go together up to
    three examples."""
    what, choose, times = definition(game), Random(game), Counter[str]()
    found = [f"players {what.players[0]} to {what.players[-1]}; version {what.version}"]
    for name, option in what.options.items():
        words = "".join(f" {word}={n}" for word, n in option.words.items())
        numbers = f" {option.low} to {option.high}" if option.low is not None else " seat" * option.seats
        found.append(f"{name}: {option.default};{words}{numbers}; {' '.join(option.clauses) or '-'}")
    for _ in range(300 if len(what.options) > 1 else 0):
        players, few = choose.choice(what.players), choose.sample(list(what.options), 2)
        chosen = {name: choose.choice(sample_values(what.options[name], players)) for name in few}
        try:
            parlour.load(game, players, **chosen)
        except ParlourError as error:
            cited = " ".join(re.findall(r"\b[A-Z]{2}-\d+", str(error)))
            times[cited] += 1
            if times[cited] <= 3:
                found.append(f"refused: {players} {' '.join(f'{n}={v}' for n, v in chosen.items())}; {cited or '-'}")
    return found


def read(game: str) -> Iterator[Record]:
    """The records of a game."""
    for block in (FOLDER / f"{game}.txt").read_text("utf-8").split("\n\n")[2:-1]:
        head, *lines = block.split("\n")
        number, _, header = head.partition(": ")
        moments = [line.partition(" > ") for line in lines]
        yield Record(game, int(number), header, tuple((facts, act) for facts, _, act in moments))


def written_rules(game: str) -> list[str]:
    """The house rules of a game as they were."""
    return (FOLDER / f"{game}.txt").read_text("utf-8").split("\n\n")[1].split("\n")


def _changed(facts: Facts, written: str) -> str:
    digests, _, clauses = written.partition(" ")
    changed = ""
    for i, (name, meaning) in enumerate(FACTS.items()):
        if digest(facts[name]) != digests[2 * i : 2 * i + 2]:
            cited = f" (clauses {clauses})" * (name == "heard")
            changed += f"\n  Otherwise than written{cited}: {meaning}. Now: {shorten(str(facts[name]), 400)}"
    return changed or f"\n  The clauses were {clauses}, now {line_of(facts).partition(' ')[2]}."


def do(state: State, act: str) -> None:
    """Carry out what a line says, as in ``2 call``."""
    who, _, name = act.partition(" ")
    state.apply(name, int(who))


def ending(state: State) -> str:
    """The last line of a match: what it brought each player, or that it was not over."""
    return " ".join(["=", *(f"{x:g}" for x in state.returns())]) if state.is_terminal else "= unfinished"


def tell(game: str, number: int) -> None:
    """Show one record with its facts in full."""
    record = next(record for record in read(game) if record.number == number)
    witness = record.start()
    print(record.game, record.header)
    for k, (written, act) in enumerate(record.lines):
        facts = witness.look()
        print(f"\n{k}: {act}{'' if line_of(facts) == written else '   (not as written)'}")
        for name, fact in facts.items():
            print(f"  {name}: {fact}" if fact is not None else f"  {name}: not looked at")
        if not act.startswith("="):
            do(witness.state, act)


# ------------------------------------------------------------------------------------------ playing and writing

RECORDS = 100
PLAYED = 600  # games played, of which the most telling are kept
MOST = 120  # moments of a match, after which the record ends
LENGTHS = ("deals", "games", "hands", "match_max_hands", "rounds")  # options that say how long a match is
HEADER = """# {records} short matches of {game} and what everybody could notice on the way: see tools/corpus.py.
# Written by `python -m tools.corpus {game}`; write it anew only if a change of the rules is meant.
"""


def some_game(game: str, choose: Random) -> tuple[Game, list[str]]:
    """Players and house rules at random, and the latter in words; the match is short."""
    what = definition(game)
    while True:
        players, odds, options = choose.choice(what.players), choose.choice([0.1, 0.4, 0.8]), {}
        for name, option in what.options.items():
            if name in LENGTHS and option.high is not None:
                options[name] = str(choose.choice([1, 2, 4, 8]))
            elif choose.random() < odds:
                options[name] = choose.choice(sample_values(option, players))
        try:
            loaded = parlour.load(game, players, **options)
        except ParlourError:
            continue
        return loaded, [f"{n}={v}" for n, v in loaded.options.items() if v != str(what.options[n].default)]


def play(game: str, choose: Random) -> tuple[Record, set[Any]]:
    """A match, and what is seen of the rules in it.  Players have whims: one kind of action tempts more than another;
    in half of the matches they often do what is likely."""
    loaded, rules = some_game(game, choose)
    seed, sense, whims = choose.randrange(10**6), choose.choice([0.0, 0.0, 0.5, 0.9]), dict[str, float]()
    record = Record(game, 0, " ".join([str(loaded.players), str(seed), *rules]), ())
    witness, lines, seen = record.start(), list[tuple[str, str]](), {loaded.players, *rules}
    state = witness.state
    while True:
        facts = witness.look()
        seen |= {event[:2] for event in facts["heard"] if isinstance(event[0], str)}
        seen |= {("barred", clause) for _, _, clause in facts["barred"] or ()}
        if state.is_terminal or len(lines) == MOST:
            lines.append((line_of(facts), ending(state)))
            return Record(game, 0, record.header, tuple(lines)), seen
        who = choose.choice(state.acting)
        acts = considered(state, who, "likely") if choose.random() < sense else state.legal_actions(who)
        kinds = [kind_of(loaded.action_names[a]) for a in acts]
        many = Counter(kinds)
        for kind in many:
            whims.setdefault(kind, 10 ** choose.uniform(-1, 1))
        a = choose.choices(acts, [whims[kind] / many[kind] for kind in kinds])[0]
        lines.append((line_of(facts), f"{who} {loaded.action_names[a]}"))
        state.apply(a, who)


def write(game: str) -> None:
    """Play many matches; keep those that show most of the rules, for their length."""
    choose, left, kept = Random(game), list[tuple[Record, set[Any]]](), list[Record]()
    left = [play(game, choose) for _ in range(PLAYED)]
    times = Counter[Any]()
    for number in range(RECORDS):
        best = max(left, key=lambda one: sum(0.5 ** times[fact] for fact in one[1]) / (len(one[0].lines) + 60))
        left.remove(best)
        times.update(best[1])
        kept.append(numbered(best[0], number))
    FOLDER.mkdir(exist_ok=True)
    head = "\n".join([HEADER.format(game=game, records=RECORDS), *house_rules(game), "", ""])
    text = head + "".join(record.text() for record in kept)
    (FOLDER / f"{game}.txt").write_text(text, "utf-8")


def numbered(record: Record, number: int) -> Record:
    """The record as it is written under this number, by which moments are chosen to look at."""
    record = replace(record, number=number)
    witness, lines = record.start(), list[tuple[str, str]]()
    for _, act in record.lines:
        lines.append((line_of(witness.look()), act))
        if not act.startswith("="):
            do(witness.state, act)
    return replace(record, lines=tuple(lines))


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("words", nargs="*", metavar="game", help="games, or one game and the number of a record")
    games = said.parse_args().words
    number = int(games.pop()) if len(games) == 2 and games[1].isdecimal() else None
    if unknown := {*games} - {*shelf()}:
        said.error(f"there is no game {min(unknown)!r}; choose from: {', '.join(shelf())}")
    if number is not None:
        return tell(games[0], number)
    for game in games or shelf():
        write(game)


if __name__ == "__main__":
    main()
