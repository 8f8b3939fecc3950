"""PPO in PyTorch, in the manner of CleanRL: python ppo.py [GAME [UPDATES [OPTION=VALUE ...]]]

It plays itself, or with `rivals=KIND` one seat against players of a kind, or with `rivals=pool` against what it was
earlier.  What learns against itself runs in circles, unless it is kept curious: so the weight of entropy is high at
first, it shrinks with the steps, and the average of the weights is what plays.  `mirror=2` makes it magnetic mirror
descent (Sokota et al. 2023), whose magnet is entropy: no clipping, but a pull back to the policy before the update.
"""

import copy
import sys

import numpy as np
import torch
from judging import SMALL, judged
from torch import nn

import parlour
from parlour.adapters import gymnasium


def varying(game, games=512, steps=64):
    """The entries of the tensor that ever change: most of a table for eight stands still while two play."""
    batch, found = game.batch(games, seed=0), np.zeros(game.tensor_size, bool)
    first = batch.tensors[0].copy()
    for _ in range(steps):
        batch.step(batch.sample())
        found |= (batch.tensors != first).any(axis=0)
    return torch.from_numpy(np.flatnonzero(found))


class Agent(nn.Module):
    """A policy and a value; with `choose` it is a player, with `chances` one whose exploitability is exact."""

    name = "ppo"

    def __init__(self, game, hidden=128):
        super().__init__()
        self.varying = varying(game)
        self.body = nn.Sequential(nn.Linear(len(self.varying), hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy, self.value = nn.Linear(hidden, game.action_count), nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)

    def seen(self, tensors):
        """What it sees, as a copy: the next step writes these arrays again."""
        return torch.from_numpy(tensors)[:, self.varying]

    def forward(self, seen, mask):
        inside = self.body(seen)
        wish = self.policy(inside).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=wish, validate_args=False), self.value(inside)[:, 0]

    @torch.no_grad()
    def chances(self, view, legal):
        mask = torch.zeros(1, view.game.action_count, dtype=torch.bool)
        mask[0, legal] = True
        found = self(torch.from_dlpack(view.tensor())[None, self.varying], mask)[0].probs[0].double()
        return dict(zip(legal, (found[legal] / found[legal].sum()).tolist(), strict=True))

    def choose(self, view, legal):
        likely = self.chances(view, legal)
        return legal[int(torch.multinomial(torch.tensor(list(likely.values())), 1))]

    @torch.no_grad()
    def answer(self, tensors, mask):
        """What it does in many games at once, as a rival of somebody else."""
        return self(self.seen(tensors), torch.from_numpy(mask))[0].sample().numpy()


class Learner:
    """What an agent learns from: `games` at a time, `steps` decisions in each before it learns, `updates` in all."""

    def __init__(self, game, agent, updates, games=512, seed=1, rivals=None, mirror=0.0):
        self.game, self.agent, self.updates, self.done = game, agent, updates, 0
        self.games, self.scale, self.average, self.mirror = games, 1.0, copy.deepcopy(agent), mirror
        small = game.id in SMALL  # short games are all bluffing
        self.steps, self.entropy, self.rate = (8, 0.3, 1e-3) if small else (16, 0.02, 2e-3)
        self.pool = [copy.deepcopy(agent)]
        if rivals is None:
            self.envs = gymnasium.vector(game, games, copy=False)
        else:
            those = self.one_of_pool if rivals == "pool" else rivals
            self.envs = gymnasium.vector(game, games, seat="rotate", rivals=those, skip_forced=True, copy=False)
        self.seen, self.infos = self.envs.reset(seed=seed)
        self.optimiser = torch.optim.Adam(agent.parameters(), eps=1e-5)

    def one_of_pool(self, tensors, mask):
        return self.pool[self.done % len(self.pool)].answer(tensors, mask)

    @torch.no_grad()
    def gather(self, spread=0.95):
        """Decisions, with what each brought whoever made it beyond what was expected."""
        path, rows = [], np.arange(self.games)
        for _ in range(self.steps):
            seen = self.agent.seen(self.seen["observation"])
            mask, movers = torch.tensor(self.seen["action_mask"], dtype=torch.bool), self.infos["mover"].copy()
            likely, value = self.agent(seen, mask)
            actions = likely.sample()
            self.seen, _, over, _, self.infos = self.envs.step(actions.numpy())
            path.append((seen, mask, actions, likely.logits, value, movers, over, self.infos["rewards"].copy()))
        if not self.done:  # the unit of rewards: what a game brings, give or take
            self.scale = max(1.0, float(np.concatenate([rewards[over] for *_, over, rewards in path]).std()))
        future = np.zeros((self.games, self.game.players), np.float32)  # what each player may expect from here on
        known = np.zeros((self.games, self.game.players), bool)
        learnt = []
        for *kept, value, movers, over, rewards in reversed(path):
            future[over], known[over] = rewards[over] / self.scale, True
            sure, brought = known[rows, movers], future[rows, movers]
            gain = brought - value.numpy()
            learnt.append([part[sure] for part in (*kept, torch.tensor(gain), torch.tensor(brought))])
            future[rows, movers] = value.numpy() + np.where(sure, spread * gain, 0)
            known[rows, movers] = True
        return [torch.cat(part) for part in zip(*learnt, strict=True)]

    def update(self, epochs=3, size=1024, clip=0.2):
        left = 1 - self.done / self.updates  # from 1 to nothing
        seen, mask, actions, before, gain, brought = self.gather()
        gain = (gain - gain.mean()) / gain.std()
        curious = self.entropy * max(left, 0.3)  # with less, exploitability rises again
        self.optimiser.param_groups[0]["lr"] = self.rate * left
        for _ in range(epochs):
            for some in torch.randperm(len(actions)).split(size):
                likely, value = self.agent(seen[some], mask[some])
                change = likely.logits - before[some]  # of the logarithms of chances
                ratio = change.gather(1, actions[some, None])[:, 0].exp()
                if self.mirror:
                    pull = (likely.probs * change).sum(1).mean()
                    worth = (ratio * gain[some]).mean() - self.mirror * pull
                else:
                    worth = torch.min(ratio * gain[some], ratio.clamp(1 - clip, 1 + clip) * gain[some]).mean()
                loss = 0.5 * (value - brought[some]).square().mean() - worth - curious * likely.entropy().mean()
                self.optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), 0.5)
                self.optimiser.step()
        self.done += 1
        with torch.no_grad():  # the average of about the last third of the updates
            for mean, own in zip(self.average.parameters(), self.agent.parameters(), strict=True):
                mean.lerp_(own, max(3 / (self.done + 2), 0.02))
        if self.done % max(1, self.updates // 20) == 0:
            self.pool.append(copy.deepcopy(self.agent))


if __name__ == "__main__":
    name, updates, *options = [*sys.argv[1:], *["leduc", "300"][len(sys.argv) - 1 :]]
    given = dict(option.split("=") for option in options)
    how = {
        "rivals": given.pop("rivals", None),
        "mirror": float(given.pop("mirror", 0)),
        "seed": int(given.pop("seed", 1)),
    }
    game = parlour.load(name, **given)
    torch.manual_seed(how["seed"])
    learner = Learner(game, Agent(game), int(updates), **how)
    for done in range(int(updates) + 1):
        if done % max(1, int(updates) // 5) == 0:
            judged(game, learner.average, done)
        if done < int(updates):
            learner.update()
