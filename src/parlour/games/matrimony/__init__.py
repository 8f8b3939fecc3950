"""Matrimony: two cards, five pools, and a layout that carries from deal to deal."""
