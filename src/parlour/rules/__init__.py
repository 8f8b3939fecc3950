"""The vocabulary in which rules are written, and rules that several games share."""
