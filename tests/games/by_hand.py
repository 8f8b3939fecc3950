"""Diamonds played by hand: a second referee, written from the text of the rules with real cards in real piles.

It shares nothing with the engine: no numbers for cards, no cards left undecided.  The tests play both side by side.
"""

from __future__ import annotations

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]


def suit(card: str) -> str:
    return card[0]


def value(card: str | None) -> int:
    return 0 if card is None else RANKS.index(card[1:]) + 2


def rock(card: str) -> bool:
    return suit(card) in "CH"


class ByHand:
    """One game.  ``order`` is the shuffled pack: card i goes to pile i mod 9, layer i div 9 (the last layer on top)."""

    def __init__(self, order: list[str], players: int, dealer: int, options: dict[str, str]) -> None:
        self.order, self.players, self.options = order, players, options
        self.piles: list[list[str]] = [[order[layer * 9 + i] for layer in range(6)] for i in range(9)]  # top last
        self.turned: list[set[str]] = [set() for _ in range(9)]  # cards of a pile that lie face up
        self.debris: set[str] = set()
        self.spade: list[str | None] = [None] * players
        self.diamonds: list[set[str]] = [set() for _ in range(players)]
        self.old_jokers: list[set[str]] = [set() for _ in range(players)]
        self.new_jokers: list[set[str]] = [set() for _ in range(players)]
        self.target = {2: 7, 3: 5}[players]
        self.winner: int | None = None
        self.player = dealer
        self.start_turn()

    def start_turn(self) -> None:
        self.asking = "start"
        self.pile = -1
        self.destroyed = False
        self.jokers_played = 0
        self.stop_offered = False

    def chosen(self, option: str, word: str) -> bool:
        return self.options[option] == word

    # ------------------------------------------------------------------ what may be done

    def face_up(self) -> dict[int, str]:
        return {i: pile[-1] for i, pile in enumerate(self.piles) if pile and pile[-1] in self.turned[i]}

    def face_down(self) -> list[int]:
        return [i for i, pile in enumerate(self.piles) if pile and pile[-1] not in self.turned[i]]

    def acts(self) -> set[str]:
        if self.asking == "trade":
            return {"trade", "keep"}
        if self.asking == "start":
            return (self.pile_acts(self.player) or {"pass"}) | self.joker_acts()
        jokers = self.joker_acts() if self.chosen("joker_when", "own_turn") else set()
        return {"on"} | jokers | ({"stop"} if self.stop_offered else set())

    def pile_acts(self, p: int) -> set[str]:
        mine, up = self.spade[p], self.face_up()
        lottery = self.chosen("pile_choice", "random_face_down")
        found = {"dig ?" if lottery else f"dig {i}" for i in self.face_down()}
        breakable = {i for i, top in up.items() if rock(top) and mine is not None and value(mine) >= value(top)}
        found |= {f"dig {i}" for i in breakable}
        found |= {f"dig {i}" for i, top in up.items() if suit(top) == "S" and value(top) > value(mine)}
        closed = self.face_down() and self.chosen("destroy_when", "all_tops_up")
        if mine is not None and not closed and not breakable:
            found |= {f"destroy {i}" for i, top in up.items() if suit(top) == "S" and value(top) < value(mine)}
        return found

    def joker_acts(self) -> set[str]:
        me, found = self.player, set[str]()
        if not self.old_jokers[me] or (self.jokers_played and self.chosen("jokers_per_turn", "one")):
            return found
        for q in range(self.players):
            if q == me:
                continue
            if self.diamonds[q] and len(self.diamonds[me]) + 1 < self.target:
                found.add(f"steal {q}")
            if self.spade[q] or (self.spade[me] and self.chosen("switch_target", "anyone")):
                found.add(f"switch {q}")
        return found

    # ------------------------------------------------------------------ doing it

    def do(self, act: str, lot: int | None = None) -> None:
        """``lot`` is the pile that chance picks after ``dig ?``."""
        assert act in self.acts()
        me = self.player
        word, _, number = act.partition(" ")
        if word in ("pass", "keep", "stop"):
            self.end_turn()
        elif word == "on":
            self.go_on()
        elif word == "trade":
            self.trade()
        elif word in ("steal", "switch"):
            self.play_joker(word, int(number))
        else:
            self.pile = lot if lot is not None else int(number)
            top = self.piles[self.pile][-1]
            if word == "destroy":
                self.destroyed = True
                self.debris.add(self.lift())
                self.card_gone()
            elif top not in self.turned[self.pile]:
                self.go_on()
            elif suit(top) == "S" and self.spade[me] is not None:
                self.trade()
            else:
                self.settle(top)

    def lift(self) -> str:
        """The top card of the pile that is being dug is picked up."""
        card = self.piles[self.pile].pop()
        self.turned[self.pile].discard(card)
        return card

    def go_on(self) -> None:
        card = self.piles[self.pile][-1]
        self.turned[self.pile].add(card)
        self.settle(card)

    def settle(self, card: str) -> None:
        me, mine = self.player, self.spade[self.player]
        if suit(card) == "D":
            self.diamonds[me].add(self.lift())
            if len(self.diamonds[me]) == self.target:
                self.winner = me
            else:
                self.card_gone()
        elif suit(card) == "X":
            self.new_jokers[me].add(self.lift())
            self.card_gone(joker=True)
        elif rock(card) and mine is not None and value(card) <= value(mine):
            self.debris.add(self.lift())
            self.card_gone()
        elif rock(card):
            self.end_turn()
        elif mine is None:
            self.spade[me] = self.lift()
            if self.destroyed or self.chosen("first_spade", "end_turn"):
                self.end_turn()
            else:
                self.card_gone()
        elif (value(card) > value(mine) or self.chosen("lower_spade", "may_take")) and (
            not self.destroyed or self.chosen("trade_after_destroy", "allowed")
        ):
            self.asking = "trade"
        else:
            self.end_turn()

    def card_gone(self, joker: bool = False) -> None:
        """A card has left the pile and the turn is not over."""
        if not self.piles[self.pile]:
            self.end_turn()
            return
        self.stop_offered = self.chosen("stop_digging", "always") or (
            joker and self.chosen("stop_digging", "after_joker")
        )
        self.ask()

    def ask(self) -> None:
        self.asking = "between"
        if self.acts() == {"on"}:
            self.go_on()

    def trade(self) -> None:
        old, self.spade[self.player] = self.spade[self.player], self.lift()
        assert old is not None
        if self.chosen("trade_leaves", "debris"):
            self.debris.add(old)
        else:
            self.piles[self.pile].append(old)
            self.turned[self.pile].add(old)
        self.end_turn()

    def play_joker(self, word: str, q: int) -> None:
        me = self.player
        joker = min(self.old_jokers[me])
        self.old_jokers[me].remove(joker)
        self.debris.add(joker)
        self.jokers_played += 1
        if word == "steal":
            diamond = min(self.diamonds[q], key=value)
            self.diamonds[q].remove(diamond)
            self.diamonds[me].add(diamond)
        else:
            self.spade[me], self.spade[q] = self.spade[q], self.spade[me]
        if self.asking == "between":
            self.ask()

    def end_turn(self) -> None:
        self.old_jokers[self.player] |= self.new_jokers[self.player]
        self.new_jokers[self.player] = set()
        self.start_turn()
        if self.top_layer_goes():
            for i, top in self.face_up().items():
                self.pile = i
                assert self.lift() == top
                self.debris.add(top)
            self.pile = -1
        self.player = (self.player + 1) % self.players

    def top_layer_goes(self) -> bool:
        if self.chosen("layer_removal", "deadlock_only"):
            return not any(self.pile_acts(p) for p in range(self.players))
        best = max(value(spade) for spade in self.spade)
        return not self.face_down() and not any(rock(top) and value(top) <= best for top in self.face_up().values())
