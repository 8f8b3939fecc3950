"""Commands for hosts: a server, a bot at its tables, a load on it."""
