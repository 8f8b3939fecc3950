"""Commands for those who write games: a new folder, the audit, the bench."""
