"""The templates, compiled for the reader's language, without what Jinja costs at each call, print and look-up."""

from __future__ import annotations

import operator
import re
import traceback
import warnings
from collections.abc import Iterable, Mapping, MutableMapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final
from urllib.parse import quote

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.ext import Extension
from jinja2.runtime import Macro
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from parlour.base import languages
from parlour.base.disk import damaged, installed_text
from parlour.base.errors import ParlourError
from parlour.engine.definition import definition, games
from parlour.server.common.phrases import PHRASES
from parlour.server.page import assets, decks
from parlour.server.page.ending import CHART
from parlour.server.page.i18n import CALLABLES, MESSAGES, html
from parlour.server.page.words import clause_in_book, strength_called

ONLY_HERE: Final = re.compile(r"https?://(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)[:/]")
"""A link that no other machine can open."""


def _template(name: str) -> str | None:
    """Return the source of a template of a game's folder (``game/NAME``), or of those that the games of stops share."""
    home, _, file = name.partition("/")
    package = "parlour.rules.stops" if home == "stops" else definition(home).package if home in games() else ""
    if not package or file not in ("table.html", "notes.html", "pieces.html"):
        return None
    source = resources.files(package).joinpath(file)
    return installed_text(package, file) if source.is_file() else None


_STRUCTS: Final = [nodes.Getattr(nodes.Name("s", "load"), name, "load") for name in ("telling", "about")]
"""The parts of a scene that are structures, which have all their fields."""


class _Generator(CodeGenerator):
    """A compiler of templates. What they print goes through :func:`html`. Functions are called directly: none of ours
    needs the context, for which Jinja would look at every call."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write("environment.html(")
        if finalize.src is not None:
            self.write(finalize.src)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        self.write("environment.call(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        if node.node in _STRUCTS:
            self.visit(node.node, frame)
            self.write(f".{node.attr}")
        elif not isinstance(node.node, nodes.Name):
            super().visit_Getattr(node, frame)
        elif node.node.name in ("s", "m", "loop"):  # the scene, the parts of boards, a loop
            self.visit(node.node, frame)
            self.write(f".{node.attr}")
        else:  # most others are dictionaries, so look there first
            name = frame.symbols.ref(node.node.name)
            self.write(f"({name}[{node.attr!r}] if type({name}) is dict and {node.attr!r} in {name} else ")
            super().visit_Getattr(node, frame)
            self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        self.write("environment.")
        super().macro_def(macro_ref, frame)


class _Macro(Macro):
    """A macro that runs at once if it is given exactly its arguments; all of ours escape what they print."""

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        if kwargs or len(args) != self._argument_count or self.caller or self.catch_kwargs or self.catch_varargs:
            return super().__call__(*args, **kwargs)
        return str.__new__(Markup, self._func(*args))


class _InLanguage(NodeTransformer):
    """A pass over a template that translates messages without values once, when it is compiled for a language."""

    def visit_Call(self, node: nodes.Call) -> nodes.Node:
        called, plain = node.node, [one.value for one in node.args if isinstance(one, nodes.Const)]
        if not isinstance(called, nodes.Name) or called.name not in MESSAGES or node.kwargs:
            return self.generic_visit(node)
        if len(plain) < len(node.args):  # some argument is only known when the page is made
            return self.generic_visit(node)
        return nodes.Const(CALLABLES[called.name](*plain), lineno=node.lineno)


class _Template(jinja2.Template):
    """A template that leaves nothing for the garbage collector."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        """Return what the template prints. A board's macros and its context refer to each other, and to all that the
        page knows. Those references end here, so that nothing waits for Python to look for such cycles."""
        context = self.new_context(dict(*args, **kwargs))
        try:
            return self.environment.concat(self.root_render_func(context))
        except Exception:
            self.environment.handle_exception()
        finally:
            context.vars.clear()


class _Environment(jinja2.Environment):
    """Jinja without its costs at each call, print and look-up: boards take two thirds of the time that they would take
    otherwise."""

    code_generator_class = _Generator
    template_class = _Template
    language = ""
    """The language that templates are compiled for."""
    found: dict[str, jinja2.Template]
    """The templates that have been asked for, by name. (Jinja's own store asks the loader, too, at every look-up.)"""
    html = staticmethod(html)
    call: staticmethod[..., Any] = staticmethod(operator.call)
    Macro = _Macro

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        if not self.language:
            return tree
        with languages.speaking(self.language):
            return _InLanguage().visit(tree)  # type: ignore[no-any-return]

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> jinja2.Template:
        """Return a template as it was first read. Raises ``ParlourError``, which names it, if its file is damaged."""
        if (found := self.found.get(name)) is None:
            try:
                found = self.found[name] = super().get_template(name, parent, globals)
            except jinja2.TemplateSyntaxError as wrong:
                raise damaged(f"{name} ({wrong.message})") from None
            except UnicodeDecodeError:
                raise damaged(str(name)) from None
        return found

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return one dictionary, which is copied faster than a chain of two."""
        return {**self.globals, **d} if d else self.globals

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look into dictionaries first, so that ``v.pot`` does not fail before it is found. Jinja's slow way, which
        knows of everything else, is for what is not there."""
        try:
            return obj[attribute] if type(obj) is dict else getattr(obj, attribute)
        except (KeyError, AttributeError):
            return super().getattr(obj, attribute)


_BLOCKS: Final = (
    # elements around which spaces mean nothing
    "section|div|p|h2|ul|li|dl|dt|dd|table|thead|tbody|tr|td|th|details|summary|form"
    "|g|use|path|circle|ellipse|rect|line"  # and the parts of pictures
)
_BREAK: Final = re.compile(rf"\n[ \t]*(?=</?(?:{_BLOCKS})\b)|(?<=\n)[ \t]+")


class _Outdent(Extension):
    """An extension that takes out the indentation and line breaks of templates. They are for people who read them;
    browsers do not need them."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _BREAK.sub("", source)


_HOMES: Final[list[str]] = []
_LOADERS: Final[list[jinja2.BaseLoader]] = [jinja2.FunctionLoader(_template)]


def bring_templates(package: str) -> None:
    """Note that a package of pages has templates, in a folder ``templates``. No two templates have the same name."""
    _HOMES.append(package)
    _LOADERS.append(jinja2.PackageLoader(package))


bring_templates("parlour.server.page")

TEMPLATES: Final = _Environment(
    extensions=[_Outdent, "jinja2.ext.i18n"],
    loader=jinja2.ChoiceLoader(_LOADERS),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    cache_size=0,
)
TEMPLATES.found = {}
TEMPLATES.newstyle_gettext = True  # type: ignore[attr-defined]
TEMPLATES.policies["ext.i18n.trimmed"] = True
TEMPLATES.globals.update(CALLABLES)
# unlike Jinja's own, which makes the rest lower case
TEMPLATES.filters["capitalize"] = lambda text: str(text)[:1].upper() + str(text)[1:]
TEMPLATES.filters["path"] = lambda text: quote(str(text), safe="")
TEMPLATES.globals.update(
    CHART=CHART,
    only_here=ONLY_HERE.match,
    definition=definition,
    clause_in_book=clause_in_book,
    strength_called=strength_called,
    title_of=decks.title,
    four_coloured=decks.four_coloured,
    dress=assets,
    phrases=PHRASES,
    in_book=languages.in_book,
    translated=languages.translated,
)


def template(name: str) -> jinja2.Template:
    """Return a template in the reader's language."""
    return in_language(languages.current()).get_template(name)


@cache
def in_language(language: str) -> _Environment:
    """Return the templates, compiled for a language."""
    spoken = TEMPLATES.overlay()
    spoken.language, spoken.found = language, {}
    return spoken


def fault_in(name: str, context: Mapping[str, Any]) -> str:
    """Return the file and line of a template that cannot be rendered, and why. Its lines are counted without
    :class:`_Outdent`, which takes some of them out."""
    plain = TEMPLATES.overlay()
    plain.found = {}
    del plain.extensions[_Outdent.identifier]
    try:
        jinja2.Environment.get_template(plain, name).render(context)
    except jinja2.TemplateSyntaxError as error:
        return f"{error.name or name}, line {error.lineno}: {error.message}"
    except Exception as error:
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == "<template>"]
        why = next(traceback.TracebackException.from_exception(error).format_exception_only()).strip()
        return f"{name}{f', line {lines[-1]}' if lines else ''}: {why}"
    return name


@lru_cache(maxsize=256)
def board_of(game: str) -> str:
    """Return the template of a game's board: its own, or the plain one."""
    return f"{game}/table.html" if _template(f"{game}/table.html") is not None else "plain.html"


@lru_cache(maxsize=256)
def notes_of(game: str) -> str:
    """Return the template of the notes that a game keeps for readers to look up: its own, or that of the games it
    belongs to; empty if there are none."""
    homes = (game, str(definition(game).words["game"].get("include", "")).rpartition(".")[2])
    return next((name for home in homes if _template(name := f"{home}/notes.html") is not None), "")


def compile_all(spoken: Iterable[str]) -> None:
    """Compile every template in these languages, so that the first visitor of a page does not have to wait (20 to 150
    ms for each)."""
    pages = [one for home in _HOMES for one in resources.files(home).joinpath("templates").iterdir()]
    names = {
        *(one.name for one in pages if one.name.endswith(".html")),
        *map(board_of, games()),
        *filter(None, map(notes_of, games())),
    }
    for language in spoken:
        for name in sorted(names):
            try:
                in_language(language).get_template(name)
            except ParlourError as wrong:
                warnings.warn(str(wrong), stacklevel=2)
