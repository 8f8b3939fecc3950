"""Diamondback: two cards, five ranks, and only the dealer may bet."""
