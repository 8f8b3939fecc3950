"""Pope Joan: a layout of pools, won by the cards that are played in stops; Foster's two games and the classic one."""
