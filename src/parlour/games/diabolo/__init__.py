"""Diabolo: five rows between heaven and hell; the highest hand takes the value of each row, good or bad."""
