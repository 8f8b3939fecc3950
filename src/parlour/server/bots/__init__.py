"""Bots in processes of their own: they play, and say afterwards what the best of them would have done."""
