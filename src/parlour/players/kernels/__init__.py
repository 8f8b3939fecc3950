"""Loops by which players choose and search."""
