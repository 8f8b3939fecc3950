"""What a player can see when it has to choose, in a common form for searches: from a view, or from a compiled
record."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from parlour.engine.kernels.views import GAME, SEEN
from parlour.engine.positions import from_record, to_record
from parlour.engine.telling import View, restored, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parlour.engine.ruleset import Ruleset


class Sight:
    """All that ``player`` has been told, and nothing else."""

    def __init__(self, game: Ruleset[Any], player: int) -> None:
        self.game, self.player = game, player

    @property
    def view(self) -> View:
        """The view."""
        raise NotImplementedError

    @property
    def position(self) -> Any:
        """An interpreted position with all that was told.  It must not be changed."""
        raise NotImplementedError

    def glance(self) -> int:
        """The view as one word (:meth:`parlour.engine.telling.View.glance`)."""
        raise NotImplementedError

    def put(self, positions: Any, i: int) -> None:
        """Put the position into a vector of records."""
        raise NotImplementedError

    def worth_trying(self) -> Sequence[int]:
        """The actions that are worth trying, if the game names them; otherwise all legal ones."""
        raise NotImplementedError


class Viewed(Sight):
    """All that a player sees, taken from a view.

    >>> import parlour
    >>> sight = Viewed(parlour.load("kuhn").new(seed=1).view(0))
    >>> sight.player, sight.glance() == sight.view.glance()
    (0, True)
    """

    def __init__(self, view: View) -> None:
        super().__init__(view.game, view.player)
        self._view = view

    @property
    def view(self) -> View:
        return self._view

    @cached_property
    def position(self) -> Any:
        return restored(self._view)

    def glance(self) -> int:
        return self._view.glance()

    def put(self, positions: Any, i: int) -> None:
        to_record(self.game.definition, self.position, positions[i])

    def worth_trying(self) -> list[int]:
        rules, acts = self.game.definition.rules, [0] * self.game.action_count
        return acts[: getattr(rules, "candidates", rules.legal)(self.position, self.player, acts)]


class Recorded(Sight):
    """What a player sees when :func:`parlour.players.kernels.arena.contest_asking` stops for its choice:
    ``positions[SEEN]``, its ``glance``, and the actions worth ``trying``.  It is valid until the game goes on."""

    def __init__(self, game: Ruleset[Any], player: int, positions: Any, glance: int, trying: Sequence[int]) -> None:
        super().__init__(game, player)
        self._positions, self._glance, self._trying = positions, glance, trying

    @property
    def view(self) -> View:
        return view(self.game, from_record(self.game.definition, self._positions[GAME]), self.player)

    @cached_property
    def position(self) -> Any:
        return from_record(self.game.definition, self._positions[SEEN])

    def glance(self) -> int:
        return self._glance

    def put(self, positions: Any, i: int) -> None:
        positions[i] = self._positions[SEEN]

    def worth_trying(self) -> Sequence[int]:
        return self._trying
