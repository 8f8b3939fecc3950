/* What the compiled rules of a game offer to a state that goes on step by step, whoever compiled them.

   A state is one block of 64-bit words, which the caller owns and may copy; the rules keep nothing of it:

     word 0        the generator of chance
     word 1 to 4   who is asked; how many actions are listed; 1 if chance is drawn here, 0 if the caller applies its
                   outcomes; how many steps may still be taken
     word 5        what the players remember: four rows, one column for each player there can be (at least two); the
                   first row holds the information keys
     then          two rows of doubles, with the same columns: scratch, and what the deals settled so far have brought
     then          the position
     then          int16: the ids of the actions that whoever is asked may choose

   Where the last three begin depends on the game (parlour/engine/blocks.py).  Functions are called with Python's lock
   held, never call Python, and return a negative number if something is wrong. */

#ifndef PARLOUR_STATE_H
#define PARLOUR_STATE_H

#include <stdint.h>

enum { GENERATOR = 0, ASKED = 1, LISTED = 2, DRAWN = 3, LEFT_TO_PLAY = 4, KEYS = 5 };

/* In place of a player: the caller does not say who acts; the game begins (the action is its seed, if chance is drawn
   here); it was put where it is, and only has to be looked at. */
enum { NOBODY = -8, FRESH = -9, PLACED = -10 };

/* Nothing has happened, for this is not allowed or it is not clear whose action it is; the rules went wrong, which may
   have spoilt the block: a game without end, or a fault that Python would have raised an error for. */
enum { REFUSED = -1, FAILED = -2 };

/* As current_player has them. */
enum { CHANCE = -1, TERMINAL = -2, SEVERAL = -3 };

/* The functions by number, in the order in which they follow. */
enum { STEP, ASK, CHANCES, TELL, SCORE, FUNCTIONS };

/* Carries out an action (or an outcome of chance) of a player, then whatever chance does if it is drawn here, and looks:
   bits 0 to 7 who acts, less NOBODY; 8 to 31 how many actions they have, which are listed in the block (where several
   choose at once, those of the lowest seat); from 32 on the set of players who choose at once. */
typedef int64_t (*step_fn)(uint64_t *words, int64_t action, int64_t player);

/* Lists the legal actions of a player who is asked, and returns their number. */
typedef int64_t (*ask_fn)(uint64_t *words, int64_t player);

/* Returns the set of outcomes (0 to 62) that chance may bring now, and writes the weight of each of them. */
typedef int64_t (*chance_fn)(uint64_t *words, int64_t weights[63]);

/* Writes the tensor of what a player is told. */
typedef int64_t (*tell_fn)(uint64_t *words, int64_t player, float *row);

/* Writes each player's return in a game that is over; there is room for every column. */
typedef int64_t (*score_fn)(uint64_t *words, double *returns);

#endif
