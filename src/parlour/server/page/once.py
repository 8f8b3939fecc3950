"""A property that is worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):
    """A property of a scene that is worked out when it is first asked for. A scene belongs to one thread, so there is
    no lock, which would take longer than most of what is worked out."""

    def __init__(self, made: Callable[[Any], T]) -> None:
        self._made, self.__doc__ = made, made.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, scene: None, owner: type) -> once[T]: ...
    @overload
    def __get__(self, scene: object, owner: type) -> T: ...
    def __get__(self, scene: object | None, owner: type) -> once[T] | T:
        if scene is None:
            return self
        found = scene.__dict__[self._name] = self._made(scene)
        return found


__all__ = ["once"]
