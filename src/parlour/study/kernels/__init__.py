"""Loops for training, and loops that work out luck."""
