"""The engine, which runs the rules of any game: bindings, chance, views, memory, undoing.  It knows no game by name."""
