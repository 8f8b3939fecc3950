/* Calls of a game's compiled functions from Python, with arrays and numbers.  Where this was not built, the same in
   Python (parlour/engine/c/loading.py) takes its place.

   Only the simple cases are handled here: arrays of the right kind whose entries lie next to each other, and numbers.
   Any other call is passed on unchanged to the entry in Python, which accepts more, or raises the error.

   While a function runs, Python's lock is released; the arrays stay locked until it returns. */

#ifdef CHECK_WITH_PYTHON_H
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#endif
#include <string.h>

#include "stable.h"

enum { MOST_ARGUMENTS = 64, MOST_DIMENSIONS = 4 };

/* The type of an argument: `i` a whole number, `w` a word, `r` a float, `a` an array of numbers whose type is one of
   these letters of the module struct, `p` a position or an array of positions. */
typedef struct {
  char what, dimensions, optional, letters[5];
  int32_t size; /* bytes of an entry */
} Kind;

typedef struct {
  PyObject_HEAD
  int64_t (*function)(uint64_t *words);
  PyObject *otherwise; /* the entry in Python */
  int arguments;
  char gives; /* the type of the result: `i`, `w`, `r`, or 0 for none */
  Kind kinds[MOST_ARGUMENTS];
} Entry;

static PyObject *entry_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  unsigned long long address;
  char *kinds, *gives;
  PyObject *kinds_given, *otherwise;
  Py_ssize_t length, given;
  (void)names;
  if (!PyArg_ParseTuple(args, "KSyO", &address, &kinds_given, &gives, &otherwise)) return NULL;
  if (PyBytes_AsStringAndSize(kinds_given, &kinds, &length) < 0) return NULL;
  given = length / (Py_ssize_t)sizeof(Kind);
  if (given > MOST_ARGUMENTS || length % (Py_ssize_t)sizeof(Kind)) {
    PyErr_SetString(PyExc_ValueError, "An entry has too many arguments, or they are not told as they should be.");
    return NULL;
  }
  Entry *made = (Entry *)PyType_GenericAlloc(type, 0);
  if (!made) return NULL;
  made->function = (int64_t(*)(uint64_t *))(uintptr_t)address;
  memcpy(made->kinds, kinds, (size_t)length);
  made->arguments = (int)given;
  made->gives = gives[0];
  Py_IncRef(otherwise);
  made->otherwise = otherwise;
  return (PyObject *)made;
}

static void entry_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_DecRef(((Entry *)self)->otherwise);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DecRef((PyObject *)type);
}

/* Stores a number in a word; returns 0 if it does not fit. */
static int put_number(char what, PyObject *one, uint64_t *word) {
  if (what == 'r') {
    double real = PyFloat_AsDouble(one);
    memcpy(word, &real, sizeof real);
    return !(real == -1.0 && PyErr_Occurred());
  }
  PyObject *whole = PyNumber_Index(one);
  if (!whole) return 0;
  int beyond = 0;
  if (what == 'w') {
    *word = PyLong_AsUnsignedLongLong(whole);
    beyond = *word == UINT64_MAX && PyErr_Occurred();
  } else {
    long long number = PyLong_AsLongLongAndOverflow(whole, &beyond);
    *word = (uint64_t)number;
  }
  Py_DecRef(whole);
  return !beyond;
}

/* Stores the address and the dimensions of an array in words, and locks the array; returns 0 if it does not fit. */
static int put_array(const Kind *kind, PyObject *one, Py_buffer *held, uint64_t *words) {
  int numbers = kind->what == 'a';
  if (PyObject_GetBuffer(one, held, PyBUF_ND | (numbers ? PyBUF_FORMAT : 0)) < 0) return 0;
  const char *format = held->format;
  int fits = held->ndim == kind->dimensions && held->itemsize == kind->size;
  if (numbers) fits = fits && format && format[0] && !format[1] && strchr(kind->letters, format[0]);
  if (!fits) {
    PyBuffer_Release(held);
    return 0;
  }
  words[0] = (uint64_t)(uintptr_t)held->buf;
  for (int i = 0; i < kind->dimensions; i++) words[1 + i] = (uint64_t)held->shape[i];
  return 1;
}

static PyObject *gone_wrong(Entry *entry, int64_t place) {
  PyObject *raise = PyObject_GetAttrString(entry->otherwise, "go_wrong"), *given = PyTuple_New(1), *none = NULL;
  if (raise && given && PyTuple_SetItem(given, 0, PyLong_FromLongLong(place)) == 0) none = PyObject_Call(raise, given, NULL);
  if (raise) Py_DecRef(raise);
  if (given) Py_DecRef(given);
  return none;
}

static PyObject *entry_call(PyObject *self, PyObject *args, PyObject *names) {
  Entry *entry = (Entry *)self;
  uint64_t words[MOST_ARGUMENTS * (1 + MOST_DIMENSIONS)];
  Py_buffer held[MOST_ARGUMENTS];
  int holds = 0, at = 0, fits = !names && PyTuple_Size(args) == entry->arguments;
  for (int i = 0; fits && i < entry->arguments; i++) {
    const Kind *kind = entry->kinds + i;
    PyObject *one = PyTuple_GetItem(args, i);
    if (kind->what != 'a' && kind->what != 'p') {
      fits = put_number(kind->what, one, words + at++);
      continue;
    }
    if (one == Py_None && kind->optional)
      memset(words + at, 0, (1 + (size_t)kind->dimensions) * sizeof *words);
    else if ((fits = put_array(kind, one, held + holds, words + at)))
      holds++;
    at += 1 + kind->dimensions;
  }
  int64_t place = 0;
  if (fits) {
    PyThreadState *mine = PyEval_SaveThread();
    place = entry->function(words);
    PyEval_RestoreThread(mine);
  }
  while (holds) PyBuffer_Release(held + --holds);
  if (!fits) {
    PyErr_Clear();
    return PyObject_Call(entry->otherwise, args, names);
  }
  if (place) return gone_wrong(entry, place);
  double real;
  switch (entry->gives) {
    case 'i': return PyLong_FromLongLong((long long)words[0]);
    case 'w': return PyLong_FromUnsignedLongLong(words[0]);
    case 'r': memcpy(&real, words, sizeof real); return PyFloat_FromDouble(real);
    default: Py_IncRef(Py_None); return Py_None;
  }
}

static PyType_Slot entry_slots[] = {
    {Py_tp_new, (void *)entry_new}, {Py_tp_dealloc, (void *)entry_dealloc}, {Py_tp_call, (void *)entry_call}, {0, NULL}};
static PyType_Spec entry_spec = {"parlour.engine._state.Entry", sizeof(Entry), 0, Py_TPFLAGS_DEFAULT, entry_slots};

/* Adds the type to the module. */
int add_entry(PyObject *module) {
  PyObject *type = PyType_FromSpec(&entry_spec);
  return type ? PyModule_AddObjectRef(module, "Entry", type) : -1;
}
