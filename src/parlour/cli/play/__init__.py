"""Commands for players: at this machine or at a server's table, records, rule books, odds."""
