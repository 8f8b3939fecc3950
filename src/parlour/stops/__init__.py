"""Stops play, which Commit, Pope Joan and Newmarket have in common: its rules, its clauses, its words, its drawing."""
