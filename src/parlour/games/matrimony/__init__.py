"""Matrimony: two cards, five pools, and a layout that carries over from deal to deal."""
