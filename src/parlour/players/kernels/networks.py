"""A small network that estimates the values of actions, and its training.

A network is one vector of numbers; :mod:`parlour.players.nets` lays it out.  The first layer sums up the row of a
tensor (a player's view) once; sums above 0 also add to each other.  Each action then adds a row of its own, rows for
the things it names (a pile, a card or a seat: :mod:`parlour.players.nets`), and the opinion of the game's rule of
thumb: whether it is the best, by how much it falls short of the best, and how good it is.  The sums above 0 are then
weighted and added up.  An untrained network plays by rule of thumb."""

from __future__ import annotations

from typing import Any

from parlour.engine.kernel import Kernel
from parlour.engine.vectors import add_scaled, next_entry, product

INPUTS, HIDDEN, ACTIONS, SLOTS, SHORT, FIRM, UNIT = range(7)
"""The head of a network: the numbers of entries of a tensor, of sums in the hidden layer, of actions, and of slots
(kinds of facts to which actions refer); the units for how far an action falls short by the rule of thumb, for its
value, and for returns."""
HEAD, TAIL = 8, 8
LAYERS = 3
"""The length of the working vector, in lengths of the hidden layer."""
ALIKE = 1e-9
"""Actions whose worth differs by less are worth the same to a rule of thumb."""


def take_in(net: Any, row: Any, layer: Any) -> None:
    """Sum up the row of a tensor.  After the sums, write the values with which all actions begin: the sums, with what
    those above 0 add to each other."""
    inputs, hidden = int(net[INPUTS]), int(net[HIDDEN])
    bias = HEAD + inputs * hidden
    for j in range(hidden):
        layer[j] = net[bias + j]
    i = next_entry(row, 0, inputs)
    while i < inputs:
        add_scaled(layer, 0, net, HEAD + i * hidden, row[i], hidden)
        i = next_entry(row, i + 1, inputs)
    for j in range(hidden):
        layer[hidden + j] = layer[j]
    mixing = bias + hidden
    for i in range(hidden):
        if layer[i] > 0.0:
            add_scaled(layer, hidden, net, mixing + i * hidden, layer[i], hidden)


def rows_of(net: Any) -> int:
    """Return the place where the rows of actions begin.  The rows of slots follow, then four rows (best, falling short,
    how good, and the weight of each sum), the tail, and then the links of each action."""
    hidden = int(net[HIDDEN])
    return HEAD + (int(net[INPUTS]) + 1 + hidden) * hidden


def weigh(net: Any, row: Any, layer: Any, me: int, a: int, short: float, firm: float) -> float:
    """Return the expected value of an action.  ``layer`` must have taken in the row; the sums with this action are
    written after that."""
    hidden = int(net[HIDDEN])
    own = rows_of(net)
    slots = own + int(net[ACTIONS]) * hidden
    thumb = slots + int(net[SLOTS]) * hidden
    count = thumb + 3 * hidden
    tail = count + hidden
    here = hidden + hidden
    for j in range(hidden):
        layer[here + j] = layer[hidden + j] + net[own + a * hidden + j]
    where = tail + TAIL + me * int(net[ACTIONS]) + a
    for link in range(int(net[where]), int(net[where + 1])):
        x = row[int(net[link + link])]
        if x != 0.0:
            add_scaled(layer, here, net, slots + int(net[link + link + 1]) * hidden, x, hidden)
    expected = net[tail] + net[tail + 2] * short + net[tail + 3] * firm
    add_scaled(layer, here, net, thumb + hidden, short, hidden)
    add_scaled(layer, here, net, thumb + hidden + hidden, firm, hidden)
    if short < ALIKE:
        add_scaled(layer, here, net, thumb, 1.0, hidden)
        expected += net[tail + 1]
    for j in range(here, here + hidden):
        layer[j] = max(layer[j], 0.0)
    return float(expected + product(net, count, layer, here, hidden))


def reconsider(net: Any, row: Any, layer: Any, me: int, acts: Any, n: int, worth: Any, short: Any, firm: Any) -> None:
    """Replace the rule of thumb's value of each of ``n`` actions by the network's expected value, in its unit.
    ``firm[k]`` takes the rule of thumb's value of action ``k``, scaled to -1 to 1, and ``short[k]`` how far it falls
    short of the best, from 0 to 1."""
    take_in(net, row, layer)
    most = worth[0]
    for k in range(1, n):
        most = max(most, worth[k])
    for k in range(n):
        behind = (most - worth[k]) / net[SHORT]
        short[k] = behind / (1.0 + behind)
        firm[k] = worth[k] / (net[FIRM] + abs(worth[k]))
        worth[k] = weigh(net, row, layer, me, int(acts[k]), short[k], firm[k])


def favourite(n: int, worth: Any) -> int:
    """Return the first of the best of ``n`` actions."""
    best = 0
    for k in range(1, n):
        if worth[k] > worth[best]:
            best = k
    return best


def learn_from(
    net: Any, change: Any, row: Any, layer: Any, me: int, a: int, short: float, firm: float, error: float
) -> None:
    """Add to ``change``, which has the layout of ``net``, the gradient of half the square of the ``error`` for action
    ``a``.  ``layer`` must have taken in the row, and is overwritten."""
    inputs, hidden = int(net[INPUTS]), int(net[HIDDEN])
    weigh(net, row, layer, me, a, short, firm)
    bias = HEAD + inputs * hidden
    mixing = bias + hidden
    own = rows_of(net)
    slots = own + int(net[ACTIONS]) * hidden
    thumb = slots + int(net[SLOTS]) * hidden
    count = thumb + 3 * hidden
    tail = count + hidden
    here = hidden + hidden
    change[tail] += error
    change[tail + 2] += error * short
    change[tail + 3] += error * firm
    add_scaled(change, count, layer, here, error, hidden)
    for j in range(hidden):
        layer[here + j] = net[count + j] * error if layer[here + j] > 0.0 else 0.0
    if short < ALIKE:
        add_scaled(change, thumb, layer, here, 1.0, hidden)
        change[tail + 1] += error
    add_scaled(change, thumb + hidden, layer, here, short, hidden)
    add_scaled(change, thumb + hidden + hidden, layer, here, firm, hidden)
    where = tail + TAIL + me * int(net[ACTIONS]) + a
    for link in range(int(net[where]), int(net[where + 1])):
        x = row[int(net[link + link])]
        if x != 0.0:
            add_scaled(change, slots + int(net[link + link + 1]) * hidden, layer, here, x, hidden)
    add_scaled(change, own + a * hidden, layer, here, 1.0, hidden)
    for i in range(hidden):
        layer[hidden + i] = layer[here + i]
        if layer[i] > 0.0:
            add_scaled(change, mixing + i * hidden, layer, here, layer[i], hidden)
            layer[hidden + i] += product(net, mixing + i * hidden, layer, here, hidden)
    add_scaled(change, bias, layer, hidden, 1.0, hidden)
    i = next_entry(row, 0, inputs)
    while i < inputs:
        add_scaled(change, HEAD + i * hidden, layer, hidden, row[i], hidden)
        i = next_entry(row, i + 1, inputs)


KERNEL = Kernel(__name__)
