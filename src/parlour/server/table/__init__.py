"""A table as its log says: seats, the match, what each seat knows; no server, no clock, no database."""
