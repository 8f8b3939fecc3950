"""What tests of devices share."""

from __future__ import annotations

import pytest

from parlour.study import gpu
from tests.study.devices import Driver


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """A stand-in for the device."""
    made = Driver()
    monkeypatch.setattr(gpu, "_driver", lambda: made)
    return made
