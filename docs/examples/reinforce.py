"""Self-play REINFORCE in NumPy: python reinforce.py [GAME [UPDATES]]"""

import random
import sys

import numpy as np
from judging import judged

import parlour


class Policy:  # one hidden layer; `choose` makes it a player, and `chances` one whose exploitability is exact
    def __init__(self, game, hidden=64, seed=0):
        self.rng, self.random = np.random.default_rng(seed), random.Random(seed)
        first = self.rng.normal(0, game.tensor_size**-0.5, (game.tensor_size, hidden)).astype(np.float32)
        self.layers, self.squares = [first, np.zeros((hidden, game.action_count), np.float32)], [0.0, 0.0]

    def likely(self, tensors, mask):
        hidden = np.maximum(tensors @ self.layers[0], 0)
        wish = np.where(mask, hidden @ self.layers[1], -np.inf)
        return hidden, (likely := np.exp(wish - wish.max(axis=1, keepdims=True))) / likely.sum(axis=1, keepdims=True)

    def chances(self, view, legal):
        likely = self.likely(view.tensor().flat[None], np.isin(np.arange(view.game.action_count), legal))[1][0]
        return {a: float(likely[a]) for a in legal}

    def choose(self, view, legal):
        return self.random.choices(legal, [*self.chances(view, legal).values()])[0]

    def learn(self, tensors, mask, actions, gain, rate=0.003, curious=0.1):
        hidden, likely = self.likely(tensors, mask)
        gain = gain - curious * np.log(likely[np.arange(len(gain)), actions])  # without this it runs in circles
        wish = (np.eye(likely.shape[1], dtype=np.float32)[actions] - likely) * gain[:, None] / len(gain)
        for k, slope in enumerate((tensors.T @ (wish @ self.layers[1].T * (hidden > 0)), hidden.T @ wish)):  # RMSProp
            self.squares[k] = 0.99 * self.squares[k] + 0.01 * slope**2
            self.layers[k] += rate * slope / (np.sqrt(self.squares[k]) + 1e-8)


def train(game, policy, updates, games=512, steps=32, seed=1):
    batch, rows = game.batch(games, seed=seed), np.arange(games)
    for _ in range(updates):
        seen = []
        for _ in range(steps):
            now = [part.copy() for part in (batch.tensors, batch.mask, batch.movers)]
            below = policy.likely(*now[:2])[1].cumsum(axis=1)  # of several, the first that exceeds a random number
            batch.step(actions := (below > below[:, -1:] * policy.rng.random((games, 1))).argmax(axis=1))
            seen.append((*now, actions, batch.done > 0, batch.rewards.copy()))
        brought, known, learnt = np.zeros((games, game.players), np.float32), np.zeros(games, bool), []
        for tensors, mask, movers, actions, done, rewards in reversed(seen):
            brought[done], known = rewards[done], known | done  # whatever comes later in the same game
            learnt.append([part[known] for part in (tensors, mask, actions, brought[rows, movers])])
        *told, result = map(np.concatenate, zip(*learnt, strict=True))
        policy.learn(*told, (result - result.mean()) / (result.std() + 1e-9))


if __name__ == "__main__":
    policy, updates = Policy(game := parlour.load((*sys.argv[1:2], "leduc")[0])), int((*sys.argv[2:3], 200)[0])
    for done in range(0, updates + 1, some := max(1, updates // 5)):
        judged(game, policy, done)
        train(game, policy, some, seed=done)
