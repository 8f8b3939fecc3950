"""The learners in the benchmark's table: python baselines.py FOLDER/GAME/LEARNER-SEED.json ...

For example, `build/leduc/ppo-1.json` is what PPO learns of Leduc with seed 1: a policy that says in how many decisions
it was learned, and how exploitable it was on the way.  What is there is not learned again.
"""

import sys
import time
from pathlib import Path

import ppo
import torch
from deep_cfr import train

import parlour
from parlour.solve.exploiting import policy_of
from parlour.solve.form import grow
from parlour.solve.policies import TablePolicy, write_policy
from parlour.study.scoring import score

REPORTS = 10


def proximal(game, seed, mirror=0.0):
    """PPO that plays itself, or magnetic mirror descent."""
    torch.manual_seed(seed)
    updates = {"kuhn": 100, "leduc": 300}[game.id]
    learner, form = ppo.Learner(game, ppo.Agent(game), updates, seed=seed, mirror=mirror), grow(game, positions=True)
    for done in range(1, updates + 1):
        learner.update()
        if done % (updates // REPORTS) == 0:
            yield done * learner.steps * learner.games, policy_of(form, learner.average).tables


LEARNERS = {
    "ppo": proximal,
    "mmd": lambda game, seed: proximal(game, seed, mirror=2.0),
    "deep-cfr": lambda game, seed: train(game, {"kuhn": 50, "leduc": 100}[game.id], seed, REPORTS),
}

if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the number of cores changes no weight
    for file in map(Path, sys.argv[1:]):
        if file.exists():
            continue
        name, seed = file.stem.rsplit("-", 1)
        game, curve, begun = parlour.load(file.parent.name), {}, time.process_time()
        for decisions, tables in LEARNERS[name](game, int(seed)):
            curve[decisions] = score(TablePolicy(game, tables), game.id).value
            print(f"{file}, {decisions} decisions: exploitable by {curve[decisions]:.4f}", flush=True)
        made = {"by": name, "seed": int(seed), "decisions": decisions, "exploitability": curve}
        made["seconds"] = round(time.process_time() - begun)  # of the processor
        file.parent.mkdir(parents=True, exist_ok=True)
        write_policy(file, TablePolicy(game, tables, made))
