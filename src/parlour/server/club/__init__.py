"""The club: the deal of the day, duplicate among friends, tournaments in rounds."""
