"""Stops play, common to Commit, Pope Joan and Newmarket: its rules, its clauses, its words, its drawing."""
