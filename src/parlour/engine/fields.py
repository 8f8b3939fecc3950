"""How compiled rules read and write the fields of a position: every number is read as an int64.

To Numba a NumPy record's ``u1`` is unsigned, and so is whatever is computed from it: differences wrap around, and a
variable that is 0 first and a seat of ``range(s.players)`` later becomes a float.  Interpreted rules have no such
problem.  So a compiled rules function takes its position as a :class:`PositionType`: the same bytes in the same place,
whose fields are read as int64 and cut to their own width when written.
"""

from __future__ import annotations

import operator
from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils
from numba.core import types as T
from numba.core.datamodel import models, register_default
from numba.core.errors import NumbaTypeError
from numba.core.imputils import lower_builtin, lower_cast, lower_getattr_generic, lower_setattr_generic
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.np.arrayobj import fix_integer_index

_WORD = ir.IntType(64)


class PositionType(T.Type):  # type: ignore[misc]
    """A position as rules are given it: the bytes of a record, whose fields read as whole numbers."""

    def __init__(self, record: T.Record) -> None:
        super().__init__(f"Position({record})")
        self.record = record

    def can_convert_from(self, typing: Any, other: Any) -> Conversion | None:
        return Conversion.safe if other == self.record else None


class FieldType(T.Type):  # type: ignore[misc]
    """A field that is a list of numbers: where it begins, and what it holds."""

    def __init__(self, kind: Any, size: int) -> None:
        super().__init__(f"Field({kind}, {size})")
        self.kind, self.size = kind, size


@register_default(PositionType)
class _PositionModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: PositionType) -> None:
        super().__init__(manager, kind, ir.ArrayType(ir.IntType(8), kind.record.size).as_pointer())


@register_default(FieldType)
class _FieldModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: FieldType) -> None:
        super().__init__(manager, kind, ir.IntType(kind.kind.bitwidth).as_pointer())


@lower_cast(T.Record, PositionType)  # type: ignore[untyped-decorator]
def _same_bytes(cx: Any, b: Any, given: Any, wanted: Any, value: Any) -> Any:
    return value


def _read(b: Any, kind: Any, place: Any) -> Any:
    """Read the number of that kind at a place as an int64."""
    value = b.load(place)
    if kind.bitwidth == _WORD.width:
        return value
    return b.sext(value, _WORD) if kind.signed else b.zext(value, _WORD)


# ------------------------------------------------------------------------------------------ fields


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = PositionType

    def generic_resolve(self, position: PositionType, name: str) -> Any:
        if name not in position.record.fields:
            return None
        kind = position.record.typeof(name)
        return FieldType(kind.dtype, kind.shape[0]) if isinstance(kind, T.NestedArray) else T.int64


def _place(b: Any, position: PositionType, value: Any, name: str) -> Any:
    kind = position.record.typeof(name)
    number = kind.dtype if isinstance(kind, T.NestedArray) else kind
    return cgutils.get_record_member(b, value, position.record.offset(name), ir.IntType(number.bitwidth))


@lower_getattr_generic(PositionType)  # type: ignore[untyped-decorator]
def _get(cx: Any, b: Any, position: PositionType, value: Any, name: str) -> Any:
    kind, place = position.record.typeof(name), _place(b, position, value, name)
    return place if isinstance(kind, T.NestedArray) else _read(b, kind, place)


@lower_setattr_generic(PositionType)  # type: ignore[untyped-decorator]
def _set(cx: Any, b: Any, sig: Any, args: Any, name: str) -> None:
    (position, given), (value, number) = sig.args, args
    b.store(cx.cast(b, number, given, position.record.typeof(name)), _place(b, position, value, name))


# ------------------------------------------------------------------------------------------ lists of numbers


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        field, index = args
        return (
            signature(T.int64, field, index) if isinstance(field, FieldType) and isinstance(index, T.Integer) else None
        )


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        field, index, value = args
        if not isinstance(field, FieldType) or not isinstance(index, T.Integer):
            return None
        if not isinstance(value, T.Integer | T.Boolean):
            raise NumbaTypeError(f"A field holds whole numbers, not {value}")
        return signature(T.none, field, index, value)


@infer_global(len)
class _Len(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(T.int64, *args) if isinstance(args[0], FieldType) else None


def _at(cx: Any, b: Any, sig: Any, args: Any) -> Any:
    """Return where an element lies; a negative index counts from the end, as in Python."""
    size = ir.Constant(_WORD, sig.args[0].size)
    index = fix_integer_index(cx, b, sig.args[1], args[1], size)
    if cx.enable_boundscheck:
        cgutils.do_boundscheck(cx, b, index, size)
    return b.gep(args[0], [index])


@lower_builtin(operator.getitem, FieldType, T.Integer)  # type: ignore[untyped-decorator]
def _get_item(cx: Any, b: Any, sig: Any, args: Any) -> Any:
    return _read(b, sig.args[0].kind, _at(cx, b, sig, args))


@lower_builtin(operator.setitem, FieldType, T.Integer, T.Any)  # type: ignore[untyped-decorator]
def _set_item(cx: Any, b: Any, sig: Any, args: Any) -> Any:
    b.store(cx.cast(b, args[2], sig.args[2], sig.args[0].kind), _at(cx, b, sig, args))
    return cx.get_dummy_value()


@lower_builtin(len, FieldType)  # type: ignore[untyped-decorator]
def _length(cx: Any, b: Any, sig: Any, args: Any) -> Any:
    return ir.Constant(_WORD, sig.args[0].size)
