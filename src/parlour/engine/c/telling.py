"""The translation of ``tell``, ``note`` and ``whisper``, which depends on the kind of the listener.

For ``None`` nothing is written.  A vector of int64 counts clauses, a matrix of words (a memory) takes what each player
is told, and a vector of words sums a glance.  A row of a tensor takes entries, and a position takes each thing in the
field of the same name.  Names of things, clauses and events are looked up here; an unknown one is a mistake.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import parlour.rules.vocabulary as vocabulary
from parlour.engine import hashing
from parlour.engine.c.expressions import Expressions, bare
from parlour.engine.c.kinds import (
    STORED,
    WHOLE,
    Misspelt,
    Nobody,
    PositionKind,
    RowKind,
    Untranslatable,
    Value,
    Vector,
    code_of,
)
from parlour.engine.c.names import c_name
from parlour.engine.tensors import TensorPart, tensor_parts
from parlour.rules.vocabulary import Thing

COUNTS, MEMORY, GLANCE = Vector("i64", 1), Vector("u64", 2), Vector("u64", 1)
HEARD = {"note": ("to", "clause", "event", "who", "a", "b"), "tell": ("to", "thing", "index", "value")}
HEARD["whisper"] = HEARD["note"]
FEWEST = 4
LITERALS = range(1, 3)
"""The arguments of ``note`` that are texts: the clause and the event."""


def glance_of(listener: str) -> str:
    """The variable in which a function sums the words of a glance."""
    return f"_told_{listener}"


class ListenerStatements(Expressions):
    """Statements that tell a listener something."""

    put: Callable[[str], None]
    glances: set[str]
    """The listeners that sum a glance in this function: each has its own variable, which C can keep in a register
    (:func:`glance_of`)."""

    def tells(self, what: Any, node: ast.Call) -> bool:
        """Write ``tell``, ``note`` or ``whisper``, if it is one of them."""
        if what is vocabulary.tell:
            self._tell(self._heard("tell", node))
        elif what in (vocabulary.note, vocabulary.whisper):
            self._note(self._heard(what.__name__, node), what is vocabulary.note)
        else:
            return False
        return True

    def _heard(self, name: str, node: ast.Call) -> list[ast.expr]:
        names = HEARD[name]
        if node.keywords:
            raise Untranslatable(f"{name} takes no argument by name in compiled rules")
        if not FEWEST <= len(node.args) <= len(names):
            raise Untranslatable(
                f"{name} takes {FEWEST} to {len(names)} arguments ({', '.join(names)}), not {len(node.args)}"
            )
        return node.args

    def _named(self, node: ast.expr, kind: str, known: Mapping[str, int]) -> int:
        """The number of a clause, an event or a thing, which must be a known name written as a string literal."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            raise Untranslatable(f"the {kind} must be a text that stands here, not {ast.unparse(node)}")
        if node.value not in known:
            raise Misspelt(f"unknown {kind} {node.value!r}")
        return known[node.value]

    # ------------------------------------------------------------------ events

    def _note(self, args: list[ast.expr], everybody: bool) -> None:
        for i in LITERALS:
            chosen = args[i]
            if isinstance(chosen, ast.IfExp):
                self.put(f"if ({bare(self.truth(chosen.test))}) {{")
                self._note([*args[:i], chosen.body, *args[i + 1 :]], everybody)
                self.put("} else {")
                self._note([*args[:i], chosen.orelse, *args[i + 1 :]], everybody)
                self.put("}")
                return
        clause = self._named(args[1], "clause", self.program.game.book.index)
        event = self._named(args[2], "event", self.program.game.event_index)
        to, told = self.value(args[0]), [self.whole(argument) for argument in args[3:]]
        if isinstance(to.kind, Nobody) or to.kind == COUNTS:
            for value in told:
                if value.calls:
                    self.put(f"(void){value.text};")
            if to.kind == COUNTS:
                self.put(f"{to.text}.at[{clause}] += 1;")
            return
        if to.kind != MEMORY:
            raise Untranslatable(
                f"{ast.unparse(args[0])} is {to.kind.called if to.kind else 'nothing'}, which hears nothing"
            )
        names = [self.temporary() for _ in told]
        self.put("{ " + " ".join(f"i64 {n} = {v.text};" for n, v in zip(names, told, strict=True)))
        names += ["0"] * (3 - len(names))
        seat = f"IN({names[0]}, {to.text}.n1, {self.place_in_rules('beyond')})"
        at = f"3 * {to.text}.n1 + 1" if everybody else f"2 * {to.text}.n1 + {seat}"
        self.put(f"{to.text}.at[{at}] += event_fact({event}, {', '.join(names)});")
        audience = "0" if everybody else f"{names[0]} + 1"
        listed = f"{to.text}.at, {to.text}.n0, {to.text}.n1, {audience}, {event}, {', '.join(names)}"
        self.put(f"if (UNLIKELY({to.text}.n0 > 4)) list_event({listed}); }}")

    # ------------------------------------------------------------------ facts about a position

    def _tell(self, args: list[ast.expr]) -> None:
        number = self._named(args[1], "thing", self.program.things)
        name = list(self.program.game.things)[number]
        thing = self.program.game.things[name]
        to, value, place = self.value(args[0]), self.whole(args[3]), self.place_in_rules("beyond")
        index = self.whole(args[2])
        if index.known is None or not 0 <= index.known < thing.per:
            index = Value(f"IN({index.text}, {thing.per}, {place})", WHOLE, index.calls)
        if to.kind == GLANCE:
            places = self.program.words([hashing.place(number, i) for i in range(thing.per)])
            how = "set" if thing.is_set else "number"
            self.glances.add(to.text)
            self.put(f"{glance_of(to.text)} += told_{how}({places}[{index.text}], {value.text});")
        elif isinstance(to.kind, PositionKind):
            field = self.program.game.fields.get(name)
            if field is not None:
                at = f"[{index.text}]" if field.size else ""
                self.put(f"{to.text}->{c_name(name)}{at} = ({STORED[code_of(field.kind)]})({value.text});")
        elif isinstance(to.kind, RowKind):
            self._in_row(to, thing, tensor_parts(self.program.game)[name], index, value)
        elif not isinstance(to.kind, Nobody):
            raise Untranslatable(
                f"{ast.unparse(args[0])} is {to.kind.called if to.kind else 'nothing'}, and is told nothing"
            )

    def _in_row(self, to: Value, thing: Thing, part: TensorPart, index: Value, value: Value) -> None:
        """Write entries of a tensor; seats are numbered from the observer, who comes first."""
        i, v, at, size = self.temporary(), self.temporary(), self.temporary(), thing.size
        if thing.kind in ("one_of", "seat"):
            most = size if thing.kind == "one_of" else self.program.game.max_players
            value = Value(f"IN({value.text}, {most}, {self.place_in_rules('beyond')})", WHOLE, value.calls)
        seats = f"{to.text}.me, {to.text}.players"
        self.put(f"{{ i64 {i} = {index.text}, {v} = {value.text};")
        if thing.seats and thing.each == 1:
            self.put(f"{i} = turned({i}, {seats});")
        elif thing.seats:
            self.put(f"{i} = turned({i} / {thing.each}, {seats}) * {thing.each} + {i} % {thing.each};")
        self.put(f"float *{at} = {to.text}.row.at + {part.start} + {part.width} * {i};")
        if thing.kind == "seat_set":
            self.put(f"{v} = turned_set({v}, {seats});")
        if thing.is_set:
            self.put(f"write_set({at}, {v}, {part.width - thing.optional});")
        elif thing.kind == "amount":
            self.put(f"{at}[0] = (float){v} * (float)(1.0 / {size});")
        elif thing.kind == "one_of":
            self.put(f"{at}[{v}] = 1.0f;")
        else:
            self.put(f"{at}[turned({v}, {seats})] = 1.0f;")
        if thing.optional:
            self.put(f"{at}[{part.width - 1}] = 1.0f;")
        self.put("}")
