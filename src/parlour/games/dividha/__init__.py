"""Dividha: each coin is bet on the strongest or on the weakest hand, and only its owner knows which."""
