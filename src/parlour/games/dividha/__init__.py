"""Dividha: players bet each coin on the strongest or on the weakest hand, and only they know which."""
