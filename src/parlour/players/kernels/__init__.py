"""Loops in which players choose and think."""
