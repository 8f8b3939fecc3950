"""Self-play REINFORCE in NumPy: python reinforce.py [GAME [UPDATES]]"""

import sys

import numpy as np

import parlour
from parlour.study.match import play


class Policy:  # one hidden layer; `choose` makes it a player
    def __init__(self, game, hidden=64, seed=0):
        self.rng = np.random.default_rng(seed)
        first = self.rng.normal(0, game.tensor_size**-0.5, (game.tensor_size, hidden))
        self.layers = [first.astype(np.float32), np.zeros((hidden, game.action_count), np.float32)]
        self.squares = [0 * layer for layer in self.layers]

    def chances(self, tensors, mask):
        hidden = np.maximum(tensors @ self.layers[0], 0)
        wish = np.where(mask, hidden @ self.layers[1], -np.inf)
        return hidden, (likely := np.exp(wish - wish.max(axis=1, keepdims=True))) / likely.sum(axis=1, keepdims=True)

    def draw(self, tensors, mask):
        below = self.chances(tensors, mask)[1].cumsum(axis=1)  # of several, the first that exceeds a random number
        return (below > below[:, -1:] * self.rng.random((len(tensors), 1))).argmax(axis=1)

    def choose(self, view, legal):
        return int(self.draw(view.tensor().flat[None], np.isin(np.arange(view.game.action_count), legal))[0])

    def learn(self, tensors, mask, actions, gain, rate=0.001):
        hidden, likely = self.chances(tensors, mask)
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
            batch.step(actions := policy.draw(*now[:2]))
            seen.append((*now, actions, batch.done > 0, batch.rewards.copy()))
        brought, known, learnt = np.zeros((games, game.players), np.float32), np.zeros(games, bool), []
        for tensors, mask, movers, actions, done, rewards in reversed(seen):
            brought[done], known = rewards[done], known | done  # whatever comes later in the same game
            learnt.append([part[known] for part in (tensors, mask, actions, brought[rows, movers])])
        *told, result = map(np.concatenate, zip(*learnt, strict=True))
        policy.learn(*told, (result - result.mean()) / (result.std() + 1e-9))


if __name__ == "__main__":
    game, updates = parlour.load((*sys.argv[1:2], "leduc")[0]), int((*sys.argv[2:3], 200)[0])
    policy, some = Policy(game), max(1, updates // 5)
    for done in range(0, updates + 1, some):
        won = play(game, [policy, *["random"] * (game.players - 1)], games=1000, seed=done).players[0].returns
        print(f"{done:4} updates: {won.mean:+.2f} a game against random ({won.low:+.2f} to {won.high:+.2f})")
        train(game, policy, some, seed=done)
