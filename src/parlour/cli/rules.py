"""``parlour rules`` (being written)."""


def rules() -> None:
    raise NotImplementedError
