"""Studies: simulations, matches between players, training, benchmarks."""
