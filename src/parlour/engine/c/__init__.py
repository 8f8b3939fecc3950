"""Rules and kernels as C: translates plain Python over small integers into a file for the C compiler.

:func:`~parlour.engine.c.program.translated` turns a game into one file of C. It works from the source of the rules and
the objects that importing them has made, and executes nothing.  A name means what it means in the function's own
module.  A function is translated once for each set of kinds of arguments that it is called with.  Whole numbers have 64
bits in calculations, and their declared width in fields and arrays.

:mod:`.kinds` describes the kinds of values, :mod:`.expressions`, :mod:`.telling` and :mod:`.statements` translate a
function, :mod:`.flow` follows the paths through it, :mod:`.program` assembles the file, :mod:`.entries` lists what
Python may call, and ``prelude.h`` holds the C that is written by hand.
"""
