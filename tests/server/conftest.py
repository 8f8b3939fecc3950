"""Databases, for all tests of the server: a PostgreSQL for each process, and an empty store for each test."""

from tests.postgres import postgres, store

__all__ = ["postgres", "store"]
