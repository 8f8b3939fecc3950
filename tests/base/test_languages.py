"""Everything that a person reads can be translated, German is whole, and each reader reads their own language."""

from __future__ import annotations

import ast
import io
import json
import pickle
import re
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from gettext import NullTranslations
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx
import msgspec
import pytest
from babel.messages.catalog import Message as Entry
from babel.messages.mofile import write_mo
from typer.main import get_group

import parlour
from parlour.base import languages
from parlour.base.errors import BadRecord, ParlourError, unknown
from parlour.base.languages import Message, marked, translated
from parlour.base.languages.games import option_name
from parlour.base.languages.preferences import accepted, of_terminal
from parlour.cli import app
from parlour.cli.common.translated_help import FOR_PLAYERS
from parlour.cli.common.typed_input import COMMANDS, Choices, called, read_command
from parlour.cli.play.dialog import Dialog
from parlour.cli.play.learn import LessonAtTable
from parlour.cli.play.remote_table import ALL as ALL_COMMANDS
from parlour.core.drawing import Drawing, lines, score
from parlour.core.lessons import LessonStop
from parlour.core.notes import Seated
from parlour.core.notes import in_words as seated_in_words
from parlour.engine import definition as definitions
from parlour.engine.definition import definition, games, shelf
from parlour.engine.sentences import fields_in, words_of
from parlour.players.characters import CHARACTERS
from parlour.players.kinds import KINDS
from parlour.server.club.pages.daily import weekdays
from parlour.server.common import wire
from parlour.server.page import decks
from parlour.server.page.rendering import regions
from parlour.server.page.words import in_words, phrase, refusal_in_words, sentence_of
from parlour.server.web.api import API
from tests.core.test_fair_deal import dealt_fairly
from tests.games.test_stops_page import scene
from tests.helpers import Planter, parsed, rules_of, the_rest_long
from tests.page_helpers import finished, under_way
from tests.planted import write
from tests.room_helpers import Server, running
from tests.waiting import LIMIT
from tools import translations

GERMAN: Final = "de"
WHOLE: Final = [one for one in languages.languages() if one != languages.ENGLISH]
"""The languages that have no gaps."""
PSEUDO: Final = "qps"
"""A language in which every message stands between brackets, and outside of them what it is filled with: that has to be
translated by itself."""
MIRRORED: Final = "ar"
"""The same, from right to left."""


def key(message: Entry) -> tuple[str, str]:
    return message.context or "", message.id if isinstance(message.id, str) else message.id[0]


def strings(message: Entry) -> list[str]:
    found: Any = message.string
    return [found] if isinstance(found, str) else list(found)


def fields(text: str) -> set[str]:
    """What is filled in, and whether that is a card, a number or a seat: in German, cards are not to be counted."""
    named = {*re.findall(r"%\((\w+)\)", text), *re.findall(r"\{(\w+:(?:cards?|number|seat)\b)", text)}
    return named | {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


def tags(text: str) -> list[str]:
    return sorted(re.findall(r"</?\w+", text))


@pytest.mark.parametrize("language", WHOLE)
@pytest.mark.parametrize("domain", translations.DOMAINS)
def test_a_catalogue_has_every_message_whole_and_as_programs_read_it(
    language: str, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translations, "read", cache(translations.read))  # which takes long
    messages = [one for one in translations.read(language, domain) if one.id]
    now, there = {key(one) for one in translations.template_of(domain) if one.id}, {key(one) for one in messages}
    assert now - there == set(), "run `make translations` and translate what is new"
    assert there - now == set(), "run `make translations`: nobody says this any longer"
    assert [key(one) for one in messages if one.fuzzy or not all(strings(one))] == [], "there is a gap"
    wrong = []
    for one in messages:
        meant = [one.id] if isinstance(one.id, str) else list(one.id)
        for said in strings(one):
            if (fields(said), tags(said)) not in [(fields(form), tags(form)) for form in meant]:
                wrong.append((meant[0], said))
    assert wrong == []
    made = io.BytesIO()
    write_mo(made, translations.update(language, domain))
    compiled = translations.catalogue_file(language, domain).with_suffix(".mo")
    assert compiled.read_bytes() == made.getvalue(), "run `make translations`"


PEOPLE: Final = ("Ada", "Ben", "Cora", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Iris", "Jon")
ROW: Final = 0b10110
"""Three cards, wherever an event names several."""


def told_of(game: str) -> Iterator[tuple[bool, str]]:
    """Every sentence of a game, about the reader and about others, with small numbers, as the page says it; and whether
    it names several cards."""
    what = definition(game)
    for event, template in what.events.items():
        named = dict(fields_in(template))
        for n in range(3):
            a, b = (ROW if named.get(field) == "cards" else n for field in "ab")
            for me in (-1, 0):
                said = sentence_of(languages.current(), game, PEOPLE, me, event, 0, a, b)
                yield "cards" in named.values(), said


ODD: Final = "|".join(
    (
        *("`", r"\b(?:seat|Platz) \d\b(?!:)", r"\btier\b", "Stufe", "(?:pile|Stapel) 0", r"\w: \d+\.$"),
        r"\b1 (?:cards|coins|counters|players|rows|Karten|Marken)\b",
    )
)
"""What people should not have to read: code, seats and piles as rules number them, a number for whom it may concern."""


@pytest.mark.parametrize("language", ["en", *WHOLE])
@pytest.mark.parametrize("game", shelf())
def test_sentences_of_events_are_for_people(game: str, language: str) -> None:
    """For everybody, and without cards whose names have a comma: in a row nobody could tell which comma is which."""
    what = definition(game)
    with languages.speaking(language):
        told = list(told_of(game))
        plain = [
            what.sentences.told(event, 0, a, b, PEOPLE[: what.max_players], you)
            for event in (what.events if language != "en" else ())
            for you, a, b in product((None, 0, 1), range(3), range(3))
        ]
        words = getattr(what.part("deck"), "WORDS", ())
        named = {*what.rules.CARDS} & decks.cards(game) - {*words}
        assert [name for name in named if "," in decks.title(game, name)] == []
    assert not [one for one in plain if re.search(r"[{}|#]|\byou\b", one)]
    assert [said for _, said in told if re.search(ODD, said)] == []
    last = {"en": " and ", "de": " und "}[language]
    assert [said for several, said in told if several and not re.search(rf", [^,]+{last}", said)] == []


def test_cards_in_a_row_are_told_apart() -> None:
    """And two kinds of move are both named."""

    def told(language: str, game: str, a: int, b: int = 0) -> str:
        with languages.speaking(language):
            return sentence_of(language, game, ("Ada", "Ben"), -1, "shows", 0, a, b)

    assert told("en", "dividha", 0b100011).count(" and ") == 1
    assert told("en", "diamondback", 1, 1) == "Ada shows two Priestesses."
    assert told("de", "diamondback", 1, 1) == "Ada zeigt zwei Priesterinnen."
    assert told("en", "diabolo", 0b1011) == "Ada shows the red one, two red ones and the red two."
    assert told("de", "diabolo", 0b1010) == "Ada zeigt zwei rote Einsen und die rote Zwei."
    view = parlour.load("diamonds", first_dealer=0).new(seed=1).view(0)
    now = Drawing(definition("diamonds")).now(view, ["dig 0", "destroy 3", "steal 1"])
    assert now.head == "Dig, destroy a spade or play a joker."


PLAYED: Final = [
    *((game, {}) for game in shelf()),
    *(("diamondback", {"version": version}) for version in ("dealers", "match")),
    *(("pope_joan", {"version": version}) for version in ("foster_trump", "classic")),
    ("pope_joan", {"lead_rule": "lowest"}),
    ("diamonds", {"lower_spade": "may_take", "stop_digging": "always", "pile_choice": "random_face_down"}),
    ("dividha", {"aural_rule": "on", "rule_of_order": "on", "showdown": "free", "between_hands": "asked"}),
]


@pytest.mark.parametrize(("game", "options"), PLAYED, ids=lambda one: one if isinstance(one, str) else "-".join(one))
def test_what_to_do_now_is_one_short_line(game: str, options: dict[str, str]) -> None:
    table, rng = parlour.load(game, None, **options), Random(5)
    drawing = Drawing(table.definition)
    state, asked = table.new(seed=5), 0
    while not state.is_terminal and asked < 120:
        player, asked = state.acting[0], asked + 1
        legal = state.legal_actions(player)
        for language in ("en", *WHOLE):
            with languages.speaking(language):
                now = drawing.now(state.view(player), [table.action_names[a] for a in legal])
                assert now.head.endswith(".")
                assert len(now.head) <= 75, now
                assert not now.body or now.body.endswith("."), now
                assert len(str(now)) <= {"en": 90}.get(language, 105), now
                assert not re.search(rf"[{{}}]|{ODD}", str(now)), now
        state.apply(rng.choice(legal), player)
    assert asked


@pytest.mark.parametrize(
    ("game", "options", "action", "english", "german"),
    [
        ("leduc", {}, "fold", "You can't fold: the other player has not paid more than you. (LE-12)",
         "Du kannst nicht aussteigen: Der andere hat nicht mehr gezahlt als du. (LE-12)"),
        ("diamonds", {"first_dealer": 0}, "destroy 4",
         "You can't destroy the spade on pile 5: you have no spade yourself.",
         "Du kannst nicht das Pik auf Stapel 5 zerstören: Du hast selbst kein Pik."),
    ],
)  # fmt: skip
def test_a_refusal_says_what_one_cannot_do_and_why(
    game: str, options: dict[str, Any], action: str, english: str, german: str
) -> None:
    table = parlour.load(game, **options)
    no = str(table.new(seed=1).refusal(action))
    assert refusal_in_words(game, no, table).startswith(english)
    with languages.speaking(GERMAN):
        assert refusal_in_words(game, no, table).startswith(german)


@cache
def plurals(language: str) -> frozenset[str]:
    """What several of the things are called that are counted, where one is called otherwise; in German in the dative
    too."""
    counted = [entry for entry in translations.read(WHOLE[0]) if isinstance(entry.id, tuple)]
    pairs: Any = [entry.id if language == languages.ENGLISH else entry.string for entry in counted]
    several = {word for one, more in pairs for word in {*re.findall(r"\w+", more)} - {*re.findall(r"\w+", one)}}
    return frozenset(word + ending for word in several for ending in ("", "n"))


@pytest.mark.parametrize("language", ["en", *WHOLE])
@pytest.mark.parametrize("game", the_rest_long(shelf(), ["hearts", "leduc"]))
def test_one_of_a_thing_is_not_told_as_several(game: str, language: str) -> None:
    """At the terminal and in sentences, in a match at random: of Hearts, somebody takes a trick with one point."""
    drawing, names = Drawing(definition(game)), [*string.ascii_uppercase]
    state, random, told = parlour.load(game).new(seed=1), Random(1), set[str]()
    with languages.speaking(language):
        while True:
            told |= {line for line in drawing.lines(state.view(0), names[: state.game.players])}
            if state.is_terminal:
                break
            seat = random.choice(state.acting)
            state.apply(random.choice(state.legal_actions(seat)), seat)
        sentences = definition(game).sentences
        told |= {sentences.told(one.event, one.who, one.a, one.b, names, 0) for one in state.events(0)}
    wrong = [line for line in told for word in re.findall(r"(?<![\d.,:−-])1 (\w+)", line) if word in plurals(language)]
    assert wrong == []
    assert any(re.search(r"(?<![\d.,:−-])1 \w", line) for line in told), "nothing is counted"


def test_numbers_cases_and_cards_are_right_in_german() -> None:
    """At the terminal too, where no drawing shows a card; cards with short names keep them."""
    names, what, back = ["Ada", "Ben"], definition("diamonds"), definition("diamondback")
    with languages.speaking(GERMAN):
        told = [what.sentences.told("stop", 0, 4, n, names) for n in (0, 1, 5)]
        left = ["keine Karten mehr", "noch eine Karte", "noch 5 Karten"]
        assert [re.findall(r"der (.*) hat", one) for one in told] == [[one] for one in left]
        assert what.sentences.told("steals", 0, 0, 1, names, 1).endswith("von dir.")
        assert what.sentences.told("steals", 0, 0, 1, names).endswith("von Ben.")
        assert what.sentences.told("steals", 0, 0, 1, names, 0).startswith("Du stiehlst")
        assert in_words("diamonds", "Ada nimmt C10.") == "Ada nimmt Kreuz-Zehn."
        assert score(-0.5) == "-0,5"
        search = marked("A search takes more than 0 and at most 3600 seconds a move, not {seconds:g}.", seconds=0.5)
        assert str(translated(search)).endswith("nicht 0,5.")
        assert seated_in_words(Seated(0, 1, True, "command")).said() == "command nimmt Platz."  # a name stays
        drawn = [back.sentences.told("draws", 0, n, 0, ["Ada"], 0) for n in range(len(back.rules.CARDS))]
        assert drawn == [f"Du ziehst die Karte {languages.word(card)}." for card in back.rules.CARDS]
        assert "Du ziehst die Karte Priester." in drawn
        assert what.sentences._called(9) == what.sentences.card(9)
    assert in_words("diamonds", "Ada takes C10.") == "Ada takes the ten of clubs."


@pytest.mark.parametrize(
    ("sentence", "german"),
    [
        (ParlourError("There is no seat {seat}; seats run from 0 to {last}.", seat=7, last=2),
         "Den Platz 7 gibt es nicht; die Plätze gehen von 0 bis 2."),
        (marked("The host removes {who}; the bot {bot} plays on.", who="Zoé", bot="Ben"),
         "Zoé wird vom Tisch entfernt; der Bot Ben spielt weiter."),
        (unknown("game", "x", ["spade"]), "Spiel 'x' gibt es nicht; zur Wahl stehen: spade."),  # a name, not the word
        (unknown("preset", "x", ["three"], whose="Diamonds"),
         "Fassung 'x' von Diamonds gibt es nicht; zur Wahl stehen: three."),
        (unknown("kind of player", "pipp", ["pip"]),
         "Spielerart 'pipp' gibt es nicht; meinst du 'pip'? Zur Wahl stehen: pip."),
        (BadRecord(3, "There is no seat {seat}; seats run from 0 to {last}.", seat=7, last=2),
         "Zeile 3: Den Platz 7 gibt es nicht; die Plätze gehen von 0 bis 2."),
        (marked("Something that nobody says."), "Something that nobody says."),
        (marked("The dealer takes {n}, not three.", n=2), "The dealer takes 2, not three."),
    ],
)  # fmt: skip
def test_sentences_keep_their_parts(sentence: ParlourError | Message, german: str) -> None:
    text = sentence if isinstance(sentence, Message) else str(sentence)
    assert sentence.said(GERMAN) == german
    with languages.speaking(GERMAN):
        assert languages.translated(text) == german
    assert languages.translated(text) == text
    assert pickle.loads(pickle.dumps(sentence)).said(GERMAN) == german
    told = wire.decode(wire.encode(wire.Refused(id="1", sentence=text)))
    assert isinstance(told, wire.Refused)
    assert told.sentence == text
    assert languages.translated(told.sentence, GERMAN) == german


LONG: Final = "x" * 10_000_000
HOSTILE: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    *(("There is no seat {seat}; seats run from 0 to {last}.", given) for given in ({"seat": 7}, {})),
    *(("{x.__class__.__mro__}", {"x": "a"}), ("{x:>999999999}", {"x": "a"}), ("{x!r:>999999999}", {"x": "a"})),
    *(("{0}", {"x": "a"}), ("{", {"x": "a"})),
)


def test_a_server_cannot_have_a_template_filled() -> None:
    """And what is repeated of a long text is cut."""
    for template, values in HOSTILE:
        frame = wire.Refused(id="1", sentence="No.", parts={"sentence": wire.Parts(template, values)})
        told = wire.decode(json.dumps(msgspec.to_builtins(frame)).encode())
        assert isinstance(told, wire.Refused)
        assert languages.translated(told.sentence, GERMAN) == "No.", template
    for long in (LONG, [LONG]):
        assert len(str(ParlourError("There is no table {table!r}.", table=long))) < 2 * languages.LONGEST
    assert len(str(unknown("game", '", "' * 1_000_000, ["kuhn"]))) < 200


def literals(node: ast.expr) -> bool:
    """Whether an argument is a sentence in one piece, or something that was made elsewhere."""
    if isinstance(node, ast.IfExp):
        return literals(node.body) and literals(node.orelse)
    made = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("format", "join")
    return not isinstance(node, (ast.JoinedStr, ast.BinOp)) and not made


def test_no_sentence_is_put_together_where_it_is_made() -> None:
    """An error, or what is marked, has a template and values (a game's ``said_name``), and is marked where it has a
    name: it could not be said in another language otherwise."""
    found = []
    errors = {*translations._own_errors(), "marked", "Message"}
    doubtful = re.compile(rf"\b(?:{'|'.join(errors)})\([^§]{{0,400}}?(?:\bf[\"']|\.format\(|\.join\(| [+%] )")
    for file in sorted(translations.SOURCE.rglob("*.py")):
        for node in ast.walk(parsed(file)) if doubtful.search(file.read_text("utf-8")) else ():
            name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if name in errors and not all(map(literals, node.args)):  # type: ignore[attr-defined]
                found.append(f"{file.relative_to(translations.SOURCE)}:{node.lineno}")  # type: ignore[attr-defined]
        text = file.read_text("utf-8")
        found += re.findall(r"\w+=[\w.]*definition\.name\b", text)
        by_name = re.findall(r"raise \w+\(([A-Z_]{3,})[,)]", text)
        found += [name for name in by_name if not re.search(rf"^{name}\b.*= marked\(", text, re.MULTILINE)]
        if file.relative_to(translations.SOURCE).parts[0] in ("base", "server") and "client" not in file.parts:
            found += [f"{file.relative_to(translations.SOURCE)}:{line}" for line in put_together(parsed(file))]
    assert found == []


def put_together(tree: ast.AST) -> Iterator[int]:
    """The lines of f-strings that are whole sentences, wherever they go; only programmers read a ``TypeError`` or a
    warning."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
            if re.fullmatch(r"[A-Z{].* .*[.!?]", text):
                yield node.lineno
        elif not (isinstance(node, ast.Call) and ast.unparse(node.func) in ("TypeError", "warnings.warn")):
            waiting += ast.iter_child_nodes(node)


@pytest.mark.parametrize("game", shelf())
def test_every_action_has_a_name_in_the_readers_language(game: str, pseudo: str) -> None:
    kept = [*rules_of(game).CATEGORIES, "Min", "Ral", "San"] if game == "dividha" else []  # in every language
    with languages.speaking(pseudo):
        assert left(" ".join(phrase(game, action) for action in parlour.load(game).action_names), *kept) == set()
    assert phrase("commit", "lead Ac") == "lead the ace of clubs"
    with languages.speaking(GERMAN):
        assert phrase("commit", "lead Ac") == "Kreuz-Ass ausspielen"
        assert phrase("diabolo", "place Y1 left") == "die gelbe Eins links anlegen"


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("de;Q=0.9", ["de"]),
        ("fr ; q = 0.2 ,de-AT;q=.7,en;q=0", ["fr"]),
        (",;,;q=1,*,de", ["de"]),
        ("de;q=nan, en;q=9", []),
        ("a-" * 1_000_000, []),
    ],
)
def test_what_a_browser_asks_for_may_be_written_in_several_ways(header: str, wanted: list[str]) -> None:
    assert accepted(header) == wanted


def test_records_know_no_language() -> None:
    state = parlour.load("diamonds", 2).new(seed=3)
    for _ in range(12):
        state.apply(state.legal_actions()[0])
    record, known, said = state.record(), state.information_state(0), [one.text for one in state.events(0)]
    with languages.speaking(GERMAN):
        again = parlour.replay(record)
        assert again.record() == record
        assert again.information_state(0) == known
        assert [one.text for one in again.events(0)] == said


def in_brackets(forms: re.Match[str]) -> str:
    """The forms of a sentence for numbers, each in brackets, and the number outside."""
    field, _, rest = forms[0].strip("{}").partition(":")
    said = (re.sub(r"[^#\[\]]+", r"[\g<0>]", one) if "[" not in one else one for one in rest.split("|"))
    return f"{{{field}:{'|'.join(said)}}}"


class Bracketed(NullTranslations):
    """Every message that there is between brackets, without its values; anything else as it is."""

    def __init__(self) -> None:
        super().__init__()
        self._catalog = {}
        for one in (one for domain in translations.DOMAINS for one in translations.template_of(domain) if one.id):
            for text in [one.id] if isinstance(one.id, str) else one.id:
                own_forms = re.sub(r"\{([ab]):(?!cards?\}|seat\}|number\})([\w ]{3,})\}", r"{\1:# [\2]|# [\2]}", text)
                own_forms = re.sub(r"\{[ab]:[^{}]*\|[^{}]*\}", in_brackets, own_forms)
                said = re.sub(r"(\{[^{}]*\})", r"⟧\1⟦", own_forms).replace("[", "⟦").replace("]", "⟧")
                self._catalog[f"{one.context}\x04{text}" if one.context else text] = f"⟦{said}⟧"

    def gettext(self, message: str) -> str:
        return self._catalog.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self._catalog.get(f"{context}\x04{message}", message)

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return self.pgettext(context, msgid1 if n == 1 else msgid2)


@pytest.fixture(scope="module")
def pseudo() -> Iterator[str]:
    languages.register(PSEUDO, Bracketed())
    languages.register(MIRRORED, NullTranslations())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "_registered", {})  # the sampler is not Parlour's: it speaks English only
        yield PSEUDO
    languages._others.clear()
    languages.forget()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, pseudo: str) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("languages") / "p.db") as there:
        yield there


def reader(server: Server, **headers: str) -> httpx.Client:
    common = {"Accept": "text/html", "Origin": server.url}
    return httpx.Client(base_url=server.url, headers={**common, **headers}, timeout=LIMIT, follow_redirects=True)


class Texts(HTMLParser):
    """What a page says: its texts, and the attributes that are read out."""

    READ: Final = ("aria-label", "alt", "title", "placeholder", "data-share")
    NAMES: Final = ("bdi", "code", "kbd", "script", "style", "option")

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.attributes: list[str] = []
        self.text = ""
        self._inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [value for name, value in attrs if name in self.READ and value]
        is_name = tag in self.NAMES or dict(attrs).get("class") in ("clause", "house", "name")
        if is_name or tag in self._inside[-1:]:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside[-1:]:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        brackets = re.sub(r"[^⟦⟧]", "", data)
        self.text += f"{data} " if not self._inside else brackets


def outside(text: str) -> list[str]:
    """The words that stand in no brackets."""
    depth, plain = 0, ""
    for c in text:
        depth += (c == "⟦") - (c == "⟧")
        plain += c if depth == 0 and c != "⟧" else " "
    words = re.findall(r"[^\W\d_]{2,}", re.sub(r"\b(?:[A-Z]{2}-\d+|[A-Z]{6}\b)", " ", plain))
    return [one for one in words if one not in NAMES]


NAMES: Final = {
    "Parlour", "Ada", "Ben", "Cora", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Iris", "Jon", "Zoe", "English", "Deutsch",
    "Qps", "Seat", "العربية",
    *(one.name for one in CHARACTERS.values()), *(name for day in weekdays() for name in day),
}  # fmt: skip
"""Names, the same in every language, as a seat without one is; and the days of the week, which are Babel's."""


def untranslated(html: str) -> list[str]:
    found = Texts(html)
    return [word for one in (found.text, *found.attributes) for word in outside(one)]


PAGES: Final = (
    *("/", "/you", "/you/here", "/you/kuhn", "/new/diamonds", "/new/dividha", "/new/commit", "/rules/diamonds"),
    *("/replay/none", "/learn/diamonds", "/daily", "/daily/diamonds", "/ladder/kuhn"),
    *("/duplicate", "/swiss", "/offline"),
)


@pytest.mark.parametrize("path", PAGES)
def test_no_english_is_left_on_a_page_away_from_a_table(server: Server, path: str) -> None:
    with reader(server, Cookie=f"parlour_language={PSEUDO}") as me:
        assert untranslated(me.get(path).text) == []


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit", "diamonds", "kuhn"]))
def test_no_english_is_left_at_a_table(server: Server, game: str) -> None:
    for record in (under_way(game), finished(game)):
        made = httpx.post(f"{server.url}{API}/tables", json={"record": record, "pace": 60, "bots": "random"}).json()
        with reader(server, Cookie=f"parlour_language={PSEUDO}") as me:
            code = made["table"]
            assert untranslated(me.get(f"/t/{code}").text) == []
            me.post(f"/t/{code}/sit", data={"name": "Zoe", "seat": "0"})
            assert untranslated(me.get(f"/t/{code}").text) == []


def test_the_language_comes_from_the_browser_and_is_changed_by_a_form(server: Server) -> None:
    """And a page runs the way of its language."""
    with reader(server, **{"Accept-Language": "fr, de-AT;q=0.9, en;q=0.1"}) as me:
        assert "Setz dich" in me.get("/").text
        assert me.get("/").text.startswith('<!doctype html>\n<html lang="de">')
        assert "Sit down" in me.post("/language", data={"language": "en"}).text
        assert "Sit down" in me.get("/").text
        me.post("/language", data={"language": "xx"})
        assert "Setz dich" in me.get("/").text, "what there is not is not chosen"
    with reader(server, Cookie=f"parlour_language={MIRRORED}") as me:
        assert me.get("/").text.startswith('<!doctype html>\n<html lang="ar" dir="rtl">')


def test_two_guests_at_one_table_read_different_languages_and_the_record_none(server: Server) -> None:
    wanted = {"record": under_way("diamonds"), "pace": 60, "bots": "random"}
    made = httpx.post(f"{server.url}{API}/tables", json=wanted).json()
    with reader(server, **{"Accept-Language": "de"}) as ada, reader(server) as ben:
        german, english = (one.get(f"/t/{made['table']}?watch=yes").text for one in (ada, ben))
        assert "Du siehst zu" in german
        assert "You are watching" in english
        assert "Wer hier ist" in german
        assert "Who’s here" in english
        records = [one.get(f"/t/{made['table']}/record").text for one in (ada, ben)]
        assert len({re.sub(r"(?m)^link: .*\n", "", record) for record in records}) == 1


def test_what_is_kept_for_one_reader_is_not_shown_in_another_language() -> None:
    """Regions and pieces of boards are made once for all who may see them."""
    state = parlour.load("commit", 3).new(seed=1)
    shown = {}
    for language in ("en", GERMAN, "en"):
        with languages.speaking(language):
            shown[language] = regions(scene(state, -1), ["board", "people", "clauses"])
    for name, german in shown[GERMAN].items():
        assert german != shown["en"][name]
        assert "Wer hier ist" not in shown["en"][name]
    assert "noch nicht gegeben" in shown[GERMAN]["board"] or "Marken" in shown[GERMAN]["board"]
    assert "Marken" not in shown["en"]["board"]
    assert ">, Bot<" in shown[GERMAN]["board"], "and not bot"


def test_what_is_refused_is_said_in_the_readers_language_and_to_programs_in_english(server: Server) -> None:
    for language in ("de", "en"):
        answer = httpx.get(f"{server.url}{API}/tables/NONE", headers={"Accept-Language": language})
        assert answer.json()["sentence"] == "There is no such table."
    with reader(server, **{"Accept-Language": "de"}) as me:
        me.post("/play/leduc", data={"name": "Zoe"})
        table = me.get("/join", params={"code": "NONE"})
        assert "Diesen Tisch gibt es nicht." in table.text
        assert "Die Seite" not in table.text


PHYSICAL: Final = re.compile(
    r"(?<![\w-])(?:(?:margin|padding|border)-(?:left|right)[\w-]*:|text-align: (?:left|right)|float: (?:left|right)"
    r"|(?:left|right): (?!50%|calc\(50%))"
)
"""Declarations that have a side; what is in the middle is there either way."""
VALUE: Final = r"((?:[^\s;}()]|\((?:[^()]|\([^()]*\))*\))+)"
FOUR: Final = re.compile(rf"(?<![\w-])(?:margin|padding|inset): {VALUE} {VALUE} {VALUE} {VALUE}(?=[;}} ])")
STYLES: Final = sorted(Path(parlour.__file__).parent.rglob("*.css"))
SCRIPTS: Final = sorted((Path(parlour.__file__).parent / "server" / "page" / "static").glob("*.js"))


def test_styles_say_start_and_end_instead_of_left_and_right_and_no_words() -> None:
    """A text that a script writes as it stands is not a word either: it could not be translated."""
    for file in STYLES:
        rules = re.sub(r"/\*.*?\*/", "", file.read_text("utf-8"), flags=re.DOTALL)
        assert PHYSICAL.findall(rules) == [], file
        assert [one[0] for one in FOUR.finditer(rules) if one[2] != one[4]] == [], file
        assert re.findall(r'content: "[^"]*[A-Za-z]{2}[^"]*"', re.sub(r"\\[0-9a-fA-F]+", "", rules)) == [], file
    for file in SCRIPTS:
        written = re.findall(r'(?:(?:textContent|title) = "|answer\("|say\(")([^"]*)"', file.read_text("utf-8"))
        assert [said for said in written if re.search(r"[A-Za-z]{2}", said)] == [], file


def test_a_clause_is_told_in_the_readers_language_as_it_stands_under_the_house_rules() -> None:
    plain, other = parlour.load("diamonds"), parlour.load("pope_joan", lead_rule="lowest")
    assert plain.told_clause("DM-23").text == "You choose the pile yourself and name it by its number."
    with languages.speaking(GERMAN):
        assert plain.told_clause("DM-23").text == "Du wählst den Stapel selbst und nennst seine Nummer."
        assert other.told_clause("PJ-9").text.startswith("Hausregel (Ausspielen: niedrigste): Man wählt")
        assert plain.clause("DM-23").text == "You choose the pile yourself and name it by its number."


def test_a_game_of_ones_own_speaks_english_only(plant: Planter, tmp_path: Path) -> None:
    """Though this one says nothing but what the catalogue has: it is Hearts under another name."""
    plant("other")  # so that games of authors are found there
    write(tmp_path / "own", "hearts")
    (tmp_path / "own" / "heuristic.py").unlink()
    what = definition("own")

    def said() -> list[object]:
        state = parlour.load("own", deals=3).new(seed=1)
        told = [one.text for one in what.book.clauses.values()] + [one.section for one in what.book.clauses.values()]
        return [
            [in_words("own", what.sentences.told("plays", 0, a, 1, ["Ada"], you)) for a in range(3) for you in (0, 1)],
            in_words("own", "Ada plays Qs."), decks.title("own", "Qs"),
            what.title, marked("{x}", x=what.said_name).said(),
            lines(state.view(0), ["Ada", "Ben", "Cora", "Dan"]), [languages.in_book(one) for one in told],
            [option_name(name, what) for name in what.options],
            phrase("own", "play Qs"), what.sentences.as_typed("play Qs"),
        ]  # fmt: skip

    english, clause = said(), parlour.load("own", deals=3)
    with languages.speaking(GERMAN):
        assert said() == english
        assert clause.told_clause(clause.definition.options["deals"].clauses[0]).text.startswith("Hausregel (deals: 3)")


Said = Callable[..., "tuple[str, str]"]


@pytest.fixture
def say(pseudo: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Said:
    """Run a command here; what it prints, and what on the error stream."""

    def _say(*words: str) -> tuple[str, str]:
        monkeypatch.setattr("sys.argv", ["parlour", *words])
        with languages.speaking(languages.ENGLISH), suppress(SystemExit):
            app.main()
        return capsys.readouterr()

    return _say


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8", "LANGUAGE": "de"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "de_DE.UTF-8", "LANG": "C"}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LANGUAGE": "fr:de:en"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "en_GB:de"}, "en"),
        ({"LANGUAGE": "de"}, "en"),
    ],
)
def test_the_locale_chooses_the_language_of_the_terminal_as_gettext_does(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], language: str
) -> None:
    for name, value in variables.items():  # none of them is there otherwise
        monkeypatch.setenv(name, value)
    assert of_terminal() == language


def left(text: str, *typed: str) -> set[str]:
    """The words that stand in no brackets, without what people type: names of games, of house rules, of moves."""
    names = {part for name in (*games(), *typed) for part in re.findall(r"[^\W\d_]{2,}", name)}
    return set(outside(text)) - names


def house_rules(game: str) -> list[str]:
    return [word for name, option in definition(game).options.items() for word in (name, *option.words)]


IN_GERMAN: Final = {
    "--help": r"Aufruf: parlour \[OPTIONEN\] BEFEHL \[ANGABEN\]\.\.\.",
    "games": r"(?s) Diamonds: 2 oder 3 Spieler, mit Bots etwa 2 Minuten\n.* Kuhn-Poker: 2 Spieler, ",
    "games --language xx": "^parlour: Sprache 'xx' gibt es nicht",
    "rules diamonds 44": r"(?s)^  Herkunft   Haus: unsere eigene Lesart.*trade_leaves: ",
    "rules diamonds --search Joker": "DM-",
    "rules diamonds --search JOKER": "DM-",
    "rules diamonds --search Stapel": "Stapel",
    "rules diamonds --search zebra": r"^parlour: In keiner Regel steht 'zebra'\.\n$",
    "odds matrimony": r"^ Vorhand +1,18%",
    "odds diamondback hand=queen": r"^parlour: Ein Blatt besteht aus zwei Karten, etwa queen-king, nicht 'queen' \(",
    "replay kuhn-over": r"(?s)^Platz 0: .*\nErgebnis: Platz 0 ",
    "replay headless": "headless: Zeile 1: Der Kopf ist nicht",
    "verify fair": r"(?s)^Das Geheimnis passt zur Festlegung\.\n.*\nPlatz 0 hat eine Zahl beigetragen\.\n",
    "verify fair --link 0123456789ab": r"^Das Kettenglied 0123456789ab steht NICHT in der Aufzeichnung\.\n$",
    "verify plain": "plain: Die Aufzeichnung enthält keine Festlegung",
}


def test_what_a_command_prints_is_in_the_readers_language(
    say: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain, fair = parlour.load("kuhn").new(seed=1).record(), dealt_fairly("kuhn", 6).record()
    presets = [name for game in shelf() for name in definition(game).presets]
    typed: dict[str, list[str]] = {"games": presets, "verify fair --link 012345678901": []}
    files = {"headless": "parlour record 1\n", "plain": plain, "fair": fair}
    for game in ("diamonds", "kuhn"):
        files |= {f"{game}-under-way": under_way(game), f"{game}-over": finished(game)}
        names = [*house_rules(game), *parlour.load(game).action_names]
        typed |= {f"rules {game} 10": names, f"replay {game}-over": names, f"replay {game}-over --seat 0": names}
        typed |= {f"replay {game}-under-way": names, f"replay {game}-under-way --seat 0": names}
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
    for words, some in typed.items():
        out, err = say(*words.split(), "--language", PSEUDO)
        assert left(out, *some) == set(), words
        assert (out.count("⟦") > 2, err) == (True, ""), words
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    for words, said in IN_GERMAN.items():
        found = "".join(say(*words.split()))
        assert re.search(said, found, re.MULTILINE), (words, found)


@pytest.mark.parametrize("game", shelf())
def test_a_rule_book_at_the_terminal_is_in_the_readers_language(say: Said, game: str) -> None:
    book, what = say("rules", game, "--language", PSEUDO)[0], definition(game)
    typed = [*getattr(what.rules, "CARDS", ()), *re.findall("`([^`]*)`", what.book.text)]
    assert left(book, *house_rules(game), *typed) == set()
    flat = " ".join(book.split())
    for clause in what.book.clauses.values():
        rule = f"⟦{' '.join(clause.text.replace('`', '').split())}⟧"
        assert f"{clause.id} [⟦{clause.kind}⟧; ⟦{clause.origin}⟧] {rule}" in flat
        assert f"⟦{clause.section}⟧\n---" in book
    english = say("rules", game, "--language", languages.ENGLISH)[0]
    german = say("rules", game, "--language", GERMAN)[0]
    assert "How to read this book" in english
    assert "So liest man dieses Buch" in german
    assert english.count("\n---") == german.count("\n---"), "it has the same chapters"


FACTS_AND_CARDS: Final = r"^  \w+=| [AKQJ2-9][A-Z]\b|\b[SHDC][AKQJ]\b|\b[AKQJT][cdhs]\b"


@pytest.mark.parametrize(
    "game",
    the_rest_long(
        [name for name in shelf() if definition(name).part("odds")], ["commit", "diamondback", "diamonds", "matrimony"]
    ),
)
def test_odds_are_in_the_readers_language(say: Said, tmp_path: Path, game: str) -> None:
    file = tmp_path / "game.txt"
    file.write_text(under_way(game), "utf-8")
    told = [[], ["--record", str(file), "--seat", "0"], ["--record", str(file)]]
    if game == "diamondback":
        told.append(["hand=queen-king", "exposed=king", "folded=none", "--players", "3"])
    for more in told:
        said = say("odds", game, *more, "--language", PSEUDO)
        shown = re.sub(FACTS_AND_CARDS, " ", said[0], flags=re.MULTILINE)
        assert outside(shown) == []
        assert said[0].count("⟦") > 3
        assert said[1] == ""


class Typist(io.StringIO):
    """Somebody at the keyboard: types these lines, then whatever leads to the end of the game or the lesson, and asks
    about rules now and then."""

    def __init__(self, lines: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._lines, self._rng, self.typed = list(lines), Random(1), list[str]()
        self._choices: Choices | None = None
        self._stop: str | None = None
        show, ask = Dialog._show_choices, LessonAtTable._ask

        def shown(dialog: Dialog, choices: Choices) -> None:
            self._choices = choices
            show(dialog, choices)

        def asked(learning: LessonAtTable, stop: LessonStop) -> None:
            self._stop = learning.game.definition.sentences.as_typed(stop.do)
            ask(learning, stop)

        monkeypatch.setattr(Dialog, "_show_choices", shown)
        monkeypatch.setattr(LessonAtTable, "_ask", asked)
        monkeypatch.setattr("sys.stdin", self)

    def readline(self, *_: object) -> str:  # type: ignore[override]
        self.typed.append(self._lines.pop(0) if self._lines else self._next())
        return f"{self.typed[-1]}\n"

    def _next(self) -> str:
        if self._stop is not None:
            return self._stop
        assert self._choices is not None
        game = self._choices.game
        chosen = self._rng.choice(self._choices.all)
        any_other = game.definition.sentences.as_typed(self._rng.choice(game.action_names))
        asked = {7: f"why {chosen.name}", 11: f"why {any_other}", 13: "?", 17: any_other}
        return next((line for n, line in asked.items() if (len(self.typed) + 1) % n == 0), str(chosen.number))

    def answers(self, output: str) -> str:
        """An output without what has been typed, which stands behind the prompts."""
        for line in self.typed:
            output = re.sub(rf"(?m)(⟧|› ){re.escape(line)}$", r"\1", output)
        return output


ASKED: Final = (
    "help", "zebra", "hint", "why zebra", "why", "table", "undo", "? zebra", "?", "? XX-1", "log", "log 3", "log x",
    "h", "save /nonexistent/x.rec", "save",
)  # fmt: skip
"""What is typed at the beginning: every command, and what none is."""


@pytest.mark.parametrize(
    "shown",
    the_rest_long(
        [(game, drawn) for game in shelf() for drawn in (False, True)],
        [("commit", False), ("diamondback", True), ("diamonds", False), ("matrimony", True)],
    ),
    ids=str,
)
def test_a_match_and_a_lesson_at_the_terminal_are_in_the_readers_language(
    say: Said, monkeypatch: pytest.MonkeyPatch, state: Path, shown: tuple[str, bool]
) -> None:
    game, drawn = shown
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("parlour.cli.play.screen.is_plain", lambda: not drawn)
    cards = [name for name in getattr(definition(game).rules, "CARDS", ()) if len(name) <= 2]  # longer ones are words
    for command in (["learn", game], ["play", game, "--seed", "1", "--against", "random"]):
        typist = Typist(ASKED if command[0] == "play" else ("", "help", "zebra", "hint", "undo"), monkeypatch)
        out, err = say(*command, "--pace", "0", "--language", PSEUDO)
        saved = re.sub(r"\S*\.rec\b", "", typist.answers(out).replace(str(state), ""))
        looked_up = re.findall(r"[?] ⟧(\w+)⟦", saved)  # a word of the book, as an example
        assert left(saved, "parlour play", "zebra", *cards, *looked_up) == set()
        assert out.count("⟦") > 40
        assert err == ""


def test_a_match_on_a_server_is_in_the_readers_language_at_the_terminal(
    say: Said, server: Server, monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    at_a_table = ("who", "say", "say hello", "mute", "mute Nobody", "host", "host remove Nobody", "host lock", "again")
    typist = Typist([*ASKED, *at_a_table], monkeypatch)
    given = ["--server", server.url, "--name", "Zoe", "--against", "random", "--pace", "0"]
    out, err = say("play", "kuhn", *given, "--language", PSEUDO)
    said = typist.answers(out).replace(str(state), "")
    in_the_book = r"⟧\w+(?=⟦ the rules with that word)"
    said = re.sub(rf"\S*\.rec\b|http:[^\s⟦]*|⟧[0-9a-f]{{12,}}…?|{in_the_book}", " ", said)
    assert left(said, "parlour play", "zebra", "Nobody") == set()
    assert out.count("⟦") > 40
    assert err == ""


@pytest.mark.parametrize("language", WHOLE)
@pytest.mark.parametrize(("game", "options"), PLAYED, ids=lambda one: one if isinstance(one, str) else "-".join(one))
def test_what_is_typed_is_read_in_the_readers_language_and_in_english(
    game: str, options: dict[str, str], language: str
) -> None:
    """Every action, alone and in a line of several, and every command: none hides another."""
    table = parlour.load(game, None, **options)
    sentences = table.definition.sentences
    known = {key(one) for one in translations.template_of("parlour")}
    assert {(f"typed {game}", words) for words in words_of(table.action_names)} <= known
    with languages.speaking(language):
        choices = Choices(table, range(table.action_count), ["Ada", "Ben"])
        for action, name in enumerate(table.action_names):
            for typed in (sentences.as_typed(name), sentences.from_one(name)):
                assert choices.find(typed.upper()) == action, typed
                assert table.action_ids.get(choices.named(typed.upper()).casefold()) == action, typed
        for command in ALL_COMMANDS:
            for typed in (called(command), command):
                assert read_command(f"{typed.upper()} x", ALL_COMMANDS) == (command, "x"), typed
                assert not choices.is_name(called(command)), command


TYPED: Final = {"parlour", "OPTIONS", "str", "int", "float", "bool", "path", "list", "no"}
"""What help texts have that people type, or that is written as Typer writes it."""


@pytest.mark.parametrize("command", ["", *FOR_PLAYERS])
def test_help_for_players_is_in_the_readers_language(say: Said, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("parlour.cli.common.translated_help.of_terminal", lambda: PSEUDO)
    shown = re.sub(r"--?[\w-]+|\b[A-Z]+(?:=[A-Z]+)?\b", " ", say(*filter(None, [command]), "--help")[0])
    names = {one.name for one in get_group(app.app).commands.values()}
    arguments = {"game", "file", "clause", "takeovers"}
    assert set(outside(shown)) - TYPED - {str(name) for name in names} - arguments == set()
    assert shown.count("⟦") > 4


def test_help_for_research_is_in_english_wherever_it_is_read(say: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """So are odds for programs; a person's have the numbers of their language."""
    assert say("odds", "diamonds", "--json", "--language", GERMAN) == say("odds", "diamonds", "--json")
    assert re.search(r"^ eldest +1.18%", say("odds", "matrimony")[0], re.MULTILINE)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert say("games") == say("rules") == say("rules", "--language", GERMAN)
    assert "Usage: parlour simulate" in say("simulate", "--help")[0]
    assert say("simulate", "kuhn", "--gams", "3")[1].startswith("parlour: There is no option '--gams'; did you mean")


FACTS: Final = ("hand", "exposed", "folded", "spade", "magician", "priestess", "queen", "king", "priest")
"""What facts are called on a command line."""
HEADER: Final = (
    "game", "file", "redacted for", "seed", "commitment", "drawn", "seat N", "option NAME", "build/clauses.json", "inf",
)  # fmt: skip
"""What else is written the same in every language: lines of a record, arguments, a file."""
WRONG: Final = (
    "zebra", "", "-7", "9" * 30, "1e999", "nan", "a=b", "x=", "/nonexistent", "/", "search:x", "search:0s", "search:-1",
    "solved:zebra", "unbeatable:1", "unbeatable", "learned", "learned:/nonexistent", "my.own:Player", "pip:x",
)  # fmt: skip
"""What an option, or an argument, does not take, or only one does."""


def wrong_with(tmp_path: Path) -> Iterator[list[str]]:
    """Command lines with something wrong: every option of every command for players with every value that is wrong, and
    records that are."""
    records = {"over": finished("kuhn").encode(), "under_way": under_way("kuhn").encode(), "not_text": b"\xff\xfe\n",
               "bad": b"parlour record 1\ngame: kuhn\nzebra: 1\n", "cut": under_way("kuhn")[:-30].encode()}  # fmt: skip
    for name, content in records.items():
        (tmp_path / name).write_bytes(content)
    files = [str(tmp_path / name) for name in (*records, "nofile", "")]
    over = files[0]
    usual = {"play": ["kuhn"], "learn": ["kuhn"], "rules": ["kuhn"], "odds": ["diamondback"], "replay": [over],
             "verify": [over], "games": []}  # fmt: skip
    assert set(usual) == set(FOR_PLAYERS)
    for name, given in usual.items():
        options = [one for param in get_group(app.app).commands[name].params for one in param.opts if one[0] == "-"]
        yield from (
            [name, *more] for more in ([], ["zebra"], ["a.b"], [*given, "zebra", "x", "y"], [*given, "--zebra"])
        )
        for option in (one for one in options if one != "--help"):
            yield from ([name, *given, *more] for more in ([option], [f"{option}=zebra"]))
            values = WRONG if option in ("--against", "--option", "--resume", "--seat") else WRONG[:9]
            yield from ([name, *given, option, value] for value in values)
    for file in files:
        yield from (["replay", file], ["verify", file], ["play", "--resume", file], ["play", "leduc", "--resume", file])
        yield from (["odds", "diamondback", "--record", file], ["rules", "--coverage", "--file", file])
    for line in (
        "rules diamonds DM-999", "rules diamonds zebra", "rules --search x", "rules --json", "rules kuhn 1 --search x",
        "plai", "--zebra", "play diamonds --against pip", "play diamonds -p 77", "play diamonds -o trade_leaves=x",
        "play diamondback -p 3 --against unbeatable", "play diamondback -o version=match --against unbeatable",
        "play --table http://127.0.0.1:9/t/BCDFGH --name x", "play --table http://127.0.0.1:9/t/BCDFGH",
        "play kuhn --server http://127.0.0.1:9 --name x", "play kuhn --seat 7", "odds diamondback hand=zebra",
        "odds diamondback zebra=1", "odds kuhn --at 1", "odds matrimony x=1",
        "play kuhn --server zebra.invalid --name x",
    ):  # fmt: skip
        yield line.split()
    yield from (["replay", over, "--deal", "9"], ["replay", over, "--seat", "9"], ["verify", over, "--link", "x"])


def test_whatever_is_wrong_with_a_command_is_said_in_the_readers_language(
    say: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("parlour.engine.definition._registered", {})  # games that other tests have brought
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for part in ("translated_help", "options"):
        monkeypatch.setattr(f"parlour.cli.common.{part}.of_terminal", lambda: PSEUDO)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    names = [*COMMANDS, *(name for game in shelf() for name in house_rules(game)), *KINDS, *CHARACTERS, *FACTS]
    names += [*HEADER, *languages.languages(), "research", "records"]
    names += [name for game in shelf() for name in (definition(game).name, *definition(game).presets)]
    names += [str(name) for name in get_group(app.app).commands]
    found = {}
    for words in wrong_with(tmp_path):
        said = re.sub(r"--?[\w-]+|\b[A-Z]{2}-\d+|http:[^\s⟦]*|\.rec\b", " ", say(*words)[1].replace(str(tmp_path), " "))
        if english := left(said, "parlour", "zebra", *words, *names):
            found[said] = english
    assert found == {}
