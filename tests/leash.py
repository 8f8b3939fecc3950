"""Servers in processes of their own end with the tests that started them, however these end."""

from __future__ import annotations

from typing import Final

LEASH: Final = """
import ctypes, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL: it works for a process that stands still, too
"""
"""What a program begins with that is not to outlive the process that starts it, even if that is killed."""
