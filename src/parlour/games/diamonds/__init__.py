"""Diamonds, the digging game: nine piles, a spade, and a race for most of the diamonds."""
