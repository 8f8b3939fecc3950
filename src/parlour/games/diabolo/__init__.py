"""Diabolo: five rows between heaven and hell, and the highest hand takes what each is worth, good or bad."""
