"""Self-play actor-critic in JAX, whose jitted loop plays through `io_callback`: python jax_a2c.py [GAME [UPDATES]]"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from judging import judged

import parlour

RATE, CURIOUS = 1e-3, 0.3  # at first: both shrink


@jax.jit
def net(layers, seen, mask):
    """What is thought of each action (its logit), and what the game is expected to bring."""
    *inner, (weights, bias) = layers
    for inside, add in inner:
        seen = jnp.tanh(seen @ inside + add)
    out = seen @ weights + bias
    return jnp.where(mask, out[..., :-1], -1e9), out[..., -1]


def at_first(game, key, hidden=128):
    sizes = game.tensor_size, hidden, hidden, game.action_count + 1
    keys = jax.random.split(key, len(sizes))
    shapes = zip(keys[1:], sizes[:-1], sizes[1:], strict=True)
    layers = [(jax.random.normal(k, (m, n)) / m**0.5, jnp.zeros(n)) for k, m, n in shapes]
    return [*layers[:-1], (0.01 * layers[-1][0], layers[-1][1])]


class Player:
    """Layers as a player; `chances` makes its exploitability exact."""

    name = "a2c"

    def __init__(self, layers, seed=0):
        self.layers, self.rng = layers, np.random.default_rng(seed)

    def chances(self, view, legal):
        mask = np.isin(np.arange(view.game.action_count), legal)
        wish = np.float64(net(self.layers, view.tensor().flat, mask)[0])[legal]
        likely = np.exp(wish - wish.max())
        return dict(zip(legal, likely / likely.sum(), strict=True))

    def choose(self, view, legal):
        likely = self.chances(view, legal)
        return legal[self.rng.choice(len(legal), p=list(likely.values()))]


def looked(batch):
    """What there is to see of all games now.  Every step writes the batch's arrays again, so these are copies: JAX's of
    the tensors, by DLPack, and NumPy's."""
    return jnp.from_dlpack(batch.tensors), batch.mask.copy(), batch.movers.copy(), batch.done > 0, batch.rewards.copy()


def player_of(batch, steps):
    """A jitted function that plays `steps` decisions in every game of a batch."""
    shapes = jax.tree.map(lambda part: jax.ShapeDtypeStruct(part.shape, part.dtype), looked(batch))

    def step(actions):
        batch.step(np.asarray(actions))
        return looked(batch)

    @jax.jit
    def played(layers, now, key):
        def one(now, key):
            actions = jax.random.categorical(key, net(layers, *now[:2])[0])
            after = io_callback(step, shapes, actions, ordered=True)
            return after, (*now[:3], actions, *after[3:])

        return jax.lax.scan(one, now, jax.random.split(key, steps))

    return played


@jax.jit
def learned(layers, moments, done, left, path):
    """One step of Adam towards what brought more than was expected; `left` goes from 1 to nothing."""
    seen, mask, movers, actions, over, rewards = path

    def back(later, one):  # what each decision brought: the return of its game to whoever took it, once that is known
        movers, over, rewards = one
        brought, known = jnp.where(over[:, None], rewards, later[0]), later[1] | over
        return (brought, known), (jnp.take_along_axis(brought, movers[:, None].astype(int), 1)[:, 0], known)

    nothing = jnp.zeros_like(rewards[0]), jnp.zeros_like(over[0])
    _, (brought, known) = jax.lax.scan(back, nothing, (movers, over, rewards), reverse=True)
    unit = jnp.maximum(1.0, jnp.std(brought, where=known))

    def loss(layers):
        wish, value = net(layers, seen, mask)
        log = jax.nn.log_softmax(wish)
        gain = brought / unit - value
        taken = jnp.take_along_axis(log, actions[..., None], -1)[..., 0]
        entropy = -jnp.sum(jnp.exp(log) * jnp.where(mask, log, 0), -1)
        each = 0.5 * gain**2 - taken * jax.lax.stop_gradient(gain) - CURIOUS * jnp.maximum(left, 0.05) * entropy
        return jnp.mean(each, where=known)

    slopes = jax.grad(loss)(layers)
    mean, square = moments
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slopes)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, slopes)
    size = RATE * left * (1 - 0.999 ** (done + 1)) ** 0.5 / (1 - 0.9 ** (done + 1))
    layers = jax.tree.map(lambda w, m, s: w - size * m / (jnp.sqrt(s) + 1e-8), layers, mean, square)
    return layers, (mean, square)


def train(game, updates, games=1024, steps=16, seed=1):
    """Yield the average of the layers so far, before each update and at the end: learners who meet themselves run in
    circles, and the middle plays better than the rim."""
    batch = game.batch(games, seed=seed)
    key, first = jax.random.split(jax.random.PRNGKey(seed))
    layers, played, now = at_first(game, first), player_of(batch, steps), looked(batch)
    moments, average = jax.tree.map(jnp.zeros_like, (layers, layers)), layers
    for done in range(updates):
        yield average
        key, this = jax.random.split(key)
        now, path = played(layers, now, this)
        layers, moments = learned(layers, moments, done, 1 - done / updates, path)
        share = max(3 / (done + 3), 0.01)
        average = jax.tree.map(lambda mean, own, share=share: mean + share * (own - mean), average, layers)
    yield average


if __name__ == "__main__":
    name, updates = [*sys.argv[1:], *["leduc", "1000"][len(sys.argv) - 1 :]]
    game = parlour.load(name)
    for done, layers in enumerate(train(game, int(updates))):
        if done % max(1, int(updates) // 5) == 0:
            judged(game, Player(layers), done, games=400)
