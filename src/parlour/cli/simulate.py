"""``parlour simulate`` (being written)."""


def simulate() -> None:
    raise NotImplementedError
