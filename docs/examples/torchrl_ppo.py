"""PPO with TorchRL, one seat against random players: python torchrl_ppo.py [GAME [UPDATES]]"""

import sys

import torch
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


def train(game, updates, frames=2048, epochs=3, size=256):
    """Yield the mean return of the episodes of each update."""
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
    for data in Collector(env, actor, frames_per_batch=frames, total_frames=frames * updates):
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
        yield float(data["next", "episode_reward"][ends].mean())


if __name__ == "__main__":
    name, updates = [*sys.argv[1:], *["leduc", "30"][len(sys.argv) - 1 :]]
    torch.manual_seed(1)
    for update, mean in enumerate(train(parlour.load(name), int(updates)), 1):
        print(f"{update:4}: {mean:+.2f} a game against random", flush=True)
