"""Loops that play games, and functions that all kernels share."""
