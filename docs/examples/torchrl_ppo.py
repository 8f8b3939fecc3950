"""PPO with TorchRL, one seat against random players: python torchrl_ppo.py [GAME [UPDATES]]"""

import sys

import torch
from judging import judged
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import Compose, DTypeCastTransform, GymWrapper, RewardSum, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import parlour
from parlour.adapters import gymnasium


def environment(game):
    """The seat of player 0: observation, mask, and the return of an episode."""
    env = GymWrapper(gymnasium.single(game, seat=0, rivals="random"), categorical_action_encoding=True)
    return TransformedEnv(env, Compose(DTypeCastTransform(torch.int8, torch.bool, ["action_mask"]), RewardSum()))


class Player:
    """An actor as a player; `chances` makes its exploitability exact."""

    name = "ppo"

    def __init__(self, actor):
        self.actor = actor

    @torch.no_grad()
    def chances(self, view, legal):
        mask = torch.zeros(view.game.action_count, dtype=torch.bool)
        mask[legal] = True
        told = TensorDict({"observation": torch.from_dlpack(view.tensor()), "action_mask": mask})
        likely = self.actor.get_dist(told).probs[legal].double()
        return dict(zip(legal, (likely / likely.sum()).tolist(), strict=True))

    def choose(self, view, legal):
        return legal[int(torch.multinomial(torch.tensor(list(self.chances(view, legal).values())), 1))]


def train(game, updates, frames=2048, epochs=3, size=256):
    """Yield the player after each update, and the mean return of its episodes."""
    env, seen, actions = environment(game), game.tensor_size, game.action_count

    def net(out):
        return nn.Sequential(nn.Linear(seen, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, out))

    actor = ProbabilisticActor(
        TensorDictModule(net(actions), in_keys=["observation"], out_keys=["logits"]),
        spec=env.action_spec,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(net(1), in_keys=["observation"])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    gain = GAE(gamma=1.0, lmbda=0.95, value_network=critic, average_gae=True)
    optimiser = torch.optim.Adam(loss.parameters(), 1e-3)
    for done, data in enumerate(Collector(env, actor, frames_per_batch=frames, total_frames=frames * updates)):
        optimiser.param_groups[0]["lr"] = 1e-3 * (1 - done / updates)
        for _ in range(epochs):
            gain(data)
            for rows in torch.randperm(frames).split(size):
                found = loss(data.reshape(-1)[rows])
                total = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
                optimiser.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
        ends = data["next", "done"][:, 0]
        yield Player(actor), float(data["next", "episode_reward"][ends].mean())


if __name__ == "__main__":
    name, updates = [*sys.argv[1:], *["leduc", "30"][len(sys.argv) - 1 :]]
    torch.manual_seed(1)
    game = parlour.load(name)
    for update, (player, mean) in enumerate(train(game, int(updates)), 1):
        print(f"{update:4}: {mean:+.2f} a game while learning", flush=True)
        if update % max(1, int(updates) // 5) == 0:
            judged(game, player, update)
