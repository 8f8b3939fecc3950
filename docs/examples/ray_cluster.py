"""Studies on a Ray cluster: python ray_cluster.py [GAME [GAMES [FOLDER]]]

A game depends on its seed alone.  So a task is told which games to play, plays them on any machine, and returns what
they brought.  If a worker or a whole machine is lost, Ray runs its tasks again elsewhere: they play the same games, and
each result is taken once.
"""

import sys
from functools import reduce
from itertools import pairwise
from pathlib import Path

import ray

import parlour
from parlour.study.match import names_of, play_deals, summary
from parlour.study.plan import Plan
from parlour.study.simulate import Survey, simulate
from parlour.study.training import Training

task = ray.remote(num_cpus=1, max_retries=-1)  # one core each; run again as often as workers are lost


def arriving(waiting):
    """Yield the results of tasks as they arrive, each once."""
    while waiting:
        (done,), waiting = ray.wait(waiting)
        yield ray.get(done)


# ------------------------------------------------------------------------------ random games (parlour simulate)


@task
def shard(game, games, seed, part):
    return simulate(game, games, seed, threads=1, shard=part)


def survey(game, games, seed=0, shards=64):
    """Return the survey that `simulate` returns on one machine, equal to the last bit."""
    return reduce(Survey.merge, arriving([shard.remote(game, games, seed, (k + 1, shards)) for k in range(shards)]))


# ------------------------------------------------------------------------------ house rules (parlour atlas)


@task
def played(cell):
    return cell, simulate(cell.load(), cell.games, cell.seed, threads=1, player=cell.player)


def explore(atlas):
    """Play the cells that an atlas lacks, and enter each in its logbook as it arrives."""
    known = atlas.finished()
    for cell, result in arriving([played.remote(cell) for cell in atlas.cells if cell not in known]):
        atlas.enter(cell, result)


# ------------------------------------------------------------------------------ matches between players (parlour match)


@task
def some_deals(game, kinds, seed, deals):
    return play_deals(game, kinds, seed, deals)


def match(game, kinds, games, seed=0, tasks=64):
    """Return the result of the match that `play` plays on one machine: the same games, in the same order."""
    count = -(-games // game.players)
    cuts = [count * k // tasks for k in range(tasks + 1)]
    parts = [some_deals.remote(game, kinds, seed, range(*cut)) for cut in pairwise(cuts)]
    return summary(game, names_of(game, kinds), [deal for part in ray.get(parts) for deal in part], seed)


# ------------------------------------------------------------------------------ learned players (parlour train)


@task
def learner(plan, folder):
    training, state = Training(plan), Path(folder) / f"{plan.game.id}-{plan.seed}.state"
    if state.exists():  # this task has been run before, as far as that
        training.load(state)
    training.go_on(keep=state)
    return training.network(seed=plan.seed)


def learn(plans, folder):
    """Return a network for each plan, each trained on one core.  The machines share the folder, where the state of each
    training is kept."""
    return ray.get([learner.remote(plan, folder) for plan in plans])


if __name__ == "__main__":
    ray.init()  # the cluster of RAY_ADDRESS, or else the cores of this machine
    game, games = parlour.load((*sys.argv[1:2], "diamonds")[0]), int((*sys.argv[2:3], 2_000_000)[0])
    length = survey(game, games, seed=1).length.mean
    print(f"{games:,} random games: {length.mean:.3f} decisions ({length.low:.3f} to {length.high:.3f})")
    for player in match(game, ["rule-of-thumb", *["search:1000"] * (game.players - 1)], games=640, seed=1).players:
        print(f"{player.name}: won {player.share.mean:.1%} ({player.share.low:.1%} to {player.share.high:.1%})")
    folder = Path((*sys.argv[3:4], ".")[0]).resolve()  # one that all machines share
    networks = learn([Plan(game, games=20_000, seed=seed) for seed in range(1, 5)], folder)
    print(f"{len(networks)} networks, trained side by side")
