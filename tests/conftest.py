"""What all tests share: the record of clauses, hypothesis that always tries the same examples, the sampler game."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

import parlour
from clauses_plugin import Clauses

settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Clauses(config), "clauses")
    parlour.register("sampler")
