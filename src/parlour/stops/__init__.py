"""Stops play, which Commit and Pope Joan have in common: its rules, its clauses, its words, its drawing."""
