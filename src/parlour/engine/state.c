/* A state as a type of CPython: one extension module for all games, which calls a game's compiled rules by their
   addresses (state.h).  It is the base of parlour.CompiledState.  Where it was not built, the same type in Python
   (parlour/engine/stepping.py) takes its place.

   Only the quick cases are handled here.  Any other call (a name in place of a number, a keyword, an illegal action)
   is passed on unchanged to a method of the derived Python class, which answers it or raises the error.  The names of
   those methods begin with an underscore.

   Memory.  A Block stores its words after its fields, and owns references to the objects in its fields.  Its past is a
   chain of steps that copies share: each step holds a reference to the one before it, and is freed with its last owner.
   No object that a block refers to refers back to it, so blocks need no garbage collection.  A Rules object keeps the
   library alive that its addresses point into.

   Threads.  Python's lock is held throughout: a step is much shorter than a change of the lock's owner, and no other
   thread sees half a step.

   Functions return NULL with an error set, as CPython's own do. */

#ifdef CHECK_WITH_PYTHON_H
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#endif
#include <string.h>

#include "stable.h"
#include "state.h"

#ifndef MADE_OF
#error "MADE_OF: the checksum of what this is built from, as text (hatch_build.py)"
#endif

enum { MOST_PLAYERS = 64, MOST_OUTCOMES = 63, MOST_SPARES = 32, MOST_SPARE_PASTS = 1024 };
static const int64_t NARROW = INT64_C(1) << 31; /* an id or seat of this size or more is invalid */

static PyTypeObject *rules_type, *block_type;
static PyObject *rules_name; /* the name of the attribute of a game that holds its Rules */

static PyObject *shared(PyObject *of) {
  Py_IncRef(of);
  return of;
}

static PyObject *none(void) { return shared(Py_None); }

/* The lowest member of a set that is not empty. */
static int lowest(uint64_t set) {
#ifdef __GNUC__
  return __builtin_ctzll(set);
#else
  int k = 0;
  while (!(set >> k & 1)) k++;
  return k;
#endif
}

/* ------------------------------------------------------------------------------------------ rules */

/* The compiled rules of a game with its players and house rules, and the block with which it begins.  `keeper` is a
   Python callable: given the number of a function, it compiles the function if need be, keeps it alive, and returns its
   address. */
typedef struct {
  PyObject_VAR_HEAD
  uintptr_t functions[FUNCTIONS]; /* addresses; 0: not compiled yet */
  PyObject *keeper;
  Py_ssize_t players, actions, row; /* numbers of players, of actions, and of numbers in a tensor */
  Py_ssize_t brought, acts;         /* words at which the returns of settled deals and the list of actions begin */
  void *spare[MOST_SPARES];         /* memory of freed blocks, to be used again */
  int spares;
  uint64_t start[];
} Rules;

/* The address of a function; 0 with an error set if it could not be made. */
static uintptr_t function(Rules *rules, int number) {
  if (rules->functions[number]) return rules->functions[number];
  PyObject *given = PyTuple_New(1), *made = NULL;
  if (given && PyTuple_SetItem(given, 0, PyLong_FromLong(number)) == 0) made = PyObject_Call(rules->keeper, given, NULL);
  if (given) Py_DecRef(given);
  if (!made) return 0;
  unsigned long long address = PyLong_AsUnsignedLongLong(made);
  Py_DecRef(made);
  if (PyErr_Occurred()) return 0;
  if (!address) PyErr_SetString(PyExc_ValueError, "The address of a compiled function is missing.");
  return rules->functions[number] = (uintptr_t)address;
}

static PyObject *rules_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  char *start;
  Py_ssize_t length, players, actions, row, brought, acts;
  PyObject *block, *keeper;
  (void)names;
  if (!PyArg_ParseTuple(args, "SnnnnnO", &block, &players, &actions, &row, &brought, &acts, &keeper)) return NULL;
  if (PyBytes_AsStringAndSize(block, &start, &length) < 0) return NULL;
  Py_ssize_t words = length / 8;
  if (length % 8 || players < 1 || players > MOST_PLAYERS || brought < KEYS + 4 * players || acts < brought + players ||
      actions < 0 || actions > (words - acts) * 4 || row < 0) {
    PyErr_SetString(PyExc_ValueError, "These are no compiled rules: the parts do not fit into the block.");
    return NULL;
  }
  Rules *rules = (Rules *)PyType_GenericAlloc(type, words);
  if (!rules) return NULL;
  rules->keeper = shared(keeper);
  rules->players = players;
  rules->actions = actions;
  rules->row = row;
  rules->brought = brought;
  rules->acts = acts;
  memcpy(rules->start, start, (size_t)length);
  if (function(rules, STEP)) return (PyObject *)rules;
  Py_DecRef((PyObject *)rules);
  return NULL;
}

static void rules_dealloc(Rules *self) {
  PyTypeObject *type = Py_TYPE((PyObject *)self);
  Py_DecRef(self->keeper);
  while (self->spares) PyObject_Free(self->spare[--self->spares]);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DecRef((PyObject *)type);
}

/* ------------------------------------------------------------------------------------------ blocks */

/* A step that was taken; `player` is NOBODY if the caller did not name one. */
typedef struct Past {
  struct Past *before;
  int64_t owners;
  int64_t action, player;
} Past;

/* Memory of freed steps, to be used again, linked by `before`. */
static Past *spare_past;
static int spare_pasts;

static Past *some_past(void) {
  Past *past = spare_past;
  if (!past) return PyMem_Malloc(sizeof(Past));
  spare_past = past->before;
  spare_pasts--;
  return past;
}

static void free_past(Past *past) {
  if (spare_pasts == MOST_SPARE_PASTS) {
    PyMem_Free(past);
    return;
  }
  past->before = spare_past;
  spare_past = past;
  spare_pasts++;
}

static void let_go(Past *past) {
  while (past && --past->owners == 0) {
    Past *before = past->before;
    free_past(past);
    past = before;
  }
}

typedef struct {
  PyObject_VAR_HEAD
  Rules *rules;
  PyObject *game, *seed;
  PyObject *base; /* the interpreted state from which the past starts; None: the beginning of the game */
  Past *past;     /* the last step */
  int64_t looked; /* what the last call of `step` returned */
  int keyed;      /* whether information keys are kept up to date */
  uint64_t words[];
} Block;

/* A new block of these rules; its words and other fields are not set.  CPython allocates objects of derived classes. */
static Block *blank(PyTypeObject *type, Rules *rules) {
  Py_ssize_t words = rules->ob_base.ob_size;
  Block *made;
  if (type != block_type)
    made = (Block *)PyType_GenericAlloc(type, words);
  else {
    void *memory = rules->spares ? rules->spare[--rules->spares] : PyObject_Malloc(offsetof(Block, words) + (size_t)words * 8);
    made = memory ? (Block *)PyObject_InitVar(memory, type, words) : (Block *)PyErr_NoMemory();
  }
  if (made) made->rules = (Rules *)shared((PyObject *)rules);
  return made;
}

static int64_t step(Block *self, int64_t action, int64_t player) {
  return ((step_fn)self->rules->functions[STEP])(self->words, action, player);
}

static int64_t who(const Block *self) { return (self->looked & 255) + NOBODY; }
static int64_t waiting(const Block *self) { return self->looked >> 32; }
static size_t bytes_of(const Block *self) { return (size_t)self->ob_base.ob_size * 8; }

/* Passes a call on unchanged: `of.name(*args, **names)`; `args` has `n` values, then one for each of `names`. */
static PyObject *otherwise(PyObject *of, const char *name, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  PyObject *result = NULL, *named = NULL;
  PyObject *method = PyObject_GetAttrString(of, name), *given = PyTuple_New(n);
  if (!method || !given) goto done;
  for (Py_ssize_t i = 0; i < n; i++)
    if (PyTuple_SetItem(given, i, shared(args[i])) < 0) goto done;
  if (names) {
    named = PyDict_New();
    if (!named) goto done;
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++)
      if (PyDict_SetItem(named, PyTuple_GetItem(names, i), args[n + i]) < 0) goto done;
  }
  result = PyObject_Call(method, given, named);
done:
  if (method) Py_DecRef(method);
  if (given) Py_DecRef(given);
  if (named) Py_DecRef(named);
  return result;
}

/* The rules went wrong: the derived class raises the error. */
static PyObject *failed(Block *self) { return otherwise((PyObject *)self, "_failed", NULL, 0, NULL); }

/* Whether this is a whole number (NumPy's included, but not a bool) small enough to be an id or a seat. */
static int is_narrow(PyObject *given, int64_t *number) {
  int beyond = 0;
  if (Py_TYPE(given) == &PyLong_Type)
    *number = PyLong_AsLongLongAndOverflow(given, &beyond);
  else {
    if (Py_TYPE(given) == &PyBool_Type || !PyIndex_Check(given)) return 0;
    PyObject *index = PyNumber_Index(given);
    if (!index) {
      PyErr_Clear();
      return 0;
    }
    *number = PyLong_AsLongLongAndOverflow(index, &beyond);
    Py_DecRef(index);
  }
  return !beyond && -NARROW < *number && *number < NARROW;
}

/* Whether this is the number of a seat. */
static int is_seat(const Block *self, PyObject *given, int64_t *seat) {
  return is_narrow(given, seat) && 0 <= *seat && *seat < self->rules->players;
}

static PyObject *game_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  Py_ssize_t n = PyTuple_Size(args);
  PyObject *rules = NULL, *game, *seed = Py_None;
  unsigned long long drawn_from = 0;
  Block *self = NULL;
  if (names || n < 1 || n > 2) goto hand_on;
  game = PyTuple_GetItem(args, 0);
  rules = PyObject_GetAttr(game, rules_name);
  if (!rules || Py_TYPE(rules) != rules_type) goto hand_on;
  if (n == 2) seed = PyTuple_GetItem(args, 1);
  if (seed != Py_None) {
    if (Py_TYPE(seed) != &PyLong_Type) goto hand_on;
    drawn_from = PyLong_AsUnsignedLongLong(seed);
    if (drawn_from == (unsigned long long)-1 && PyErr_Occurred()) goto hand_on;
  }
  Rules *of = (Rules *)rules;
  self = blank(type, of);
  Py_DecRef(rules);
  if (!self) return NULL;
  self->game = shared(game);
  self->seed = shared(seed);
  self->base = none();
  self->past = NULL;
  self->keyed = 1;
  memcpy(self->words, of->start, bytes_of(self));
  self->words[DRAWN] = seed != Py_None;
  self->looked = step(self, (int64_t)drawn_from, FRESH);
  if (self->looked >= 0) return (PyObject *)self;
  self->looked = TERMINAL - NOBODY;
  PyObject *nothing = failed(self);
  if (nothing) Py_DecRef(nothing);
  Py_DecRef((PyObject *)self);
  return NULL;

hand_on:
  PyErr_Clear();
  if (rules) Py_DecRef(rules);
  PyObject *begin = PyObject_GetAttrString((PyObject *)type, "_begin");
  if (!begin) return NULL;
  PyObject *result = PyObject_Call(begin, args, names);
  Py_DecRef(begin);
  return result;
}

static void block_dealloc(Block *self) {
  PyTypeObject *type = Py_TYPE((PyObject *)self);
  Rules *rules = self->rules;
  let_go(self->past);
  Py_DecRef(self->base);
  Py_DecRef(self->seed);
  Py_DecRef(self->game);
  if (type == block_type && rules->spares < MOST_SPARES)
    rules->spare[rules->spares++] = self;
  else
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DecRef((PyObject *)rules);
  Py_DecRef((PyObject *)type);
}

static PyObject *block_clone(Block *self, PyObject *nothing) {
  (void)nothing;
  Block *copy = blank(Py_TYPE((PyObject *)self), self->rules);
  if (!copy) return NULL;
  copy->game = shared(self->game);
  copy->seed = shared(self->seed);
  copy->base = shared(self->base);
  copy->past = self->past;
  if (copy->past) copy->past->owners++;
  copy->looked = self->looked;
  copy->keyed = self->keyed;
  memcpy(copy->words, self->words, bytes_of(self));
  return (PyObject *)copy;
}

/* ------------------------------------------------------------------------------------------ playing */

/* Carries out a step and records it; returns 0, REFUSED or FAILED. */
static int64_t take(Block *self, int64_t action, int64_t player) {
  Past *last = some_past();
  if (!last) return FAILED;
  int64_t looked = step(self, action, player);
  if (looked < 0) {
    free_past(last);
    return looked;
  }
  *last = (Past){self->past, 1, action, player}; /* takes over the reference to `self->past` */
  self->past = last;
  self->looked = looked;
  return 0;
}

static PyObject *block_apply(Block *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  int64_t action, player = NOBODY;
  if (names || n < 1 || n > 2 || !is_narrow(args[0], &action) ||
      (n == 2 && args[1] != Py_None && (!is_narrow(args[1], &player) || player < 0)))
    return otherwise((PyObject *)self, "_apply", args, n, names);
  int64_t taken = take(self, action, player);
  return taken == 0 ? none() : otherwise((PyObject *)self, taken == FAILED ? "_failed" : "_apply", args, n, NULL);
}

/* The same without a player: if several choose at once, the action is that of the lowest seat. */
static PyObject *block_take(Block *self, PyObject *given) {
  int64_t action, player = who(self) == SEVERAL ? lowest((uint64_t)waiting(self)) : NOBODY, taken = REFUSED;
  if (is_narrow(given, &action)) taken = take(self, action, player);
  if (taken == 0) return none();
  PyObject *args[] = {given, player < 0 ? none() : PyLong_FromLongLong(player)};
  if (!args[1]) return NULL;
  PyObject *result = otherwise((PyObject *)self, taken == FAILED ? "_failed" : "_apply", args, 2, NULL);
  Py_DecRef(args[1]);
  return result;
}

/* The first `n` actions listed in the block. */
static PyObject *listed(const Block *self, int64_t n) {
  const int16_t *acts = (const int16_t *)(self->words + self->rules->acts);
  PyObject *list = PyList_New(n);
  for (int64_t i = 0; list && i < n; i++) {
    PyObject *action = PyLong_FromLong(acts[i]);
    if (!action || PyList_SetItem(list, i, action) < 0) {
      Py_DecRef(list);
      return NULL;
    }
  }
  return list;
}

/* The same for a player, where several choose at once. */
static PyObject *listed_for(Block *self, int64_t player) {
  ask_fn ask = (ask_fn)function(self->rules, ASK);
  if (!ask) return NULL;
  int64_t n = ask(self->words, player);
  return n < 0 ? failed(self) : listed(self, n);
}

static PyObject *block_legal(Block *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  int64_t asked = who(self), player, several = asked == SEVERAL ? waiting(self) : 0;
  if (names || n > 1) return otherwise((PyObject *)self, "_legal", args, n, names);
  if (n == 0 || args[0] == Py_None) {
    if (asked >= 0) return listed(self, self->looked >> 8 & 0xFFFFFF);
    if (several & (several - 1)) return otherwise((PyObject *)self, "_legal", args, 0, NULL);
    return several ? listed_for(self, lowest((uint64_t)several)) : PyList_New(0);
  }
  if (!is_seat(self, args[0], &player)) return otherwise((PyObject *)self, "_legal", args, n, NULL);
  if (player == asked) return listed(self, self->looked >> 8 & 0xFFFFFF);
  return several >> player & 1 ? listed_for(self, player) : PyList_New(0);
}

static PyObject *block_who(Block *self, void *nothing) {
  (void)nothing;
  return PyLong_FromLongLong(who(self));
}

static PyObject *block_mover(Block *self, void *nothing) {
  (void)nothing;
  return PyLong_FromLongLong(who(self) == SEVERAL ? lowest((uint64_t)waiting(self)) : who(self));
}

static PyObject *block_terminal(Block *self, void *nothing) {
  (void)nothing;
  return PyBool_FromLong(who(self) == TERMINAL);
}

static PyObject *block_acting(Block *self, void *nothing) {
  int64_t asked = who(self);
  uint64_t set = asked >= 0 ? UINT64_C(1) << asked : asked == SEVERAL ? (uint64_t)waiting(self) : 0;
  Py_ssize_t n = 0;
  (void)nothing;
  for (uint64_t rest = set; rest; rest &= rest - 1) n++;
  PyObject *acting = PyTuple_New(n);
  for (Py_ssize_t i = 0; acting && i < n; i++, set &= set - 1)
    if (PyTuple_SetItem(acting, i, PyLong_FromLong(lowest(set))) < 0) {
      Py_DecRef(acting);
      return NULL;
    }
  return acting;
}

/* An outcome with its probability, `weight` of `total`.  Pairs of equally likely outcomes recur all the time, so they are
   kept: at most 63 times 63. */
static PyObject *pair(int outcome, int64_t weight, int64_t total) {
  static PyObject *kept[MOST_OUTCOMES + 1][MOST_OUTCOMES];
  PyObject **place = weight == 1 && total <= MOST_OUTCOMES ? &kept[total][outcome] : NULL;
  if (place && *place) return shared(*place);
  PyObject *made = PyTuple_New(2);
  if (!made || PyTuple_SetItem(made, 0, PyLong_FromLong(outcome)) < 0 ||
      PyTuple_SetItem(made, 1, PyFloat_FromDouble((double)weight / (double)total)) < 0 || PyErr_Occurred()) {
    if (made) Py_DecRef(made);
    return NULL;
  }
  if (place) *place = shared(made);
  return made;
}

static PyObject *block_outcomes(Block *self, PyObject *nothing) {
  int64_t weights[MOST_OUTCOMES], set = 0, total = 0;
  Py_ssize_t n = 0;
  (void)nothing;
  if (who(self) == CHANCE) {
    chance_fn chance = (chance_fn)function(self->rules, CHANCES);
    if (!chance) return NULL;
    set = chance(self->words, weights);
  }
  if (set < 0) return failed(self);
  for (uint64_t rest = (uint64_t)set; rest; rest &= rest - 1, n++) total += weights[lowest(rest)];
  PyObject *list = PyList_New(n);
  n = 0;
  for (uint64_t rest = (uint64_t)set; list && rest; rest &= rest - 1) {
    int outcome = lowest(rest);
    PyObject *one = pair(outcome, weights[outcome], total);
    if (!one || PyList_SetItem(list, n++, one) < 0) {
      Py_DecRef(list);
      return NULL;
    }
  }
  return list;
}

/* ------------------------------------------------------------------------------------------ results and observations */

static PyObject *floats(const double *numbers, Py_ssize_t n) {
  PyObject *list = PyList_New(n);
  for (Py_ssize_t i = 0; list && i < n; i++) {
    PyObject *number = PyFloat_FromDouble(numbers[i]);
    if (!number || PyList_SetItem(list, i, number) < 0) {
      Py_DecRef(list);
      return NULL;
    }
  }
  return list;
}

static PyObject *block_returns(Block *self, PyObject *nothing) {
  double returns[MOST_PLAYERS] = {0};
  (void)nothing;
  if (who(self) == TERMINAL) {
    score_fn score = (score_fn)function(self->rules, SCORE);
    if (!score) return NULL;
    if (score(self->words, returns) < 0) return failed(self);
  }
  return floats(returns, self->rules->players);
}

static PyObject *block_brought(Block *self, PyObject *nothing) {
  double *brought = (double *)(self->words + self->rules->brought);
  (void)nothing;
  PyObject *list = floats(brought, self->rules->players);
  if (list) memset(brought, 0, (size_t)self->rules->players * sizeof(double));
  return list;
}

static PyObject *block_key(Block *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  int64_t seat;
  if (!self->keyed || names || n != 1 || !is_seat(self, args[0], &seat))
    return otherwise((PyObject *)self, "_key", args, n, names);
  return PyLong_FromUnsignedLongLong(self->words[KEYS + seat]);
}

/* Opens the memory of `out` as `view`; it must hold exactly this many bytes in one piece. */
static int opened(PyObject *out, Py_ssize_t bytes, Py_buffer *view) {
  if (PyObject_GetBuffer(out, view, PyBUF_WRITABLE) < 0) return 0;
  if (view->len == bytes) return 1;
  PyBuffer_Release(view);
  PyErr_SetString(PyExc_ValueError, "What is to be written into has another size.");
  return 0;
}

static PyObject *block_tell(Block *self, PyObject *const *args, Py_ssize_t n) {
  int64_t seat;
  Py_buffer view;
  if (n != 2 || !is_seat(self, args[0], &seat)) {
    PyErr_SetString(PyExc_TypeError, "_tell takes a seat, and what to write into.");
    return NULL;
  }
  tell_fn tell = (tell_fn)function(self->rules, TELL);
  if (!tell || !opened(args[1], self->rules->row * (Py_ssize_t)sizeof(float), &view)) return NULL;
  int64_t told = tell(self->words, seat, view.buf);
  PyBuffer_Release(&view);
  return told < 0 ? failed(self) : none();
}

enum { COPIES = 32 };

/* A number of a row as a Python float.  Rows have few different numbers, so recent floats are kept, several copies of
   each: a processor waits for a count of references that it has just changed, so neighbours do not share a float. */
static PyObject *number(float x, Py_ssize_t i) {
  enum { BITS = 15 };
  static struct { float x; PyObject *made; } kept[1 << BITS];
  uint32_t word;
  memcpy(&word, &x, sizeof word);
  uint32_t place = (word * UINT32_C(0x9E3779B1) >> (32 - BITS)) ^ (uint32_t)(i % COPIES);
  if (kept[place].made && memcmp(&kept[place].x, &x, sizeof x) == 0) return shared(kept[place].made);
  PyObject *made = PyFloat_FromDouble(x), *old = kept[place].made;
  if (!made) return NULL;
  kept[place].x = x;
  kept[place].made = shared(made);
  if (old) Py_DecRef(old);
  return made;
}

/* A list of zeros: made of several, see `number`, and filled by CPython in one go. */
static PyObject *zeros(Py_ssize_t n) {
  PyObject *few = PyList_New(COPIES), *list = NULL;
  for (Py_ssize_t i = 0; few && i < COPIES; i++) {
    PyObject *zero = PyFloat_FromDouble(0.0);
    if (!zero || PyList_SetItem(few, i, zero) < 0) {
      Py_DecRef(few);
      return NULL;
    }
  }
  if (few) {
    list = PySequence_Repeat(few, n / COPIES + 1);
    Py_DecRef(few);
  }
  return list;
}

/* The last row of a seat that was made into a list. */
typedef struct { float *numbers; PyObject *list; Py_ssize_t n; } Last;

/* Begins again with a row of `n` zeros. */
static int cleared(Last *last, Py_ssize_t n) {
  float *numbers = PyMem_Calloc((size_t)n + 1, sizeof(float));
  PyObject *list = numbers ? zeros(n) : PyErr_NoMemory();
  if (!list) {
    PyMem_Free(numbers);
    return 0;
  }
  PyMem_Free(last->numbers);
  if (last->list) Py_DecRef(last->list);
  *last = (Last){numbers, list, n};
  return 1;
}

enum { RUN = 16 };

/* The numbers of a seat's row as a list.  A row has most numbers in common with the last one of that seat, so that list
   is kept: what differs is put into it, and CPython copies it in one go. */
static PyObject *block_numbers(Block *self, PyObject *const *args, Py_ssize_t n) {
  static Last lasts[MOST_PLAYERS];
  int64_t seat;
  Py_buffer view;
  if (n != 2 || !is_seat(self, args[1], &seat)) {
    PyErr_SetString(PyExc_TypeError, "_numbers takes a row and the seat whose it is.");
    return NULL;
  }
  if (PyObject_GetBuffer(args[0], &view, 0) < 0) return NULL;
  Last *last = &lasts[seat];
  const float *numbers = view.buf;
  Py_ssize_t size = view.len / (Py_ssize_t)sizeof(float);
  int good = (last->list && last->n == size) || cleared(last, size);
  for (Py_ssize_t i = 0; good && i < size; i++) {
    while (i + RUN <= size && memcmp(numbers + i, last->numbers + i, RUN * sizeof(float)) == 0) i += RUN;
    if (i == size || memcmp(numbers + i, last->numbers + i, sizeof(float)) == 0) continue;
    PyObject *one = number(numbers[i], i);
    good = one && PyList_SetItem(last->list, i, one) == 0;
    if (good) last->numbers[i] = numbers[i];
  }
  PyBuffer_Release(&view);
  return good ? PyList_GetSlice(last->list, 0, size) : NULL;
}

static PyObject *block_mask(Block *self, PyObject *const *args, Py_ssize_t n) {
  int64_t seat, asked = who(self), number = 0;
  Py_buffer view;
  if (n != 2 || !is_seat(self, args[0], &seat)) {
    PyErr_SetString(PyExc_TypeError, "_mask takes a seat, and what to write into.");
    return NULL;
  }
  if (seat == asked) number = self->looked >> 8 & 0xFFFFFF;
  else if (asked == SEVERAL && waiting(self) >> seat & 1) {
    ask_fn ask = (ask_fn)function(self->rules, ASK);
    if (!ask) return NULL;
    number = ask(self->words, seat);
  }
  if (number < 0) return failed(self);
  if (!opened(args[1], self->rules->actions, &view)) return NULL;
  const int16_t *acts = (const int16_t *)(self->words + self->rules->acts);
  memset(view.buf, 0, (size_t)self->rules->actions);
  for (int64_t i = 0; i < number; i++) ((int8_t *)view.buf)[acts[i]] = 1;
  PyBuffer_Release(&view);
  return none();
}

/* ------------------------------------------------------------------------------------------ services for CompiledState */

static PyObject *block_words(Block *self, PyObject *nothing) {
  (void)nothing;
  return PyBytes_FromStringAndSize((const char *)self->words, (Py_ssize_t)bytes_of(self));
}

static PyObject *block_steps(Block *self, PyObject *nothing) {
  Py_ssize_t n = 0;
  (void)nothing;
  for (Past *one = self->past; one; one = one->before) n++;
  PyObject *list = PyList_New(n);
  for (Past *one = self->past; list && one; one = one->before) {
    PyObject *step = PyTuple_New(2), *action = PyLong_FromLongLong(one->action);
    PyObject *player = one->player == NOBODY ? none() : PyLong_FromLongLong(one->player);
    if (!step || !action || !player) {
      if (step) Py_DecRef(step);
      if (action) Py_DecRef(action);
      if (player) Py_DecRef(player);
      Py_DecRef(list);
      return NULL;
    }
    PyTuple_SetItem(step, 0, action);
    PyTuple_SetItem(step, 1, player);
    PyList_SetItem(list, --n, step);
  }
  return list;
}

static void replace(PyObject **field, PyObject *by) {
  PyObject *old = *field;
  *field = shared(by);
  Py_DecRef(old);
}

static PyObject *block_settle(Block *self, PyObject *base) {
  Past *past = self->past;
  self->past = NULL;
  let_go(past);
  replace(&self->base, base);
  return none();
}

static PyObject *block_put(Block *self, PyObject *args) {
  char *words;
  Py_ssize_t length;
  PyObject *block, *base, *seed;
  int keyed;
  if (!PyArg_ParseTuple(args, "SOOi", &block, &base, &seed, &keyed)) return NULL;
  if (PyBytes_AsStringAndSize(block, &words, &length) < 0) return NULL;
  if ((size_t)length != bytes_of(self)) {
    PyErr_SetString(PyExc_ValueError, "This block has another size.");
    return NULL;
  }
  memcpy(self->words, words, (size_t)length);
  replace(&self->seed, seed);
  self->keyed = keyed;
  PyObject *done = block_settle(self, base);
  int64_t looked = step(self, 0, PLACED);
  if (looked < 0) {
    Py_DecRef(done);
    return failed(self);
  }
  self->looked = looked;
  return done;
}

static PyObject *block_game(Block *self, void *nothing) {
  (void)nothing;
  return shared(self->game);
}

static PyObject *block_seed(Block *self, void *nothing) {
  (void)nothing;
  return shared(self->seed);
}

static PyObject *block_base(Block *self, void *nothing) {
  (void)nothing;
  return shared(self->base);
}

static PyObject *block_keyed(Block *self, void *nothing) {
  (void)nothing;
  return PyBool_FromLong(self->keyed);
}

static PyObject *block_generator(Block *self, void *nothing) {
  (void)nothing;
  return self->words[DRAWN] ? PyLong_FromUnsignedLongLong(self->words[GENERATOR]) : none();
}

/* ------------------------------------------------------------------------------------------ the type and its module */

#define CALLED(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef methods[] = {
    {"apply", CALLED(block_apply), METH_FASTCALL | METH_KEYWORDS,
     "apply($self, action, player=None)\n--\n\nDo ``action``, or let an outcome of chance happen."},
    {"legal_actions", CALLED(block_legal), METH_FASTCALL | METH_KEYWORDS,
     "legal_actions($self, player=None)\n--\n\nIds of the actions that ``player`` (default: the one to act) may choose."},
    {"clone", CALLED(block_clone), METH_NOARGS, "clone($self)\n--\n\nAn independent copy."},
    {"returns", CALLED(block_returns), METH_NOARGS,
     "returns($self)\n--\n\nEach player's return; all zeros before the end."},
    {"information_key", CALLED(block_key), METH_FASTCALL | METH_KEYWORDS,
     "information_key($self, player)\n--\n\nWhat ``player`` has known so far as one 64-bit word."},
    {"_take", CALLED(block_take), METH_O, "Does an action of ``_mover``, or an outcome of chance."},
    {"_outcomes", CALLED(block_outcomes), METH_NOARGS, "What chance may bring, each outcome with its probability."},
    {"_brought", CALLED(block_brought), METH_NOARGS, "What the deals have brought that were settled since this was asked."},
    {"_tell", CALLED(block_tell), METH_FASTCALL, "Writes the tensor of what a player is told."},
    {"_numbers", CALLED(block_numbers), METH_FASTCALL, "A seat's row of float32 numbers as a list."},
    {"_mask", CALLED(block_mask), METH_FASTCALL, "Writes 1 for each action that a player may choose, else 0."},
    {"_words", CALLED(block_words), METH_NOARGS, "The block as bytes."},
    {"_steps", CALLED(block_steps), METH_NOARGS, "The steps since ``_base``."},
    {"_settle", CALLED(block_settle), METH_O, "Takes ``_base`` for where it is, so there are no steps since."},
    {"_put", CALLED(block_put), METH_VARARGS, "Is put where these words, and ``_base``, are."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef fields[] = {
    {"game", (getter)block_game, NULL, "The game.", NULL},
    {"seed", (getter)block_seed, NULL, "What chance is drawn from.", NULL},
    {"current_player", (getter)block_who, NULL,
     "A player (0, 1 …), ``CHANCE``, ``SEVERAL`` (see ``acting``) or ``TERMINAL``.", NULL},
    {"acting", (getter)block_acting, NULL, "The players who may act now.", NULL},
    {"is_terminal", (getter)block_terminal, NULL, "Whether the game is over.", NULL},
    {"generator", (getter)block_generator, NULL, "The word of the generator that chance is drawn from next.", NULL},
    {"_base", (getter)block_base, NULL, "An interpreted state, or ``None`` for the beginning.", NULL},
    {"_mover", (getter)block_mover, NULL, "Who acts when choices are taken one at a time, in order of seats.", NULL},
    {"_keyed", (getter)block_keyed, NULL, "Whether keys are kept.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot block_slots[] = {
    {Py_tp_new, (void *)game_new},     {Py_tp_dealloc, (void *)block_dealloc}, {Py_tp_methods, methods},
    {Py_tp_getset, fields},            {0, NULL},
};
static PyType_Spec block_spec = {"parlour.engine._state.Block", offsetof(Block, words), 8,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, block_slots};

static PyType_Slot rules_slots[] = {
    {Py_tp_new, (void *)rules_new}, {Py_tp_dealloc, (void *)rules_dealloc}, {0, NULL}};
static PyType_Spec rules_spec = {"parlour.engine._state.Rules", offsetof(Rules, start), 8, Py_TPFLAGS_DEFAULT,
                                 rules_slots};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "_state", .m_size = -1};

int add_entry(PyObject *module); /* defined in calling.c */

PyMODINIT_FUNC PyInit__state(void) {
  PyObject *made = PyModule_Create2(&module, 3);
  rules_type = (PyTypeObject *)PyType_FromSpec(&rules_spec);
  rules_name = PyUnicode_InternFromString("stepped");
  block_type = (PyTypeObject *)PyType_FromSpec(&block_spec);
  if (!made || !rules_type || !rules_name || !block_type) return NULL;
  if (PyModule_AddObjectRef(made, "Rules", (PyObject *)rules_type) < 0) return NULL;
  if (PyModule_AddObjectRef(made, "Block", (PyObject *)block_type) < 0) return NULL;
  if (add_entry(made) < 0) return NULL;
  if (PyModule_AddStringConstant(made, "MADE_OF", MADE_OF) < 0) return NULL;
  return made;
}
