"""For all tests of the server: a PostgreSQL for each process, an empty store for each test, and who only reads."""

from collections.abc import Iterator

import httpx
import pytest

from tests.postgres import postgres, store
from tests.room_helpers import Server

__all__ = ["postgres", "store"]


@pytest.fixture(name="reader")
def reader_fixture(house: Server) -> Iterator[httpx.Client]:
    """Somebody who reads pages in English."""
    with httpx.Client(base_url=house.url, headers={"accept": "text/html"}) as client:
        yield client
