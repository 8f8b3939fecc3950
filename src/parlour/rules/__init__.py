"""The words in which rules are written, and what the rules of several games have in common."""
