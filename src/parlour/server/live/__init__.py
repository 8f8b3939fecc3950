"""Tables that are being played: commands, connections, chance and bots change them, one entry at a time."""
