"""Kuhn poker: three cards, two players, one bet."""
