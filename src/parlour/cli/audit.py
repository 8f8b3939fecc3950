"""``parlour audit`` (being written)."""


def audit() -> None:
    raise NotImplementedError
