"""The pages of the club: its deals, tournaments and numbers, and what a guest finds again."""
