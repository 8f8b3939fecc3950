"""Networks of learned players: their layout, the facts to which actions refer, and their files.

:mod:`parlour.players.kernels.networks` computes with one vector: a head, the weights, and the facts to which actions
refer.  The last part follows from the game alone.  Names of actions say what they are about: ``dig 4`` is about pile 4,
``lead 7h`` about a card, ``steal 2`` about a player.  The facts that the player is told about that thing (the cards on
pile 4, who may hold the card) have weights that all actions of that kind share, so whatever the network learns about
one pile holds for all.

A file of networks (``learned.npz`` in a game's folder) is an ordinary ``.npz``: for each number of players a vector of
weights, rounded to 16 bits, and ``about.json``, which says what they are for and how they were made.  It is read
without NumPy.
"""

from __future__ import annotations

import ast
import io
import json
import struct
import zipfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.base.disk import installed, put, reading
from parlour.base.errors import ParlourError
from parlour.engine.definition import Definition
from parlour.engine.tensors import tensor_parts, tensor_size
from parlour.players.kernels.networks import HEAD, TAIL

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

ABOUT = "about.json"
Slot = tuple[str | int, ...]
"""A kind of fact to which actions refer: the verb, the thing told, and the item."""


# ------------------------------------------------------------------------------------------ facts that actions refer to


def pointers(game: Ruleset[Any], me: int, action: str) -> Iterator[tuple[Slot, int]]:
    """Return the facts in the tensor of ``me`` to which the name of an action refers: slots, with places in the tensor.

    >>> import parlour
    >>> places = dict(pointers(parlour.load("diamonds"), 0, "dig 4"))
    >>> parts = parlour.load("diamonds").tensor_layout
    >>> places["dig", "height", 0] == parts["height"].start + 4
    True
    """
    words = action.split()
    for word in words[1:]:
        verb = " ".join(other for other in words if other != word)
        if word.isdecimal():
            yield from _numbered(game, me, verb, int(word), _range(game, words[0]))
        else:
            yield from _named(game, verb, word)


def _range(game: Ruleset[Any], verb: str) -> int:
    """The number of different numbers in the actions of a verb."""
    about = (name.split() for name in game.action_names)
    return 1 + max(int(word) for first, *rest in about if first == verb for word in rest if word.isdecimal())


def _named(game: Ruleset[Any], verb: str, word: str) -> Iterator[tuple[Slot, int]]:
    """The facts about a card, in every thing that lists cards of that name.  If there are several copies of a card, a
    set has entries for one, two and four, whose names begin alike."""
    parts = tensor_parts(game.definition)
    for thing, told in game.definition.things.items():
        for c, name in enumerate(told.names or () if told.kind in ("cards", "one_of") else ()):
            if name.split()[:1] == [word]:
                for i in range(told.per):
                    yield (verb, thing, i, name.count(" ")), parts[thing].start + parts[thing].width * i + c


def _numbered(game: Ruleset[Any], me: int, verb: str, number: int, size: int) -> Iterator[tuple[Slot, int]]:
    """The facts about the place or the player with a number, in every thing that has as many items."""
    parts, players = tensor_parts(game.definition), game.players
    for thing, told in game.definition.things.items():
        part = parts[thing]
        if told.seats and size == game.definition.max_players and number < players:
            first = (number - me) % players * told.each * part.width
            for j in range(told.each * part.width):
                yield (verb, thing, j), part.start + first + j
        elif told.per > 1 and told.per == size and not told.seats:
            for j in range(part.width):
                yield (verb, thing, j), part.start + number * part.width + j
        elif told.per == 1 and told.kind == "one_of" and told.size == size:
            yield (verb, thing), part.start + number


@lru_cache(maxsize=8)
def pointed(game: Ruleset[Any]) -> tuple[int, tuple[tuple[tuple[int, int], ...], ...]]:
    """Return the number of slots; and for each player and each action the places in the tensor, with their slots."""
    slots: dict[Slot, int] = {}
    each = [
        tuple((place, slots.setdefault(slot, len(slots))) for slot, place in pointers(game, me, action))
        for me in range(game.players)
        for action in game.action_names
    ]
    return len(slots), tuple(each)


# ------------------------------------------------------------------------------------------ networks


@dataclass(frozen=True)
class Shape:
    """The sizes of a network: entries of the tensor, sums of its hidden layer, actions, slots."""

    inputs: int
    hidden: int
    actions: int
    slots: int

    @property
    def weights(self) -> int:
        """How many weights it has."""
        return (self.inputs + 1 + self.hidden + self.actions + self.slots + 4) * self.hidden + TAIL


def shape_for(game: Ruleset[Any], hidden: int) -> Shape:
    """The shape of a network for a game.

    >>> import parlour
    >>> shape_for(parlour.load("kuhn"), 8).weights > 100
    True
    """
    return Shape(tensor_size(game.definition), hidden, game.action_count, pointed(game)[0])


@dataclass(frozen=True, eq=False)
class Network:
    """A network as in files: its shape, the units in its head, its weights, and how it was made."""

    shape: Shape
    short: float
    firm: float
    unit: float
    weights: Sequence[float]
    made: Mapping[str, Any] = field(default_factory=dict)

    def vector(self, game: Ruleset[Any]) -> array[float]:
        """The network as a vector for :mod:`parlour.players.kernels.networks`."""
        return self.vector_with(pointed(game)[1])

    def vector_with(self, links: Sequence[Sequence[tuple[int, int]]]) -> array[float]:
        """Return the vector, given the facts to which each action refers: places in the tensor, with their slots."""
        head = [*map(float, asdict(self.shape).values()), self.short, self.firm, self.unit]
        vector = [*head, *[0.0] * (HEAD - len(head)), *self.weights]
        first = len(vector) + len(links) + 1
        first += first % 2  # pairs of numbers begin at an even place, because they are found by the number of the pair
        starts, pairs = [first // 2], list[float]()
        for link in links:
            starts.append(starts[-1] + len(link))
            pairs += [float(n) for pair in link for n in pair]
        vector += map(float, starts)
        return array("d", [*vector, *[0.0] * (first - len(vector)), *pairs])


# ------------------------------------------------------------------------------------------ files of networks


def shipped(game: Ruleset[Any] | Definition, name: str = "learned.npz") -> Path:
    """The file of the networks that come with a game, if there are any."""
    module = (game if isinstance(game, Definition) else game.definition).part("rules")
    assert module is not None
    assert module.__file__ is not None
    return Path(module.__file__).with_name(name)


def learned_with(game: Definition) -> list[int]:
    """The numbers of players for which a game comes with networks.

    >>> from parlour.engine.definition import definition
    >>> learned_with(definition("diamonds")), learned_with(definition("kuhn"))
    ([2, 3], [])
    """
    file = shipped(game)
    if not file.exists():
        return []
    with installed(file):
        return sorted(map(int, _about(file, file.stat().st_mtime_ns)["networks"]))


def read(file: Path, game: Ruleset[Any], shape: Callable[[Ruleset[Any], int], Shape] = shape_for) -> Network:
    """Return the network for a game from a file.  Raises ``ParlourError`` if there is none that fits.  ``shape``: a
    function that returns the required shape for the game and the size of the hidden layer."""
    other = ParlourError("{file} does not hold networks; `parlour train` writes such files.", file=file)
    with reading(file, other):
        return _read(file, file.stat().st_mtime_ns, game, shape)


@lru_cache(maxsize=16)
def _about(file: Path, stamp: int) -> Any:
    """The description of its networks in a file."""
    with zipfile.ZipFile(file) as archive:
        return json.loads(archive.read(ABOUT))


@lru_cache(maxsize=16)
def _read(file: Path, stamp: int, game: Ruleset[Any], shape: Callable[[Ruleset[Any], int], Shape]) -> Network:
    name, about = game.definition.name, _about(file, stamp)
    if about["game"] != game.definition.rules_of:
        raise ParlourError("{file} has learned {game}, and not {name}.", file=file, game=about["game"], name=name)
    known = about["networks"].get(str(game.players))
    if known is None:
        counts = " and ".join(sorted(about["networks"]))
        raise ParlourError(
            "{file} has learned {name} with {counts} players, and not with {players}.",
            file=file,
            name=name,
            counts=counts,
            players=game.players,
        )
    with zipfile.ZipFile(file) as archive:
        weights = _array(archive.read(f"{game.players}.npy"))
    network = Network(Shape(**known["shape"]), known["short"], known["firm"], known["unit"], weights, known["made"])
    if network.shape != shape(game, network.shape.hidden) or len(weights) != network.shape.weights:
        raise ParlourError(
            "{file} has learned {name} with other rules, or other house rules: its actions differ.",
            file=file,
            name=name,
        )
    return network


def _array(data: bytes) -> tuple[float, ...]:
    """A vector of 16-bit numbers from the bytes of an ``.npy``."""
    if data[:7] != b"\x93NUMPY\x01":
        raise ValueError(data[:7])
    (size,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10 : 10 + size].decode("latin-1"))
    if header["descr"] != "<f2" or len(header["shape"]) != 1:
        raise ValueError(header)
    return struct.unpack(f"<{header['shape'][0]}e", data[10 + size :])


def others(file: Path, game: Ruleset[Any]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the networks that a file holds for a game so far, by number of players: the description of each, and its
    weights.  Raises ``ParlourError`` if it is another kind of file."""
    if not file.exists():
        return {}, {}
    other = ParlourError("{file} already exists and does not hold networks; name another file.", file=file)
    with reading(file, other), zipfile.ZipFile(file) as archive:
        about = json.loads(archive.read(ABOUT))
        known = about["networks"] if about["game"] == game.definition.rules_of else {}
        return known, {n: archive.read(f"{n}.npy") for n in known}


def write(file: Path, game: Ruleset[Any], network: Network) -> None:
    """Add a network to a file, next to those for other numbers of players; the same networks give the same bytes."""
    known, vectors = others(file, game)
    n = str(game.players)
    units = {"short": network.short, "firm": network.firm, "unit": network.unit}
    known[n] = {"shape": asdict(network.shape), **units, "made": dict(network.made)}
    header = f"{{'descr': '<f2', 'fortran_order': False, 'shape': ({len(network.weights)},), }}"
    padded = header.ljust(-(10 + len(header) + 1) % 64 + len(header)) + "\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded.encode()
    vectors[n] = start + struct.pack(f"<{len(network.weights)}e", *network.weights)
    about = {"game": game.definition.rules_of, "networks": dict(sorted(known.items()))}
    members = {ABOUT: json.dumps(about, indent=1).encode(), **{f"{k}.npy": v for k, v in sorted(vectors.items())}}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    put(file, out.getvalue())
