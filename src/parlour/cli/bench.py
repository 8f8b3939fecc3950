"""``parlour bench`` (being written)."""


def bench() -> None:
    raise NotImplementedError
