"""Values of two-player games, computed from the rules: trees, equilibria, best responses (extra ``fast``)."""

from parlour.base.extras import require

require("fast", "Solving a game")
