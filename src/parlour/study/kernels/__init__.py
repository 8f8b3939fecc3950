"""Loops that learn, and that work out what was luck."""
