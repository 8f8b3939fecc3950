"""Diamondback: two cards, five ranks, and a dealer who alone may bet."""
