"""An event loop in which no time passes but what somebody waits for, and servers that can be stalled or killed."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextvars import Context, ContextVar
from typing import Any, NoReturn


class Killed(BaseException):
    """The server that runs now ends at once, wherever it is."""


class Process:
    """What an event loop runs for one server: it can be stalled or killed."""

    def __init__(self, name: str) -> None:
        self.name, self.is_alive, self.parked = name, True, list[events.Handle]()
        self.is_stalled = False

    def __repr__(self) -> str:
        return self.name


PROCESS: ContextVar[Process | None] = ContextVar("PROCESS", default=None)
"""The process that something runs in; ``None``: outside of all servers."""


class Timer(events.TimerHandle):
    """What is due at a moment; of two that are due at the same one, the first that was asked for comes first, whatever
    else is due."""

    __slots__ = ("number",)
    number: int

    def __lt__(self, other: Any) -> bool:
        return (self.when(), self.number) < (other.when(), other.number)


class VirtualLoop(asyncio.BaseEventLoop):
    """A loop in virtual time.  ``latency`` gives the seconds that work beside the loop waits, and its answer."""

    def __init__(self, latency: Callable[[], float]) -> None:
        super().__init__()
        self._ready: deque[events.Handle]
        self._scheduled: list[Any]
        self._stopping: bool
        self._timer_cancelled_count: int = 0
        self.moment, self.latency, self.is_aside, self.steps, self._timers = 0.0, latency, False, 0, 0
        self.wrong: list[str] = []
        """What nobody has caught."""
        self.set_exception_handler(self._note)
        self.set_task_factory(_lasting)

    def _note(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        failure = context.get("exception")
        if isinstance(failure, Killed):
            return
        self.wrong.append(f"{context['message']}: {failure!r}")

    def time(self) -> float:
        return self.moment

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Timer:
        timer = Timer(when, callback, args, self, context)
        timer.number, timer._scheduled = self._timers, True  # type: ignore[attr-defined]
        self._timers += 1
        heapq.heappush(self._scheduled, timer)
        return timer

    def run_for(self, seconds: float) -> None:
        """Let this time go by."""
        end = self.moment + seconds
        alarm = self.call_at(end, self.stop)
        try:
            self.run_forever()
        finally:
            alarm.cancel()

    def _run_once(self) -> None:
        scheduled, ready = self._scheduled, self._ready
        if self._timer_cancelled_count > 100 and 2 * self._timer_cancelled_count > len(scheduled):
            kept = [one for one in scheduled if not one._cancelled]
            for one in scheduled:
                if one._cancelled:
                    one._scheduled = False
            scheduled[:], self._timer_cancelled_count = kept, 0
            heapq.heapify(scheduled)
        while scheduled and scheduled[0]._cancelled:
            heapq.heappop(scheduled)._scheduled = False
            self._timer_cancelled_count -= 1
        if not ready and not self._stopping:
            self.moment = max(self.moment, scheduled[0]._when)
        while scheduled and scheduled[0]._when <= self.moment:
            one = heapq.heappop(scheduled)
            one._scheduled = False
            ready.append(one)
        for _ in range(len(ready)):
            one = ready.popleft()
            if one._cancelled:
                continue
            process = one._context.get(PROCESS)  # type: ignore[attr-defined]
            if process is not None:
                if not process.is_alive:
                    continue
                if process.is_stalled:
                    process.parked.append(one)
                    continue
            self.steps += 1
            one._run()

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Inside it, work is done as beside the loop: what it waits for comes at once."""
        was, self.is_aside = self.is_aside, True
        try:
            yield
        finally:
            self.is_aside = was

    def resume(self, process: Process) -> None:
        """Let a stalled process go on."""
        process.is_stalled = False
        self._ready.extend(process.parked)
        process.parked.clear()

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Do work as another thread would: later, and its answer comes later still."""
        done = self.create_future()

        def work() -> None:
            outcome = Future[Any]()
            try:
                with self.aside():
                    outcome.set_result(func(*args))
            except Exception as failure:
                outcome.set_exception(failure)
            self.call_later(self.latency(), answer, outcome)

        def answer(outcome: Future[Any]) -> None:
            if done.cancelled():
                return
            if failure := outcome.exception():
                done.set_exception(failure)
            else:
                done.set_result(outcome.result())

        self.call_later(self.latency(), work)
        return done

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> events.Handle:
        return self.call_soon(callback, *args, context=context)

    def bury(self) -> None:
        """The world has ended: what is left of its tasks does nothing more."""
        self._check_closed = lambda: None
        self._scheduled.clear()
        self._ready.clear()

    def _write_to_self(self) -> None:
        pass

    def _process_events(self, event_list: object) -> NoReturn:
        raise NotImplementedError


def _lasting(loop: Any, work: Any, **more: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(work, loop=loop, **more)
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # it may be one of a server that was killed
    return task
