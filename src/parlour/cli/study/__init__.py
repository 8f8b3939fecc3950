"""Commands for studies: simulation, matches, skill, values, training, the atlas."""
