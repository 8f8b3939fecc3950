"""Bots in processes of their own: they play, and afterwards say what the best of them would have done."""
