/* The small part of CPython's stable ABI (3.11 and later) that state.c and calling.c use.  It is declared here so that
   they can be built, for any machine, with nothing but a compiler.  Where Python.h is installed, the tests compile this
   together with it, so a declaration that differs is an error. */

#ifndef PARLOUR_STABLE_H
#define PARLOUR_STABLE_H

#include <stddef.h>
#include <stdint.h>

#ifndef Py_PYTHON_H

typedef intptr_t Py_ssize_t;
typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;

struct _object {
  Py_ssize_t ob_refcnt;
  PyTypeObject *ob_type;
};

typedef struct {
  PyObject ob_base;
  Py_ssize_t ob_size;
} PyVarObject;

#define PyObject_HEAD PyObject ob_base;
#define PyObject_VAR_HEAD PyVarObject ob_base;

typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef PyObject *(*getter)(PyObject *, void *);
typedef int (*setter)(PyObject *, PyObject *, void *);
typedef void (*freefunc)(void *);

typedef struct PyMethodDef {
  const char *ml_name;
  PyCFunction ml_meth;
  int ml_flags;
  const char *ml_doc;
} PyMethodDef;

typedef struct PyGetSetDef {
  const char *name;
  getter get;
  setter set;
  const char *doc;
  void *closure;
} PyGetSetDef;

typedef struct PyModuleDef_Base {
  PyObject ob_base;
  PyObject *(*m_init)(void);
  Py_ssize_t m_index;
  PyObject *m_copy;
} PyModuleDef_Base;

typedef struct PyModuleDef {
  PyModuleDef_Base m_base;
  const char *m_name;
  const char *m_doc;
  Py_ssize_t m_size;
  PyMethodDef *m_methods;
  void *m_slots, *m_traverse, *m_clear, *m_free;
} PyModuleDef;

typedef struct {
  int slot;
  void *pfunc;
} PyType_Slot;

typedef struct {
  const char *name;
  int basicsize, itemsize;
  unsigned int flags;
  PyType_Slot *slots;
} PyType_Spec;

typedef struct {
  void *buf;
  PyObject *obj;
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
} Py_buffer;

#define METH_VARARGS 0x0001
#define METH_KEYWORDS 0x0002
#define METH_NOARGS 0x0004
#define METH_O 0x0008
#define METH_FASTCALL 0x0080
#define Py_TPFLAGS_DEFAULT 0
#define Py_TPFLAGS_BASETYPE (1UL << 10)
#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#define Py_tp_call 50
#define Py_tp_dealloc 52
#define Py_tp_methods 64
#define Py_tp_new 65
#define Py_tp_getset 73
#define Py_tp_free 74
#define PyModuleDef_HEAD_INIT {{1, NULL}, NULL, 0, NULL}

#ifdef _WIN32
#define PyAPI_DATA(type) extern __declspec(dllimport) type
#define PyMODINIT_FUNC __declspec(dllexport) PyObject *
#else
#define PyAPI_DATA(type) extern type
#define PyMODINIT_FUNC __attribute__((visibility("default"))) PyObject *
#endif
#define PyAPI_FUNC(type) extern type

#define Py_None (&_Py_NoneStruct)
#define Py_TYPE(of) ((of)->ob_type)

typedef struct _ts PyThreadState;

#endif

PyAPI_DATA(PyObject) _Py_NoneStruct;
PyAPI_DATA(PyTypeObject) PyLong_Type;
PyAPI_DATA(PyTypeObject) PyBool_Type;
PyAPI_DATA(PyObject *) PyExc_TypeError;
PyAPI_DATA(PyObject *) PyExc_ValueError;

PyAPI_FUNC(void) Py_IncRef(PyObject *);
PyAPI_FUNC(void) Py_DecRef(PyObject *);
PyAPI_FUNC(PyObject *) PyType_FromSpec(PyType_Spec *);
PyAPI_FUNC(PyObject *) PyType_GenericAlloc(PyTypeObject *, Py_ssize_t);
PyAPI_FUNC(void *) PyType_GetSlot(PyTypeObject *, int);
PyAPI_FUNC(PyObject *) PyModule_Create2(PyModuleDef *, int);
PyAPI_FUNC(int) PyModule_AddObjectRef(PyObject *, const char *, PyObject *);
PyAPI_FUNC(int) PyModule_AddStringConstant(PyObject *, const char *, const char *);
PyAPI_FUNC(void *) PyObject_Malloc(size_t);
PyAPI_FUNC(void) PyObject_Free(void *);
PyAPI_FUNC(PyVarObject *) PyObject_InitVar(PyVarObject *, PyTypeObject *, Py_ssize_t);
PyAPI_FUNC(void *) PyMem_Malloc(size_t);
PyAPI_FUNC(void) PyMem_Free(void *);
PyAPI_FUNC(PyObject *) PyErr_NoMemory(void);
PyAPI_FUNC(PyObject *) PyErr_Occurred(void);
PyAPI_FUNC(void) PyErr_Clear(void);
PyAPI_FUNC(void) PyErr_SetString(PyObject *, const char *);
PyAPI_FUNC(PyObject *) PyObject_GetAttr(PyObject *, PyObject *);
PyAPI_FUNC(PyObject *) PyObject_GetAttrString(PyObject *, const char *);
PyAPI_FUNC(PyObject *) PyObject_Call(PyObject *, PyObject *, PyObject *);
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *, Py_buffer *, int);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *);
PyAPI_FUNC(PyObject *) PyUnicode_InternFromString(const char *);
PyAPI_FUNC(PyObject *) PyBool_FromLong(long);
PyAPI_FUNC(int) PyIndex_Check(PyObject *);
PyAPI_FUNC(PyObject *) PyNumber_Index(PyObject *);
PyAPI_FUNC(PyObject *) PyLong_FromLong(long);
PyAPI_FUNC(PyObject *) PyLong_FromLongLong(long long);
PyAPI_FUNC(PyObject *) PyLong_FromUnsignedLongLong(unsigned long long);
PyAPI_FUNC(long long) PyLong_AsLongLongAndOverflow(PyObject *, int *);
PyAPI_FUNC(unsigned long long) PyLong_AsUnsignedLongLong(PyObject *);
PyAPI_FUNC(PyObject *) PyFloat_FromDouble(double);
PyAPI_FUNC(double) PyFloat_AsDouble(PyObject *);
PyAPI_FUNC(PyObject *) PyBytes_FromStringAndSize(const char *, Py_ssize_t);
PyAPI_FUNC(int) PyBytes_AsStringAndSize(PyObject *, char **, Py_ssize_t *);
PyAPI_FUNC(void *) PyMem_Calloc(size_t, size_t);
PyAPI_FUNC(void) PyMem_Free(void *);
PyAPI_FUNC(PyObject *) PyErr_NoMemory(void);
PyAPI_FUNC(PyObject *) PyList_New(Py_ssize_t);
PyAPI_FUNC(int) PyList_SetItem(PyObject *, Py_ssize_t, PyObject *);
PyAPI_FUNC(PyObject *) PyList_GetSlice(PyObject *, Py_ssize_t, Py_ssize_t);
PyAPI_FUNC(PyObject *) PySequence_Repeat(PyObject *, Py_ssize_t);
PyAPI_FUNC(PyObject *) PyTuple_New(Py_ssize_t);
PyAPI_FUNC(int) PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
PyAPI_FUNC(PyObject *) PyTuple_GetItem(PyObject *, Py_ssize_t);
PyAPI_FUNC(Py_ssize_t) PyTuple_Size(PyObject *);
PyAPI_FUNC(PyObject *) PyDict_New(void);
PyAPI_FUNC(int) PyDict_SetItem(PyObject *, PyObject *, PyObject *);
PyAPI_FUNC(int) PyArg_ParseTuple(PyObject *, const char *, ...);
PyAPI_FUNC(PyThreadState *) PyEval_SaveThread(void);
PyAPI_FUNC(void) PyEval_RestoreThread(PyThreadState *);

#endif
