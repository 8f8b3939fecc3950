"""Hearts: four players, 52 cards, and points that nobody wants."""
