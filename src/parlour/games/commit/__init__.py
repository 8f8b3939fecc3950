"""Commit: suits are built upwards, and the nine of diamonds may break in."""
