"""Sampler: a made-up game, in the tests only, that uses everything the engine promises."""
