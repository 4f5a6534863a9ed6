"""VectorWorld: many Worlds of one shape, stepped in one call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import plain_array, shown, whole
from rbdyn.errors import DivergenceError, Error, unknown_name
from rbdyn.parallel import alike
from rbdyn.parallel.fleet import Fleet
from rbdyn.parallel.selection import Where, chosen, rows_of
from rbdyn.parallel.stepper import Stepper
from rbdyn.parallel.vector_body import VectorBody
from rbdyn.parallel.vector_system import VectorSystem
from rbdyn.spatial.rotations import Array
from rbdyn.world import ArticulatedSystem, World

MOST_WORLDS = 100_000  # Worlds of one VectorWorld, which take some 0.1 MB each or more


class VectorWorld(Fleet):
    """Many Worlds of one shape, stepped in one call; each has the bits of the same World stepped alone.

    Parameters
    ----------
    build : callable or World
        ``build(k)`` returns World number k: the same objects in each, with whatever numbers.  Or one World, of which n
        copies are made, by `copy.deepcopy`.
    n : int
        How many, 1 to 100,000.
    threads : int
        How many threads step them.  Results do not depend on it.

    Attributes
    ----------
    worlds : tuple of World
        Each of them; it can be looked at, edited and shown as any World.
    systems, bodies : tuple
        Their articulated systems and single bodies, a `VectorSystem` or `VectorBody` each.
    threads : int
        See above.

    Notes
    -----
    Arrays have a row for each World, are fresh copies, and stay as they are when the Worlds go on.  ``where=`` chooses
    Worlds by a mask (n,) of bool or by numbers; arrays that are given then have a row for each of these.  Worlds in
    whose steps Python code runs (schedules, observers, laws of wires, backends in Python) are stepped one after the
    other, by the thread that calls.

    A World whose step would end in a non-finite state stands still at the last good one, and alone: `step` says which,
    `errors` why.  It steps again once its state has changed: by `reset`, `restore`, `set_state`, or whatever else is
    done with it.

    Examples
    --------
    >>> import rbdyn
    >>> from rbdyn import models
    >>> def build(k):
    ...     world = rbdyn.World(time_step=0.002)
    ...     world.add_articulated_system(models.double_pendulum(), name="pendulum")
    ...     return world
    >>> worlds = rbdyn.parallel.VectorWorld(build, 3)
    >>> pendulum = worlds.find("pendulum")
    >>> pendulum.set_state(q=[[0.1, 0.0], [0.2, 0.0], [0.3, 0.0]])
    >>> worlds.step(100)
    array([False, False, False])
    >>> pendulum.q.shape
    (3, 2)
    """

    __slots__ = ("__weakref__", "_found")
    _found: dict[str, VectorSystem | VectorBody]

    def __init__(self, build: Callable[[int], World] | World, n: int, *, threads: int = 1) -> None:
        n = whole(n, "n", least=1, most=MOST_WORLDS)
        threads = whole(threads, "threads", least=1, most=1024)
        if isinstance(build, World):
            self._begin(alike.copies(build, n), threads)
            return
        _check_build(build)
        self._begin(alike.built(build, n), threads)

    def _begin(self, worlds: tuple[World, ...], threads: int) -> None:
        """Take in Worlds that are alike."""
        self._stepper = Stepper(worlds, threads)
        self._errors = {}
        self._found = {
            obj.name: (VectorSystem if isinstance(obj, ArticulatedSystem) else VectorBody)(self, obj.name)
            for obj in worlds[0].objects
        }

    @classmethod
    def of(cls, worlds: Sequence[World], *, threads: int = 1) -> VectorWorld:
        """A VectorWorld of Worlds that are there already.

        Parameters
        ----------
        worlds : sequence of World
            With the same objects in the same order.
        threads : int
            As above.
        """
        given = list(worlds)
        if not given or not all(isinstance(world, World) for world in given):
            raise Error(f"worlds must be one World or more, got {shown(worlds)}")
        alike.check_alike(given)
        made = cls.__new__(cls)
        made._begin(tuple(given), whole(threads, "threads", least=1, most=1024))
        return made

    @property
    def threads(self) -> int:
        """How many threads step them; can be set."""
        return self._stepper.threads

    @threads.setter
    def threads(self, value: int) -> None:
        self._stepper = Stepper(self.worlds, whole(value, "threads", least=1, most=1024))

    @property
    def systems(self) -> tuple[VectorSystem, ...]:
        """Their articulated systems, in the order in which they came."""
        return tuple(one for one in self._found.values() if isinstance(one, VectorSystem))

    @property
    def bodies(self) -> tuple[VectorBody, ...]:
        """Their single bodies, in the order in which they came."""
        return tuple(one for one in self._found.values() if isinstance(one, VectorBody))

    def find(self, name: str) -> Any:
        """The `VectorSystem` or `VectorBody` of all objects called `name`; UnknownNameError if there is none."""
        if not isinstance(name, str) or name not in self._found:
            raise unknown_name("object", name, self._found, "these Worlds")
        return self._found[name]

    def __len__(self) -> int:
        return len(self.worlds)

    def __getitem__(self, k: int) -> World:
        return self.worlds[k]

    def __iter__(self) -> Iterator[World]:
        return iter(self.worlds)

    def __repr__(self) -> str:
        stands = f", {len(self._errors)} diverged" if self._errors else ""
        return f"VectorWorld({len(self)} of {self.worlds[0]!r}, threads={self.threads}{stands})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.worlds, self.threads, sorted(self._errors.items()))

    # ---- steps -------------------------------------------------------------------------------

    def step(self, n: int = 1, where: Where = None) -> NDArray[np.bool_]:
        """Advance by n steps each.

        Parameters
        ----------
        n : int
            How many.
        where : optional
            Which Worlds; by default all.  Those that have diverged before stand still.

        Returns
        -------
        diverged : (n,) ndarray of bool
            Which Worlds have diverged, in this call or before, fresh.

        Raises
        ------
        BusyError
            If one of them cannot be stepped now, as `World.step`; none has taken a step then.

        Notes
        -----
        What other code raises, an observer or a backend of one World, comes out of here once the others are as far,
        or some steps farther. Ctrl-C is looked at every 4096 steps of one World, or 8 of each, and all have taken the
        same number of steps then. Worlds with Python code in their steps come last, by turns of some steps (256 in
        all, one each at least), and may differ by a turn after an error or Ctrl-C.
        """
        count = whole(n, "n", most=2**62)
        numbers = chosen(where, len(self))
        if self._errors:
            self._look()
            numbers = [k for k in numbers if k not in self._errors]
        for k, error in self._stepper.step(count, numbers).items():
            self._errors[k] = error, self.worlds[k].state_hash()
        return self._mask()

    def _look(self) -> None:
        """Worlds that diverged and are in another state now go on."""
        for k in [k for k, (_, state) in self._errors.items() if self.worlds[k].state_hash() != state]:
            del self._errors[k]

    def _mask(self) -> NDArray[np.bool_]:
        mask = np.zeros(len(self), bool)
        mask[list(self._errors)] = True
        return mask

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Which of them have diverged, and stand still, (n,), fresh."""
        self._look()
        return self._mask()

    @property
    def errors(self) -> dict[int, DivergenceError]:
        """Number of each World that has diverged -> what its step said, fresh."""
        self._look()
        return {k: error for k, (error, _) in self._errors.items()}

    @property
    def time(self) -> Array:
        """Simulated so far, (n,), fresh [s]."""
        return np.array([world.time for world in self.worlds])

    # ---- going back --------------------------------------------------------------------------

    def reset(self, where: Where = None) -> None:
        """Go back to where each World was before its first step, or at `set_reset_state`, as `World.reset`."""
        numbers = chosen(where, len(self))
        self._each(numbers, World.reset)
        self._goes_on(numbers)

    def set_reset_state(self, where: Where = None) -> None:
        """Say that `reset` is to go to what is now."""
        for k in chosen(where, len(self)):
            self.worlds[k].set_reset_state()

    def snapshot(self, where: Where = None) -> list[Any]:
        """What these Worlds are now, a list of `Snapshot`."""
        return [self.worlds[k].snapshot() for k in chosen(where, len(self))]

    def restore(self, snapshots: Any, where: Where = None) -> None:
        """Go back to snapshots: of these Worlds, of one another, or of others built alike.

        Parameters
        ----------
        snapshots : Snapshot or sequence of Snapshot
            One for all, or one for each of them.
        where : optional
            Which Worlds.

        Raises
        ------
        SnapshotError
            If one does not fit, as `World.restore`; all Worlds are unchanged.
        """
        numbers = chosen(where, len(self))
        given = list(snapshots) if isinstance(snapshots, (list, tuple)) else [snapshots] * len(numbers)
        if len(given) != len(numbers):
            raise Error(f"snapshots must be one for all, or {len(numbers)}, got {len(given)}")
        self._each(numbers, World.restore, snapshot=given)
        self._goes_on(numbers)

    # ---- parameters --------------------------------------------------------------------------

    def seed(self, seed: int | Sequence[int], where: Where = None) -> None:
        """Give `World.random` of each a generator of its own, which does not depend on how many there are.

        Parameters
        ----------
        seed : int or sequence of int
            World k gets ``SeedSequence(seed, spawn_key=(k,))``; or one seed for each of them.
        where : optional
            Which Worlds.
        """
        numbers = chosen(where, len(self))
        if isinstance(seed, (int, np.integer)):
            root = whole(seed, "seed")
            made = [np.random.SeedSequence(root, spawn_key=(k,)) for k in numbers]
        else:
            given = plain_array(seed, "seed", object)
            if given.ndim != 1:
                raise Error(f"seed must be a whole number, or one for each World, got {shown(seed)}")
            made = [np.random.SeedSequence(whole(one, "seed")) for one in given]
        if len(made) != len(numbers):
            raise Error(f"seed must be one number, or {len(numbers)}, got {len(made)}")
        for k, one in zip(numbers, made, strict=True):
            self.worlds[k].random = np.random.default_rng(one)

    @property
    def gravity(self) -> Array:
        """Gravitational acceleration of each, (n, 3), fresh [m/s^2]."""
        return np.array([world.gravity for world in self.worlds])

    def set_gravity(self, gravity: ArrayLike, where: Where = None) -> None:
        """Change gravity.

        Parameters
        ----------
        gravity : (3,) or (m, 3) array_like
            World axes [m/s^2], for all or for each of the m Worlds.
        where : optional
            Which Worlds.
        """
        numbers = chosen(where, len(self))
        rows = rows_of(gravity, len(numbers), (3,), "gravity")
        self._each(numbers, lambda world, g: setattr(world, "gravity", g), g=rows)

    def set_material_pair(self, a: str, b: str, where: Where = None, **properties: ArrayLike) -> None:
        """Change what happens when two materials meet, as `World.set_material_pair`.

        Parameters
        ----------
        a, b : str
            Their names.
        where : optional
            Which Worlds.
        **properties : float or (m,) array_like
            Those of `World.set_material_pair`, ``friction=`` for one: for all, or for each of the m Worlds.
        """
        numbers = chosen(where, len(self))
        rows = {name: rows_of(value, len(numbers), (), name) for name, value in properties.items()}
        self._each(numbers, lambda world, **row: world.set_material_pair(a, b, **row), **rows)

    def apply(self, function: Callable[..., Any], where: Where = None, **values: Any) -> list[Any]:
        """Call ``function(world, **row)`` for each World: all that no other method sets, without building anew.

        If one call raises, all Worlds are again what they were before.

        Parameters
        ----------
        function : callable
            Edits one World.
        where : optional
            Which Worlds.
        **values : sequence
            An item for each of them, an array's row for one; ``function`` gets it under the same name.

        Returns
        -------
        results : list
            What the calls returned.

        Examples
        --------
        >>> worlds.apply(lambda world, mass: setattr(world.find("ball"), "mass", mass),
        ...              mass=[1.0, 1.1, 1.2])  # doctest: +SKIP
        """
        numbers = chosen(where, len(self))
        for name, rows in values.items():
            if not hasattr(rows, "__len__") or len(rows) != len(numbers):
                raise Error(f"{name} must have an item for each of {len(numbers)} Worlds, got {shown(rows)}")
        return self._each(numbers, function, **values)


def _check_build(build: Any) -> None:
    """Error unless it can be called with a number."""
    if not callable(build):
        raise Error(f"build must be a World, or a function that returns World number k, got {shown(build)}")
    try:
        signature = inspect.signature(build)
    except (TypeError, ValueError):  # compiled ones may not say
        return
    try:
        signature.bind(0)
    except TypeError:
        raise Error(f"build must take one argument, the number of the World, got {shown(build)}{signature}") from None


def _rebuilt(cls: type[VectorWorld], worlds: tuple[World, ...], threads: int, errors: Any) -> VectorWorld:
    made = cls.of(worlds, threads=threads)
    made._errors = dict(errors)
    return made
