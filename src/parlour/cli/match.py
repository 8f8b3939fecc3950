"""``parlour match`` (being written)."""


def match() -> None:
    raise NotImplementedError
