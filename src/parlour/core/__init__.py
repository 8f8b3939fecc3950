"""A game in use: loaded, played, taken back, dealt fairly, written down, drawn and explained."""
