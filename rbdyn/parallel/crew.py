"""Who works on the chunks of a sweep: processes of our own, an executor that was given, or the caller."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from typing import Any

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.parallel.tasks import end_with_parent, why_lost


class Crew:
    """Takes work, and says how much of it may lie there at a time.

    Parameters
    ----------
    executor : concurrent.futures.Executor, optional
        By default a pool of processes, which a killed one does not end.
    workers : int, optional
        Of that pool; 0: the caller does all of it.
    """

    def __init__(self, executor: Executor | None, workers: int | None) -> None:
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise Error(
                "executor must be an Executor as of concurrent.futures, such as client.get_executor() of Dask, got "
                f"{shown(executor)}"
            )
        if executor is not None and workers is not None:
            raise Error("workers is of the pool that sweep makes; an executor that is given has workers of its own")
        self._given = executor
        self._own: ProcessPoolExecutor | None = None
        self.workers = (workers if workers is not None else os.cpu_count() or 1) if executor is None else 32
        self.window = max(2 * self.workers, 1)

    @property
    def is_pool(self) -> bool:
        """Whether it is processes of our own."""
        return self._given is None and self.workers > 0

    def check(self, function: Callable[..., Any]) -> None:
        """Error for a function that processes of our own could not find, which the first of them is asked."""
        if not self.is_pool:
            return
        try:
            said = pickle.dumps(function)
        except Exception as error:
            raise Error(self._lost(function, error)) from None
        try:
            hindrance = self.submit(why_lost, said).result()
        except BrokenExecutor:
            self.renew()
            raise Error(
                "no worker process could start: each imports the script that is run, which must be a file, and begin "
                'its work under if __name__ == "__main__"; workers=0 or a ThreadPoolExecutor need none'
            ) from None
        if hindrance:
            self.end([])
            raise Error(self._lost(function, hindrance))

    @staticmethod
    def _lost(function: Callable[..., Any], why: object) -> str:
        return (
            f"fn must be a function that worker processes can import, got {shown(function)} ({why}); define it at the "
            'top of a module, outside of if __name__ == "__main__", or give workers=0 or a ThreadPoolExecutor'
        )

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Work to be done."""
        if self._given is not None:
            return self._given.submit(function, *arguments)
        if self.workers == 0:
            future: Future[Any] = Future()
            future.set_result(function(*arguments))
            return future
        if self._own is None:
            context = multiprocessing.get_context("spawn")  # a fork would take over half a process: locks, no threads
            self._own = ProcessPoolExecutor(self.workers, mp_context=context, initializer=end_with_parent)
        try:
            return self._own.submit(function, *arguments)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
            return future

    def renew(self) -> None:
        """A new pool in place of one that a dying process broke."""
        own, self._own = self._own, None
        if own is not None:
            own.shutdown(wait=True, cancel_futures=True)

    def end(self, futures: list[Future[Any]]) -> None:
        """Nothing is to be done any more; what has begun is not waited for."""
        for future in futures:
            future.cancel()
        own, self._own = self._own, None
        if own is not None:
            own.shutdown(wait=not futures, cancel_futures=True)


def is_gone(error: BaseException | None) -> bool:
    """Whether it says that nobody works any more, and not that one piece of work failed."""
    return isinstance(error, (BrokenExecutor, CancelledError, asyncio.CancelledError))
