"""``parlour replay`` (being written)."""


def replay() -> None:
    raise NotImplementedError
