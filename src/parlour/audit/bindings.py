"""Check that the compiled rules agree with the interpreted ones, step by step."""

from __future__ import annotations

from typing import Any

from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.audit.trails import Trail
from parlour.audit.wording import changed_fields
from parlour.base.errors import NoCompiler
from parlour.engine.hashing import seed_word
from parlour.engine.positions import as_dict, from_record, to_record
from parlour.engine.telling import restored, view
from parlour.rules.vocabulary import CHANCE, below

LONGEST = 2000
"""How many steps of a game are compared."""


def bindings(material: Material, notes: Notes) -> None:
    """The same random games are equal in both bindings: players to act, legal actions, every field, key, tensor, redeal
    and return.  Without a C compiler there is only one binding."""
    import numpy as np

    from parlour.core.batch import start_records
    from parlour.engine.kernels import keys as recalling

    game, what = material.game, material.game.definition
    code, records = recalling.KERNEL.compiled(what), start_records(game)
    try:
        trace = code.trace
    except NoCompiler as error:
        notes.spare(str(error))
        return
    acts, rng = np.zeros(game.action_count, np.int16), np.zeros(1, np.uint64)
    memory, row = np.zeros((4, game.players), np.uint64), np.zeros(game.tensor_size, np.float32)
    steps, keys = np.zeros((LONGEST, 3), np.int64), np.zeros((LONGEST, game.players), np.uint64)
    after = np.zeros(LONGEST, code.dtype)

    def tensors(trail: Trail, s: Any) -> str:
        """Compare the tensors of a position for all players."""
        to_record(what, s, records[0])
        for p in range(game.players):
            row[:] = -1
            code.write_row(records[0], p, row)
            told = view(game, s, p).tensor().flat
            if row.tobytes() != told.tobytes():
                return f"tensor of seat {p} (compiled / interpreted): {row.tolist()} / {told.tolist()}"
        return ""

    def redeals(trail: Trail) -> str:
        """Compare a redeal for each player, drawn from the same generator."""
        for p in range(game.players):
            blank, word = restored(view(game, trail.s, p)), [seed_word(trail.seed or 0)]
            to_record(what, blank, records[0])
            rng[0] = word[0]
            what.rules.redeal(blank, p, word)
            code.redeal(records[0], p, rng)
            if as_dict(what, records[0]) != as_dict(what, blank) or int(rng[0]) != word[0]:
                apart = changed_fields(game, from_record(what, records[0]), blank) or "the generator"
                return f"redeal for seat {p} (compiled / interpreted): {apart}"
            wrong = tensors(trail, blank)
            if wrong:
                return f"redealt for seat {p}: {wrong}"
        return ""

    for walked in material.walks:
        to_record(what, game.start(), records[0])
        n = trace(records, acts, rng, memory, np.uint64(walked.seed), steps, after, keys)
        looked = {k * n // material.moments for k in range(material.moments)}
        trail, word = Trail(game, walked.seed), [seed_word(walked.seed)]
        for k in range(n):
            notes.count()
            wrong, trail = _step(trail, word, steps[k].tolist())
            if not wrong and as_dict(what, after[k]) != as_dict(what, trail.s):
                apart = changed_fields(game, from_record(what, after[k]), trail.s)
                wrong = f"after this step (compiled / interpreted): {apart}"
            if not wrong and keys[k].tolist() != trail.keys:
                wrong = f"keys are {keys[k].tolist()} compiled, {trail.keys} interpreted"
            if not wrong and k in looked:
                wrong = tensors(trail, trail.s)
                if not wrong and what.has("redeal"):
                    wrong = redeals(trail)
            if wrong:
                notes.fault(wrong, trail)
                break
        else:
            out, scores = np.zeros(game.players), [0.0] * game.players
            if n < LONGEST:
                to_record(what, trail.s, records[0])
                code.returns(records[0], out)
                what.rules.returns(trail.s, scores)
                if out.tolist() != scores:
                    notes.fault(f"returns are {out.tolist()} compiled, {scores} interpreted", trail)
        if notes.full:
            return


def _step(trail: Trail, word: list[int], traced: list[int]) -> tuple[str, Trail]:
    """Take one step with the compiled code; return an empty text, or how its choice differs."""
    if trail.actor == CHANCE:
        mine = [CHANCE, trail.game.state_at(trail.s).draw_outcome(word), 0]
    elif trail.acting:
        legal = trail.legal(trail.acting[0])
        mine = [trail.acting[0], legal[below(word, len(legal))], len(legal)]
    else:
        return "the game is over interpreted, and goes on compiled", trail
    if mine != traced:
        return f"who acts, action, legal actions: {traced} compiled, {mine} interpreted", trail
    return "", trail.after(mine[0], mine[1])
