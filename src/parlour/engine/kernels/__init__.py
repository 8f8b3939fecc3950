"""Loops that play games, and what all kernels are made of."""
