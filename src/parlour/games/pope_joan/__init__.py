"""Pope Joan: a layout of pools that are won by playing cards in stops; Foster's two games and the classic one."""
