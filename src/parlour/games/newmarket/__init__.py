"""Newmarket: stops with four pools, on which everybody stakes counters before the deal."""
