"""What a server counts about itself, for Prometheus: only numbers, and nothing about any single table.

Only the person who runs the server may see the numbers, so they have a port of their own: they would tell a stranger
when a hushed question was answered.
"""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
    start_http_server,
)

from parlour.base.errors import ParlourError, reason

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Metrics:
    """The counters of one server.

    >>> metrics = Metrics()
    >>> metrics.moves.inc()
    >>> b"parlour_moves_total 1.0" in metrics.text()
    True
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory and processor time
        self.tables = Gauge("parlour_tables", "Tables that this server runs", registry=self.registry)
        self.connections = Gauge("parlour_connections", "Clients connected", registry=self.registry)
        self.moves = Counter("parlour_moves", "Players' actions in the log", registry=self.registry)
        self.refused = Counter("parlour_refused", "Commands that were refused", registry=self.registry)
        self.commit = Histogram(
            "parlour_commit_seconds", "From an entry to its being on disk", buckets=SECONDS, registry=self.registry
        )

    def serve(self, port: int) -> None:
        """Serve the numbers at a port of this machine, under any path. Raises ``ParlourError`` if nothing can listen
        there."""
        try:
            start_http_server(port, "127.0.0.1", self.registry)
        except OSError as error:
            raise ParlourError(
                "Nothing can listen at 127.0.0.1, port {port}, for metrics: {why}.", port=port, why=reason(error)
            ) from None

    def text(self) -> bytes:
        """Return the counters in the text format of Prometheus."""
        return generate_latest(self.registry)
