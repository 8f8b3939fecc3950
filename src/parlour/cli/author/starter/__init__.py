"""One Card: everybody is dealt a card and may swap it once; the highest card wins."""
