"""Players: they get a view and the legal actions, never a state."""
