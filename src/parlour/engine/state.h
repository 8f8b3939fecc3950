/* The interface between the compiled rules of a game and a state that is stepped one action at a time.

   A state is one block of 64-bit words.  The caller owns it and may copy it; the rules keep no reference to it:

     word 0        the generator of chance
     word 1 to 4   the player to act; how many actions are listed; 1 if the rules draw for chance, 0 if the caller
                   applies its outcomes; how many steps may still be taken
     word 5        what the players remember: four rows, one column for each player there can be (at least two); the
                   first row holds the information keys
     then          two rows of doubles, with the same columns: scratch, and what the deals settled so far have brought
     then          the position
     then          int16: the ids of the actions that the player to act may choose

   Where the last three begin depends on the game (parlour/engine/blocks.py).  Functions are called with Python's lock
   held, never call Python, and return a negative number if something is wrong. */

#ifndef PARLOUR_STATE_H
#define PARLOUR_STATE_H

#include <stdint.h>

enum { GENERATOR = 0, ASKED = 1, LISTED = 2, DRAWN = 3, LEFT_TO_PLAY = 4, KEYS = 5 };

/* In place of a player.  NOBODY: the caller does not say who acts.  FRESH: begin the game (the action is its seed, if
   the rules draw for chance).  PLACED: the caller wrote the position; only work out who acts and what is legal. */
enum { NOBODY = -8, FRESH = -9, PLACED = -10 };

/* REFUSED: nothing has changed, because the action is illegal or could be that of several players.  FAILED: the rules
   went wrong (an endless game, or a fault for which Python would raise an error); the block may be spoilt. */
enum { REFUSED = -1, FAILED = -2 };

/* The same values as those of current_player in Python. */
enum { CHANCE = -1, TERMINAL = -2, SEVERAL = -3 };

/* Numbers of the functions below, in the same order. */
enum { STEP, ASK, CHANCES, TELL, SCORE, FUNCTIONS };

/* Carries out a player's action or an outcome of chance, then all chance nodes if the rules draw for chance.  Returns
   who acts next, less NOBODY, in bits 0 to 7; in bits 8 to 31 the number of their actions, which the block lists (if
   several players choose at once, those of the lowest seat); from bit 32 on the set of players who choose at once. */
typedef int64_t (*step_fn)(uint64_t *words, int64_t action, int64_t player);

/* Lists the legal actions of a player who is to choose, and returns their number. */
typedef int64_t (*ask_fn)(uint64_t *words, int64_t player);

/* Returns the set of outcomes (0 to 62) that chance may bring now, and writes the weight of each. */
typedef int64_t (*chance_fn)(uint64_t *words, int64_t weights[63]);

/* Writes a player's observation as a tensor. */
typedef int64_t (*tell_fn)(uint64_t *words, int64_t player, float *row);

/* Writes each player's return once the game is over.  `returns` has room for as many players as the game can have. */
typedef int64_t (*score_fn)(uint64_t *words, double *returns);

#endif
