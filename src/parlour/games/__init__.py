"""One folder a game: rules, words, rule book.  See ``docs/adding_a_game.md``."""
