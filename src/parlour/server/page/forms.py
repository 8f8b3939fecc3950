"""Forms: their fields and, on a table's page, the commands that they ask for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final, cast, get_args

from fastapi import Request

from parlour.base.errors import QUOTED, ParlourError
from parlour.base.languages import shortened
from parlour.server.common import wire
from parlour.server.common.limits import LONGEST_FIELD
from parlour.server.common.outside import token_hex

LONGEST: Final = 500
"""The most characters of a field in a command's form."""
_AMOUNT: Final = re.compile(r"[0-9]{1,9}")
_SEAT: Final = re.compile(r"[0-9]|[1-5][0-9]|6[0-3]")
_MOMENT: Final = re.compile(r"\d{1,6}\.\d{1,9}\.\d{1,2}")


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form that was posted. Raises ``ParlourError`` if one of them is too long."""
    form = {key: str(value) for key, value in (await request.form(max_files=0)).items()}
    for key, value in form.items():
        if len(key) > LONGEST_FIELD or len(value) > LONGEST_FIELD:
            raise ParlourError(
                "The field {name!r} has {n} characters; {most} are allowed.",
                name=shortened(key, QUOTED), n=max(len(key), len(value)), most=LONGEST_FIELD,
            )  # fmt: skip
    request.state.typed_name = form.get("name", "")  # it stays in its field if the page says what is wrong
    return form


def command(form: Mapping[str, str]) -> wire.AnyCommand:
    """Return the command that a form asks for. Raises ``ParlourError`` if it asks for none.

    >>> command({"do": "say", "text": "Hello"}).text
    'Hello'
    >>> command({"do": "act"})
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: Choose something first.
    """
    if any(len(text) > LONGEST for text in form.values()):
        raise ParlourError("That is too long: a line can have at most {longest} characters.", longest=LONGEST)
    new = token_hex(8)
    match form.get("do", "act"):
        case "undo":
            return wire.Undo(id=new, practice=form.get("practice") == "yes")
        case "again":
            return wire.Again(id=new)
        case "leave":
            return wire.Leave(id=new)
        case "remove":
            return wire.Remove(id=new, seat=_seat(form.get("seat", "")))
        case "relieve":
            return wire.Relieve(id=new, seat=_seat(form.get("seat", "")))
        case "allow":
            name, _space, on = form.get("name", "").partition(" ")
            return wire.Allow(id=new, name=_matter(name), on=form.get("on", on) == "yes")
        case "say":
            return wire.Say(id=new, text=form.get("text", ""))
        case "phrase":
            return wire.Phrase(id=new, name=form.get("phrase", ""))
        case "mute":
            return wire.Mute(id=new, name=form.get("mute", ""), off="off" in form)
        case _:
            action = _action(form)
            moment = form.get("moment", "")  # pressing the same button twice is one command
            pressed = f"{moment}.{hashlib.sha256(action.encode()).hexdigest()[:12]}"
            return wire.Act(id=pressed if _MOMENT.fullmatch(moment) else new, action=action)


def _action(form: Mapping[str, str]) -> str:
    """Return the action that was chosen, by its button, or by a kind and an amount."""
    action = form.get("action", "").strip()
    kind = form.get("kind") or (_only_amount(form) if form.get("do") == "enter" else "")
    if kind:
        amount = form.get(f"amount {kind}", "").strip()
        if not _AMOUNT.fullmatch(amount):
            raise ParlourError("How many? {amount!r} isn't a number.", amount=amount[:20])
        return f"{kind} {int(amount)}"
    if not action:
        fields = any(key.startswith("amount ") for key in form)
        raise ParlourError("Press the button beside the number." if fields else "Choose something first.")
    return action


def _seat(text: str) -> int:
    """Return the seat that a form names."""
    if not _SEAT.fullmatch(text):
        raise ParlourError("There is no seat {text!r}.", text=text[:20])
    return int(text)


def _matter(name: str) -> wire.Matter:
    """Return what a form wants to allow or forbid."""
    if name not in get_args(wire.Matter):
        raise ParlourError("Choose what to allow: newcomers, takeovers or chat.")
    return cast("wire.Matter", name)


def _only_amount(form: Mapping[str, str]) -> str:
    """Return what Enter in a number field means: the only kind of action that has an amount."""
    kinds = [key.removeprefix("amount ") for key in form if key.startswith("amount ")]
    return kinds[0] if len(kinds) == 1 else ""


__all__ = ["command", "form_of"]
