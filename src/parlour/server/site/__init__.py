"""The whole site: the front page, every page at its address, and the server that serves them all."""
