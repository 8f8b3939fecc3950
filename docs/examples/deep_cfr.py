"""OpenSpiel's Deep CFR (Brown et al. 2019) through our face of OpenSpiel: python deep_cfr.py [GAME [ITERATIONS]]"""

import sys

import pyspiel
import torch
from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

import parlour
from parlour.adapters import openspiel
from parlour.solve.policies import TablePolicy
from parlour.study.scoring import score


def decisions(state):
    """All states below in which a player decides."""
    waiting = [state]
    while waiting:
        state = waiting.pop()
        if not state.is_terminal():
            if not state.is_chance_node():
                yield state
            waiting += [state.child(action) for action in state.legal_actions()]


@torch.no_grad()
def tabled(game, solver):
    """What the average network does, by information key."""
    known = {}
    for state in decisions(pyspiel.load_game(openspiel.spelt(game)).new_initial_state()):
        p = state.current_player()
        known.setdefault(
            (p, state.played.information_key(p)), (state.legal_actions(), state.information_state_tensor(p))
        )
    found = solver._policy_network(torch.tensor([tensor for _, tensor in known.values()])).tolist()
    tables = [{}, {}]
    for ((p, key), (legal, _)), chances in zip(known.items(), found, strict=True):
        tables[p][key] = {action: chances[action] for action in legal}
    return tables


def train(game, iterations, seed=1, reports=10):
    """Yield now and then how many decisions were looked at, and the tables of what has been learned from them."""
    openspiel.register()
    solver = DeepCFRSolver(
        pyspiel.load_game(openspiel.spelt(game)),
        policy_network_layers=(64, 64),
        advantage_network_layers=(64, 64),
        num_iterations=max(1, iterations // reports),
        num_traversals=40,
        learning_rate=1e-3,
        batch_size_advantage=256,
        batch_size_strategy=256,
        memory_capacity=100_000,
        policy_network_train_steps=1000,
        advantage_network_train_steps=100,
        seed=seed,
    )
    for _ in range(reports):
        solver._reinitialize_policy_network()
        solver.solve()  # some iterations more
        seen = [*solver.advantage_buffers, solver.strategy_buffer]
        yield int(sum(buffer.add_calls for buffer in seen)), tabled(game, solver)


if __name__ == "__main__":
    name, iterations = [*sys.argv[1:], *["kuhn", "100"][len(sys.argv) - 1 :]]
    game = parlour.load(name)
    for seen, tables in train(game, int(iterations)):
        lost = score(TablePolicy(game, tables), name).value
        print(f"{seen} decisions: exploitable by {lost:.3f}", flush=True)
