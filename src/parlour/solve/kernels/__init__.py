"""Loops that grow trees, sample them and solve them."""
