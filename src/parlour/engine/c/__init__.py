"""Rules and drivers as C: what plain Python over small integers says, in a file that a compiler takes as it is.

:func:`~parlour.engine.c.program.translated` turns a game into one file of C.  Rules stay what they are, and nothing is
executed but their declarations, which Python has executed already.  What a name means is looked up where the function
itself would look it up.  A function is translated once for each set of kinds of arguments that it is called with; whole
numbers are 64 bits wide wherever they are worked with, and as wide as declared wherever they are kept.

:mod:`.kinds` says what values are, :mod:`.expressions`, :mod:`.telling` and :mod:`.statements` write a function,
:mod:`.flow` follows its ways, :mod:`.program` puts the file together, :mod:`.entries` lists what Python may call, and
``prelude.h`` holds the C of our own.
"""
