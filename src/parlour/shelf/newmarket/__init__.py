"""Newmarket: stops with four pools, on which everybody lays his stakes before the deal."""
