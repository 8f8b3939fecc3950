"""Self-play PPO in PyTorch, in the manner of CleanRL: python ppo.py [GAME [UPDATES [OPTION=VALUE ...]]]"""

import sys
import time

import numpy as np
import torch
from torch import nn

import parlour
from parlour.adapters import gymnasium
from parlour.study.match import play


class Agent(nn.Module):
    """A policy and a value; with `choose` it is a player."""

    name = "ppo"

    def __init__(self, game, hidden=128):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(game.tensor_size, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.policy, self.value = nn.Linear(hidden, game.action_count), nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, seen, mask):
        inside = self.body(seen)
        wish = self.policy(inside).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=wish), self.value(inside)[:, 0]

    @torch.no_grad()
    def choose(self, view, legal):
        mask = torch.zeros(1, view.game.action_count, dtype=torch.bool)
        mask[0, legal] = True
        return int(self(torch.from_dlpack(view.tensor())[None], mask)[0].sample()[0])


class Learner:
    """What an agent learns from: games against itself, `steps` decisions in each before it learns."""

    def __init__(self, game, agent, games=512, steps=32, scale=1.0, seed=1):
        self.game, self.agent, self.games, self.steps, self.scale = game, agent, games, steps, scale
        self.envs = gymnasium.vector(game, games, threads=None)
        self.seen, self.infos = self.envs.reset(seed=seed)
        self.optimiser = torch.optim.Adam(agent.parameters(), 1e-3, eps=1e-5)

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
            rewards = self.infos["rewards"] / self.scale
            path.append((seen, mask, actions, likely.log_prob(actions), value, movers, over, rewards))
        future = np.zeros((self.games, self.game.players), np.float32)  # what each player may expect from here on
        known = np.zeros((self.games, self.game.players), bool)
        learnt = []
        for *kept, value, movers, over, rewards in reversed(path):
            future[over], known[over] = rewards[over], True
            sure, brought = known[rows, movers], future[rows, movers]
            gain = brought - value.numpy()
            learnt.append([part[sure] for part in (*kept, torch.tensor(gain), torch.tensor(brought))])
            future[rows, movers] = value.numpy() + np.where(sure, spread * gain, 0)
            known[rows, movers] = True
        return [torch.cat(part) for part in zip(*learnt, strict=True)]

    def update(self, epochs=3, size=2048, clip=0.2, entropy=0.01):
        seen, mask, actions, before, gain, brought = self.gather()
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        for _ in range(epochs):
            for some in torch.randperm(len(actions)).split(size):
                likely, value = self.agent(seen[some], mask[some])
                ratio = (likely.log_prob(actions[some]) - before[some]).exp()
                worth = torch.min(ratio * gain[some], ratio.clamp(1 - clip, 1 + clip) * gain[some]).mean()
                loss = 0.5 * (value - brought[some]).square().mean() - worth - entropy * likely.entropy().mean()
                self.optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), 0.5)
                self.optimiser.step()


if __name__ == "__main__":
    name, updates, *options = [*sys.argv[1:], *["diamonds", "200"][len(sys.argv) - 1 :]]
    game = parlour.load(name, **dict(option.split("=") for option in options))
    torch.manual_seed(1)
    agent, start = Agent(game), time.perf_counter()
    learner = Learner(game, agent)
    for done in range(int(updates) + 1):
        if done % max(1, int(updates) // 5) == 0:
            match = play(game, [agent, *["random"] * (game.players - 1)], games=400, seed=done)
            won = match.players[0].share
            spent = f"{time.perf_counter() - start:4.0f} s, {done} updates"
            print(f"{spent}: wins {won.mean:.1%} against random ({won.low:.1%} to {won.high:.1%})", flush=True)
        learner.update()
