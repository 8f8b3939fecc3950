"""``parlour play`` (being written)."""


def play() -> None:
    raise NotImplementedError
