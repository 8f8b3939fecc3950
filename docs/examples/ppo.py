"""Self-play PPO in PyTorch, in the manner of CleanRL: python ppo.py [GAME [UPDATES [OPTION=VALUE ...]]]

What learns against itself runs in circles, unless it is kept curious: so the weight of entropy is high at first, it
shrinks with the steps, and the average of the weights is what plays.
"""

import copy
import sys

import numpy as np
import torch
from judging import SMALL, judged
from torch import nn

import parlour
from parlour.adapters import gymnasium


class Agent(nn.Module):
    """A policy and a value; with `choose` it is a player, with `chances` one whose exploitability is exact."""

    name = "ppo"

    def __init__(self, game, hidden=128):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(game.tensor_size, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.policy, self.value = nn.Linear(hidden, game.action_count), nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, seen, mask):
        inside = self.body(seen)
        wish = self.policy(inside).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=wish, validate_args=False), self.value(inside)[:, 0]

    @torch.no_grad()
    def chances(self, view, legal):
        mask = torch.zeros(1, view.game.action_count, dtype=torch.bool)
        mask[0, legal] = True
        found = self(torch.from_dlpack(view.tensor())[None], mask)[0].probs[0].double()
        return dict(zip(legal, (found[legal] / found[legal].sum()).tolist(), strict=True))

    def choose(self, view, legal):
        likely = self.chances(view, legal)
        return legal[int(torch.multinomial(torch.tensor(list(likely.values())), 1))]


class Learner:
    """What an agent learns from: games against itself, `steps` decisions in each before it learns, `updates` in all."""

    def __init__(self, game, agent, updates, games=512, seed=1):
        self.game, self.agent, self.updates, self.done = game, agent, updates, 0
        self.games, self.scale, self.average = games, 1.0, copy.deepcopy(agent)
        self.steps, self.entropy = (8, 0.3) if game.id in SMALL else (32, 0.03)  # short games are all bluffing
        self.envs = gymnasium.vector(game, games, threads=None)
        self.seen, self.infos = self.envs.reset(seed=seed)
        self.optimiser = torch.optim.Adam(agent.parameters(), eps=1e-5)

    @torch.no_grad()
    def gather(self, spread=0.95):
        """Decisions, with what each brought whoever made it beyond what was expected."""
        path, rows = [], np.arange(self.games)
        for _ in range(self.steps):
            seen = torch.tensor(self.seen["observation"])  # a copy: the next step writes these arrays again
            mask, movers = torch.tensor(self.seen["action_mask"], dtype=torch.bool), self.infos["mover"].copy()
            likely, value = self.agent(seen, mask)
            actions = likely.sample()
            self.seen, _, over, _, self.infos = self.envs.step(actions.numpy())
            path.append(
                (seen, mask, actions, likely.log_prob(actions), value, movers, over, self.infos["rewards"].copy())
            )
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

    def update(self, epochs=3, size=2048, clip=0.2, rate=1e-3):
        left = 1 - self.done / self.updates  # from 1 to nothing
        seen, mask, actions, before, gain, brought = self.gather()
        curious = self.entropy * max(left, 0.05)
        self.optimiser.param_groups[0]["lr"] = rate * left
        for _ in range(epochs):
            for some in torch.randperm(len(actions)).split(size):
                likely, value = self.agent(seen[some], mask[some])
                ratio = (likely.log_prob(actions[some]) - before[some]).exp()
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


if __name__ == "__main__":
    name, updates, *options = [*sys.argv[1:], *["leduc", "300"][len(sys.argv) - 1 :]]
    game = parlour.load(name, **dict(option.split("=") for option in options))
    torch.manual_seed(1)
    learner = Learner(game, Agent(game), int(updates))
    for done in range(int(updates) + 1):
        if done % max(1, int(updates) // 5) == 0:
            judged(game, learner.average, done)
        if done < int(updates):
            learner.update()
