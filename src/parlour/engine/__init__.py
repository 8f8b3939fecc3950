"""The engine: binding, chance, telling, memory, records, audit.  It knows no game by name."""
