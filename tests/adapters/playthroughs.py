"""Our games as OpenSpiel's own program shows them: what is said of each, its first two decisions, and its end.  Without
tensors and information states, which are long, and tried elsewhere.

``python -m tests.adapters.playthroughs`` writes the files anew; what has changed is then for a person to read.
"""

import re
from pathlib import Path
from unittest.mock import patch

from parlour.adapters import openspiel
from parlour.engine.definition import definition, shelf

FOLDER = Path(__file__).parent / "playthroughs"
LEFT_OUT = ("# ", "HistoryString", "InformationState", "ObservationTensor", "PolicyTensor", " ")


def playthrough(game: str) -> str:
    """The text of a game, of one deal where that can be had."""
    name = f"parlour_{game}" + "(deals=1)" * ("deals" in definition(game).options)
    from open_spiel.python.algorithms import generate_playthrough  # which has the whole of SciPy read

    with patch.object(generate_playthrough, "_format_tensor", lambda *_: []):  # to be left out, and slow
        whole = generate_playthrough.playthrough(name, [], seed=1)
    about, *states = whole.split("\n# State ")
    decided = [f"# State {one}" for one in states if re.search(r"CurrentPlayer\(\) = \d", one)]
    shown = [about, *decided[:2], f"# State {states[-1]}"]
    lines = [line for part in shown for line in part.splitlines()]
    return "\n".join(line for line in lines if line.startswith("# State") or not line.startswith(LEFT_OUT)) + "\n"


if __name__ == "__main__":
    openspiel.register()
    for game in shelf():
        (FOLDER / f"{game}.txt").write_text(playthrough(game), "utf-8")
