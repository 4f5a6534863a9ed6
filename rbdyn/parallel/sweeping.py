"""Sweeps: one function over many parameters, on processes of this machine or on a cluster."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from rbdyn.arguments import shown, whole
from rbdyn.arguments.values import flag
from rbdyn.errors import Error, missing_extra
from rbdyn.parallel.checkpoint import Checkpoint, digest_of
from rbdyn.parallel.crew import Crew, is_gone
from rbdyn.parallel.tasks import Failure, failure_of, here, run_tasks, unpacked

CHUNK = 0.05  # [s] of work in a chunk: what it takes to send one is little beside that


@dataclass(frozen=True)
class Sweep:
    """What a sweep found.

    Attributes
    ----------
    results : list
        What ``fn`` returned for each of the parameters, in their order; None where it failed.
    failures : dict
        Number of each task that failed -> `Failure`, which says what and where.
    """

    results: list[Any]
    failures: dict[int, Failure] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> Any:
        return self.results[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __repr__(self) -> str:
        return f"Sweep({len(self.results)} tasks, {len(self.failures)} failures)"


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """All combinations of values, the last name's fastest: parameters for `sweep`.

    Parameters
    ----------
    **values : iterable
        Name -> its values.

    Returns
    -------
    params : list of dict
        One for each combination.

    Raises
    ------
    Error
        If the values of a name are no sequence, or a text.

    Examples
    --------
    >>> grid(mass=[1.0, 2.0], friction=[0.5])
    [{'mass': 1.0, 'friction': 0.5}, {'mass': 2.0, 'friction': 0.5}]
    """
    for name, its in values.items():
        if not isinstance(its, Iterable) or isinstance(its, (str, bytes)):
            raise Error(f"{name} must be a sequence of values, got {shown(its)}; write {name}=[{shown(its)}]")
    return [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]


def sweep(
    fn: Callable[[Any, Any], Any],
    params: Iterable[Any],
    executor: Executor | None = None,
    *,
    seed: int = 0,
    resume: Any = None,
    workers: int | None = None,
    chunk: int | None = None,
    progress: bool = False,
) -> Sweep:
    """Call ``fn(item, rng)`` for each item of `params`, on many processors.

    Results do not depend on who works, in which order, and how many there are: task k gets random numbers of its own,
    those of ``SeedSequence(seed, spawn_key=(k,))``.

    Parameters
    ----------
    fn : callable
        ``fn(item, rng)``, with a numpy Generator; worker processes must be able to import it: a function of a module.
    params : iterable
        What each task is called with; `grid` makes all combinations.
    executor : concurrent.futures.Executor, optional
        Who works; by default a pool of spawned processes, which survives one that is killed.  A cluster is one too:
        ``client.get_executor()`` of Dask.
    seed : int
        Of all random numbers, 0 or more.
    resume : path-like, optional
        A file to which results are written as they come, and from which they are taken if they are there already: a
        sweep that was interrupted or killed goes on where it was.  A task is known by its parameters, number and seed,
        not by what the function does.  The file is data: reading it runs no code, and results are numbers, text,
        lists, tuples, dicts and numpy arrays then; a task with another one is a failure.
    workers : int, optional
        Processes of the pool, by default as many as processors; 0: no other process, the caller works.
    chunk : int, optional
        Tasks that a worker is given at a time; by default as many as take 50 ms.
    progress : bool
        Show a progress bar (tqdm) if standard error is a terminal.

    Returns
    -------
    sweep : Sweep
        Results in the order of `params`, and what failed: an exception of one task, or the death of its process, is
        recorded, and the others go on.

    Raises
    ------
    Error
        If an argument is wrong, `resume` is of another sweep, or another one writes to it, if worker processes cannot
        start or find `fn`, or if the executor itself is gone; what was done until then is in the file.

    Notes
    -----
    Parameters and results travel between processes by pickle, which is safe between processes of one user: never
    connect to a scheduler, or let workers connect to yours, that you do not trust.

    Examples
    --------
    >>> import rbdyn
    >>> rbdyn.sweep(lambda x, rng: x * x, [1, 2, 3], workers=0).results
    [1, 4, 9]
    """
    if not callable(fn):
        raise Error(f"fn must be callable with parameters and a random generator, got {shown(fn)}")
    items = _items(params)
    seed, bar_wanted = whole(seed, "seed"), flag(progress, "progress")
    crew = Crew(executor, None if workers is None else whole(workers, "workers", most=1024))
    size = None if chunk is None else whole(chunk, "chunk", least=1)
    with ExitStack() as stack:
        kept = None
        if resume is not None:
            digests = [digest_of(item, k, seed) for k, item in enumerate(items)]
            kept = stack.enter_context(Checkpoint(resume, _name_of(fn), digests))
        if items and (kept is None or len(kept.done) < len(items)):
            crew.check(fn)
        advance = stack.enter_context(_bar(bar_wanted, len(items)))
        return _Run(fn, items, seed, crew, size, kept, advance).all()


def _items(params: Any) -> list[Any]:
    """The parameters, one for each task."""
    if isinstance(params, (str, bytes, dict)) or not isinstance(params, Iterable) or hasattr(params, "iterrows"):
        table = hasattr(params, "iterrows")
        hint = "a table's rows are its .to_dict('records')" if table else "grid(**values) makes all combinations"
        raise Error(f"params must be a sequence, with an item for each task, got {shown(params)}; {hint}")
    return list(params)


class _Run:
    """One sweep while it runs."""

    def __init__(
        self,
        fn: Callable[..., Any],
        items: list[Any],
        seed: int,
        crew: Crew,
        size: int | None,
        kept: Checkpoint | None,
        advance: Callable[[int], None],
    ) -> None:
        self.fn, self.items, self.seed, self.crew, self.size, self.kept = fn, items, seed, crew, size, kept
        self.advance = advance
        self.done: dict[int, Any] = {} if kept is None else dict(kept.done)
        self.failures: dict[int, Failure] = {}
        self.waiting = [k for k in range(len(items)) if k not in self.done]
        self.suspects: list[int] = []  # tasks of chunks that were lost: each is tried once more, alone
        self.futures: dict[Future[Any], tuple[list[int], bool]] = {}  # its tasks, and whether it was sent alone
        self.seconds, self.timed = 0.0, 0  # of tasks so far

    def all(self) -> Sweep:
        """Until everything is done."""
        self.advance(len(self.done))
        try:
            while self.waiting or self.suspects or self.futures:
                self.give()
                ended = wait(list(self.futures), return_when=FIRST_COMPLETED).done
                if any(is_gone(_error_of(future)) for future in ended):
                    if self.crew.is_pool:  # others, once gone, may leave futures that never end
                        ended |= wait(list(self.futures)).done
                    self.crew.renew()
                for future in sorted(ended, key=lambda one: _error_of(one) is not None):  # first what is done
                    self.take(future, *self.futures.pop(future))
        finally:
            self.crew.end(list(self.futures))
        return Sweep([self.done.get(k) for k in range(len(self.items))], dict(sorted(self.failures.items())))

    def give(self) -> None:
        """Work for whoever has none."""
        while self.waiting and len(self.futures) < self.crew.window:
            n = self.chunk()
            some, self.waiting = self.waiting[:n], self.waiting[n:]
            self.submit(some, False)
        if self.suspects and not self.futures:
            self.submit([self.suspects.pop(0)], True)

    def submit(self, some: list[int], alone: bool) -> None:
        """Give these tasks to somebody."""
        future = self.crew.submit(run_tasks, self.fn, [(k, self.items[k]) for k in some], self.seed, here())
        self.futures[future] = some, alone

    def chunk(self) -> int:
        """How many tasks to send: 50 ms of work, once it is known how long one takes, and some for everybody."""
        if self.size is not None:
            return self.size
        if not self.timed:
            return 1
        wanted = int(CHUNK * self.timed / max(self.seconds, 1e-9))
        return max(1, min(wanted, len(self.waiting) // (2 * max(self.crew.workers, 1))))

    def take(self, future: Future[Any], some: list[int], alone: bool) -> None:
        """What came of a chunk."""
        error = _error_of(future)
        if error is not None:
            self.lose(some, alone, error)
            return
        outcomes, seconds = future.result()
        self.seconds, self.timed = self.seconds + seconds, self.timed + len(some)
        for index, given in outcomes:
            value = unpacked(given)
            if self.kept is not None and not isinstance(value, Failure):
                value = self.kept.written(index, value)
            if isinstance(value, Failure):
                self.failures[index] = value
            else:
                self.done[index] = value
        self.advance(len(outcomes))

    def lose(self, some: list[int], alone: bool, error: BaseException) -> None:
        """A chunk came to nothing: its worker died, or its results could not travel."""
        if is_gone(error) and not self.crew.is_pool:
            raise Error(
                f"the executor is gone after {len(self.done)} of {len(self.items)} tasks ({type(error).__name__}: "
                f"{error}); with resume= a sweep goes on where it was"
            ) from error
        if alone:
            self.failures[some[0]] = failure_of(error)
            self.advance(1)
        else:
            self.suspects += some


def _error_of(future: Future[Any]) -> BaseException | None:
    """What a future that is done ended with instead of a result."""
    try:
        return future.exception()
    except BaseException as error:  # it was cancelled, which each library says in its own way
        return error


def _name_of(fn: Any) -> str:
    """Module and name of a function, or of its class."""
    if not hasattr(fn, "__qualname__"):
        fn = type(fn)
    return f"{fn.__module__}.{fn.__qualname__}"


@contextmanager
def _bar(wanted: bool, total: int) -> Iterator[Callable[[int], None]]:
    """How to say that tasks are done."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda n: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        raise missing_extra("sweep(progress=True)", "tqdm", "progress") from None
    with tqdm(total=total, unit="task", file=sys.stderr) as bar:
        yield bar.update
