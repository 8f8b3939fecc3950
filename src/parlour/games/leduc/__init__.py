"""Leduc poker: six cards, two rounds of betting, one card on the board."""
