"""A second verifier of fair deals, written from ``docs/fair_deal.md`` alone; it shares no code with the first.

It reads the lines itself, and knows of a game only which outcomes can happen, with their weights.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256

import parlour

BLOCK = 64


def hmac(key: bytes, text: bytes) -> bytes:
    """HMAC as RFC 2104 has it, from the hash alone."""
    key = (sha256(key).digest() if len(key) > BLOCK else key).ljust(BLOCK, b"\0")
    inner = sha256(bytes(b ^ 0x36 for b in key) + text).digest()
    return sha256(bytes(b ^ 0x5C for b in key) + inner).digest()


def cards(record: str) -> list[tuple[str, str]]:
    """What happened at each chance node of a record, and what the secret and the players' numbers give."""
    lines = record.splitlines()
    (secret,) = (bytes.fromhex(line[8:]) for line in lines if line.startswith("secret: "))
    (commitment,) = (line[12:] for line in lines if line.startswith("commitment: "))
    assert sha256(b"parlour fair deal 1: secret" + secret).hexdigest() == commitment
    text, mixings, node = b"parlour fair deal 1: key\n", 0, 0
    found: list[tuple[str, str]] = []
    deal, possible_before, by_position = 0, Counter[str](), "drawn: by position" in lines
    for i, line in enumerate(lines):
        if line.startswith("mix: "):
            mixings += 1
            text += f"mixing {mixings}\n".encode()
            words = line.split()[1:]
            for seat, nonce in zip(words[::2], words[1::2], strict=True):
                text += f"{seat} {nonce}\n".encode()
        if line.startswith("chance: "):
            key = hmac(secret, text)
            before = "\n".join(other for other in lines[:i] if not other.startswith(("mix:", "commitment:", "drawn:")))
            state = parlour.replay(before + "\n")
            possible = state.chance_outcomes()
            scale = _scale(state)
            weights = [int(p * scale) for _, p in possible]
            if by_position:
                names = [state.name_of(k) for k, _ in possible]
                found.append((line[8:], _greatest(key, deal, names, weights, possible_before)))
                possible_before.update(names)
            else:
                found.append((line[8:], state.name_of(possible[_pick(key, node, weights)][0])))
            node += 1
        if line.startswith("deal "):
            deal, possible_before = deal + 1, Counter()
    return found


def _greatest(key: bytes, deal: int, names: list[str], weights: list[int], before: Counter[str]) -> str:
    """The outcome that has the ticket with the greatest value (section 10)."""
    tickets = {}
    for name, weight in zip(names, weights, strict=True):
        for ticket in range(weight):
            counters = b"".join(n.to_bytes(8, "big") for n in (deal, before[name], ticket))
            tickets[hmac(key, b"parlour fair deal 1: position" + counters + name.encode())] = name
    return tickets[max(tickets)]


def _scale(state: parlour.State) -> int:
    """The sum of the weights, which the rules give."""
    rules, s = state.game.definition.rules, state.position
    if not state.game.definition.has("weight"):
        return len(state.chance_outcomes())
    return sum(int(rules.weight(s, k)) for k, _ in state.chance_outcomes())


def _pick(key: bytes, node: int, weights: list[int]) -> int:
    total, attempt = sum(weights), 0
    while True:
        counters = node.to_bytes(8, "big") + attempt.to_bytes(8, "big")
        x = int(hmac(key, b"parlour fair deal 1: chance" + counters).hex(), 16)
        if x < 2**256 - 2**256 % total:
            break
        attempt += 1
    x %= total
    return next(i for i in range(len(weights)) if sum(weights[: i + 1]) > x)


def links(record: str) -> list[str]:
    """The links of a record as section 9 makes them; all of them are compared with those that stand there."""
    lines = record.splitlines()
    (secret,) = (bytes.fromhex(line[8:]) for line in lines if line.startswith("secret: "))
    header = dict(line.split(": ", 1) for line in lines[1 : lines.index("")])
    drawn = {"drawn": header["drawn"]} if "drawn" in header else {}
    head = drawn | {
        "commitment": header["commitment"],
        "game": header["game"],
        "options": {key[7:]: value for key, value in header.items() if key.startswith("option ")},
        "players": int(header["players"]),
        "rules": int(header["rules"]),
    }
    link = _next(bytes.fromhex(header["commitment"]), head, secret)
    found: list[str] = []
    for line in lines[lines.index("") :]:
        kind, _, text = line.partition(": ")
        words, entry = text.split(), dict[str, object]()
        if kind == "link":
            assert link.hex() == text
            found.append(text)
            entry = {"link": True}
        elif kind == "sat":
            entry = {"sat": [int(words[0]), words[1], text.split(" ", 2)[2]]}
        elif kind == "mix":
            entry = {"mix": dict(zip(words[::2], words[1::2], strict=True))}
        elif kind == "chance":
            entry = {"chance": text}
        elif line == "undo":
            entry = {"undo": True}
        elif kind.isdigit():
            entry = {"did": [int(kind), text]}
        link = _next(link, entry, secret) if entry else link
    return found


def _next(link: bytes, entry: object, secret: bytes) -> bytes:
    text = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    blind = hmac(secret, b"parlour chain 1: blind" + link)
    return sha256(b"parlour chain 1: link" + link + blind + text).digest()
