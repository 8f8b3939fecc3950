"""What comes with which extra of the package, and the one sentence for what is missing.

``pip install parlour`` brings rules, interpreted play and the terminal.  Everything that needs a library beyond that
says so here: modules by :func:`needed` round their imports, commands by :data:`COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from parlour.base.errors import ParlourError

EXTRAS: Final[Mapping[str, Mapping[str, str]]] = {
    "fast": {"numpy": "NumPy", "filelock": "filelock"},
    "server": {
        "fastapi": "FastAPI",
        "uvicorn": "uvicorn",
        "sqlalchemy": "SQLAlchemy",
        "alembic": "Alembic",
        "anyio": "AnyIO",
        "babel": "Babel",
        "h11": "h11",
        "httpx": "HTTPX",
        "jinja2": "Jinja",
        "markdown_it": "markdown-it-py",
        "msgspec": "msgspec",
        "openskill": "OpenSkill",
        "prometheus_client": "prometheus-client",
        "python_multipart": "python-multipart",
        "resvg_py": "resvg-py",
        "segno": "segno",
        "websockets": "websockets",
    },
    "adapters": {"gymnasium": "Gymnasium", "pettingzoo": "PettingZoo", "pyspiel": "OpenSpiel", "networkx": "NetworkX"},
    "study": {"polars": "Polars", "matplotlib": "Matplotlib", "scipy": "SciPy", "jinja2": "Jinja"},
    "postgresql": {"psycopg": "psycopg"},
}
"""What each extra brings: modules, and what they are called.  All but ``postgresql`` bring ``fast`` too."""

CLIENT: Final = ("anyio", "httpx", "msgspec", "websockets")
"""What a player or a bot at a table on a server needs of the extra ``server``; the others make the server and its
pages."""

_PART_OF: Final = {"markupsafe": "jinja2", "open_spiel": "pyspiel", "pydantic": "fastapi", "starlette": "fastapi"}

COMMANDS: Final[Mapping[str, str]] = {
    "serve": "server",
    "atlas": "study",
    "skill": "fast",
    "solve": "fast",
    "certify": "fast",
    "exploit": "fast",
    "score": "fast",
    "train": "fast",
    "bench": "fast",
    "audit": "fast",
}
"""The extra that a command needs.  Others run without any, or say what one of their options needs."""


class Missing(ParlourError, ModuleNotFoundError):
    """A library that an extra brings is not installed.  The sentence has the command that installs it."""

    def __init__(self, template: str, module: str, /, **values: object) -> None:
        super().__init__(template, **values)
        self.name = module

    def __reduce__(self) -> tuple[Any, ...]:
        return Missing, (str(self), self.name)


def missing(extra: str, some: Collection[str] = ()) -> str | None:
    """Return the first module of an extra, or of ``some`` of its modules, that is not installed.

    >>> missing("fast") is None
    True
    """
    return next((module for module in some or EXTRAS[extra] if not _found(module)), None)


@cache
def _found(module: str) -> bool:
    return find_spec(module) is not None


def require(extra: str, what: str, some: Collection[str] = ()) -> None:
    """Raise :class:`Missing` unless an extra, or ``some`` of its modules, are installed; ``what`` needs them."""
    module = missing(extra, some)
    if module is not None:
        name = EXTRAS[extra][module]
        raise Missing(
            "{what} needs {name}, which is not installed; {command} brings it.",
            module,
            what=what,
            name=name,
            command=_command(extra),
        )


def explained(error: ModuleNotFoundError, extra: str | None = None) -> Missing | None:
    """Return the sentence for a module that was not found, if an extra brings it: ``extra``, or the one that lists it.

    >>> print(explained(ModuleNotFoundError(name="numpy.linalg")))
    NumPy is not installed; pip install 'parlour[fast]' brings it.
    """
    top = (error.name or "").partition(".")[0]
    top = _PART_OF.get(top, top)
    for listed, modules in EXTRAS.items():
        if top in modules:
            command = _command(extra or listed)
            return Missing("{name} is not installed; {command} brings it.", top, name=modules[top], command=command)
    return None


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Imports that this extra makes possible: one of its modules that is not there raises :class:`Missing`.

    >>> with needed("fast"):
    ...     import numpy
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if isinstance(error, Missing) or (sentence := explained(error, extra)) is None:
            raise
        raise sentence from None


def _command(extra: str) -> str:
    return f"pip install 'parlour[{extra}]'"
