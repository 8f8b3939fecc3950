"""``python patient.py …``: the command ``parlour`` as it is, but that it gives nothing up because the machine is slow.

It waits as long as tests do for a server's answer, for a deal to be opened, for its seat to be given back, and a server
for the numbers that guests put into a deal.
"""

from __future__ import annotations

import sys
from importlib import import_module

from waiting import LIMIT

SERVER = {
    "parlour.server.live.croupier": ("PLEDGE_SECONDS", "NONCE_SECONDS"),
    "parlour.server.web.connection_limits": ("SEND_SECONDS",),
}
GUEST = {
    "parlour.server.client.tickets": ("ANSWER",),
    "parlour.server.client.bot_client": ("FAREWELL",),
    "parlour.cli.play.remote_table": ("FAREWELL", "OPENING"),
}


def main() -> None:
    """Run the command."""
    for module, names in (SERVER if sys.argv[1:2] == ["serve"] else GUEST).items():
        for name in names:
            setattr(import_module(module), name, LIMIT)
    from parlour.cli.app import main as parlour

    parlour()


if __name__ == "__main__":
    main()
