"""Studies: simulation, matches between players, the bench."""
